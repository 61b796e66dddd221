#include "kernels/md/external/group_sums.hpp"

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct WeightedPosition {
  static constexpr Cost cost{.bytes = 48, .flops = 14};
  Included included;
  double scale;
  View1<const double> mass;
  View1<const std::int32_t> type;
  View1<const std::int64_t> id;
  Unwrapped position;
  KERNEL Terms<4> operator()(int slot) const {
    const bool atom = both(included(slot), id(slot) >= 0);
    const double w = scale * mass(type(slot));
    const Unwrapped::Point at = position(slot);
    return {{atom ? w * at.x : 0.0, atom ? w * at.y : 0.0, atom ? w * at.z : 0.0, atom ? w : 0.0}};
  }
};

template <class Included>
struct ForceOfGroup {
  static constexpr Cost cost{.bytes = 24, .flops = 3};
  Included included;
  SlotVector<const std::int64_t> force;
  KERNEL Terms<3> operator()(int slot) const {
    const double unit = included(slot) ? force_unit : 0.0;
    return {{unit * static_cast<double>(force.x(slot)), unit * static_cast<double>(force.y(slot)),
             unit * static_cast<double>(force.z(slot))}};
  }
};

std::array<FixedSum, 4> weighted_positions(Queue& queue, const SlotGroup& group, double scale, View1<const double> mass,
                                           View1<const std::int32_t> type, View1<const std::int64_t> id,
                                           const Unwrapped& position) {
  FixedSum total[4] = {FixedSum(30), FixedSum(30), FixedSum(30), FixedSum(30)};
  if (group.all()) {
    sum_over_slots(queue, group.count, WeightedPosition<EverySlot>{EverySlot(group), scale, mass, type, id, position},
                   total);
  } else {
    sum_over_slots(queue, group.count,
                   WeightedPosition<SlotsOfGroup>{SlotsOfGroup(group), scale, mass, type, id, position}, total);
  }
  return {total[0], total[1], total[2], total[3]};
}

std::array<FixedSum, 3> total_force(Queue& queue, const SlotGroup& group, const SlotVector<const std::int64_t>& force) {
  FixedSum total[3] = {FixedSum(34), FixedSum(34), FixedSum(34)};
  if (group.all()) {
    sum_over_slots(queue, group.count, ForceOfGroup<EverySlot>{EverySlot(group), force}, total);
  } else {
    sum_over_slots(queue, group.count, ForceOfGroup<SlotsOfGroup>{SlotsOfGroup(group), force}, total);
  }
  return {total[0], total[1], total[2]};
}

}  // namespace HALYARD_BACKEND

namespace {
using FourSums = std::array<FixedSum, 4>;
using ThreeSums = std::array<FixedSum, 3>;
}  // namespace
HALYARD_DISPATCH(FourSums, weighted_positions,
                 (Queue & queue, const SlotGroup& group, double scale, View1<const double> mass,
                  View1<const std::int32_t> type, View1<const std::int64_t> id, const Unwrapped& position),
                 (queue, group, scale, mass, type, id, position))
HALYARD_DISPATCH(ThreeSums, total_force,
                 (Queue & queue, const SlotGroup& group, const SlotVector<const std::int64_t>& force),
                 (queue, group, force))

}  // namespace halyard::md
