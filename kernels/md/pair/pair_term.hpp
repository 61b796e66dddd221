#pragma once
// What a pair potential is, for the loop that runs it, and what it needs from its user. One struct a file:
//
//   struct Potential {
//     static constexpr std::string_view name;                 // in case files
//     static constexpr std::string_view lammps;               // the pair_style that it is, "" for none
//     static constexpr std::array<PairInput, n> inputs;       // what the user gives for each pair of types, in order
//     static constexpr int coefficients;                      // numbers per pair of types that evaluate() reads
//     static constexpr bool has_tail;                         // tail() is the correction for what lies beyond r_cut
//     static double cutoff(const double* input, double r_cut);   // where the potential ends, given the case's r_cut
//     static void prepare(const double* input, double r_cut, double* c);   // inputs -> coefficients; throws Error
//     static void scale(double* c, double factor);            // evaluate() then gives factor times {U, -U'/r}
//     static PairTail tail(const double* input, double r_cut);             // where has_tail
//     template <class Real> static PairTerm<Real> evaluate(Real r2, const Real* c, const double* tables = nullptr);
//   };
//
// Real is double or host::Lanes (kernels/device/scalar_lane.hpp), with the same bits in both. The loop owns r < r_cut,
// masks, exclusions: evaluate() may return anything, NaN included, beyond the cutoff or at r = 0. It is pure
// arithmetic, so what the loop does not use of its result costs nothing: coefficients that only U needs come last in c.
// `tables` is read by tabulated potentials alone. potentials.hpp lists all of them.
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "kernels/device/backend.hpp"
#include "kernels/device/error.hpp"
#include "kernels/device/scalar_lane.hpp"
#include "kernels/md/fixed_point.hpp"

namespace halyard::md {

/// A pair potential at one distance.
template <class Real>
struct PairTerm {
  Real energy;        // U(r)
  Real force_over_r;  // -U'(r)/r: times the displacement x_i - x_j it is the force on atom i
};

/// What the tail beyond r_cut adds for n_i n_j pairs of types at uniform density (g = 1 there):
/// energy 2 pi n_i n_j / V * energy, pressure 2 pi / 3 n_i n_j / V^2 * virial, summed over all ordered pairs of types.
struct PairTail {
  double energy;  // integral of r^2 U dr from r_cut on
  double virial;  // integral of -r^3 U' dr from r_cut on
};

/// The kind of an input, from which its unit follows (e: energy, l: length), and how unlike types mix it.
enum class PairQuantity { energy, length, inverse_length, energy_length6 };

struct PairInput {
  std::string_view name;
  PairQuantity quantity;
};

namespace detail {
/// The square of the smallest r from which up to r_cut term(r) stays within the limits; looks down to `end` in steps
/// from r to next(r), then halves the first step that fails. Infinite when not even r_cut is within the limits.
template <class Term, class Next>
double smallest_safe_r2(Term term, double r_cut, double end, Next next) {
  const auto safe = [&](double r) {
    const PairTerm<double> at_r = term(r);
    const double f = std::fabs(at_r.force_over_r) * r;
    return f < force_limit && f * r < energy_limit && std::fabs(at_r.energy) < energy_limit;
  };
  double r = std::nextafter(r_cut, 0.0);
  if (!safe(r)) {
    return HUGE_VAL;
  }
  while (r > end) {
    double unsafe = std::fmax(next(r), end);
    if (safe(unsafe)) {
      r = unsafe;
      continue;
    }
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (r + unsafe);
      (safe(middle) ? r : unsafe) = middle;
    }
    break;
  }
  return r * r;
}
}  // namespace detail

/// The square of the smallest distance from which up to r_cut |F| < force_limit, |U| and |r F| <
/// energy_limit, so that a loop detects what would overflow by r2 < safe_r2 alone. Atoms closer than this have
/// all but collided. At least (1e-6 r_cut)^2: equal positions are never safe. Infinite when not even r_cut is.
/// c: prepared and unscaled coefficients. The potential must keep its side of the limits over steps of r / 1024.
template <class Potential>
double safe_r2(const double* c, double r_cut, const double* tables = nullptr) {
  return detail::smallest_safe_r2([&](double r) { return Potential::template evaluate<double>(r * r, c, tables); },
                                  r_cut, 1e-6 * r_cut, [](double r) { return r * (1.0 - 1.0 / 1024.0); });
}

namespace detail {
/// Throws Error unless the input is finite and above (or at) zero.
inline void check_pair_input(std::string_view potential, const PairInput& input, double value, bool may_be_zero) {
  if (!(may_be_zero ? value >= 0.0 : value > 0.0) || !std::isfinite(value)) {
    throw Error(std::string(potential) + ": " + std::string(input.name) + " is " + std::to_string(value) +
                "; it must be " + (may_be_zero ? "zero or above." : "above zero."));
  }
}
inline void check_pair_cutoff(std::string_view potential, double r_cut) {
  if (!(r_cut > 0.0) || !std::isfinite(r_cut)) {
    throw Error(std::string(potential) + ": the cutoff is " + std::to_string(r_cut) + "; it must be above zero.");
  }
}
}  // namespace detail

}  // namespace halyard::md
