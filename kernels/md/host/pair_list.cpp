#include "kernels/md/host/pair_list.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "kernels/device/host/lane_masks.hpp"

namespace halyard::md::host {

namespace {

using halyard::host::all;
using halyard::host::Lanes;
using halyard::host::less;
using halyard::host::load;
using halyard::host::to_bits;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The smallest box with edges along x, y, z around some atoms, and their extent in units of the box's own edges.
struct Bounds {
  std::array<double, 3> lower{infinity, infinity, infinity}, upper{-infinity, -infinity, -infinity};

  void include(const std::array<double, 3>& x) {
    for (int d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  }
  void include(const Bounds& other) {
    include(other.lower);
    include(other.upper);
  }
};

/// The squared distance of two boxes, along the first `axes` axes.
template <int axes>
double gap2(const Bounds& a, const Bounds& b) {
  double sum = 0.0;
  for (int d = 0; d < axes; ++d) {
    const double gap = std::max({0.0, a.lower[d] - b.upper[d], b.lower[d] - a.upper[d]});
    sum += gap * gap;
  }
  return sum;
}

/// Where the atoms with an id are: a ghost can be there more than once, over different sides.
class SlotsOfId {
 public:
  SlotsOfId(const Atoms& atoms, bool wanted) {
    if (!wanted) {
      return;
    }
    first_.reserve(static_cast<std::size_t>(atoms.slots));
    next_.assign(static_cast<std::size_t>(atoms.slots), -1);
    for (int s = 0; s < atoms.slots; ++s) {
      if (atoms.id.data()[s] != empty_slot) {
        const auto [at, fresh] = first_.try_emplace(atoms.id.data()[s], s);
        if (!fresh) {
          next_[static_cast<std::size_t>(s)] = at->second;
          at->second = s;
        }
      }
    }
  }
  template <class Use>
  void each(std::int64_t id, Use use) const {
    const auto found = first_.find(id);
    for (int s = found == first_.end() ? -1 : found->second; s >= 0; s = next_[static_cast<std::size_t>(s)]) {
      use(s);
    }
  }

 private:
  std::unordered_map<std::int64_t, int> first_;
  std::vector<int> next_;
};

/// What the search needs of every cluster, column and row cluster.
struct Geometry {
  std::vector<Bounds> clusters;              // of all zones
  std::vector<std::vector<Bounds>> columns;  // of each zone
  std::vector<Bounds> rows;                  // of owned row clusters
  std::vector<Bounds> row_fractions;         // the same in units of the box edges
};

Geometry measure(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones) {
  Geometry geometry;
  geometry.clusters.resize(static_cast<std::size_t>(atoms.slots / cluster_size));
  geometry.rows.resize(static_cast<std::size_t>(atoms.owned_slots / rows));
  geometry.row_fractions.resize(geometry.rows.size());
  const std::int64_t* id = atoms.id.data();
  const double *x = atoms.reference[0].data(), *y = atoms.reference[1].data(), *z = atoms.reference[2].data();
#pragma omp parallel for schedule(static)
  for (int c = 0; c < atoms.slots / cluster_size; ++c) {
    for (int s = c * cluster_size; s < (c + 1) * cluster_size; ++s) {
      if (id[s] == empty_slot) {
        continue;
      }
      const std::array<double, 3> at{x[s], y[s], z[s]};
      geometry.clusters[static_cast<std::size_t>(c)].include(at);
      if (s < atoms.owned_slots) {
        geometry.rows[static_cast<std::size_t>(s / rows)].include(at);
        geometry.row_fractions[static_cast<std::size_t>(s / rows)].include(box.fraction(at));
      }
    }
  }
  for (const ClusterZone& zone : zones) {
    std::vector<Bounds>& columns = geometry.columns.emplace_back(zone.column_start.size() - 1);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (int k = zone.column_start[c]; k < zone.column_start[c + 1]; ++k) {
        columns[c].include(geometry.clusters[static_cast<std::size_t>(zone.first_cluster + k)]);
      }
    }
  }
  return geometry;
}

/// Finds the neighbours of one thread's row clusters.
class Search {
 public:
  Search(const Atoms& atoms, const SimulationBox& box, const Geometry& geometry, std::span<const ClusterZone> zones,
         const std::array<bool, 3>& self_images, double reach, const Exclusions& exclusions,
         const SlotsOfId& slots_of_id, ThreadList& list)
      : atoms_(atoms),
        geometry_(geometry),
        zones_(zones),
        reach_(reach),
        reach2_(reach * reach),
        exclusions_(exclusions),
        slots_of_id_(slots_of_id),
        list_(list),
        first_(list.first_row / row_clusters),
        last_(list.last_row / row_clusters) {
    for (int d = 0; d < 3; ++d) {
      fraction_reach_[d] = reach / box.width(d);
    }
    for (int n = 0; n < image_count; ++n) {
      const std::array<int, 3> image = image_of(n);
      bool wanted = true;
      for (int d = 0; d < 3; ++d) {
        wanted = wanted && (image[d] == 0 || self_images[d]);
      }
      if (wanted) {
        images_.push_back(image);
      }
    }
    for (int n = 0; n < image_count; ++n) {
      shifts_.push_back(box.lattice_vector(image_of(n)));
      for (const ClusterZone& zone : zones_) {
        first_in_column_.emplace_back(zone.column_start.begin(), zone.column_start.end() - 1);
      }
    }
  }

