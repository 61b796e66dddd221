#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// Sums over this rank's atoms; add them over the ranks (FixedSum::digits) before reading values.
/// sum of m v_a v_b in the order xx, yy, zz, xy, xz, yz, in the energy unit, at kinetic_bits. The kinetic energy is
/// half the trace.
using KineticTensor = std::array<FixedSum, 6>;
KineticTensor kinetic_tensor(Queue& queue, const SlotGroup& group, View1<const double> mass,
                             View1<const std::int32_t> type, const SlotVector<const double>& v);

/// sum of m v^2: twice the kinetic energy, at kinetic_bits.
FixedSum twice_kinetic_energy(Queue& queue, const SlotGroup& group, View1<const double> mass,
                              View1<const std::int32_t> type, const SlotVector<const double>& v);

/// sum of m v_x, m v_y, m v_z (over the root of mass_unit) and m (over mass_unit; mass as in Masses) over the atoms of
/// the group, at momentum_bits. mass_unit: a power of 4, not below the heaviest atom's mass. In these units masses are
/// at most 1, and momenta are in the range of the sums wherever m v^2 is.
std::array<FixedSum, 4> momentum_and_mass(Queue& queue, const SlotGroup& group, double mass_unit,
                                          View1<const double> mass, View1<const std::int32_t> type,
                                          View1<const std::int64_t> id, const SlotVector<const double>& v);

}  // namespace halyard::md
