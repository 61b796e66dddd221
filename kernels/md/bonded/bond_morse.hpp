#pragma once
#include "kernels/md/bonded/bonded_term.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

/// U(r) = D [1 - e^(-alpha (r - r0))]^2
struct BondMorse {
  static constexpr std::string_view name = "morse";
  static constexpr std::array<BondedInput, 3> inputs{
      {{"d", BondedQuantity::energy}, {"alpha", BondedQuantity::inverse_length}, {"r0", BondedQuantity::length}}};
  static constexpr int coefficients = 4;  // -alpha, alpha r0, D, -2 alpha D

  static void prepare(const double* input, double* c) {
    const double d = detail::bonded_input("bond", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
    const double alpha = detail::bonded_input("bond", name, inputs[1], input[1], 0.0, detail::no_limit);
    c[0] = -alpha;
    c[1] = alpha * detail::bonded_input("bond", name, inputs[2], input[2], 0.0, detail::no_limit);
    c[2] = d;
    c[3] = -2.0 * alpha * d;
  }

  template <class Real>
  KERNEL static BondTerm<Real> evaluate(Real r2, const Real* c) {
    const Real r = square_root(r2), e = math::exp(fma(c[0], r, c[1])), rest = constant<Real>(1.0) - e;
    return {c[2] * rest * rest, c[3] * rest * e / r, detail::no_length(r2)};
  }
};

}  // namespace halyard::md
