#include "kernels/md/ensemble/stretch.hpp"

#include "kernels/md/atoms.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

struct KickInChangingBox {
  static constexpr Cost cost{.bytes = 76, .flops = 10};
  double fx, fy, fz;
  double wx, wy, wz;  // times force_unit
  View1<const double> acceleration;
  View1<const std::int32_t> type;
  SlotVector<const std::int64_t> force;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const double a = acceleration(type(slot));
    v.x(slot) = fx * v.x(slot) + wx * a * static_cast<double>(force.x(slot));
    v.y(slot) = fy * v.y(slot) + wy * a * static_cast<double>(force.y(slot));
    v.z(slot) = fz * v.z(slot) + wz * a * static_cast<double>(force.z(slot));
  }
};

struct DriftInChangingBox {
  static constexpr Cost cost{.bytes = 72, .flops = 12};
  double fx, fy, fz, sx, sy, sz, wx, wy, wz;
  SlotVector<const double> v;
  SlotVector<double> x;
  KERNEL void operator()(int slot) const {
    x.x(slot) = (fx * x.x(slot) + sx) + wx * v.x(slot);
    x.y(slot) = (fy * x.y(slot) + sy) + wy * v.y(slot);
    x.z(slot) = (fz * x.z(slot) + sz) + wz * v.z(slot);
  }
};

struct RescaleAndDrift {
  static constexpr Cost cost{.bytes = 96, .flops = 21};
  double half_dt;
  double fx, fy, fz, sx, sy, sz, ix, iy, iz;
  SlotVector<double> v, x;
  KERNEL static void axis(double half_dt, double factor, double shift, double inverse, double& x, double& v) {
    const double middle = x + half_dt * v;
    v *= inverse;
    x = (factor * middle + shift) + half_dt * v;
  }
  KERNEL void operator()(int slot) const {
    axis(half_dt, fx, sx, ix, x.x(slot), v.x(slot));
    axis(half_dt, fy, sy, iy, x.y(slot), v.y(slot));
    axis(half_dt, fz, sz, iz, x.z(slot), v.z(slot));
  }
};

void kick_in_changing_box(Queue& queue, int slots, const std::array<double, 3>& factor,
                          const std::array<double, 3>& weight, View1<const double> acceleration,
                          View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                          const SlotVector<double>& v) {
  for_each_slot(queue, slots,
                KickInChangingBox{factor[0], factor[1], factor[2], weight[0] * force_unit, weight[1] * force_unit,
                                  weight[2] * force_unit, acceleration, type, force, v});
}

void drift_in_changing_box(Queue& queue, int slots, const AxisMap& map, const std::array<double, 3>& weight,
                           const SlotVector<const double>& v, const SlotVector<double>& x) {
  for_each_slot(queue, slots,
                DriftInChangingBox{map.factor[0], map.factor[1], map.factor[2], map.shift[0], map.shift[1],
                                   map.shift[2], weight[0], weight[1], weight[2], v, x});
}

void rescale_and_drift(Queue& queue, int slots, double dt, const AxisMap& map, const SlotVector<double>& v,
                       const SlotVector<double>& x) {
  for_each_slot(queue, slots,
                RescaleAndDrift{0.5 * dt, map.factor[0], map.factor[1], map.factor[2], map.shift[0], map.shift[1],
                                map.shift[2], 1.0 / map.factor[0], 1.0 / map.factor[1], 1.0 / map.factor[2], v, x});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, kick_in_changing_box,
                 (Queue & queue, int slots, const std::array<double, 3>& factor, const std::array<double, 3>& weight,
                  View1<const double> acceleration, View1<const std::int32_t> type,
                  const SlotVector<const std::int64_t>& force, const SlotVector<double>& v),
                 (queue, slots, factor, weight, acceleration, type, force, v))
HALYARD_DISPATCH(void, drift_in_changing_box,
                 (Queue & queue, int slots, const AxisMap& map, const std::array<double, 3>& weight,
                  const SlotVector<const double>& v, const SlotVector<double>& x),
                 (queue, slots, map, weight, v, x))
HALYARD_DISPATCH(void, rescale_and_drift,
                 (Queue & queue, int slots, double dt, const AxisMap& map, const SlotVector<double>& v,
                  const SlotVector<double>& x),
                 (queue, slots, dt, map, v, x))

}  // namespace halyard::md
