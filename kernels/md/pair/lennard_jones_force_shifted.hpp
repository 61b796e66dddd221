#pragma once
#include "kernels/md/pair/lennard_jones.hpp"

namespace halyard::md {

/// 12-6 Lennard-Jones with energy and force zero at r_cut, U(r) = U_LJ(r) - U_LJ(r_cut) - U_LJ'(r_cut) (r - r_cut):
/// the linear force shift of Toxvaerd & Dyre 2011, J. Chem. Phys. 134, 081102, and of NIST's reference calculations.
struct LennardJonesForceShifted {
  static constexpr std::string_view name = "lj-force-shifted";
  static constexpr std::string_view lammps = "lj/smooth/linear";
  static constexpr std::array<PairInput, 2> inputs = LennardJones::inputs;
  static constexpr int coefficients = 6;  // 12 c12, 6 c6, U_LJ'(r_cut), c12, c6, U_LJ(r_cut) - r_cut U_LJ'(r_cut)
  static constexpr bool has_tail = false;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  static void prepare(const double* input, double r_cut, double* c) {
    double lj[LennardJones::coefficients];
    LennardJones::prepare(input, r_cut, lj);
    const PairTerm<double> at_cut = LennardJones::evaluate(r_cut * r_cut, lj);
    c[0] = lj[0];
    c[1] = lj[1];
    c[2] = -at_cut.force_over_r * r_cut;
    c[3] = lj[2];
    c[4] = lj[3];
    c[5] = at_cut.energy - r_cut * c[2];
  }

  static void scale(double* c, double factor) {
    for (int i = 0; i < coefficients; ++i) {
      c[i] *= factor;
    }
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real inv_r2 = constant<Real>(1.0) / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2, r = square_root(r2);
    return {fnma(c[2], r, fms(inv_r6, fms(c[3], inv_r6, c[4]), c[5])),
            inv_r2 * fma(inv_r6, fms(c[0], inv_r6, c[1]), c[2] * r)};
  }
};

}  // namespace halyard::md
