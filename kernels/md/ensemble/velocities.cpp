#include "kernels/md/ensemble/velocities.hpp"

#include <cmath>

#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

template <class Included>
struct DrawVelocities {
  static constexpr Cost cost{.bytes = 36, .flops = 180};
  Included included;
  RandomStream stream;
  double root_thermal_energy;
  View1<const double> inverse_root_mass;
  View1<const std::int32_t> type;
  View1<const std::int64_t> id;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const FourNormals normal = four_normals(stream.words(id(slot), 0));
    const bool draw = included(slot);
    const double speed = id(slot) >= 0 ? root_thermal_energy * inverse_root_mass(type(slot)) : 0.0;
    v.x(slot) = draw ? speed * normal.z[0] : v.x(slot);
    v.y(slot) = draw ? speed * normal.z[1] : v.y(slot);
    v.z(slot) = draw ? speed * normal.z[2] : v.z(slot);
  }
};

template <class Included>
struct ScaleVelocities {
  static constexpr Cost cost{.bytes = 48, .flops = 3};
  Included included;
  double fx, fy, fz;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const bool scale = included(slot);
    v.x(slot) *= scale ? fx : 1.0;
    v.y(slot) *= scale ? fy : 1.0;
    v.z(slot) *= scale ? fz : 1.0;
  }
};

template <class Included>
struct ShiftVelocities {
  static constexpr Cost cost{.bytes = 56, .flops = 3};
  Included included;
  double cx, cy, cz;
  View1<const std::int64_t> id;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const bool shift = both(included(slot), id(slot) >= 0);
    v.x(slot) += shift ? cx : 0.0;
    v.y(slot) += shift ? cy : 0.0;
    v.z(slot) += shift ? cz : 0.0;
  }
};

template <class Included>
struct Freeze {
  static constexpr Cost cost{.bytes = 96, .flops = 0};
  Included included;
  bool cx, cy, cz;
  SlotVector<double> v;
  SlotVector<std::int64_t> force;
  KERNEL void operator()(int slot) const {
    const bool frozen = included(slot);
    const bool fx = both(frozen, cx), fy = both(frozen, cy), fz = both(frozen, cz);
    v.x(slot) = fx ? 0.0 : v.x(slot);
    v.y(slot) = fy ? 0.0 : v.y(slot);
    v.z(slot) = fz ? 0.0 : v.z(slot);
    force.x(slot) = fx ? 0 : force.x(slot);
    force.y(slot) = fy ? 0 : force.y(slot);
    force.z(slot) = fz ? 0 : force.z(slot);
  }
};

namespace {
template <template <class> class Kernel, class... Arguments>
void for_group(Queue& queue, const SlotGroup& group, const Arguments&... arguments) {
  if (group.all()) {
    for_each_slot(queue, group.count, Kernel<EverySlot>{EverySlot(group), arguments...});
  } else {
    for_each_slot(queue, group.count, Kernel<SlotsOfGroup>{SlotsOfGroup(group), arguments...});
  }
}
}  // namespace

void draw_velocities(Queue& queue, const SlotGroup& group, const RandomStream& stream, double thermal_energy,
                     View1<const double> inverse_root_mass, View1<const std::int32_t> type,
                     View1<const std::int64_t> id, const SlotVector<double>& v) {
  for_group<DrawVelocities>(queue, group, stream, std::sqrt(thermal_energy), inverse_root_mass, type, id, v);
}

void scale_velocities(Queue& queue, const SlotGroup& group, const std::array<double, 3>& factor,
                      const SlotVector<double>& v) {
  for_group<ScaleVelocities>(queue, group, factor[0], factor[1], factor[2], v);
}

void shift_velocities(Queue& queue, const SlotGroup& group, const std::array<double, 3>& change,
                      View1<const std::int64_t> id, const SlotVector<double>& v) {
  for_group<ShiftVelocities>(queue, group, change[0], change[1], change[2], id, v);
}

void freeze(Queue& queue, const SlotGroup& group, const std::array<bool, 3>& components, const SlotVector<double>& v,
            const SlotVector<std::int64_t>& force) {
  for_group<Freeze>(queue, group, components[0], components[1], components[2], v, force);
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, draw_velocities,
                 (Queue & queue, const SlotGroup& group, const RandomStream& stream, double thermal_energy,
                  View1<const double> inverse_root_mass, View1<const std::int32_t> type, View1<const std::int64_t> id,
                  const SlotVector<double>& v),
                 (queue, group, stream, thermal_energy, inverse_root_mass, type, id, v))
HALYARD_DISPATCH(void, scale_velocities,
                 (Queue & queue, const SlotGroup& group, const std::array<double, 3>& factor,
                  const SlotVector<double>& v),
                 (queue, group, factor, v))
HALYARD_DISPATCH(void, shift_velocities,
                 (Queue & queue, const SlotGroup& group, const std::array<double, 3>& change,
                  View1<const std::int64_t> id, const SlotVector<double>& v),
                 (queue, group, change, id, v))
HALYARD_DISPATCH(void, freeze,
                 (Queue & queue, const SlotGroup& group, const std::array<bool, 3>& components,
                  const SlotVector<double>& v, const SlotVector<std::int64_t>& force),
                 (queue, group, components, v, force))

}  // namespace halyard::md
