#include "tests/kernels/device/loops.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard::test {
namespace HALYARD_BACKEND {

using halyard::HALYARD_BACKEND::count_if;
using halyard::HALYARD_BACKEND::parallel_for;
using halyard::HALYARD_BACKEND::reduce_max;
using halyard::HALYARD_BACKEND::reduce_sum;

struct AddOne {
  static constexpr Cost cost{.bytes = 16, .flops = 1};
  View3<double> a;
  KERNEL void operator()(int i, int j, int k) const { a(i, j, k) += 1.0; }
};

struct TwiceAndOne {
  static constexpr Cost cost{.bytes = 16, .flops = 2};
  View3<double> a;
  KERNEL void operator()(int i, int j, int k) const { a(i, j, k) = 2.0 * a(i, j, k) + 1.0; }
};

struct AddThousandfold {
  static constexpr Cost cost{.bytes = 24, .flops = 2};
  View3<const double> a;
  View3<double> b;
  KERNEL void operator()(int i, int j, int k) const { b(i, j, k) = a(i, j, k) + 1000.0 * b(i, j, k); }
};

struct ValueAndSquare {
  static constexpr Cost cost{.bytes = 8, .flops = 1};
  View3<const double> a;
  KERNEL Terms<2> operator()(int i, int j, int k) const { return {{a(i, j, k), a(i, j, k) * a(i, j, k)}}; }
};

struct Value {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View3<const double> a;
  KERNEL double operator()(int i, int j, int k) const { return a(i, j, k); }
};

struct NotFinite {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View3<const double> a;
  KERNEL bool operator()(int i, int j, int k) const { return !(a(i, j, k) - a(i, j, k) == 0.0); }
};

void add_one(Queue& queue, const Range3& range, const View3<double>& a) { parallel_for(queue, range, AddOne{a}); }

void two_kernels(Queue& queue, const Range3& range, const View3<double>& a, const View3<double>& b) {
  parallel_for(queue, range, TwiceAndOne{a}, AddThousandfold{a, b});
}

void sums(Queue& queue, const Range3& range, const View3<const double>& a, ExactSum (&total)[2]) {
  reduce_sum(queue, range, ValueAndSquare{a}, total);
}

double largest(Queue& queue, const Range3& range, const View3<const double>& a, double floor) {
  return reduce_max(queue, range, Value{a}, floor);
}

std::int64_t count_not_finite(Queue& queue, const Range3& range, const View3<const double>& a) {
  return count_if(queue, range, NotFinite{a});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, add_one, (Queue & queue, const Range3& range, const View3<double>& a), (queue, range, a))
HALYARD_DISPATCH(void, two_kernels,
                 (Queue & queue, const Range3& range, const View3<double>& a, const View3<double>& b),
                 (queue, range, a, b))
HALYARD_DISPATCH(void, sums, (Queue & queue, const Range3& range, const View3<const double>& a, ExactSum (&total)[2]),
                 (queue, range, a, total))
HALYARD_DISPATCH(double, largest, (Queue & queue, const Range3& range, const View3<const double>& a, double floor),
                 (queue, range, a, floor))
HALYARD_DISPATCH(std::int64_t, count_not_finite, (Queue & queue, const Range3& range, const View3<const double>& a),
                 (queue, range, a))

}  // namespace halyard::test
