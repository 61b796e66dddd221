#pragma once
#include <span>

#include "kernels/md/fixed_point.hpp"
#include "solvers/md/action.hpp"

namespace halyard::md {

/// Sums over the atoms of all ranks of products of mass and velocities. Collective.
/// @throws CollectiveError where a term did not fit (2^15 energy units for m v^2), naming the atom with the largest
///   m v^2, its velocity and the step.
void require_counted(const ActionView& view, std::span<const FixedSum> sums);

/// The sum of m v^2 over the atoms of the group on all ranks, in the energy unit. Collective.
/// @throws CollectiveError as require_counted()
double twice_kinetic(const ActionView& view, const SlotGroup& group);

}  // namespace halyard::md
