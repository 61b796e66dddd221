#include "kernels/md/host/closest_pair.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/md/host/image_shifts.hpp"

namespace halyard::md::host {

ClosestPair closest_pair(const Atoms& atoms, const SimulationBox& box, const PairList& list,
                         std::span<const double> safe_r2, int types) {
  const auto shifts = image_shifts(box);
  ClosestPair closest;
  const auto meet = [&](int i, std::uint8_t image, std::uint32_t cluster, std::uint32_t mask) {
    for (int l = 0; l < cluster_size; ++l) {
      const int j = static_cast<int>(cluster) * cluster_size + l;
      if (((mask >> l) & 1U) == 0 || atoms.id.data()[i] == empty_slot || atoms.id.data()[j] == empty_slot) {
        continue;
      }
      std::array<double, 3> d{};
      for (std::size_t a = 0; a < 3; ++a) {
        d[a] = atoms.x[a].data()[i] - atoms.x[a].data()[j] - shifts[image][a];
      }
      ClosestPair pair{
          .share = 0.0,
          .ids = {std::min(atoms.id.data()[i], atoms.id.data()[j]), std::max(atoms.id.data()[i], atoms.id.data()[j])},
          .r2 = std::fma(d[0], d[0], std::fma(d[1], d[1], d[2] * d[2]))};
      pair.share = pair.r2 / safe_r2[static_cast<std::size_t>(atoms.type.data()[i] * types + atoms.type.data()[j])];
      if (std::tie(pair.share, pair.ids) < std::tie(closest.share, closest.ids)) {
        closest = pair;
      }
    }
  };
  for (const ThreadList& of_thread : list.threads) {
    for (int i = of_thread.first; i < of_thread.last; ++i) {
      const auto at = static_cast<std::size_t>(i - of_thread.first);
      for (std::uint32_t s = of_thread.segments_of[at]; s < of_thread.segments_of[at + 1]; ++s) {
        const ListSegment& segment = of_thread.segments[s];
        for (std::uint32_t e = segment.begin; e < segment.end; ++e) {
          meet(i, segment.image, of_thread.entries[e], ~0U);
        }
      }
      for (std::uint32_t s = of_thread.masked_segments_of[at]; s < of_thread.masked_segments_of[at + 1]; ++s) {
        const ListSegment& segment = of_thread.masked_segments[s];
        for (std::uint32_t e = segment.begin; e < segment.end; ++e) {
          meet(i, segment.image, of_thread.masked[e].cluster, of_thread.masked[e].mask);
        }
      }
    }
  }
  return closest;
}

}  // namespace halyard::md::host
