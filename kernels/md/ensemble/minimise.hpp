#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

// What a step of the minimiser Fire does with the atoms.

/// The largest component of a force [case's unit] and the largest speed over this rank's atoms; infinite when not
/// finite.
double max_force_component(Queue& queue, int slots, const SlotVector<const std::int64_t>& force);
double max_speed(Queue& queue, int slots, const SlotVector<const double>& v);

/// sum of F.v, v.v and F.F of atoms. Magnitudes differ by many orders between the first and the last step, so that the
/// sums are taken in units of the largest force component and speed over all ranks (rounded up to powers of two): the
/// result is right to about 1e-12 of the number of atoms times the squared maxima. Sum the terms over the ranks
/// (FixedSum::digits), then read them with values().
struct MinimiserSums {
  std::array<FixedSum, 3> sum;  // F.v, v.v, F.F in units of the two below
  double force_unit = 1.0, speed_unit = 1.0;

  /// {F.v, v.v, F.F}
  std::array<double, 3> values() const {
    return {sum[0].value() * force_unit * speed_unit, sum[1].value() * speed_unit * speed_unit,
            sum[2].value() * force_unit * force_unit};
  }
};
/// @throws Error when a maximum is not finite.
MinimiserSums minimiser_sums(Queue& queue, int slots, double largest_force, double largest_speed,
                             const SlotVector<const std::int64_t>& force, const SlotVector<const double>& v);

/// x -= time / 2 v, then v = 0
void step_back(Queue& queue, int slots, double time, const SlotVector<double>& v, const SlotVector<double>& x);

/// v = keep (v + dt F acceleration[type]) + steer F
void steer(Queue& queue, int slots, double dt, double keep, double steer, View1<const double> acceleration,
           View1<const std::int32_t> type, const SlotVector<const std::int64_t>& force, const SlotVector<double>& v);

}  // namespace halyard::md
