#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// x -> factor x + shift, axis by axis. A box that is stretched about a fixed point c has shift = (1 - factor) c.
struct AxisMap {
  std::array<double, 3> factor{1.0, 1.0, 1.0};
  std::array<double, 3> shift{0.0, 0.0, 0.0};
};

/// Takes what moves with the box from one box to another.
inline AxisMap change_of_box(const SimulationBox& from, const SimulationBox& to) {
  AxisMap map;
  for (std::size_t a = 0; a < 3 && !(from == to); ++a) {
    map.factor[a] = to.length[a] / from.length[a];
    map.shift[a] = to.origin[a] - map.factor[a] * from.origin[a];
  }
  return map;
}

/// How far two atoms that were further apart than `reach` may both move, beyond what the box takes them along, before
/// they can be within the cutoff: they are then reach * the smallest factor apart, less what both have moved. Not
/// positive: the box alone may have brought them there.
inline double spare_move(double reach, double cutoff, const AxisMap& map) {
  const double smallest = std::min({1.0, map.factor[0], map.factor[1], map.factor[2]});
  return 0.5 * (reach * smallest - cutoff);
}

/// Stretches the positions with the box.
void map_positions(Queue& queue, int slots, const AxisMap& map, const SlotVector<double>& x);

/// Former positions, and how the box has been stretched since.
struct FormerPositions {
  SlotVector<const double> x;
  AxisMap map;
};

/// The largest |x - map(former x)|^2 over this rank's atoms, for two sets of former positions: how far an atom has
/// moved against a reference that was stretched with the box. Infinite when a position is not finite.
std::array<double, 2> max_displacements_squared(Queue& queue, int slots, View1<const std::int64_t> id,
                                                const SlotVector<const double>& x,
                                                const std::array<FormerPositions, 2>& former);

/// Reflecting walls at lower[a] and upper[a] (infinite where there is none): an atom beyond one is mirrored, position
/// and velocity. Returns the number of reflections and of the atoms that are outside even so (they moved further than
/// the box is long), this rank's.
struct Reflections {
  FixedSum count{0};
  FixedSum lost{0};
};
Reflections reflect_at_walls(Queue& queue, int slots, const std::array<double, 3>& lower,
                             const std::array<double, 3>& upper, View1<const std::int64_t> id,
                             const SlotVector<double>& x, const SlotVector<double>& v);

}  // namespace halyard::md
