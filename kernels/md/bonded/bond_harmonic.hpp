#pragma once
#include "kernels/md/bonded/bonded_term.hpp"

namespace halyard::md {

/// U(r) = K (r - r0)^2
struct BondHarmonic {
  static constexpr std::string_view name = "harmonic";
  static constexpr std::array<BondedInput, 2> inputs{
      {{"k", BondedQuantity::energy_per_length2}, {"r0", BondedQuantity::length}}};
  static constexpr int coefficients = 2;  // K, r0

  static void prepare(const double* input, double* c) {
    c[0] = detail::bonded_input("bond", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
    c[1] = detail::bonded_input("bond", name, inputs[1], input[1], 0.0, detail::no_limit);
  }

  template <class Real>
  KERNEL static BondTerm<Real> evaluate(Real r2, const Real* c) {
    const Real r = square_root(r2), stretch = r - c[1], k_stretch = c[0] * stretch;
    return {k_stretch * stretch, constant<Real>(-2.0) * k_stretch / r, detail::no_length(r2)};
  }
};

}  // namespace halyard::md
