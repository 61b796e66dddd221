#include "kernels/md/ensemble/verlet.hpp"

#include "kernels/md/atoms.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

struct Kick {
  static constexpr Cost cost{.bytes = 76, .flops = 7};
  double dt;  // times force_unit
  View1<const double> acceleration;
  View1<const std::int32_t> type;
  SlotVector<const std::int64_t> force;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const double a = dt * acceleration(type(slot));
    v.x(slot) += a * static_cast<double>(force.x(slot));
    v.y(slot) += a * static_cast<double>(force.y(slot));
    v.z(slot) += a * static_cast<double>(force.z(slot));
  }
};

struct Drift {
  static constexpr Cost cost{.bytes = 72, .flops = 6};
  double dt;
  SlotVector<const double> v;
  SlotVector<double> x;
  KERNEL void operator()(int slot) const {
    x.x(slot) += dt * v.x(slot);
    x.y(slot) += dt * v.y(slot);
    x.z(slot) += dt * v.z(slot);
  }
};

struct KickDrift {
  static constexpr Cost cost{.bytes = 124, .flops = 13};
  Kick kick;
  Drift drift;
  KERNEL void operator()(int slot) const {
    kick(slot);
    drift(slot);
  }
};

void kick(Queue& queue, int slots, double dt, View1<const double> acceleration, View1<const std::int32_t> type,
          const SlotVector<const std::int64_t>& force, const SlotVector<double>& v) {
  for_each_slot(queue, slots, Kick{dt * force_unit, acceleration, type, force, v});
}

void drift(Queue& queue, int slots, double dt, const SlotVector<const double>& v, const SlotVector<double>& x) {
  for_each_slot(queue, slots, Drift{dt, v, x});
}

void kick_drift(Queue& queue, int slots, double dt_kick, double dt_drift, View1<const double> acceleration,
                View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                const SlotVector<double>& v, const SlotVector<double>& x) {
  for_each_slot(queue, slots, KickDrift{{dt_kick * force_unit, acceleration, type, force, v}, {dt_drift, v, x}});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, kick,
                 (Queue & queue, int slots, double dt, View1<const double> acceleration, View1<const std::int32_t> type,
                  const SlotVector<const std::int64_t>& force, const SlotVector<double>& v),
                 (queue, slots, dt, acceleration, type, force, v))
HALYARD_DISPATCH(void, drift,
                 (Queue & queue, int slots, double dt, const SlotVector<const double>& v, const SlotVector<double>& x),
                 (queue, slots, dt, v, x))
HALYARD_DISPATCH(void, kick_drift,
                 (Queue & queue, int slots, double dt_kick, double dt_drift, View1<const double> acceleration,
                  View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                  const SlotVector<double>& v, const SlotVector<double>& x),
                 (queue, slots, dt_kick, dt_drift, acceleration, type, force, v, x))

}  // namespace halyard::md
