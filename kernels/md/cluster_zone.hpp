#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/md/box.hpp"

namespace halyard::md {

/// Clusters sorted in space: columns along z over a grid in x and y, atoms of a column in the order of z, eight by
/// eight. One zone holds the owned atoms; each set of ghosts that came from one direction is another.
struct ClusterZone {
  std::array<int, 3> image{0, 0, 0};  // atoms of this zone stand for those at x + image * box edges
  int first_cluster = 0;
  int clusters = 0;
  int columns_x = 0, columns_y = 0;
  std::array<double, 2> lower{}, upper{};  // fractional extent of the atoms along x and y
  std::vector<int> column_start;           // cluster, columns_x * columns_y + 1 values, x fastest
};

/// How `count` atoms are laid out in clusters: for each slot the index of its atom, or -1.
struct ClusterOrder {
  std::vector<std::int32_t> atom;
  ClusterZone zone;
};

/// Sorts atoms into columns. `fraction[d][a]`: place of atom a in units of the box edges. `spacing` [length]: wanted
/// side of a column. Reuses what `order` holds.
void arrange_in_clusters(const SimulationBox& box, const std::array<std::span<const double>, 3>& fraction,
                         double spacing, ClusterOrder& order);

/// The side of a column that makes clusters of eight about as long as wide, at so many atoms in a volume.
double column_spacing(double atoms, double volume);

}  // namespace halyard::md
