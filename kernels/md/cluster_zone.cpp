#include "kernels/md/cluster_zone.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/md/atoms.hpp"

namespace halyard::md {

double column_spacing(double atoms, double volume) {
  // Side 1.65 times the height of a cluster: least pairs evaluated for Lennard-Jones liquids (docs/performance.md).
  constexpr double side_to_height = 1.65;
  return std::cbrt(side_to_height * cluster_size * volume / std::max(atoms, 1.0));
}

void arrange_in_clusters(const SimulationBox& box, const std::array<std::span<const double>, 3>& fraction,
                         double spacing, ClusterOrder& order) {
  ClusterZone& zone = order.zone;
  const std::size_t count = fraction[0].size();
  std::array<int, 2> columns{1, 1};
  std::array<double, 2> scale{};
  for (int d = 0; d < 2; ++d) {
    const auto [lowest, highest] = std::minmax_element(fraction[d].begin(), fraction[d].end());
    zone.lower[d] = count > 0 ? *lowest : 0.0;
    zone.upper[d] = count > 0 ? *highest : 0.0;
    const double extent = zone.upper[d] - zone.lower[d];
    columns[d] = std::clamp(static_cast<int>(std::lround(extent * box.width(d) / spacing)), 1, 1 << 14);
    // Of an extent so small that its inverse overflows nothing can be told apart.
    scale[d] = extent > 0.0 && std::isfinite(columns[d] / extent) ? columns[d] / extent : 0.0;
  }
  zone.columns_x = columns[0];
  zone.columns_y = columns[1];
  const std::size_t column_count = static_cast<std::size_t>(columns[0]) * static_cast<std::size_t>(columns[1]);

  std::vector<std::int32_t> column(count), start(column_count + 1, 0);
  for (std::size_t a = 0; a < count; ++a) {
    const int i = std::min(static_cast<int>((fraction[0][a] - zone.lower[0]) * scale[0]), columns[0] - 1);
    const int j = std::min(static_cast<int>((fraction[1][a] - zone.lower[1]) * scale[1]), columns[1] - 1);
    column[a] = i + columns[0] * j;
    ++start[static_cast<std::size_t>(column[a]) + 1];
  }
  for (std::size_t c = 0; c < column_count; ++c) {
    start[c + 1] += start[c];
  }
  std::vector<std::pair<double, std::int32_t>> sorted(count);
  std::vector<std::int32_t> next(start.begin(), start.end() - 1);
  for (std::size_t a = 0; a < count; ++a) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(column[a])]++)] = {fraction[2][a],
                                                                                     static_cast<std::int32_t>(a)};
  }
  zone.column_start.assign(column_count + 1, 0);
  for (std::size_t c = 0; c < column_count; ++c) {
    zone.column_start[c + 1] = zone.column_start[c] + (start[c + 1] - start[c] + cluster_size - 1) / cluster_size;
  }
  zone.clusters = zone.column_start.back();
  order.atom.assign(static_cast<std::size_t>(zone.clusters) * cluster_size, -1);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t c = 0; c < column_count; ++c) {
    std::sort(sorted.begin() + start[c], sorted.begin() + start[c + 1]);
    std::size_t slot = static_cast<std::size_t>(zone.column_start[c]) * cluster_size;
    for (int a = start[c]; a < start[c + 1]; ++a) {
      order.atom[slot++] = sorted[static_cast<std::size_t>(a)].second;
    }
  }
}

}  // namespace halyard::md
