#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/external/unwrapped.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// Sums over this rank's atoms, in the case's unit of energy. Terms too large for the sum, or for a force, are counted
/// in energy.spoilt(); those atoms feel no spring.
struct SpringSums {
  FixedSum energy{34};
  std::array<FixedSum, 6> virial{FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34)};
};

/// Ties the atoms of the group to places: U = k/2 d^2 along the `components`, d = unwrapped position - map(anchor).
/// Adds F = -k d to `force`, in force_unit. The virial, xx, yy, zz, xy, xz, yz, is the sum of d_a F_b: that of places
/// which stretch with the box.
/// @param anchor unwrapped, over slots; only those of the group are read
SpringSums add_spring_force(Queue& queue, const SlotGroup& group, double k, const std::array<bool, 3>& components,
                            const AxisMap& map, View1<const std::int64_t> id, const Unwrapped& position,
                            const SlotVector<const double>& anchor, const SlotVector<std::int64_t>& force);

}  // namespace halyard::md
