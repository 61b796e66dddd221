#pragma once
#include <array>
#include <cstdint>

namespace halyard::md {

/// Sums over pairs that a rank meets, as whole numbers: the same for any split over ranks and threads once added up.
/// A pair of two owned atoms counts twice, a pair with a ghost once on each side.
struct PairTotals {
  __int128 energy2 = 0;  // in energy_unit, twice the energy
  /// Force [force_unit] on the first atoms of all pairs that reach over a side, by image shift, twice. With it the
  /// virial needs no sum over pairs:
  ///   sum_pairs d (x) F = sum_atoms x_i (x) F_i + sum_images S (x) shift_force2[image] / 2,  d = x_i - x_j + S.
  std::array<std::array<std::int64_t, 3>, 27> shift_force2{};
  bool overlap = false;  // a pair is closer than its potential's fixed-point range allows

  void add(const PairTotals& other) {
    energy2 += other.energy2;
    for (std::size_t n = 0; n < shift_force2.size(); ++n) {
      for (std::size_t d = 0; d < 3; ++d) {
        shift_force2[n][d] += other.shift_force2[n][d];
      }
    }
    overlap = overlap || other.overlap;
  }
};

}  // namespace halyard::md
