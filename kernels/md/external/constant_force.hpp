#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/external/unwrapped.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// Adds the force f [case's unit, each component below force_limit] to that on each atom of the group, in force_unit.
/// Returns the energy of this rank's atoms in the case's unit: the sum of -f . unwrapped position.
FixedSum add_constant_force(Queue& queue, const SlotGroup& group, const std::array<double, 3>& f,
                            View1<const std::int64_t> id, const Unwrapped& position,
                            const SlotVector<std::int64_t>& force);

}  // namespace halyard::md
