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
  alignas(64) double d[3][capacity + 8] = {};     // x_i - x_j + S; beyond `count` some number
  alignas(64) std::int32_t j[capacity + 8] = {};  // slots, also beyond `count`
  std::int32_t image[capacity + 8];

  bool full() const { return count > capacity - halyard::host::lane_count; }
};

/// Packs the near pairs of each atom and hands them on: use(slot, own, pairs) gets all of an atom's, or up to the
/// capacity at a time. `own`: of j the force counts too. Images are there where Use::needs_images says so.
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
        meet(slot, list_.masked_segments[s], list_.masked.data());
      }
      for (std::uint32_t s = list_.segments_of[at]; s < list_.segments_of[at + 1]; ++s) {
        meet(slot, list_.segments[s], list_.entries.data());
      }
      hand_on(slot, true, own_);
      hand_on(slot, false, foreign_);
    }
  }

 private:
  template <class Entry>
  void meet(int i, const ListSegment& segment, const Entry* entries) {
    segment.image == image_index({0, 0, 0}) ? meet<false>(i, segment, entries) : meet<true>(i, segment, entries);
  }

  template <bool shifted, class Entry>
  void meet(int i, const ListSegment& segment, const Entry* entries) {
    using namespace halyard::host;
    const std::array<double, 3>& n = shifts_[segment.image];
    const Lanes x[3] = {all(x_[0][i]), all(x_[1][i]), all(x_[2][i])};
    const Lanes shift[3] = {all(-n[0]), all(-n[1]), all(-n[2])};
    const Lanes cutoff2 = all(cutoff2_);
    const IndexLanes lanes = load_index(lane_numbers);
    NearPairs& pairs = segment.own ? own_ : foreign_;
    for (std::uint32_t e = segment.begin; e < segment.end; ++e) {
      const std::size_t j = std::size_t{cluster_of(entries[e])} * cluster_size;
      Lanes d[3];
      for (int a = 0; a < 3; ++a) {
        d[a] = x[a] - load(x_[a] + j);
        if constexpr (shifted) {
          d[a] = d[a] + shift[a];
        }
      }
      const Mask near =
          both(less(fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2])), cutoff2), from_bits(mask_of(entries[e])));
      for (int a = 0; a < 3; ++a) {
        compress_store(pairs.d[a] + pairs.count, near, d[a]);
      }
      const int count = compress_store(pairs.j + pairs.count, near, all_index(static_cast<std::int32_t>(j)) + lanes);
      if constexpr (Use::needs_images) {
        store_index(pairs.image + pairs.count, all_index(segment.image));
      }
      pairs.count += count;
      if (pairs.full()) {
        hand_on(i, segment.own, pairs);
      }
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
