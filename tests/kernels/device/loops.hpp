#pragma once
// Loops of the device layer behind free functions, for the tests of every device: an operator source like any other.
#include <cstdint>

#include "kernels/device/exact_sum.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

namespace halyard::test {

/// a(i, j, k) += 1.
void add_one(Queue& queue, const Range3& range, const View3<double>& a);
/// a = 2 a + 1, then b = a + 1000 b, in one sweep.
void two_kernels(Queue& queue, const Range3& range, const View3<double>& a, const View3<double>& b);
/// The sums of a and of its square.
void sums(Queue& queue, const Range3& range, const View3<const double>& a, ExactSum (&total)[2]);
double largest(Queue& queue, const Range3& range, const View3<const double>& a, double floor);
std::int64_t count_not_finite(Queue& queue, const Range3& range, const View3<const double>& a);

}  // namespace halyard::test
