#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

// Kick and drift in a box that changes during the step: factors and weights an axis, from MttkBarostat.

/// v_a = factor[a] v_a + weight[a] F_a acceleration[type]
void kick_in_changing_box(Queue& queue, int slots, const std::array<double, 3>& factor,
                          const std::array<double, 3>& weight, View1<const double> acceleration,
                          View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force,
                          const SlotVector<double>& v);

/// x_a = map.factor[a] x_a + map.shift[a] + weight[a] v_a; map stretches the box.
void drift_in_changing_box(Queue& queue, int slots, const AxisMap& map, const std::array<double, 3>& weight,
                           const SlotVector<const double>& v, const SlotVector<double>& x);

/// The middle of a step of stochastic cell rescaling, in one sweep: drift dt/2, x -> map(x), v_a / map.factor[a],
/// drift dt/2.
void rescale_and_drift(Queue& queue, int slots, double dt, const AxisMap& map, const SlotVector<double>& v,
                       const SlotVector<double>& x);

}  // namespace halyard::md
