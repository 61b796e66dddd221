#pragma once
#include "kernels/md/pair/pair_term.hpp"

namespace halyard::md {

/// 12-6 Lennard-Jones cut at r_cut, U(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].
struct LennardJones {
  static constexpr std::string_view name = "lj";
  static constexpr std::string_view lammps = "lj/cut";
  static constexpr std::array<PairInput, 2> inputs{
      {{"epsilon", PairQuantity::energy}, {"sigma", PairQuantity::length}}};
  static constexpr int coefficients = 4;  // 12 c12, 6 c6, c12, c6 with c12 = 4 epsilon sigma^12, c6 = 4 epsilon sigma^6
  static constexpr bool has_tail = true;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  /// input: epsilon (zero: no interaction), sigma.
  static void prepare(const double* input, double r_cut, double* c) {
    detail::check_pair_input(name, inputs[0], input[0], true);
    detail::check_pair_input(name, inputs[1], input[1], input[0] == 0.0);
    detail::check_pair_cutoff(name, r_cut);
    const double s2 = input[1] * input[1], s6 = s2 * s2 * s2;
    c[2] = 4.0 * input[0] * s6 * s6;
    c[3] = 4.0 * input[0] * s6;
    c[0] = 12.0 * c[2];
    c[1] = 6.0 * c[3];
  }

  static void scale(double* c, double factor) {
    for (int i = 0; i < coefficients; ++i) {
      c[i] *= factor;
    }
  }

  static PairTail tail(const double* input, double r_cut) {
    double c[coefficients];
    prepare(input, r_cut, c);
    const double inv_r3 = 1.0 / (r_cut * r_cut * r_cut), inv_r9 = inv_r3 * inv_r3 * inv_r3;
    return {c[2] * inv_r9 / 9.0 - c[3] * inv_r3 / 3.0, 12.0 * c[2] * inv_r9 / 9.0 - 6.0 * c[3] * inv_r3 / 3.0};
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real inv_r2 = constant<Real>(1.0) / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2;
    return {inv_r6 * fms(c[2], inv_r6, c[3]), inv_r2 * inv_r6 * fms(c[0], inv_r6, c[1])};
  }
};

}  // namespace halyard::md
