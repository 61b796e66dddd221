#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// x -> factor x + shift, axis by axis. A box that is stretched about a fixed point c has shift = (1 - factor) c.
struct AxisMap {
  std::array<double, 3> factor{1.0, 1.0, 1.0};
  std::array<double, 3> shift{0.0, 0.0, 0.0};
};

/// Stretches the positions with the box.
void map_positions(Queue& queue, int slots, const AxisMap& map, const SlotVector<double>& x);

/// The largest |x - map(reference)|^2 over this rank's atoms: how far an atom has moved against a reference that was
/// stretched with the box. Infinite when a position is not finite.
double max_displacement_squared(Queue& queue, int slots, View1<const std::int64_t> id,
                                const SlotVector<const double>& x, const SlotVector<const double>& reference,
                                const AxisMap& map);

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
