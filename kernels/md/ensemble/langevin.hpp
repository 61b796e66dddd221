#pragma once
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/normal_random.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

// Langevin dynamics dv = F/m dt - gamma v dt + sqrt(2 gamma kB T/m) dW by the BAOAB splitting (Leimkuhler & Matthews
// 2013, Appl. Math. Res. Express 2013, 34): kick dt/2, drift dt/2, friction and noise over dt (exact), drift dt/2, new
// forces, kick dt/2. Averages over positions are right to fourth order at high friction, and exact for harmonic forces.

/// The exact solution of dv = -gamma v dt + noise over dt: v = decay v + noise z / sqrt(m).
struct LangevinNoise {
  double decay;  // exp(-gamma dt)
  double noise;  // sqrt((1 - decay^2) kB T), times Masses::inverse_root_mass the width of the noise

  /// gamma [1/time], thermal_energy = kB T [energy].
  LangevinNoise(double gamma, double dt, double thermal_energy);
};

/// Friction and noise for the atoms of the group, z normal deviates that belong to (stream, atom id, step). Adds to
/// `heat` (at kinetic_bits) twice the kinetic energy that the atoms took up. The quantity conserved up to the error of
/// the time step is potential + kinetic energy - heat / 2, summed over all steps.
void langevin_noise(Queue& queue, const SlotGroup& group, const LangevinNoise& noise, const RandomStream& stream,
                    std::int64_t step, const Masses& masses, View1<const std::int32_t> type,
                    View1<const std::int64_t> id, const SlotVector<double>& v, FixedSum& heat);

/// In one sweep over all atoms: kick by dt/2, drift by dt/2, langevin_noise for those of the group, drift by dt/2. The
/// kick by dt/2 with the new forces is left to the caller.
void langevin_kick_drift(Queue& queue, const SlotGroup& group, double dt, const LangevinNoise& noise,
                         const RandomStream& stream, std::int64_t step, const Masses& masses,
                         View1<const std::int32_t> type, View1<const std::int64_t> id,
                         const SlotVector<const std::int64_t>& force, const SlotVector<double>& v,
                         const SlotVector<double>& x, FixedSum& heat);

}  // namespace halyard::md
