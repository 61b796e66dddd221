#include "kernels/md/external/spring.hpp"

#include <cmath>
#include <type_traits>

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct AddSpringForce {
  static constexpr Cost cost{.bytes = 120, .flops = 50};
  Included included;
  double kx, ky, kz;
  double fx, fy, fz, sx, sy, sz;
  View1<const std::int64_t> id;
  Unwrapped position;
  SlotVector<const double> anchor;
  SlotVector<std::int64_t> force;
  KERNEL Terms<7> operator()(int slot) const {
    const bool atom = both(included(slot), id(slot) >= 0);
    const Unwrapped::Point at = position(slot);
    const double dx = at.x - (fx * anchor.x(slot) + sx);
    const double dy = at.y - (fy * anchor.y(slot) + sy);
    const double dz = at.z - (fz * anchor.z(slot) + sz);
    const double energy = 0.5 * (kx * dx * dx + (ky * dy * dy + kz * dz * dz));
    const bool weak = both(std::fabs(kx * dx) < force_limit,
                           both(std::fabs(ky * dy) < force_limit, std::fabs(kz * dz) < force_limit));
    const bool fits = both(weak, energy < energy_limit), acts = both(atom, fits);
    const double x = acts ? dx : 0.0, y = acts ? dy : 0.0, z = acts ? dz : 0.0;
    const double gx = -kx * x, gy = -ky * y, gz = -kz * z;
    force.x(slot) += round_to_fixed(gx * (1.0 / force_unit));
    force.y(slot) += round_to_fixed(gy * (1.0 / force_unit));
    force.z(slot) += round_to_fixed(gz * (1.0 / force_unit));
    const double spoilt = both(atom, !fits) ? HUGE_VAL : 0.0;
    return {{acts ? energy : spoilt, x * gx, y * gy, z * gz, x * gy, x * gz, y * gz}};
  }
};

SpringSums add_spring_force(Queue& queue, const SlotGroup& group, double k, const std::array<bool, 3>& components,
                            const AxisMap& map, View1<const std::int64_t> id, const Unwrapped& position,
                            const SlotVector<const double>& anchor, const SlotVector<std::int64_t>& force) {
  SpringSums sums;
  FixedSum total[7] = {sums.energy,    sums.virial[0], sums.virial[1], sums.virial[2],
                       sums.virial[3], sums.virial[4], sums.virial[5]};
  const double kx = components[0] ? k : 0.0, ky = components[1] ? k : 0.0, kz = components[2] ? k : 0.0;
  const auto run = [&](const auto& included) {
    using Included = std::decay_t<decltype(included)>;
    sum_over_slots(queue, group.count,
                   AddSpringForce<Included>{included, kx, ky, kz, map.factor[0], map.factor[1], map.factor[2],
                                            map.shift[0], map.shift[1], map.shift[2], id, position, anchor, force},
                   total);
  };
  if (group.all()) {
    run(EverySlot(group));
  } else {
    run(SlotsOfGroup(group));
  }
  sums.energy = total[0];
  for (std::size_t c = 0; c < 6; ++c) {
    sums.virial[c] = total[c + 1];
  }
  return sums;
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(SpringSums, add_spring_force,
                 (Queue & queue, const SlotGroup& group, double k, const std::array<bool, 3>& components,
                  const AxisMap& map, View1<const std::int64_t> id, const Unwrapped& position,
                  const SlotVector<const double>& anchor, const SlotVector<std::int64_t>& force),
                 (queue, group, k, components, map, id, position, anchor, force))

}  // namespace halyard::md
