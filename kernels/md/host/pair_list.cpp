#include "kernels/md/host/pair_list.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/host/cluster_geometry.hpp"
#include "kernels/md/host/slots_of_ids.hpp"

namespace halyard::md::host {

namespace {

using halyard::host::all;
using halyard::host::any_bit;
using halyard::host::compress_store;
using halyard::host::IndexLanes;
using halyard::host::lane_count;
using halyard::host::Lanes;
using halyard::host::less;
using halyard::host::load;
using halyard::host::load_index;
using halyard::host::to_bits;

constexpr int rows = search_rows;
constexpr int row_clusters = cluster_size / rows;

/// The squared distance of two boxes along x and y.
double gap2_in_plane(const Bounds& a, const Bounds& b) {
  double sum = 0.0;
  for (std::size_t d = 0; d < 2; ++d) {
    const double gap = std::max(0.0, std::max(a.lower[d] - b.upper[d], b.lower[d] - a.upper[d]));
    sum += gap * gap;
  }
  return sum;
}

/// Clusters that some atom of a row cluster may be near to, and which: bit (row * 8 + lane).
class Candidates {
 public:
  void clear() { count_ = 0; }
  int count() const { return count_; }
  /// Adds it if it has any pair: without a branch, which nobody could predict.
  void add(int cluster, std::uint32_t near) {
    if (static_cast<std::size_t>(count_) + lane_count >= cluster_.size()) {
      cluster_.resize(2 * cluster_.size() + 64);
      near_.resize(cluster_.size());
    }
    cluster_[static_cast<std::size_t>(count_)] = cluster;
    near_[static_cast<std::size_t>(count_)] = static_cast<std::int32_t>(near);
    count_ += near != 0U ? 1 : 0;
  }
  /// Writes those with a pair in this row to `to`, which must have room for all and eight more; returns their number.
  int select(int row, std::uint32_t* to) const {
    const auto bits = static_cast<std::int32_t>(0xffU << (8 * row));
    int written = 0;
    for (int k = 0; k < count_; k += lane_count) {
      const auto wanted = halyard::host::both(any_bit(load_index(&near_[static_cast<std::size_t>(k)]), bits),
                                              halyard::host::from_bits((1U << std::min(count_ - k, 8)) - 1U));
      written += compress_store(reinterpret_cast<std::int32_t*>(to) + written, wanted,
                                load_index(&cluster_[static_cast<std::size_t>(k)]));
    }
    return written;
  }

 private:
  std::vector<std::int32_t> cluster_, near_;
  int count_ = 0;
};

/// Finds the neighbours of one thread's row clusters.
class Search {
 public:
  Search(const Atoms& atoms, const SimulationBox& box, const ClusterGeometry& geometry,
         std::span<const ClusterZone> zones, const std::array<bool, 3>& self_images, double reach,
         const Exclusions& exclusions, const SlotsOfIds* slots_of_ids, ThreadList& list)
      : atoms_(atoms),
        box_(box),
        geometry_(geometry),
        zones_(zones),
        self_images_(self_images),
        reach_(reach),
        reach2_(reach * reach),
        exclusions_(exclusions),
        slots_of_ids_(slots_of_ids),
        list_(list),
        first_(list.first / cluster_size),
        last_(list.last / cluster_size) {
    for (int d = 0; d < 3; ++d) {
      // A margin for the rounding of fractions.
      fraction_reach_[static_cast<std::size_t>(d)] = reach / box.width(d) + 1e-9;
    }
    for (int n = 0; n < image_count; ++n) {
      shifts_.push_back(box.lattice_vector(image_of(n)));
    }
  }

