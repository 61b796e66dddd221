#include "kernels/md/external/constant_force.hpp"

#include <type_traits>

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct AddConstantForce {
  static constexpr Cost cost{.bytes = 96, .flops = 20};
  Included included;
  double fx, fy, fz;
  std::int64_t ix, iy, iz;  // the same in force_unit
  View1<const std::int64_t> id;
  Unwrapped position;
  SlotVector<std::int64_t> force;
  KERNEL Terms<1> operator()(int slot) const {
    const bool atom = both(included(slot), id(slot) >= 0);
    const Unwrapped::Point at = position(slot);
    force.x(slot) += atom ? ix : 0;
    force.y(slot) += atom ? iy : 0;
    force.z(slot) += atom ? iz : 0;
    return {{atom ? -(fx * at.x + (fy * at.y + fz * at.z)) : 0.0}};
  }
};

FixedSum add_constant_force(Queue& queue, const SlotGroup& group, const std::array<double, 3>& f,
                            View1<const std::int64_t> id, const Unwrapped& position,
                            const SlotVector<std::int64_t>& force) {
  FixedSum total[1] = {FixedSum(34)};
  const auto run = [&](const auto& included) {
    using Included = std::decay_t<decltype(included)>;
    sum_over_slots(queue, group.count,
                   AddConstantForce<Included>{included, f[0], f[1], f[2], round_to_fixed(f[0] * (1.0 / force_unit)),
                                              round_to_fixed(f[1] * (1.0 / force_unit)),
                                              round_to_fixed(f[2] * (1.0 / force_unit)), id, position, force},
                   total);
  };
  if (group.all()) {
    run(EverySlot(group));
  } else {
    run(SlotsOfGroup(group));
  }
  return total[0];
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(FixedSum, add_constant_force,
                 (Queue & queue, const SlotGroup& group, const std::array<double, 3>& f, View1<const std::int64_t> id,
                  const Unwrapped& position, const SlotVector<std::int64_t>& force),
                 (queue, group, f, id, position, force))

}  // namespace halyard::md