  void run() {
    list_.entries.clear();
    list_.masked.clear();
    list_.segments.clear();
    list_.masked_segments.clear();
    list_.row_segments.clear();
    list_.row_masked_segments.clear();
    for (int row = list_.first_row; row < list_.last_row; ++row) {
      list_.row_segments.push_back(static_cast<std::uint32_t>(list_.segments.size()));
      list_.row_masked_segments.push_back(static_cast<std::uint32_t>(list_.masked_segments.size()));
      if (geometry_.rows[static_cast<std::size_t>(row)].lower[0] != infinity) {
        search(row);
      }
    }
    list_.row_segments.push_back(static_cast<std::uint32_t>(list_.segments.size()));
    list_.row_masked_segments.push_back(static_cast<std::uint32_t>(list_.masked_segments.size()));
  }

 private:
  void search(int row) {
    find_exclusions(row);
    for (const ClusterZone& zone : zones_) {
      const bool ghosts = &zone != zones_.data();
      for (const std::array<int, 3>& self : images_) {
        std::array<int, 3> n;
        bool far = false;
        for (int d = 0; d < 3; ++d) {
          n[d] = zone.image[d] + self[d];
          far = far || n[d] < -1 || n[d] > 1;
        }
        if (!far) {
          search(row, zone, ghosts, n);
        }
      }
    }
  }

