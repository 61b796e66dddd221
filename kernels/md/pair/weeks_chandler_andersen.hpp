#pragma once
#include "kernels/md/pair/lennard_jones.hpp"

namespace halyard::md {

/// The repulsive half of 12-6 Lennard-Jones, U(r) = U_LJ(r) + epsilon up to its minimum at 2^(1/6) sigma, where energy
/// and force are zero (Weeks, Chandler & Andersen 1971, J. Chem. Phys. 54, 5237).
struct WeeksChandlerAndersen {
  static constexpr std::string_view name = "wca";
  static constexpr std::string_view lammps = "";
  static constexpr std::array<PairInput, 2> inputs = LennardJones::inputs;
  static constexpr int coefficients = 5;  // those of LennardJones, epsilon
  static constexpr bool has_tail = false;

  /// 2^(1/6) sigma whatever the case's cutoff is.
  static double cutoff(const double* input, double /*r_cut*/) { return std::cbrt(std::sqrt(2.0)) * input[1]; }

  static void prepare(const double* input, double r_cut, double* c) {
    LennardJones::prepare(input, r_cut, c);
    c[4] = input[0];
  }

  static void scale(double* c, double factor) {
    for (int i = 0; i < coefficients; ++i) {
      c[i] *= factor;
    }
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real inv_r2 = constant<Real>(1.0) / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2;
    return {fma(inv_r6, fms(c[2], inv_r6, c[3]), c[4]), inv_r2 * inv_r6 * fms(c[0], inv_r6, c[1])};
  }
};

}  // namespace halyard::md