  void run() {
    list_.masked.clear();
    list_.segments.clear();
    list_.masked_segments.clear();
    list_.segments_of.clear();
    list_.masked_segments_of.clear();
    list_.entries.resize(list_.entries.capacity());
    for (int row = first_ * row_clusters; row < last_ * row_clusters; ++row) {
      if (!geometry_.rows[static_cast<std::size_t>(row)].empty()) {
        search(row);
      }
      for (Row& r : found_) {
        list_.segments_of.push_back(static_cast<std::uint32_t>(list_.segments.size()));
        list_.segments.insert(list_.segments.end(), r.segments.begin(), r.segments.end());
        r.segments.clear();
        list_.masked_segments_of.push_back(static_cast<std::uint32_t>(list_.masked_segments.size()));
        list_.masked_segments.insert(list_.masked_segments.end(), r.masked_segments.begin(), r.masked_segments.end());
        r.masked_segments.clear();
      }
    }
    list_.entries.resize(used_);
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
    const Bounds fraction = fractions(box_, geometry_.rows[static_cast<std::size_t>(row)]);
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      const std::array<int, 3>& image = zones_[z].image;
      const Bounds& zone = geometry_.zones[z].fraction;
      std::array<int, 3> from{}, to{};  // images in reach
      for (std::size_t d = 0; d < 3; ++d) {
        from[d] = image[d] - (self_images_[d] ? 1 : 0);
        to[d] = image[d] + (self_images_[d] ? 1 : 0);
        const auto far = [&](int n) {
          return n < -1 || n > 1 || fraction.upper[d] - n + fraction_reach_[d] < zone.lower[d] ||
                 fraction.lower[d] - n - fraction_reach_[d] > zone.upper[d];
        };
        while (from[d] <= to[d] && far(from[d])) {
          ++from[d];
        }
        while (from[d] <= to[d] && far(to[d])) {
          --to[d];
        }
      }
      for (int nz = from[2]; nz <= to[2]; ++nz) {
        for (int ny = from[1]; ny <= to[1]; ++ny) {
          for (int nx = from[0]; nx <= to[0]; ++nx) {
            search(row, fraction, z, {nx, ny, nz});
          }
        }
      }
    }
  }

  void search(int row, const Bounds& fraction, std::size_t zone_at, const std::array<int, 3>& n) {
    const ClusterZone& zone = zones_[zone_at];
    const ColumnIndex& index = geometry_.zones[zone_at];
    const bool ghosts = zone_at != 0;
    const bool zero = n == std::array<int, 3>{0, 0, 0};
    const bool half_space = n[2] > 0 || (n[2] == 0 && (n[1] > 0 || (n[1] == 0 && n[0] > 0)));
    const int self = row / row_clusters;
    // Of pairs of the thread's own clusters each is met once: those of earlier clusters, and under one of two opposite
    // images, have been.
    const int met_before = ghosts || half_space ? 0 : zero ? self : last_;
    if (zone.clusters == 0 || (met_before == last_ && first_ == 0 && last_ == zone.clusters)) {
      return;
    }
    std::array<int, 2> from{}, to{};
    const std::array<int, 2> columns{zone.columns_x, zone.columns_y};
    for (std::size_t d = 0; d < 2; ++d) {
      const double low = fraction.lower[d] - n[d] - fraction_reach_[d];
      const double high = fraction.upper[d] - n[d] + fraction_reach_[d];
      const double extent = zone.upper[d] - zone.lower[d];
      const double scale = extent > 0.0 ? columns[d] / extent : 0.0;
      from[d] = std::clamp(static_cast<int>((low - zone.lower[d]) * scale), 0, columns[d] - 1);
      to[d] = std::clamp(static_cast<int>((high - zone.lower[d]) * scale), 0, columns[d] - 1);
    }
    // The row cluster as the zone's atoms see it under this image.
    const std::array<double, 3>& shift = shifts_[static_cast<std::size_t>(image_index(n))];
    const Bounds bounds = geometry_.rows[static_cast<std::size_t>(row)].moved({-shift[0], -shift[1], -shift[2]});
    const double low = bounds.lower[2] - reach_, high = bounds.upper[2] + reach_;
    for (const std::size_t kind : {0U, 1U}) {
      candidates_[kind].clear();
      for (Row& r : found_) {
        r.masked[kind].clear();
      }
    }
    for (int j = from[1]; j <= to[1]; ++j) {
      for (int i = from[0]; i <= to[0]; ++i) {
        const std::size_t column = static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * columns[0];
        const int last = zone.first_cluster + zone.column_start[column + 1];
        const int start = zone.first_cluster + zone.column_start[column];
        if ((start >= first_ && last <= met_before) || gap2_in_plane(bounds, index.columns[column]) > reach2_) {
          continue;
        }
        int cluster = zone.first_cluster + index.first_at(column, low);
        if (cluster < met_before && start >= first_) {
          cluster = met_before;
        }
        for (; cluster < last && geometry_.lower[2][static_cast<std::size_t>(cluster)] <= high; cluster += lane_count) {
          unsigned near = geometry_.near(static_cast<std::size_t>(cluster), bounds, reach2_) &
                          ((1U << std::min(last - cluster, lane_count)) - 1U);
          for (; near != 0U; near &= near - 1U) {
            const int c = cluster + std::countr_zero(near);
            const bool own = !ghosts && c >= first_ && c < last_;
            if (!own || c >= met_before) {
              meet(row, c, shift, own, zero && c == self);
            }
          }
        }
      }
    }
    keep(static_cast<std::uint8_t>(image_index(n)));
  }

