#pragma once
#include "kernels/md/math.hpp"
#include "kernels/md/pair/pair_term.hpp"

namespace halyard::md {

/// Morse cut at r_cut, U(r) = D0 [e^(-2 alpha (r - r0)) - 2 e^(-alpha (r - r0))] (Morse 1929, Phys. Rev. 34, 57).
struct Morse {
  static constexpr std::string_view name = "morse";
  static constexpr std::string_view lammps = "morse";
  static constexpr std::array<PairInput, 3> inputs{
      {{"d0", PairQuantity::energy}, {"alpha", PairQuantity::inverse_length}, {"r0", PairQuantity::length}}};
  static constexpr int coefficients = 4;  // -alpha, alpha r0, 2 alpha D0, D0
  static constexpr bool has_tail = true;

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  /// input: D0, alpha, r0.
  static void prepare(const double* input, double r_cut, double* c) {
    detail::check_pair_input(name, inputs[0], input[0], true);
    detail::check_pair_input(name, inputs[1], input[1], false);
    detail::check_pair_input(name, inputs[2], input[2], true);
    detail::check_pair_cutoff(name, r_cut);
    c[0] = -input[1];
    c[1] = input[1] * input[2];
    c[2] = 2.0 * input[1] * input[0];
    c[3] = input[0];
  }

  static void scale(double* c, double factor) {
    c[2] *= factor;
    c[3] *= factor;
  }

  static PairTail tail(const double* input, double r_cut) {
    const double d0 = input[0], alpha = input[1], r = r_cut, e = std::exp(-alpha * (r_cut - input[2]));
    // integral of r^2 e^(-k r) from r_cut on, over e^(-k r_cut)
    const auto moment = [&](double k) { return ((2.0 / k + 2.0 * r) / k + r * r) / k; };
    const double energy = d0 * e * (e * moment(2.0 * alpha) - 2.0 * moment(alpha));
    return {energy, r * r * r * (d0 * e * (e - 2.0)) + 3.0 * energy};  // by parts
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* = nullptr) {
    const Real r = square_root(r2), e = math::exp(fma(c[0], r, c[1])), one = constant<Real>(1.0);
    return {c[3] * e * (e - (one + one)), c[2] * e * (e - one) / r};
  }
};

}  // namespace halyard::md
