#include "kernels/md/ensemble/positions.hpp"

#include <cmath>

#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace HALYARD_BACKEND {

struct MapPositions {
  static constexpr Cost cost{.bytes = 48, .flops = 6};
  double fx, fy, fz, sx, sy, sz;
  SlotVector<double> x;
  KERNEL void operator()(int slot) const {
    x.x(slot) = fx * x.x(slot) + sx;
    x.y(slot) = fy * x.y(slot) + sy;
    x.z(slot) = fz * x.z(slot) + sz;
  }
};

struct DisplacementsSquared {
  static constexpr Cost cost{.bytes = 80, .flops = 28};
  struct Former {
    double fx, fy, fz, sx, sy, sz;
    SlotVector<const double> x;
    explicit Former(const FormerPositions& p)
        : fx(p.map.factor[0]),
          fy(p.map.factor[1]),
          fz(p.map.factor[2]),
          sx(p.map.shift[0]),
          sy(p.map.shift[1]),
          sz(p.map.shift[2]),
          x(p.x) {}
    KERNEL double squared(int slot, double px, double py, double pz) const {
      const double dx = px - (fx * x.x(slot) + sx);
      const double dy = py - (fy * x.y(slot) + sy);
      const double dz = pz - (fz * x.z(slot) + sz);
      const double d2 = dx * dx + (dy * dy + dz * dz);
      return d2 == d2 ? d2 : HUGE_VAL;  // a maximum passes over NaN
    }
  };
  View1<const std::int64_t> id;
  SlotVector<const double> x;
  Former first, second;
  KERNEL Terms<2> operator()(int slot) const {
    const bool atom = id(slot) >= 0;
    const double px = x.x(slot), py = x.y(slot), pz = x.z(slot);
    const double a = first.squared(slot, px, py, pz), b = second.squared(slot, px, py, pz);
    return {{atom ? a : 0.0, atom ? b : 0.0}};
  }
};

struct ReflectAtWalls {
  static constexpr Cost cost{.bytes = 104, .flops = 12};
  double lower[3], upper[3];
  View1<const std::int64_t> id;
  SlotVector<double> x, v;
  /// Mirrors one component; adds to the two counts.
  KERNEL static void mirror(double lo, double hi, bool atom, double& x, double& v, double& count, double& lost) {
    const bool below = atom && x < lo, above = atom && x > hi;
    const double there = below ? lo + (lo - x) : above ? hi - (x - hi) : x;
    x = there;
    v = below || above ? -v : v;
    count += below || above ? 1.0 : 0.0;
    lost += atom && (there < lo || there > hi) ? 1.0 : 0.0;
  }
  KERNEL Terms<2> operator()(int slot) const {
    const bool atom = id(slot) >= 0;
    double count = 0.0, lost = 0.0;
    mirror(lower[0], upper[0], atom, x.x(slot), v.x(slot), count, lost);
    mirror(lower[1], upper[1], atom, x.y(slot), v.y(slot), count, lost);
    mirror(lower[2], upper[2], atom, x.z(slot), v.z(slot), count, lost);
    return {{count, lost}};
  }
};

void map_positions(Queue& queue, int slots, const AxisMap& map, const SlotVector<double>& x) {
  for_each_slot(queue, slots,
                MapPositions{map.factor[0], map.factor[1], map.factor[2], map.shift[0], map.shift[1], map.shift[2], x});
}

std::array<double, 2> max_displacements_squared(Queue& queue, int slots, View1<const std::int64_t> id,
                                                const SlotVector<const double>& x,
                                                const std::array<FormerPositions, 2>& former) {
  using Former = DisplacementsSquared::Former;
  double largest[2] = {0.0, 0.0};
  max_over_slots(queue, slots, DisplacementsSquared{id, x, Former(former[0]), Former(former[1])}, largest);
  return {largest[0], largest[1]};
}

Reflections reflect_at_walls(Queue& queue, int slots, const std::array<double, 3>& lower,
                             const std::array<double, 3>& upper, View1<const std::int64_t> id,
                             const SlotVector<double>& x, const SlotVector<double>& v) {
  FixedSum total[2] = {FixedSum(0), FixedSum(0)};
  sum_over_slots(queue, slots, ReflectAtWalls{{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}, id, x, v},
                 total);
  return {total[0], total[1]};
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, map_positions, (Queue & queue, int slots, const AxisMap& map, const SlotVector<double>& x),
                 (queue, slots, map, x))
using TwoNumbers = std::array<double, 2>;
HALYARD_DISPATCH(TwoNumbers, max_displacements_squared,
                 (Queue & queue, int slots, View1<const std::int64_t> id, const SlotVector<const double>& x,
                  const std::array<FormerPositions, 2>& former),
                 (queue, slots, id, x, former))
HALYARD_DISPATCH(Reflections, reflect_at_walls,
                 (Queue & queue, int slots, const std::array<double, 3>& lower, const std::array<double, 3>& upper,
                  View1<const std::int64_t> id, const SlotVector<double>& x, const SlotVector<double>& v),
                 (queue, slots, lower, upper, id, x, v))

}  // namespace halyard::md
