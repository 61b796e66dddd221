#include <omp.h>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/md/host/image_shifts.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md::host {

namespace {

using halyard::host::all;
using halyard::host::Lanes;
using halyard::host::less;
using halyard::host::load;
using halyard::host::to_bits;

/// Takes over what is near of one thread's list.
class Pruning {
 public:
  Pruning(const Atoms& atoms, const std::array<std::array<double, 3>, image_count>& shifts, double reach,
          const ThreadList& list, ThreadList& near)
      : x_{atoms.x[0].data(), atoms.x[1].data(), atoms.x[2].data()},
        shifts_(shifts),
        reach2_(reach * reach),
        list_(list),
        near_(near) {}

  void run() {
    near_.first = list_.first;
    near_.last = list_.last;
    near_.segments_of = list_.segments_of;
    near_.masked_segments_of = list_.masked_segments_of;
    near_.own_entries_of.assign(list_.own_entries_of.size(), 0);
    near_.segments.resize(list_.segments.size());
    near_.masked_segments.resize(list_.masked_segments.size());
    std::uint32_t used = 0, used_masked = 0;
    for (int slot = list_.first; slot < list_.last; ++slot) {
      const std::size_t at = static_cast<std::size_t>(slot - list_.first);
      for (std::uint32_t s = list_.masked_segments_of[at]; s < list_.masked_segments_of[at + 1]; ++s) {
        near_.masked_segments[s] = take(slot, list_.masked_segments[s], list_.masked.data(), near_.masked, used_masked);
      }
      for (std::uint32_t s = list_.segments_of[at]; s < list_.segments_of[at + 1]; ++s) {
        near_.segments[s] = take(slot, list_.segments[s], list_.entries.data(), near_.entries, used);
      }
    }
  }

 private:
  template <class Entry>
  ListSegment take(int i, const ListSegment& segment, const Entry* from, std::vector<Entry>& to, std::uint32_t& used) {
    const std::uint32_t begin = used;
    make_room(to, std::size_t{used} + (segment.end - segment.begin));
    used = segment.own ? take<true>(i, segment, from, to.data(), used) : take<false>(i, segment, from, to.data(), used);
    return {begin, used, segment.image, segment.own};
  }

  /// Every entry is written and the near ones are kept, without a branch, which nobody could predict. Returns the end.
  /// Not inlined: its loop is hot and needs its registers.
  template <bool own, class Entry>
  [[gnu::noinline]] std::uint32_t take(int i, const ListSegment& segment, const Entry* from, Entry* to,
                                       std::uint32_t used) {
    const std::array<double, 3>& n = shifts_[segment.image];
    const Lanes x = all(x_[0][i] - n[0]), y = all(x_[1][i] - n[1]), z = all(x_[2][i] - n[2]);
    const Lanes reach2 = all(reach2_);
    const double *const xs = x_[0], *const ys = x_[1], *const zs = x_[2];
    [[maybe_unused]] std::uint32_t* const own_entries_of = near_.own_entries_of.data();
    [[maybe_unused]] const std::uint32_t first_own = static_cast<std::uint32_t>(list_.first) / cluster_size;
    Entry* kept = to + used;
    for (const Entry *entry = from + segment.begin, *end = from + segment.end; entry != end; ++entry) {
      const std::uint32_t cluster = cluster_of(*entry);
      const std::size_t j = std::size_t{cluster} * cluster_size;
      const Lanes dx = x - load(xs + j), dy = y - load(ys + j), dz = z - load(zs + j);
      const std::uint32_t lanes = to_bits(less(fma(dx, dx, fma(dy, dy, dz * dz)), reach2)) & mask_of(*entry);
      const std::uint32_t near = (lanes + 0xffU) >> 8U;  // 1 where a lane is: of a comparison compilers make a branch
      *kept = *entry;
      kept += near;
      if constexpr (own) {
        own_entries_of[cluster - first_own] += near;
      }
    }
    return static_cast<std::uint32_t>(kept - to);
  }

  const double* x_[3];
  const std::array<std::array<double, 3>, image_count>& shifts_;
  double reach2_;
  const ThreadList& list_;
  ThreadList& near_;
};

}  // namespace

void prune_pair_list(const Atoms& atoms, const SimulationBox& box, const PairList& list, double reach, PairList& near) {
  static KernelRecord& record = kernel_record("PairPruning", {.bytes = 0, .flops = 0});
  const KernelTimer timer(record, atoms.owned);
  const auto shifts = image_shifts(box);
  near.threads.resize(list.threads.size());
#pragma omp parallel num_threads(static_cast <int>(list.threads.size()))
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    Pruning(atoms, shifts, reach, list.threads[thread], near.threads[thread]).run();
  }
}

}  // namespace halyard::md::host
