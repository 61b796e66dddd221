#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/md/fixed_point.hpp"

namespace halyard::md {

/// What the potential energy is made of.
enum class EnergyTerm { pair, embedding, bond, angle, dihedral, improper, wall, spring, force };
constexpr std::size_t energy_term_count = 9;
constexpr std::array<const char*, energy_term_count> energy_term_names{
    "pair", "embedding", "bond", "angle", "dihedral", "improper", "wall", "spring", "force"};

/// Sums over what a rank computes, as whole numbers: the same for any split over ranks and threads once added up.
struct ForceTotals {
  /// In energy_unit, twice the energy: a pair of two owned atoms counts twice, a pair with a ghost once on each side.
  /// Of other terms the rank that owns the first atom counts twice.
  std::array<Wide, energy_term_count> energy2{};
  /// Force [force_unit] on the first atoms of all pairs that reach over a side, by image shift, twice. With it the
  /// virial needs no sum over pairs:
  ///   sum_pairs d (x) F = sum_atoms x_i (x) F_i + sum_images S (x) shift_force2[image] / 2,  d = x_i - x_j + S.
  std::array<std::array<std::int64_t, 3>, 27> shift_force2{};
  std::int64_t densities_outside = 0;  // atoms whose electron density is not inside its table
  double largest_density = 0.0;        // of those
  bool overlap = false;                // a pair is closer than its potential's fixed-point range allows

  Wide& energy2_of(EnergyTerm term) { return energy2[static_cast<std::size_t>(term)]; }
  void add(const ForceTotals& other) {
    for (std::size_t t = 0; t < energy_term_count; ++t) {
      energy2[t] += other.energy2[t];
    }
    for (std::size_t n = 0; n < shift_force2.size(); ++n) {
      for (std::size_t d = 0; d < 3; ++d) {
        shift_force2[n][d] += other.shift_force2[n][d];
      }
    }
    densities_outside += other.densities_outside;
    largest_density = std::max(largest_density, other.largest_density);
    overlap = overlap || other.overlap;
  }
};

}  // namespace halyard::md