  void search(int row, const ClusterZone& zone, bool ghosts, const std::array<int, 3>& n) {
    const Bounds& fraction = geometry_.row_fractions[static_cast<std::size_t>(row)];
    std::array<int, 2> from{}, to{};
    const std::array<int, 2> columns{zone.columns_x, zone.columns_y};
    for (int d = 0; d < 2; ++d) {
      const double low = fraction.lower[d] - n[d] - fraction_reach_[d];
      const double high = fraction.upper[d] - n[d] + fraction_reach_[d];
      if (zone.clusters == 0 || high < zone.lower[d] || low > zone.upper[d]) {
        return;
      }
      const double extent = zone.upper[d] - zone.lower[d];
      const double scale = extent > 0.0 ? columns[d] / extent : 0.0;
      from[d] = std::clamp(static_cast<int>((low - zone.lower[d]) * scale - 1e-9), 0, columns[d] - 1);
      to[d] = std::clamp(static_cast<int>((high - zone.lower[d]) * scale + 1e-9), 0, columns[d] - 1);
    }
    // The row cluster as the zone's atoms see it under this image.
    const std::array<double, 3>& shift = shifts_[static_cast<std::size_t>(image_index(n))];
    Bounds bounds = geometry_.rows[static_cast<std::size_t>(row)];
    for (int d = 0; d < 3; ++d) {
      bounds.lower[d] -= shift[d];
      bounds.upper[d] -= shift[d];
    }
    const bool zero = n == std::array<int, 3>{0, 0, 0};
    const bool half_space = n[2] > 0 || (n[2] == 0 && (n[1] > 0 || (n[1] == 0 && n[0] > 0)));
    const int self = row / row_clusters;
    const double low = bounds.lower[2] - reach_, high = bounds.upper[2] + reach_;
    const std::size_t zone_at = static_cast<std::size_t>(&zone - zones_.data());
    std::vector<int>& hint = first_in_column_[static_cast<std::size_t>(image_index(n)) * zones_.size() + zone_at];
    own_.clear();
    foreign_.clear();
    own_masked_.clear();
    foreign_masked_.clear();
    for (int j = from[1]; j <= to[1]; ++j) {
      for (int i = from[0]; i <= to[0]; ++i) {
        const std::size_t column = static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * columns[0];
        if (gap2<2>(bounds, geometry_.columns[zone_at][column]) > reach2_) {
          continue;
        }
        const Bounds* begin = geometry_.clusters.data() + zone.first_cluster + zone.column_start[column];
        const Bounds* last = geometry_.clusters.data() + zone.first_cluster + zone.column_start[column + 1];
        // The first cluster within reach lies near that of the row cluster before, which was just below.
        const Bounds* first = geometry_.clusters.data() + zone.first_cluster + hint[column];
        while (first != begin && first[-1].upper[2] >= low) {
          --first;
        }
        while (first != last && first->upper[2] < low) {
          ++first;
        }
        hint[column] = static_cast<int>(first - geometry_.clusters.data()) - zone.first_cluster;
        for (; first != last && first->lower[2] <= high; ++first) {
          const int cluster = static_cast<int>(first - geometry_.clusters.data());
          const bool own = !ghosts && cluster >= first_ && cluster < last_;
          if (own && (zero ? cluster < self : !half_space)) {
            continue;
          }
          if (gap2<3>(bounds, *first) > reach2_ || !within_reach(row, cluster, shift)) {
            continue;
          }
          std::uint32_t mask = ~0U;
          if (zero && cluster == self && own) {
            mask = triangle(row);
          }
          for (const auto& [excluded, pairs] : excluded_) {
            mask &= excluded == cluster ? ~pairs : ~0U;
          }
          if (mask == ~0U) {
            (own ? own_ : foreign_).push_back(static_cast<std::uint32_t>(cluster));
          } else if (mask != 0U) {
            (own ? own_masked_ : foreign_masked_).push_back({static_cast<std::uint32_t>(cluster), mask});
          }
        }
      }
    }
    const auto image = static_cast<std::uint8_t>(image_index(n));
    append(own_, list_.entries, list_.segments, image, true);
    append(foreign_, list_.entries, list_.segments, image, false);
    append(own_masked_, list_.masked, list_.masked_segments, image, true);
    append(foreign_masked_, list_.masked, list_.masked_segments, image, false);
  }

  template <class Entry>
  static void append(const std::vector<Entry>& found, std::vector<Entry>& entries, std::vector<ListSegment>& segments,
                     std::uint8_t image, bool own) {
    if (found.empty()) {
      return;
    }
    const auto begin = static_cast<std::uint32_t>(entries.size());
    entries.insert(entries.end(), found.begin(), found.end());
    segments.push_back({begin, static_cast<std::uint32_t>(entries.size()), image, own});
  }

  /// Of the pairs of a cluster with itself, those with the larger lane.
  static std::uint32_t triangle(int row) {
    std::uint32_t mask = 0;
    for (int r = 0; r < rows; ++r) {
      const int lane = row % row_clusters * rows + r;
      mask |= (0xffU & (0xfeU << lane)) << (8 * r);
    }
    return mask;
  }

