#pragma once
#include "kernels/md/pair/lennard_jones.hpp"

namespace halyard::md {

/// 12-6 Lennard-Jones moved up so that the energy is zero at r_cut; the force is that of LennardJones and jumps there.
struct LennardJonesShifted {
  static constexpr std::string_view name = "lj-shifted";
  static constexpr std::string_view lammps = "lj/cut";  // with pair_modify shift yes
  static constexpr std::array<PairInput, 2> inputs = LennardJones::inputs;
  static constexpr int coefficients = 5;  // those of LennardJones, U_LJ(r_cut)
  static constexpr bool has_tail = false;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  static void prepare(const double* input, double r_cut, double* c) {
    LennardJones::prepare(input, r_cut, c);
    c[4] = LennardJones::evaluate(r_cut * r_cut, c).energy;
  }

  static void scale(double* c, double factor) {
    for (int i = 0; i < coefficients; ++i) {
      c[i] *= factor;
    }
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const PairTerm<Real> term = LennardJones::evaluate(r2, c);
    return {term.energy - c[4], term.force_over_r};
  }
};

}  // namespace halyard::md
