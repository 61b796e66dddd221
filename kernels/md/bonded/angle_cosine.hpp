#pragma once
#include "kernels/md/bonded/bonded_term.hpp"

namespace halyard::md {

/// U(theta) = K [1 + cos(theta)]
struct AngleCosine {
  static constexpr std::string_view name = "cosine";
  static constexpr std::array<BondedInput, 1> inputs{{{"k", BondedQuantity::energy}}};
  static constexpr int coefficients = 1;  // K

  static void prepare(const double* input, double* c) {
    c[0] = detail::bonded_input("angle", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
  }

  /// f1 = K [cos(theta) d12 / |d12|^2 - d32 / (|d12| |d32|)], f3 likewise.
  template <class Real>
  KERNEL static AngleTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32, const Real* c) {
    const Real one = constant<Real>(1.0), r1_squared = dot(d12, d12), r3_squared = dot(d32, d32);
    const Real inverse = one / square_root(r1_squared * r3_squared), cosine = dot(d12, d32) * inverse;
    const Real k_cosine = c[0] * cosine, across = (constant<Real>(0.0) - c[0]) * inverse;
    return {c[0] * (one + cosine), add_scaled((k_cosine / r1_squared) * d12, across, d32),
            add_scaled((k_cosine / r3_squared) * d32, across, d12),
            either(detail::no_length(r1_squared), detail::no_length(r3_squared))};
  }
};

}  // namespace halyard::md
