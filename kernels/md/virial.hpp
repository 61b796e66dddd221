#pragma once
#include <array>

#include "kernels/device/queue.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/force_totals.hpp"

namespace halyard::md {

/// sum over the owned atoms of x_a F_b in the order xx, yy, zz, xy, xz, yz, in units of virial_unit; exact, so the same
/// for any split over ranks and threads. Positions count in 2^-38 of the length unit, up to 2^24 of them.
constexpr double virial_unit = 0x1p-76;
std::array<Wide, 6> position_force_sum(Queue& queue, const Atoms& atoms);

}  // namespace halyard::md
