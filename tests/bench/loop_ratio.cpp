#include "tests/bench/loop_ratio.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/device/parallel_for.hpp"
#include "kernels/grid/field.hpp"

namespace halyard::bench {

namespace {

struct Diffuse {
  static constexpr Cost cost{.bytes = 16, .flops = 8};
  double c;
  View3<const double> a;
  View3<double> b;
  KERNEL void operator()(int i, int j, int k) const {
    b(i, j, k) = a(i, j, k) + c * (a(i - 1, j, k) + a(i + 1, j, k) + a(i, j - 1, k) + a(i, j + 1, k) + a(i, j, k - 1) +
                                   a(i, j, k + 1) - 6.0 * a(i, j, k));
  }
};

void diffuse_by_hand(double c, View3<const double> from, View3<double> to, int n) {
  const double* const a = from.data;
  double* const b = to.data;
  const std::int64_t sj = from.stride_j, sk = from.stride_k;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      const std::int64_t row = j * sj + k * sk;
#pragma omp simd
      for (int i = 0; i < n; ++i) {
        const std::int64_t at = row + i;
        b[at] = a[at] + c * (a[at - 1] + a[at + 1] + a[at - sj] + a[at + sj] + a[at - sk] + a[at + sk] - 6.0 * a[at]);
      }
    }
  }
}

}  // namespace

double loop_ratio() {
  constexpr int n = 96, repeats = 41;
  Queue queue;
  Field a(queue, {n, n, n}, 1, "benchmark"), b(queue, {n, n, n}, 1, "benchmark");
  const auto seconds = [](auto work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<double> ratio;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double layer = seconds([&] { parallel_for(queue, a.cells(), Diffuse{1e-3, a.view(), b.view()}); });
    const double hand = seconds([&] { diffuse_by_hand(1e-3, a.view(), b.view(), n); });
    ratio.push_back(layer / hand);
  }
  std::sort(ratio.begin(), ratio.end());
  return ratio[ratio.size() / 2];
}

}  // namespace halyard::bench
