#include "kernels/md/virial.hpp"

#include <cmath>

#include "kernels/device/profile.hpp"

namespace halyard::md {

std::array<Wide, 6> position_force_sum(Queue&, const Atoms& atoms) {
  static KernelRecord& record = kernel_record("PositionForceSum", {.bytes = 56, .flops = 12});
  const KernelTimer timer(record, atoms.owned);
  constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  std::array<Wide, 6> total{};
#pragma omp parallel
  {
    std::array<Wide, 6> mine{};
#pragma omp for schedule(static)
    for (int s = 0; s < atoms.owned_slots; ++s) {
      if (atoms.id.data()[s] == empty_slot) {
        continue;
      }
      std::int64_t x[3];
      for (int d = 0; d < 3; ++d) {
        x[d] = std::llrint(atoms.x[d].data()[s] * 0x1p38);
      }
      for (std::size_t c = 0; c < 6; ++c) {
        mine[c] += static_cast<Wide>(x[first[c]]) * atoms.force[static_cast<std::size_t>(second[c])].data()[s];
      }
    }
#pragma omp critical(halyard_md_position_force_sum)
    for (std::size_t c = 0; c < 6; ++c) {
      total[c] += mine[c];
    }
  }
  return total;
}

}  // namespace halyard::md
