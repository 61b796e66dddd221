#include "kernels/md/ensemble/minimise.hpp"

#include <cmath>
#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

struct LargestForceComponent {
  static constexpr Cost cost{.bytes = 24, .flops = 6};
  SlotVector<const std::int64_t> force;
  KERNEL static double larger(double a, double b) { return a > b ? a : b; }
  KERNEL double operator()(int slot) const {
    return larger(std::fabs(static_cast<double>(force.x(slot))),
                  larger(std::fabs(static_cast<double>(force.y(slot))), std::fabs(static_cast<double>(force.z(slot)))));
  }
};

struct SpeedSquared {
  static constexpr Cost cost{.bytes = 24, .flops = 5};
  SlotVector<const double> v;
  KERNEL double operator()(int slot) const {
    const double v2 = v.x(slot) * v.x(slot) + (v.y(slot) * v.y(slot) + v.z(slot) * v.z(slot));
    return v2 == v2 ? v2 : HUGE_VAL;  // a maximum passes over NaN
  }
};

struct ForceAndVelocityProducts {
  static constexpr Cost cost{.bytes = 48, .flops = 21};
  double per_force, per_speed;  // powers of two
  SlotVector<const std::int64_t> force;
  SlotVector<const double> v;
  KERNEL static double dot(double ax, double ay, double az, double bx, double by, double bz) {
    return ax * bx + (ay * by + az * bz);
  }
  KERNEL Terms<3> operator()(int slot) const {
    const double fx = per_force * static_cast<double>(force.x(slot));
    const double fy = per_force * static_cast<double>(force.y(slot));
    const double fz = per_force * static_cast<double>(force.z(slot));
    const double vx = per_speed * v.x(slot), vy = per_speed * v.y(slot), vz = per_speed * v.z(slot);
    return {{dot(fx, fy, fz, vx, vy, vz), dot(vx, vy, vz, vx, vy, vz), dot(fx, fy, fz, fx, fy, fz)}};
  }
};

struct StepBack {
  static constexpr Cost cost{.bytes = 72, .flops = 6};
  double half_time;
  SlotVector<double> v, x;
  KERNEL void operator()(int slot) const {
    x.x(slot) -= half_time * v.x(slot);
    x.y(slot) -= half_time * v.y(slot);
    x.z(slot) -= half_time * v.z(slot);
    v.x(slot) = 0.0;
    v.y(slot) = 0.0;
    v.z(slot) = 0.0;
  }
};

struct Steer {
  static constexpr Cost cost{.bytes = 76, .flops = 18};
  double keep, kick, turn;  // kick and turn: times force_unit
  View1<const double> acceleration;
  View1<const std::int32_t> type;
  SlotVector<const std::int64_t> force;
  SlotVector<double> v;
  KERNEL void operator()(int slot) const {
    const double a = kick * acceleration(type(slot));
    const double fx = static_cast<double>(force.x(slot));
    const double fy = static_cast<double>(force.y(slot));
    const double fz = static_cast<double>(force.z(slot));
    v.x(slot) = keep * (v.x(slot) + a * fx) + turn * fx;
    v.y(slot) = keep * (v.y(slot) + a * fy) + turn * fy;
    v.z(slot) = keep * (v.z(slot) + a * fz) + turn * fz;
  }
};

double max_force_component(Queue& queue, int slots, const SlotVector<const std::int64_t>& force) {
  return max_over_slots(queue, slots, LargestForceComponent{force}, 0.0) * force_unit;
}

double max_speed(Queue& queue, int slots, const SlotVector<const double>& v) {
  return std::sqrt(max_over_slots(queue, slots, SpeedSquared{v}, 0.0));
}

namespace {
/// The smallest power of two above x; 1 for x = 0.
double power_above(double x, const char* what) {
  if (!std::isfinite(x)) {
    throw Error(std::string("The minimiser found a ") + what + " that is not finite.");
  }
  if (x <= 0.0) {
    return 1.0;
  }
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent < -500 ? -500 : exponent);
}
}  // namespace

MinimiserSums minimiser_sums(Queue& queue, int slots, double largest_force, double largest_speed,
                             const SlotVector<const std::int64_t>& force, const SlotVector<const double>& v) {
  constexpr int bits = 46;  // terms are at most 3
  FixedSum total[3] = {FixedSum(bits), FixedSum(bits), FixedSum(bits)};
  MinimiserSums result;
  result.force_unit = power_above(largest_force, "force");
  result.speed_unit = power_above(largest_speed, "speed");
  sum_over_slots(
      queue, slots,
      ForceAndVelocityProducts{halyard::md::force_unit / result.force_unit, 1.0 / result.speed_unit, force, v}, total);
  result.sum = {total[0], total[1], total[2]};
  return result;
}

void step_back(Queue& queue, int slots, double time, const SlotVector<double>& v, const SlotVector<double>& x) {
  for_each_slot(queue, slots, StepBack{0.5 * time, v, x});
}

void steer(Queue& queue, int slots, double dt, double keep, double steer, View1<const double> acceleration,
           View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force, const SlotVector<double>& v) {
  for_each_slot(queue, slots, Steer{keep, dt * force_unit, steer * force_unit, acceleration, type, force, v});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(double, max_force_component, (Queue & queue, int slots, const SlotVector<const std::int64_t>& force),
                 (queue, slots, force))
HALYARD_DISPATCH(double, max_speed, (Queue & queue, int slots, const SlotVector<const double>& v), (queue, slots, v))
HALYARD_DISPATCH(MinimiserSums, minimiser_sums,
                 (Queue & queue, int slots, double largest_force, double largest_speed,
                  const SlotVector<const std::int64_t>& force, const SlotVector<const double>& v),
                 (queue, slots, largest_force, largest_speed, force, v))
HALYARD_DISPATCH(void, step_back,
                 (Queue & queue, int slots, double time, const SlotVector<double>& v, const SlotVector<double>& x),
                 (queue, slots, time, v, x))
HALYARD_DISPATCH(void, steer,
                 (Queue & queue, int slots, double dt, double keep, double steer, View1<const double> acceleration,
                  View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                  const SlotVector<double>& v),
                 (queue, slots, dt, keep, steer, acceleration, type, force, v))

}  // namespace halyard::md
