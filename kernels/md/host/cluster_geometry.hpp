#pragma once
// Where clusters lie, laid out so that those near a few atoms are found at eight clusters a time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/cluster_zone.hpp"

namespace halyard::md::host {

/// The smallest box with edges along x, y, z around some points; empty at first.
struct Bounds {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> lower{infinity, infinity, infinity}, upper{-infinity, -infinity, -infinity};

  bool empty() const { return lower[0] > upper[0]; }
  void include(const std::array<double, 3>& x) {
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  }
  void include(const Bounds& other) {
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], other.lower[d]);
      upper[d] = std::max(upper[d], other.upper[d]);
    }
  }
  Bounds moved(const std::array<double, 3>& by) const {
    Bounds b = *this;
    for (std::size_t d = 0; d < 3; ++d) {
      b.lower[d] += by[d];
      b.upper[d] += by[d];
    }
    return b;
  }
};

/// Bounds in units of the box edges that surely hold a box in space.
Bounds fractions(const SimulationBox& box, const Bounds& x);

/// A zone's columns, and where in each to begin at a height.
struct ColumnIndex {
  Bounds fraction;                  // of the zone
  std::vector<Bounds> columns;      // x fastest
  double lower = 0.0, scale = 0.0;  // height z lies in bin (z - lower) * scale
  int bins = 1;
  std::vector<std::int32_t> first;  // by column and bin: its first cluster of the zone that reaches the bin's lower end

  /// A cluster of the zone in this column, such that none before reaches up to z.
  int first_at(std::size_t column, double z) const {
    const double bin = std::clamp((z - lower) * scale, 0.0, static_cast<double>(bins - 1));
    return first[column * static_cast<std::size_t>(bins) + static_cast<std::size_t>(bin)];
  }
};

/// How many consecutive owned atoms look for neighbours together.
constexpr int search_rows = 4;

/// What a search needs of the owned atoms and of all clusters.
struct ClusterGeometry {
  std::vector<Bounds> rows;                         // of search_rows owned atoms each
  std::array<std::vector<double>, 3> lower, upper;  // of all clusters, and eight empty ones
  std::vector<ColumnIndex> zones;

  ClusterGeometry(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones);

  /// Bit l: cluster `first` + l is nearer to `to` than the root of reach2.
  unsigned near(std::size_t first, const Bounds& to, double reach2) const {
    using namespace halyard::host;
    Lanes sum = all(0.0);
    for (std::size_t d = 0; d < 3; ++d) {
      const Lanes below = all(to.lower[d]) - load(upper[d].data() + first);
      const Lanes above = load(lower[d].data() + first) - all(to.upper[d]);
      const Lanes gap = larger(larger(below, above), all(0.0));
      sum = fma(gap, gap, sum);
    }
    return to_bits(less(sum, all(reach2)));
  }
};

}  // namespace halyard::md::host
