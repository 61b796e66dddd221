#pragma once
#include "kernels/md/pair/lennard_jones.hpp"

namespace halyard::md {

/// 12-6 Lennard-Jones times CHARMM's switch S(r), which takes the energy from full at r_in to zero at r_cut:
/// S = (r_cut^2 - r^2)^2 (r_cut^2 + 2 r^2 - 3 r_in^2) / (r_cut^2 - r_in^2)^3 beyond r_in, 1 before
/// (Brooks et al. 1983, J. Comput. Chem. 4, 187; LAMMPS' lj/charmm).
struct LennardJonesCharmm {
  static constexpr std::string_view name = "lj-charmm";
  static constexpr std::string_view lammps = "lj/charmm";
  static constexpr std::array<PairInput, 3> inputs{
      {{"epsilon", PairQuantity::energy}, {"sigma", PairQuantity::length}, {"inner_cutoff", PairQuantity::length}}};
  static constexpr int coefficients = 8;  // those of LennardJones, r_in^2, r_cut^2, 3 r_in^2, 1/(r_cut^2 - r_in^2)^3
  static constexpr bool has_tail = false;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  /// input: epsilon, sigma, inner_cutoff = r_in.
  static void prepare(const double* input, double r_cut, double* c) {
    LennardJones::prepare(input, r_cut, c);
    if (!(input[2] > 0.0 && input[2] < r_cut)) {
      throw Error(std::string(name) + ": inner_cutoff is " + std::to_string(input[2]) +
                  "; it must be above zero and below the cutoff of " + std::to_string(r_cut) + ".");
    }
    c[4] = input[2] * input[2];
    c[5] = r_cut * r_cut;
    c[6] = 3.0 * c[4];
    const double width = c[5] - c[4];
    c[7] = 1.0 / (width * width * width);
  }

  static void scale(double* c, double factor) {
    for (int i = 0; i < LennardJones::coefficients; ++i) {
      c[i] *= factor;
    }
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real inv_r2 = constant<Real>(1.0) / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2;
    const Real u = inv_r6 * fms(c[2], inv_r6, c[3]);
    const Real f = inv_r2 * inv_r6 * fms(c[0], inv_r6, c[1]);
    const Real to_end = c[5] - r2, beyond = larger(r2 - c[4], constant<Real>(0.0)), w = to_end * c[7];
    const Real s =
        select(less(r2, c[4]), constant<Real>(1.0), w * to_end * (fma(constant<Real>(2.0), r2, c[5]) - c[6]));
    // -S'/r = 12 (r_cut^2 - r^2) (r^2 - r_in^2) / (r_cut^2 - r_in^2)^3
    return {u * s, fma(f, s, u * (constant<Real>(12.0) * w * beyond))};
  }
};

}  // namespace halyard::md
