#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/md/box.hpp"

namespace halyard::md {

/// Points among which distances are counted: first `own` atoms, then whatever lies within range of them, atoms of other
/// ranks and periodic images.
struct PairPoints {
  std::size_t own = 0;
  std::array<std::vector<double>, 3> x;           // inside the box, not shifted
  std::vector<std::array<std::int8_t, 3>> image;  // the point stands for x + image * box edges; (0, 0, 0) of own ones
  std::vector<std::int32_t> type;                 // from 0

  std::size_t size() const { return type.size(); }
};

/// Where a pair of types stands in a triangle: (0, 0), (0, 1), ..., (1, 1), ...
constexpr int type_pair(int a, int b, int types) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  return low * types - low * (low - 1) / 2 + (high - low);
}
constexpr int type_pairs(int types) { return types * (types + 1) / 2; }

/// Adds to counts[type_pair * bins + bin] the number of other points at a distance r with bin = floor(r bins / range)
/// from each own atom. Over all ranks a pair of atoms is counted twice, once from either end. Distances are those of
/// the pair loop, (x_i - x_j) - image * edges: the same bits from either end, on any number of ranks. Counts alone are
/// summed, so any order does.
void count_distances(const SimulationBox& box, const PairPoints& points, int types, double range, int bins,
                     std::vector<std::int64_t>& counts);

}  // namespace halyard::md
