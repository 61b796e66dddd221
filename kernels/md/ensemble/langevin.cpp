#include "kernels/md/ensemble/langevin.hpp"

#include <cmath>

#include "kernels/md/atoms.hpp"
#include "kernels/md/ensemble/group_test.hpp"
#include "kernels/md/for_each_slot.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {
#ifndef __CUDACC__
LangevinNoise::LangevinNoise(double gamma, double dt, double thermal_energy)
    : decay(math::exp(-gamma * dt)), noise(std::sqrt((1.0 - decay * decay) * thermal_energy)) {}
#endif

namespace HALYARD_BACKEND {

template <class Included>
struct LangevinVelocity {
  static constexpr Cost cost{.bytes = 60, .flops = 190};
  Included included;
  double decay, noise;
  RandomStream stream;
  std::int64_t step;
  View1<const double> mass, inverse_root_mass;
  View1<const std::int32_t> type;
  View1<const std::int64_t> id;
  SlotVector<double> v;
  KERNEL Terms<1> operator()(int slot) const { return (*this)(slot, four_normals(stream.words(id(slot), step))); }
  KERNEL Terms<1> operator()(int slot, const FourNormals& normal) const {
    const bool thermostated = both(included(slot), id(slot) >= 0);
    const double width = noise * inverse_root_mass(type(slot));
    const double x = v.x(slot), y = v.y(slot), z = v.z(slot);
    const double nx = thermostated ? decay * x + width * normal.z[0] : x;
    const double ny = thermostated ? decay * y + width * normal.z[1] : y;
    const double nz = thermostated ? decay * z + width * normal.z[2] : z;
    v.x(slot) = nx;
    v.y(slot) = ny;
    v.z(slot) = nz;
    return {{mass(type(slot)) * ((nx * nx - x * x) + ((ny * ny - y * y) + (nz * nz - z * z)))}};
  }
};

template <class Included>
struct LangevinKickDrift {
  static constexpr Cost cost{.bytes = 132, .flops = 210};
  LangevinVelocity<Included> friction;
  double half_dt, kick;  // kick: times force_unit
  View1<const double> acceleration;
  SlotVector<const std::int64_t> force;
  SlotVector<double> x;
  KERNEL Terms<1> operator()(int slot) const {
    // The noise first: it needs many registers, and what follows few.
    const FourNormals normal = four_normals(friction.stream.words(friction.id(slot), friction.step));
    const SlotVector<double>& v = friction.v;
    const double a = kick * acceleration(friction.type(slot));
    v.x(slot) += a * static_cast<double>(force.x(slot));
    v.y(slot) += a * static_cast<double>(force.y(slot));
    v.z(slot) += a * static_cast<double>(force.z(slot));
    const double px = x.x(slot) + half_dt * v.x(slot);
    const double py = x.y(slot) + half_dt * v.y(slot);
    const double pz = x.z(slot) + half_dt * v.z(slot);
    const Terms<1> heat = friction(slot, normal);
    x.x(slot) = px + half_dt * v.x(slot);
    x.y(slot) = py + half_dt * v.y(slot);
    x.z(slot) = pz + half_dt * v.z(slot);
    return heat;
  }
};

namespace {
template <class Included>
LangevinVelocity<Included> velocity_kernel(const SlotGroup& group, const LangevinNoise& noise,
                                           const RandomStream& stream, std::int64_t step, const Masses& masses,
                                           View1<const std::int32_t> type, View1<const std::int64_t> id,
                                           const SlotVector<double>& v) {
  return {Included(group), noise.decay, noise.noise, stream, step, masses.mass, masses.inverse_root_mass, type, id, v};
}
}  // namespace

void langevin_noise(Queue& queue, const SlotGroup& group, const LangevinNoise& noise, const RandomStream& stream,
                    std::int64_t step, const Masses& masses, View1<const std::int32_t> type,
                    View1<const std::int64_t> id, const SlotVector<double>& v, FixedSum& heat) {
  FixedSum total[1] = {FixedSum(kinetic_bits)};
  if (group.all()) {
    sum_over_slots(queue, group.count, velocity_kernel<EverySlot>(group, noise, stream, step, masses, type, id, v),
                   total);
  } else {
    sum_over_slots(queue, group.count, velocity_kernel<SlotsOfGroup>(group, noise, stream, step, masses, type, id, v),
                   total);
  }
  heat.add(total[0]);
}

void langevin_kick_drift(Queue& queue, const SlotGroup& group, double dt, const LangevinNoise& noise,
                         const RandomStream& stream, std::int64_t step, const Masses& masses,
                         View1<const std::int32_t> type, View1<const std::int64_t> id,
                         const SlotVector<const std::int64_t>& force, const SlotVector<double>& v,
                         const SlotVector<double>& x, FixedSum& heat) {
  FixedSum total[1] = {FixedSum(kinetic_bits)};
  const double half_dt = 0.5 * dt, kick = half_dt * force_unit;
  if (group.all()) {
    sum_over_slots(
        queue, group.count,
        LangevinKickDrift<EverySlot>{velocity_kernel<EverySlot>(group, noise, stream, step, masses, type, id, v),
                                     half_dt, kick, masses.acceleration, force, x},
        total);
  } else {
    sum_over_slots(
        queue, group.count,
        LangevinKickDrift<SlotsOfGroup>{velocity_kernel<SlotsOfGroup>(group, noise, stream, step, masses, type, id, v),
                                        half_dt, kick, masses.acceleration, force, x},
        total);
  }
  heat.add(total[0]);
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, langevin_noise,
                 (Queue & queue, const SlotGroup& group, const LangevinNoise& noise, const RandomStream& stream,
                  std::int64_t step, const Masses& masses, View1<const std::int32_t> type, View1<const std::int64_t> id,
                  const SlotVector<double>& v, FixedSum& heat),
                 (queue, group, noise, stream, step, masses, type, id, v, heat))
HALYARD_DISPATCH(void, langevin_kick_drift,
                 (Queue & queue, const SlotGroup& group, double dt, const LangevinNoise& noise,
                  const RandomStream& stream, std::int64_t step, const Masses& masses, View1<const std::int32_t> type,
                  View1<const std::int64_t> id, const SlotVector<const std::int64_t>& force,
                  const SlotVector<double>& v, const SlotVector<double>& x, FixedSum& heat),
                 (queue, group, dt, noise, stream, step, masses, type, id, force, v, x, heat))

}  // namespace halyard::md
