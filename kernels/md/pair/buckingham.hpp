#pragma once
#include "kernels/md/math.hpp"
#include "kernels/md/pair/pair_term.hpp"

namespace halyard::md {

/// Buckingham's exp-6 cut at r_cut, U(r) = A e^(-r/rho) - C/r^6 (Buckingham 1938, Proc. R. Soc. A 168, 264). It falls
/// to minus infinity inside its barrier, which safe_r2() cannot see: choose A, rho so that no atom gets there.
struct Buckingham {
  static constexpr std::string_view name = "buckingham";
  static constexpr std::string_view lammps = "buck";
  static constexpr std::array<PairInput, 3> inputs{
      {{"a", PairQuantity::energy}, {"rho", PairQuantity::length}, {"c", PairQuantity::energy_length6}}};
  static constexpr int coefficients = 5;  // -1/rho, A/rho, 6 C, A, C
  static constexpr bool has_tail = true;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  /// input: A, rho, C; A and C may be zero.
  static void prepare(const double* input, double r_cut, double* c) {
    detail::check_pair_input(name, inputs[0], input[0], true);
    detail::check_pair_input(name, inputs[1], input[1], false);
    detail::check_pair_input(name, inputs[2], input[2], true);
    detail::check_pair_cutoff(name, r_cut);
    c[0] = -1.0 / input[1];
    c[1] = input[0] / input[1];
    c[2] = 6.0 * input[2];
    c[3] = input[0];
    c[4] = input[2];
  }

  static void scale(double* c, double factor) {
    for (int i = 1; i < coefficients; ++i) {
      c[i] *= factor;
    }
  }

  static PairTail tail(const double* input, double r_cut) {
    const double rho = input[1], r = r_cut, r3 = r * r * r, a = input[0] * std::exp(-r / rho);
    const double energy = a * rho * ((2.0 * rho + 2.0 * r) * rho + r * r) - input[2] / (3.0 * r3);
    return {energy, r3 * (a - input[2] / (r3 * r3)) + 3.0 * energy};  // by parts
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real inv_r2 = constant<Real>(1.0) / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2, r = square_root(r2);
    const Real e = math::exp(r * c[0]);
    return {fms(c[3], e, c[4] * inv_r6), inv_r2 * fms(c[1] * e, r, c[2] * inv_r6)};
  }
};

}  // namespace halyard::md
