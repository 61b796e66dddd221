#pragma once
// The pairs of a list that are within the cutoff, packed eight by eight: for potentials whose evaluation is so dear
// that it must not be spent on the four fifths of listed pairs that are beyond.
#include <array>
#include <cstdint>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md::host {

/// Near pairs of one atom.
struct NearPairs {
  static constexpr int capacity = 512;
  int count = 0;
  alignas(64) double d[3][capacity + 8];  // x_i - x_j + S
  alignas(64) std::int32_t j[capacity + 8];
  std::int32_t image[capacity + 8];

  bool full() const { return count > capacity - halyard::host::lane_count; }
};

/// Packs the near pairs of each atom and hands them on: use(slot, own, pairs) gets all of an atom's, or up to the
/// capacity at a time. `own`: of j the force counts too.
template <class Use>
class NearPairSearch {
 public:
  NearPairSearch(const Atoms& atoms, const std::array<std::array<double, 3>, image_count>& shifts, double cutoff2,
                 const ThreadList& list, Use& use)
      : x_{atoms.x[0].data(), atoms.x[1].data(), atoms.x[2].data()},
        shifts_(shifts),
        cutoff2_(cutoff2),
        list_(list),
        use_(use) {}

  void run() {
    for (int slot = list_.first; slot < list_.last; ++slot) {
      const std::size_t at = static_cast<std::size_t>(slot - list_.first);
      for (std::uint32_t s = list_.masked_segments_of[at]; s < list_.masked_segments_of[at + 1]; ++s) {
        const ListSegment& segment = list_.masked_segments[s];
        for (std::uint32_t e = segment.begin; e < segment.end; ++e) {
          meet(slot, segment, list_.masked[e].cluster, list_.masked[e].mask);
        }
      }
      for (std::uint32_t s = list_.segments_of[at]; s < list_.segments_of[at + 1]; ++s) {
        const ListSegment& segment = list_.segments[s];
        for (std::uint32_t e = segment.begin; e < segment.end; ++e) {
          meet(slot, segment, list_.entries[e], 0xffU);
        }
      }
      hand_on(slot, true, own_);
      hand_on(slot, false, foreign_);
    }
  }

 private:
  void meet(int i, const ListSegment& segment, std::uint32_t cluster, std::uint32_t mask) {
    using namespace halyard::host;
    const std::size_t j = std::size_t{cluster} * cluster_size;
    const std::array<double, 3>& n = shifts_[segment.image];
    const Lanes dx = (all(x_[0][i]) - load(x_[0] + j)) + all(-n[0]);
    const Lanes dy = (all(x_[1][i]) - load(x_[1] + j)) + all(-n[1]);
    const Lanes dz = (all(x_[2][i]) - load(x_[2] + j)) + all(-n[2]);
    const Mask near = both(less(fma(dx, dx, fma(dy, dy, dz * dz)), all(cutoff2_)), from_bits(mask));
    NearPairs& pairs = segment.own ? own_ : foreign_;
    compress_store(pairs.d[0] + pairs.count, near, dx);
    compress_store(pairs.d[1] + pairs.count, near, dy);
    compress_store(pairs.d[2] + pairs.count, near, dz);
    const int count =
        compress_store(pairs.j + pairs.count, near, all_index(static_cast<std::int32_t>(j)) + load_index(lane_numbers));
    store_index(pairs.image + pairs.count, all_index(segment.image));
    pairs.count += count;
    if (pairs.full()) {
      hand_on(i, segment.own, pairs);
    }
  }

  void hand_on(int slot, bool own, NearPairs& pairs) {
    if (pairs.count > 0) {
      use_(slot, own, pairs);
      pairs.count = 0;
    }
  }

  static constexpr std::int32_t lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const double* x_[3];
  const std::array<std::array<double, 3>, image_count>& shifts_;
  double cutoff2_;
  const ThreadList& list_;
  Use& use_;
  NearPairs own_, foreign_;
};

}  // namespace halyard::md::host
