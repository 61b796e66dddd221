#pragma once
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

// Velocity Verlet (Swope, Andersen, Berens & Wilson 1982, J. Chem. Phys. 76, 637): kick by half a step, drift by a
// step, new forces, kick by half a step. Forces are whole multiples of force_unit. `acceleration` holds, for each type,
// what turns a force of the case into an acceleration of the case: 1/m in lj units, 1/m times LAMMPS' ftm2v in the
// others. All arrays are in the case's units, over slots.

/// v += dt F acceleration[type]
void kick(Queue& queue, int slots, double dt, View1<const double> acceleration, View1<const std::int32_t> type,
          const SlotVector<const std::int64_t>& force, const SlotVector<double>& v);

/// x += dt v
void drift(Queue& queue, int slots, double dt, const SlotVector<const double>& v, const SlotVector<double>& x);

/// kick by dt_kick, then drift by dt_drift, in one sweep.
void kick_drift(Queue& queue, int slots, double dt_kick, double dt_drift, View1<const double> acceleration,
                View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                const SlotVector<double>& v, const SlotVector<double>& x);

}  // namespace halyard::md
