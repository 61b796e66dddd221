#pragma once
#include "kernels/md/bonded/angle_harmonic.hpp"
#include "kernels/md/bonded/bond_harmonic.hpp"

namespace halyard::md {

/// U = K (theta - theta0)^2 + K_ub (r_13 - r_ub)^2: an angle and a Urey-Bradley spring between its ends
/// (MacKerell et al. 1998, J. Phys. Chem. B 102, 3586).
struct AngleCharmm {
  static constexpr std::string_view name = "charmm";
  static constexpr std::array<BondedInput, 4> inputs{{{"k", BondedQuantity::energy_per_radian2},
                                                      {"theta0", BondedQuantity::degrees},
                                                      {"k_ub", BondedQuantity::energy_per_length2},
                                                      {"r_ub", BondedQuantity::length}}};
  static constexpr int coefficients = 4;  // K, theta0 in radians, K_ub, r_ub

  static void prepare(const double* input, double* c) {
    AngleHarmonic::prepare(input, c);
    c[2] = detail::bonded_input("angle", name, inputs[2], input[2], -detail::no_limit, detail::no_limit);
    c[3] = detail::bonded_input("angle", name, inputs[3], input[3], 0.0, detail::no_limit);
  }

  template <class Real>
  KERNEL static AngleTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32, const Real* c) {
    const AngleTerm<Real> angle = AngleHarmonic::evaluate(d12, d32, c);
    const Vector3<Real> d13 = d12 - d32;
    const Real r2 = dot(d13, d13);
    const BondTerm<Real> bond = BondHarmonic::evaluate(r2, c + 2);
    // Ends at one point: no direction to push in, as in LAMMPS.
    const Real zero = constant<Real>(0.0), pull = select(bond.broken, zero, bond.force_over_r);
    return {angle.energy + bond.energy, add_scaled(angle.f1, pull, d13), add_scaled(angle.f3, zero - pull, d13),
            angle.broken};
  }
};

}  // namespace halyard::md
