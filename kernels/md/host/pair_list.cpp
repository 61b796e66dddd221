#include "kernels/md/host/pair_list.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/host/slots_of_ids.hpp"

namespace halyard::md::host {

namespace {

using halyard::host::all;
using halyard::host::lane_count;
using halyard::host::Lanes;
using halyard::host::less;
using halyard::host::load;
using halyard::host::to_bits;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Neighbours are sought for so many consecutive atoms together.
constexpr int rows = 4;
constexpr int row_clusters = cluster_size / rows;

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

/// The squared distance of two boxes along x and y.
double gap2_in_plane(const Bounds& a, const Bounds& b) {
  double sum = 0.0;
  for (int d = 0; d < 2; ++d) {
    const double gap = std::max(0.0, std::max(a.lower[d] - b.upper[d], b.lower[d] - a.upper[d]));
    sum += gap * gap;
  }
  return sum;
}

/// Bounds of clusters, each number in an array of its own, so that eight clusters are looked at together.
struct BoundsArrays {
  std::array<std::vector<double>, 3> lower, upper;

  explicit BoundsArrays(const std::vector<Bounds>& bounds) {
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d].assign(bounds.size() + lane_count, infinity);
      upper[d].assign(bounds.size() + lane_count, -infinity);
      for (std::size_t c = 0; c < bounds.size(); ++c) {
        lower[d][c] = bounds[c].lower[d];
        upper[d][c] = bounds[c].upper[d];
      }
    }
  }
  /// Bit l: cluster `first` + l is nearer to `to` than the root of reach2.
  unsigned near(std::size_t first, const Bounds& to, double reach2) const {
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

/// What the search needs of every cluster, column and row cluster.
struct Geometry {
  std::vector<Bounds> clusters;              // of all zones
  std::optional<BoundsArrays> arrays;        // the same
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
  geometry.arrays.emplace(geometry.clusters);
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
         const SlotsOfIds* slots_of_ids, ThreadList& list)
      : atoms_(atoms),
        geometry_(geometry),
        zones_(zones),
        reach_(reach),
        reach2_(reach * reach),
        exclusions_(exclusions),
        slots_of_ids_(slots_of_ids),
        list_(list),
        first_(list.first / cluster_size),
        last_(list.last / cluster_size) {
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
    list_.segments_of.clear();
    list_.masked_segments_of.clear();
    for (int row = first_ * row_clusters; row < last_ * row_clusters; ++row) {
      if (geometry_.rows[static_cast<std::size_t>(row)].lower[0] != infinity) {
        search(row);
      }
      for (Found& found : found_) {
        list_.segments_of.push_back(append(found.entries, found.segments, list_.entries, list_.segments));
        list_.masked_segments_of.push_back(
            append(found.masked, found.masked_segments, list_.masked, list_.masked_segments));
      }
    }
    list_.segments_of.push_back(static_cast<std::uint32_t>(list_.segments.size()));
    list_.masked_segments_of.push_back(static_cast<std::uint32_t>(list_.masked_segments.size()));
    list_.own_entries_of.assign(static_cast<std::size_t>(last_ - first_), 0);
    for (const ListSegment& s : list_.segments) {
      for (std::uint32_t e = s.begin; s.own && e < s.end; ++e) {
        ++list_.own_entries_of[list_.entries[e] - static_cast<std::uint32_t>(first_)];
      }
    }
    for (const ListSegment& s : list_.masked_segments) {
      for (std::uint32_t e = s.begin; s.own && e < s.end; ++e) {
        ++list_.own_entries_of[list_.masked[e].cluster - static_cast<std::uint32_t>(first_)];
      }
    }
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
    for (std::size_t d = 0; d < 3; ++d) {
      bounds.lower[d] -= shift[d];
      bounds.upper[d] -= shift[d];
    }
    const bool zero = n == std::array<int, 3>{0, 0, 0};
    const bool half_space = n[2] > 0 || (n[2] == 0 && (n[1] > 0 || (n[1] == 0 && n[0] > 0)));
    const int self = row / row_clusters;
    const double low = bounds.lower[2] - reach_, high = bounds.upper[2] + reach_;
    const std::size_t zone_at = static_cast<std::size_t>(&zone - zones_.data());
    std::vector<int>& hint = first_in_column_[static_cast<std::size_t>(image_index(n)) * zones_.size() + zone_at];
    for (Found& found : found_) {
      for (const std::size_t kind : {0U, 1U}) {
        found.now[kind].clear();
        found.now_masked[kind].clear();
      }
    }
    for (int j = from[1]; j <= to[1]; ++j) {
      for (int i = from[0]; i <= to[0]; ++i) {
        const std::size_t column = static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * columns[0];
        if (gap2_in_plane(bounds, geometry_.columns[zone_at][column]) > reach2_) {
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
        for (; first < last && first->lower[2] <= high; first += lane_count) {
          const int from_cluster = static_cast<int>(first - geometry_.clusters.data());
          const auto left = std::min<std::ptrdiff_t>(last - first, lane_count);
          unsigned near =
              geometry_.arrays->near(static_cast<std::size_t>(from_cluster), bounds, reach2_) & ((1U << left) - 1U);
          for (; near != 0U; near &= near - 1U) {
            const int cluster = from_cluster + std::countr_zero(near);
            const bool own = !ghosts && cluster >= first_ && cluster < last_;
            if (own && (zero ? cluster < self : !half_space)) {
              continue;
            }
            std::uint32_t mask = zero && cluster == self && own ? triangle(row) : ~0U;
            for (const auto& [excluded, pairs] : excluded_) {
              mask &= excluded == cluster ? ~pairs : ~0U;
            }
            add(cluster, within_reach(row, cluster, shift), mask, own);
          }
        }
      }
    }
    const auto image = static_cast<std::uint8_t>(image_index(n));
    for (Found& found : found_) {
      for (const bool own : {false, true}) {
        close(found.now[own ? 1 : 0], found.entries, found.segments, image, own);
        close(found.now_masked[own ? 1 : 0], found.masked, found.masked_segments, image, own);
      }
    }
  }

  /// Adds a cluster to the rows that have a pair within reach which is not masked out.
  void add(int cluster, std::uint32_t near, std::uint32_t mask, bool own) {
    const std::size_t kind = own ? 1 : 0;
    if (mask == ~0U) {
      for (int r = 0; r < rows; ++r) {  // without a branch, which nobody could predict
        found_[static_cast<std::size_t>(r)].now[kind].add_if((near >> (8 * r)) & 0xffU,
                                                             static_cast<std::uint32_t>(cluster));
      }
      return;
    }
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t row_mask = (mask >> (8 * r)) & 0xffU;
      if (((near >> (8 * r)) & row_mask) != 0U) {
        found_[static_cast<std::size_t>(r)].now_masked[kind].push_back({static_cast<std::uint32_t>(cluster), row_mask});
      }
    }
  }

  /// Makes a segment of what was found under one image.
  template <class Now, class Entry>
  static void close(const Now& now, std::vector<Entry>& entries, std::vector<ListSegment>& segments, std::uint8_t image,
                    bool own) {
    if (!now.empty()) {
      const auto begin = static_cast<std::uint32_t>(entries.size());
      entries.insert(entries.end(), now.begin(), now.end());
      segments.push_back({begin, static_cast<std::uint32_t>(entries.size()), image, own});
    }
  }

  /// Moves an atom's entries and segments to the end of the list; returns the number of its first segment.
  template <class Entry>
  static std::uint32_t append(std::vector<Entry>& entries, std::vector<ListSegment>& segments,
                              std::vector<Entry>& all_entries, std::vector<ListSegment>& all_segments) {
    const auto first_segment = static_cast<std::uint32_t>(all_segments.size());
    const auto offset = static_cast<std::uint32_t>(all_entries.size());
    all_entries.insert(all_entries.end(), entries.begin(), entries.end());
    for (const ListSegment& s : segments) {
      all_segments.push_back({s.begin + offset, s.end + offset, s.image, s.own});
    }
    entries.clear();
    segments.clear();
    return first_segment;
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

  /// Bit (row * 8 + lane) of the pairs within reach.
  std::uint32_t within_reach(int row, int cluster, const std::array<double, 3>& shift) const {
    const int s = cluster * cluster_size;
    const Lanes x = load(atoms_.reference[0].data() + s) + all(shift[0]);
    const Lanes y = load(atoms_.reference[1].data() + s) + all(shift[1]);
    const Lanes z = load(atoms_.reference[2].data() + s) + all(shift[2]);
    std::uint32_t near = 0;
    for (int r = 0; r < rows; ++r) {
      const int i = row * rows + r;
      const Lanes dx = all(atoms_.reference[0].data()[i]) - x;
      const Lanes dy = all(atoms_.reference[1].data()[i]) - y;
      const Lanes dz = all(atoms_.reference[2].data()[i]) - z;
      near |= to_bits(less(fma(dx, dx, fma(dy, dy, dz * dz)), all(reach2_))) << (8 * r);
    }
    return near;
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
        slots_of_ids_->each(exclusions_.ids[static_cast<std::size_t>(e)], [&](int partner) {
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
  const SlotsOfIds* slots_of_ids_;  // where there are exclusions
  ThreadList& list_;
  int first_, last_;  // clusters of this thread
  std::array<double, 3> fraction_reach_{};
  std::vector<std::array<int, 3>> images_;
  std::vector<std::array<double, 3>> shifts_;
  std::vector<std::vector<int>> first_in_column_;  // by image and zone
  /// A list that grows by a number or not.
  class MaybeList {
   public:
    void add_if(std::uint32_t wanted, std::uint32_t value) {
      if (count_ == values_.size()) {
        values_.resize(2 * count_ + 64);
      }
      values_[count_] = value;
      count_ += wanted != 0U ? 1 : 0;
    }
    void clear() { count_ = 0; }
    bool empty() const { return count_ == 0; }
    const std::uint32_t* begin() const { return values_.data(); }
    const std::uint32_t* end() const { return values_.data() + count_; }

   private:
    std::vector<std::uint32_t> values_;
    std::size_t count_ = 0;
  };
  /// Of one atom: what was found under the present image, foreign and own, and under all.
  struct Found {
    std::array<MaybeList, 2> now;
    std::array<std::vector<MaskedEntry>, 2> now_masked;
    std::vector<std::uint32_t> entries;
    std::vector<MaskedEntry> masked;
    std::vector<ListSegment> segments, masked_segments;
  };
  std::array<Found, rows> found_;
  std::vector<std::pair<int, std::uint32_t>> excluded_;
};

}  // namespace

void build_pair_list(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones,
                     const std::array<bool, 3>& self_images, double reach, const Exclusions& exclusions,
                     PairList& list) {
  const Geometry geometry = measure(atoms, box, zones);
  std::optional<SlotsOfIds> slots_of_ids;
  if (!exclusions.start.empty()) {
    slots_of_ids.emplace(atoms);
  }
  const int threads = omp_get_max_threads();
  const std::int64_t clusters = atoms.owned_slots / cluster_size;
  list.threads.resize(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    ThreadList& mine = list.threads[static_cast<std::size_t>(thread)];
    mine.first = static_cast<int>(clusters * thread / threads) * cluster_size;
    mine.last = static_cast<int>(clusters * (thread + 1) / threads) * cluster_size;
    Search(atoms, box, geometry, zones, self_images, reach, exclusions, slots_of_ids ? &*slots_of_ids : nullptr, mine)
        .run();
  }
}

}  // namespace halyard::md::host