  bool within_reach(int row, int cluster, const std::array<double, 3>& shift) const {
    const int s = cluster * cluster_size;
    const Lanes x = load(atoms_.reference[0].data() + s) + all(shift[0]);
    const Lanes y = load(atoms_.reference[1].data() + s) + all(shift[1]);
    const Lanes z = load(atoms_.reference[2].data() + s) + all(shift[2]);
    unsigned near = 0;
    for (int r = row * rows; r < (row + 1) * rows; ++r) {
      const Lanes dx = all(atoms_.reference[0].data()[r]) - x;
      const Lanes dy = all(atoms_.reference[1].data()[r]) - y;
      const Lanes dz = all(atoms_.reference[2].data()[r]) - z;
      near |= to_bits(less(fma(dx, dx, fma(dy, dy, dz * dz)), all(reach2_)));
    }
    return near != 0;
  }

  /// The clusters that hold excluded partners of the row cluster, with the pairs concerned.
  void find_exclusions(int row) {
    excluded_.clear();
    if (exclusions_.start.empty()) {
      return;
    }
    for (int r = 0; r < rows; ++r) {
      const std::size_t s = static_cast<std::size_t>(row) * rows + r;
      for (int e = exclusions_.start[s]; e < exclusions_.start[s + 1]; ++e) {
        slots_of_id_.each(exclusions_.ids[static_cast<std::size_t>(e)], [&](int partner) {
          const std::uint32_t bit = 1U << (8 * r + partner % cluster_size);
          const int cluster = partner / cluster_size;
          const auto found =
              std::find_if(excluded_.begin(), excluded_.end(), [&](const auto& x) { return x.first == cluster; });
          if (found == excluded_.end()) {
            excluded_.emplace_back(cluster, bit);
          } else {
            found->second |= bit;
          }
        });
      }
    }
  }

  const Atoms& atoms_;
  const Geometry& geometry_;
  std::span<const ClusterZone> zones_;
  double reach_, reach2_;
  const Exclusions& exclusions_;
  const SlotsOfId& slots_of_id_;
  ThreadList& list_;
  int first_, last_;  // clusters of this thread
  std::array<double, 3> fraction_reach_{};
  std::vector<std::array<int, 3>> images_;
  std::vector<std::array<double, 3>> shifts_;
  std::vector<std::vector<int>> first_in_column_;  // by image and zone
  std::vector<std::uint32_t> own_, foreign_;
  std::vector<MaskedEntry> own_masked_, foreign_masked_;
  std::vector<std::pair<int, std::uint32_t>> excluded_;
};

}  // namespace

std::int64_t PairList::entries() const {
  std::int64_t sum = 0;
  for (const ThreadList& list : threads) {
    sum += static_cast<std::int64_t>(list.entries.size() + list.masked.size());
  }
  return sum;
}

std::int64_t PairList::bytes() const {
  std::size_t sum = 0;
  for (const ThreadList& list : threads) {
    sum += list.entries.capacity() * sizeof(std::uint32_t) + list.masked.capacity() * sizeof(MaskedEntry) +
           (list.segments.capacity() + list.masked_segments.capacity()) * sizeof(ListSegment) +
           (list.row_segments.capacity() + list.row_masked_segments.capacity()) * sizeof(std::uint32_t);
  }
  return static_cast<std::int64_t>(sum);
}

void build_pair_list(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones,
                     const std::array<bool, 3>& self_images, double reach, const Exclusions& exclusions,
                     PairList& list) {
  const Geometry geometry = measure(atoms, box, zones);
  const SlotsOfId slots_of_id(atoms, !exclusions.start.empty());
  const int threads = omp_get_max_threads();
  const std::int64_t clusters = atoms.owned_slots / cluster_size;
  list.reach = reach;
  list.threads.resize(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    ThreadList& mine = list.threads[static_cast<std::size_t>(thread)];
    mine.first_row = static_cast<int>(clusters * thread / threads) * row_clusters;
    mine.last_row = static_cast<int>(clusters * (thread + 1) / threads) * row_clusters;
    Search(atoms, box, geometry, zones, self_images, reach, exclusions, slots_of_id, mine).run();
  }
}

}  // namespace halyard::md::host
