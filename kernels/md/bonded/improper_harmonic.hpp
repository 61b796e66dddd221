#pragma once
#include "kernels/md/bonded/dihedral_geometry.hpp"
#include "kernels/md/inverse_trig.hpp"

namespace halyard::md {

/// U(chi) = K (chi - chi0)^2, chi from 0 to 180 degrees the unsigned angle between the planes 1-2-3 and 2-3-4. With
/// chi0 other than 0 or 180 degrees the force jumps where the four atoms pass through one plane; exactly there it is
/// zero. (LAMMPS takes sines below 1e-3 for 1e-3, which weakens its force within 0.06 degrees of the plane; here the
/// force is minus the slope of the energy everywhere.)
struct ImproperHarmonic {
  static constexpr std::string_view name = "harmonic";
  static constexpr std::array<BondedInput, 2> inputs{
      {{"k", BondedQuantity::energy_per_radian2}, {"chi0", BondedQuantity::degrees}}};
  static constexpr int coefficients = 2;  // K, chi0 in radians

  static void prepare(const double* input, double* c) {
    c[0] = detail::bonded_input("improper", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
    c[1] = detail::bonded_input("improper", name, inputs[1], input[1], -180.0, 180.0) / 180.0 * M_PI;
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    const DihedralGeometry<Real> phi = dihedral_geometry(d12, d32, d43);
    const Real zero = constant<Real>(0.0), one = constant<Real>(1.0);
    const Real side = select(less(zero, phi.y), one, select(less(phi.y, zero), zero - one, zero));
    const Real bend = math::atan2(larger(phi.y, zero - phi.y), phi.x) - c[1], k_bend = c[0] * bend;
    return dihedral_term(phi, k_bend * bend, constant<Real>(2.0) * k_bend * side);
  }
};

}  // namespace halyard::md
