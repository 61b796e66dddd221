#include "kernels/md/external/wall_lj93.hpp"

#include <cmath>

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct AddWallForce {
  static constexpr Cost cost{.bytes = 32, .flops = 20};
  Included included;
  WallLj93 wall;
  double at, inward;
  View1<const std::int64_t> id;
  View1<const double> x;
  View1<std::int64_t> force;
  KERNEL Terms<3> operator()(int slot) const {
    const double d = inward * (x(slot) - at);
    const bool atom = both(included(slot), id(slot) >= 0), near = both(atom, d < wall.cutoff);
    const WallTerm term = wall(near && d > 0.0 ? d : wall.cutoff);
    const bool fits = d > 0.0 && std::fabs(term.force) < force_limit && std::fabs(term.energy) < energy_limit;
    const bool acts = both(near, fits);
    const double f = acts ? inward * term.force : 0.0;
    force(slot) += round_to_fixed(f * (1.0 / force_unit));
    return {{acts ? term.energy : 0.0, -f, both(atom, !(d >= wall.cutoff)) && !fits ? 1.0 : 0.0}};
  }
};

WallSums add_wall_force(Queue& queue, const SlotGroup& group, const WallLj93& wall, const WallPlane& plane,
                        View1<const std::int64_t> id, View1<const double> x, View1<std::int64_t> force) {
  WallSums sums;
  FixedSum total[3] = {sums.energy, sums.force, sums.beyond};
  if (group.all()) {
    sum_over_slots(queue, group.count,
                   AddWallForce<EverySlot>{EverySlot(group), wall, plane.at, plane.inward, id, x, force}, total);
  } else {
    sum_over_slots(queue, group.count,
                   AddWallForce<SlotsOfGroup>{SlotsOfGroup(group), wall, plane.at, plane.inward, id, x, force}, total);
  }
  return {total[0], total[1], total[2]};
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(WallSums, add_wall_force,
                 (Queue & queue, const SlotGroup& group, const WallLj93& wall, const WallPlane& plane,
                  View1<const std::int64_t> id, View1<const double> x, View1<std::int64_t> force),
                 (queue, group, wall, plane, id, x, force))

}  // namespace halyard::md