  void meet(int row, int cluster, const std::array<double, 3>& shift, bool own, bool with_itself) {
    const std::size_t kind = own ? 1 : 0;
    const std::uint32_t near = within_reach(row, cluster, shift);
    std::uint32_t mask = with_itself ? triangle(row) : ~0U;
    for (const auto& [excluded, pairs] : excluded_) {
      mask &= excluded == cluster ? ~pairs : ~0U;
    }
    if (mask == ~0U) {
      candidates_[kind].add(cluster, near);
      return;
    }
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t row_mask = (mask >> (8 * r)) & 0xffU;
      if (((near >> (8 * r)) & row_mask) != 0U) {
        found_[static_cast<std::size_t>(r)].masked[kind].push_back({static_cast<std::uint32_t>(cluster), row_mask});
      }
    }
  }

  /// Makes segments of what was met under one image.
  void keep(std::uint8_t image) {
    for (const std::size_t kind : {0U, 1U}) {
      const Candidates& candidates = candidates_[kind];
      for (int r = 0; r < rows; ++r) {
        Row& found = found_[static_cast<std::size_t>(r)];
        if (candidates.count() > 0) {
          make_room(list_.entries, used_ + static_cast<std::size_t>(candidates.count()) + lane_count);
          const int count = candidates.select(r, list_.entries.data() + used_);
          if (count > 0) {
            const auto begin = static_cast<std::uint32_t>(used_);
            found.segments.push_back({begin, begin + static_cast<std::uint32_t>(count), image, kind == 1});
            used_ += static_cast<std::size_t>(count);
          }
        }
        if (!found.masked[kind].empty()) {
          const auto begin = static_cast<std::uint32_t>(list_.masked.size());
          list_.masked.insert(list_.masked.end(), found.masked[kind].begin(), found.masked[kind].end());
          found.masked_segments.push_back({begin, static_cast<std::uint32_t>(list_.masked.size()), image, kind == 1});
        }
      }
    }
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
  const SimulationBox& box_;
  const ClusterGeometry& geometry_;
  std::span<const ClusterZone> zones_;
  const std::array<bool, 3> self_images_;
  double reach_, reach2_;
  const Exclusions& exclusions_;
  const SlotsOfIds* slots_of_ids_;  // where there are exclusions
  ThreadList& list_;
  int first_, last_;  // clusters of this thread
  std::array<double, 3> fraction_reach_{};
  std::vector<std::array<double, 3>> shifts_;
  std::array<Candidates, 2> candidates_;  // under the present image: foreign, own
  /// Of one atom: masked entries under the present image, foreign and own; segments under all.
  struct Row {
    std::array<std::vector<MaskedEntry>, 2> masked;
    std::vector<ListSegment> segments, masked_segments;
  };
  std::array<Row, rows> found_;
  std::size_t used_ = 0;  // entries of the list
  std::vector<std::pair<int, std::uint32_t>> excluded_;
};

}  // namespace

void build_pair_list(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones,
                     const std::array<bool, 3>& self_images, double reach, const Exclusions& exclusions,
                     PairList& list) {
  const ClusterGeometry geometry(atoms, box, zones);
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
