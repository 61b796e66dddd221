#include "kernels/md/host/cluster_geometry.hpp"

#include <cmath>

namespace halyard::md::host {

namespace {

/// A range of numbers, for bounds of sums.
struct Interval {
  double lower, upper;
  Interval minus(double factor, const Interval& other) const {
    const double a = factor * other.lower, b = factor * other.upper;
    return {lower - std::max(a, b), upper - std::min(a, b)};
  }
  Interval over(double length) const { return {lower / length, upper / length}; }
};

ColumnIndex index_columns(const ClusterGeometry& clusters, const SimulationBox& box, const ClusterZone& zone) {
  ColumnIndex index;
  const std::size_t columns = zone.column_start.size() - 1;
  const auto cluster_bounds = [&](int c) {
    Bounds b;
    for (std::size_t d = 0; d < 3; ++d) {
      b.lower[d] = clusters.lower[d][static_cast<std::size_t>(zone.first_cluster + c)];
      b.upper[d] = clusters.upper[d][static_cast<std::size_t>(zone.first_cluster + c)];
    }
    return b;
  };
  Bounds whole;
  int longest = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    Bounds& column = index.columns.emplace_back();
    for (int k = zone.column_start[c]; k < zone.column_start[c + 1]; ++k) {
      column.include(cluster_bounds(k));
    }
    whole.include(column);
    longest = std::max(longest, zone.column_start[c + 1] - zone.column_start[c]);
  }
  index.fraction = fractions(box, whole);
  index.bins = std::max(1, 2 * longest);
  index.lower = whole.lower[2];
  const double scale = index.bins / (whole.upper[2] - whole.lower[2]);
  index.scale = std::isfinite(scale) && scale > 0.0 ? scale : 0.0;
  if (index.scale == 0.0) {
    index.bins = 1;
  }
  index.first.resize(columns * static_cast<std::size_t>(index.bins));
  for (std::size_t c = 0; c < columns; ++c) {
    int k = zone.column_start[c];
    for (int bin = 0; bin < index.bins; ++bin) {
      // A margin for the rounding of first_at().
      const double z = bin == 0 ? -Bounds::infinity : index.lower + (bin - 1e-6) / index.scale;
      while (k < zone.column_start[c + 1] && cluster_bounds(k).upper[2] < z) {
        ++k;
      }
      index.first[c * static_cast<std::size_t>(index.bins) + static_cast<std::size_t>(bin)] = k;
    }
  }
  return index;
}

}  // namespace

Bounds fractions(const SimulationBox& box, const Bounds& x) {
  const auto along = [&](std::size_t d) { return Interval{x.lower[d] - box.origin[d], x.upper[d] - box.origin[d]}; };
  const Interval fz = along(2).over(box.length[2]);
  const Interval fy = along(1).minus(box.yz, fz).over(box.length[1]);
  const Interval fx = along(0).minus(box.xy, fy).minus(box.xz, fz).over(box.length[0]);
  return {{fx.lower, fy.lower, fz.lower}, {fx.upper, fy.upper, fz.upper}};
}

ClusterGeometry::ClusterGeometry(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones_) {
  const int clusters = atoms.slots / cluster_size;
  rows.resize(static_cast<std::size_t>(atoms.owned_slots / search_rows));
  for (std::size_t d = 0; d < 3; ++d) {
    lower[d].assign(static_cast<std::size_t>(clusters) + halyard::host::lane_count, Bounds::infinity);
    upper[d].assign(static_cast<std::size_t>(clusters) + halyard::host::lane_count, -Bounds::infinity);
  }
  const std::int64_t* id = atoms.id.data();
  const double *x = atoms.reference[0].data(), *y = atoms.reference[1].data(), *z = atoms.reference[2].data();
#pragma omp parallel for schedule(static)
  for (int c = 0; c < clusters; ++c) {
    Bounds cluster;
    for (int first = c * cluster_size; first < (c + 1) * cluster_size; first += search_rows) {
      Bounds row;
      for (int s = first; s < first + search_rows; ++s) {
        if (id[s] != empty_slot) {
          row.include(std::array<double, 3>{x[s], y[s], z[s]});
        }
      }
      cluster.include(row);
      if (first < atoms.owned_slots) {
        rows[static_cast<std::size_t>(first / search_rows)] = row;
      }
    }
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d][static_cast<std::size_t>(c)] = cluster.lower[d];
      upper[d][static_cast<std::size_t>(c)] = cluster.upper[d];
    }
  }
  for (const ClusterZone& zone : zones_) {
    zones.push_back(index_columns(*this, box, zone));
  }
}

}  // namespace halyard::md::host
