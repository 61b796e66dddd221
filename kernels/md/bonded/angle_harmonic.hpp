#pragma once
#include "kernels/md/bonded/angle_geometry.hpp"

namespace halyard::md {

/// U(theta) = K (theta - theta0)^2
struct AngleHarmonic {
  static constexpr std::string_view name = "harmonic";
  static constexpr std::array<BondedInput, 2> inputs{
      {{"k", BondedQuantity::energy_per_radian2}, {"theta0", BondedQuantity::degrees}}};
  static constexpr int coefficients = 2;  // K, theta0 in radians

  static void prepare(const double* input, double* c) {
    c[0] = detail::bonded_input("angle", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
    c[1] = detail::bonded_input("angle", name, inputs[1], input[1], 0.0, 180.0) / 180.0 * M_PI;
  }

  template <class Real>
  KERNEL static AngleTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32, const Real* c) {
    const AngleGeometry<Real> angle = angle_geometry(d12, d32);
    const Real bend = angle.theta - c[1], k_bend = c[0] * bend, minus_slope = constant<Real>(-2.0) * k_bend;
    return {k_bend * bend, minus_slope * angle.g1, minus_slope * angle.g3, angle.broken};
  }
};

}  // namespace halyard::md
