#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/external/unwrapped.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

// Sums over this rank's atoms of a group; add them over the ranks before reading values.

/// sum of w x, w y, w z (unwrapped) and w, w = scale mass[type]: a scale that makes the largest w 1 lets positions
/// reach 2^21 length units and resolves 1e-9.
std::array<FixedSum, 4> weighted_positions(Queue& queue, const SlotGroup& group, double scale, View1<const double> mass,
                                           View1<const std::int32_t> type, View1<const std::int64_t> id,
                                           const Unwrapped& position);

/// The total force on the group, in the case's unit, of atoms whose force has components below 2^17.
std::array<FixedSum, 3> total_force(Queue& queue, const SlotGroup& group, const SlotVector<const std::int64_t>& force);

}  // namespace halyard::md
