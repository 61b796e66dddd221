#pragma once
// The host's loops: OpenMP over the outer indices, SIMD along x. Measured at 1.00 to 1.05 of a hand-written loop nest
// (scripts/bench flow prints the ratio). The kernel is copied into each thread: g++ then keeps its views in registers.
#include <cstdint>
#include <tuple>
#include <typeinfo>

#include "kernels/device/exact_sum.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

namespace halyard::host {

namespace detail {
template <class K, class... More>
KernelRecord& record_of() {
  static KernelRecord& record =
      kernel_record(kernel_name(typeid(K).name()),
                    {(K::cost.bytes + ... + More::cost.bytes), (K::cost.flops + ... + More::cost.flops)});
  return record;
}

template <class K>
inline __attribute__((always_inline)) void row(const K& kernel, int i0, int i1, int j, int k) {
  const K cell = kernel;
#pragma omp simd
  for (int i = i0; i < i1; ++i) {
    cell(i, j, k);
  }
}

/// Adds the terms of one cell to lane `lane` of the partial sums. A function of its own: terms declared in the body of
/// an `omp simd` loop become an array over the lanes, which g++ 12 does not always take apart again.
template <std::size_t N, std::size_t lanes, class K>
inline __attribute__((always_inline)) void add_terms(const K& cell, int i, int j, int k, int lane,
                                                     double (&partial)[N][lanes]) {
  const auto terms = cell(i, j, k);
  for (std::size_t c = 0; c < N; ++c) {
    partial[c][lane] += terms.v[c];
  }
}
}  // namespace detail

/// Calls each kernel(i, j, k) once for each cell of the range, in no particular order: no two cells may write one
/// element, and no cell may read what another writes. Several kernels share the sweep: row by row, one after the other,
/// so that the later ones find their rows in cache; the first names the record.
template <class K, class... More>
void parallel_for(Queue&, const Range3& range, const K& kernel, const More&... more) {
  const KernelTimer timer(detail::record_of<K, More...>(), range.count());
#pragma omp parallel
  {
    const std::tuple<K, More...> cells(kernel, more...);
    const int i0 = range.i0, i1 = range.i1;
#pragma omp for collapse(2) schedule(static)
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        std::apply([=](const auto&... cell) { (detail::row(cell, i0, i1, j, k), ...); }, cells);
      }
    }
  }
}

/// The largest value of kernel(i, j, k) over the range, at least `floor`; NaN compares as absent (count_if finds it).
template <class K>
double reduce_max(Queue&, const Range3& range, const K& kernel, double floor) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
  double largest = floor;
#pragma omp parallel reduction(max : largest)
  {
    const K cell = kernel;
    const int i0 = range.i0, i1 = range.i1;
#pragma omp for collapse(2) schedule(static)
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        double row = floor;
#pragma omp simd reduction(max : row)
        for (int i = i0; i < i1; ++i) {
          const double value = cell(i, j, k);
          row = value > row ? value : row;
        }
        largest = row > largest ? row : largest;
      }
    }
  }
  return largest + 0.0;  // -0 becomes +0: which of the two was met first depends on the threads
}

/// Sums kernel(i, j, k), which returns Terms<N>, over the range into `total`. Same bits for any number of
/// threads and any split into blocks that keeps rows whole: along a row eight partial sums in a fixed order, then an
/// associative accumulator over rows.
template <std::size_t N, class K>
void reduce_sum(Queue&, const Range3& range, const K& kernel, ExactSum (&total)[N]) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
#pragma omp parallel
  {
    const K cell = kernel;
    const int i0 = range.i0, i1 = range.i1;
    ExactSum mine[N];
#pragma omp for collapse(2) schedule(static)
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        constexpr int lanes = 8;
        double partial[N][lanes] = {};
        int i = i0;
        for (; i + lanes <= i1; i += lanes) {
#pragma omp simd
          for (int lane = 0; lane < lanes; ++lane) {
            detail::add_terms(cell, i + lane, j, k, lane, partial);
          }
        }
        for (int lane = 0; i < i1; ++i, ++lane) {
          detail::add_terms(cell, i, j, k, lane, partial);
        }
        for (std::size_t c = 0; c < N; ++c) {
          const double* p = partial[c];
          mine[c].add(((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7])));
        }
      }
    }
#pragma omp critical(halyard_reduce_sum)
    for (std::size_t c = 0; c < N; ++c) {
      total[c].add(mine[c]);
    }
  }
}

/// The number of cells for which kernel(i, j, k) is true.
template <class K>
std::int64_t count_if(Queue&, const Range3& range, const K& kernel) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
  std::int64_t count = 0;
#pragma omp parallel reduction(+ : count)
  {
    const K cell = kernel;
    const int i0 = range.i0, i1 = range.i1;
#pragma omp for collapse(2) schedule(static)
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        int row = 0;
#pragma omp simd reduction(+ : row)
        for (int i = i0; i < i1; ++i) {
          row += cell(i, j, k) ? 1 : 0;
        }
        count += row;
      }
    }
  }
  return count;
}

}  // namespace halyard::host
