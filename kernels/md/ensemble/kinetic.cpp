#include "kernels/md/ensemble/kinetic.hpp"

#include <cmath>

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct SumKineticTensor {
  static constexpr Cost cost{.bytes = 28, .flops = 9};
  Included included;
  View1<const double> mass;
  View1<const std::int32_t> type;
  SlotVector<const double> v;
  KERNEL Terms<6> operator()(int slot) const {
    const double m = included(slot) ? mass(type(slot)) : 0.0;
    const double vx = v.x(slot), vy = v.y(slot), vz = v.z(slot);
    const double mx = m * vx, my = m * vy, mz = m * vz;
    return {{mx * vx, my * vy, mz * vz, mx * vy, mx * vz, my * vz}};
  }
};

template <class Included>
struct SumKineticEnergy {
  static constexpr Cost cost{.bytes = 28, .flops = 6};
  Included included;
  View1<const double> mass;
  View1<const std::int32_t> type;
  SlotVector<const double> v;
  KERNEL Terms<1> operator()(int slot) const {
    const double m = included(slot) ? mass(type(slot)) : 0.0;
    return {{m * (v.x(slot) * v.x(slot) + (v.y(slot) * v.y(slot) + v.z(slot) * v.z(slot)))}};
  }
};

template <class Included>
struct SumMomentum {
  static constexpr Cost cost{.bytes = 36, .flops = 3};
  Included included;
  double inverse_root, inverse_unit;  // of mass_unit
  View1<const double> mass;
  View1<const std::int32_t> type;
  View1<const std::int64_t> id;
  SlotVector<const double> v;
  KERNEL Terms<4> operator()(int slot) const {
    const double m = both(included(slot), id(slot) >= 0) ? mass(type(slot)) : 0.0;
    const double in_root = m * inverse_root;
    return {{in_root * v.x(slot), in_root * v.y(slot), in_root * v.z(slot), m * inverse_unit}};
  }
};

namespace {
template <template <class> class Kernel, std::size_t N, class... Views>
std::array<FixedSum, N> sum_of_group(Queue& queue, const SlotGroup& group, int bits, const Views&... views) {
  FixedSum total[N];
  for (FixedSum& t : total) {
    t = FixedSum(bits);
  }
  if (group.all()) {
    sum_over_slots(queue, group.count, Kernel<EverySlot>{EverySlot(group), views...}, total);
  } else {
    sum_over_slots(queue, group.count, Kernel<SlotsOfGroup>{SlotsOfGroup(group), views...}, total);
  }
  std::array<FixedSum, N> result;
  for (std::size_t c = 0; c < N; ++c) {
    result[c] = total[c];
  }
  return result;
}
}  // namespace

KineticTensor kinetic_tensor(Queue& queue, const SlotGroup& group, View1<const double> mass,
                             View1<const std::int32_t> type, const SlotVector<const double>& v) {
  return sum_of_group<SumKineticTensor, 6>(queue, group, kinetic_bits, mass, type, v);
}

FixedSum twice_kinetic_energy(Queue& queue, const SlotGroup& group, View1<const double> mass,
                              View1<const std::int32_t> type, const SlotVector<const double>& v) {
  return sum_of_group<SumKineticEnergy, 1>(queue, group, kinetic_bits, mass, type, v)[0];
}

std::array<FixedSum, 4> momentum_and_mass(Queue& queue, const SlotGroup& group, double mass_unit,
                                          View1<const double> mass, View1<const std::int32_t> type,
                                          View1<const std::int64_t> id, const SlotVector<const double>& v) {
  return sum_of_group<SumMomentum, 4>(queue, group, momentum_bits, 1.0 / std::sqrt(mass_unit), 1.0 / mass_unit, mass,
                                      type, id, v);
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(KineticTensor, kinetic_tensor,
                 (Queue & queue, const SlotGroup& group, View1<const double> mass, View1<const std::int32_t> type,
                  const SlotVector<const double>& v),
                 (queue, group, mass, type, v))
HALYARD_DISPATCH(FixedSum, twice_kinetic_energy,
                 (Queue & queue, const SlotGroup& group, View1<const double> mass, View1<const std::int32_t> type,
                  const SlotVector<const double>& v),
                 (queue, group, mass, type, v))
namespace {
using MomentumAndMass = std::array<FixedSum, 4>;
}
HALYARD_DISPATCH(MomentumAndMass, momentum_and_mass,
                 (Queue & queue, const SlotGroup& group, double mass_unit, View1<const double> mass,
                  View1<const std::int32_t> type, View1<const std::int64_t> id, const SlotVector<const double>& v),
                 (queue, group, mass_unit, mass, type, id, v))

}  // namespace halyard::md
