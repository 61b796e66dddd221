#pragma once
// Loops over the first `slots` slots. Included by operator sources only (they are compiled once per device).
//
//   for_each_slot(queue, slots, kernel): kernel(slot) once for each, in no particular order.
//   sum_over_slots(queue, slots, kernel, total): the same; kernel(slot) returns Terms<N>, of which term c is rounded at
//     2^bits of total[c] and added to it. A term that does not fit is left out and counted in total[c].spoilt(). The
//     kernel may also write what belongs to its slot.
//   max_over_slots(queue, slots, kernel, floor): the largest kernel(slot), at least `floor`; NaN compares as absent.
//   max_over_slots(queue, slots, kernel, largest): the same for kernel(slot) with N terms; largest[c] holds the floors.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/device/parallel_for.hpp"
#include "kernels/md/fixed_point.hpp"
#ifdef __CUDACC__
#include "kernels/device/buffer.hpp"
#endif

namespace halyard::md::HALYARD_BACKEND {

namespace detail {

/// Slots are worked on in rows, the unit of work of a thread. As long as a row of Atoms.
constexpr int row_of_slots = 256;
inline int rows_of(int slots) { return (slots + row_of_slots - 1) / row_of_slots; }

template <std::size_t N>
struct Scales {
  double v[N];
};
template <std::size_t N>
Scales<N> scales_of(const FixedSum (&total)[N]) {
  Scales<N> scale;
  for (std::size_t c = 0; c < N; ++c) {
    scale.v[c] = fixed_scale(total[c].bits());
  }
  return scale;
}

}  // namespace detail

#ifndef __CUDACC__

namespace detail {
/// A function of its own, as in kernels/device/host/parallel_for.hpp: terms declared in the body of an `omp simd` loop
/// become an array over the lanes.
template <std::size_t N, std::size_t lanes, class K>
inline __attribute__((always_inline)) void add_fixed_terms(const K& cell, const Scales<N>& scale, int slot, int lane,
                                                           std::int64_t (&sum)[N][lanes],
                                                           std::int64_t (&spoilt)[N][lanes]) {
  const auto terms = cell(slot);
  for (std::size_t c = 0; c < N; ++c) {
    const double x = terms.v[c] * scale.v[c];
    const std::int64_t fits = fits_fixed(x) ? 1 : 0;
    sum[c][lane] += round_to_fixed(x) & -fits;
    spoilt[c][lane] += 1 - fits;
  }
}
}  // namespace detail

template <class K>
void for_each_slot(Queue&, int slots, const K& kernel) {
  const KernelTimer timer(halyard::host::detail::record_of<K>(), slots);
#pragma omp parallel
  {
    const K cell = kernel;
#pragma omp for schedule(static)
    for (int row = 0; row < detail::rows_of(slots); ++row) {
      const int first = row * detail::row_of_slots;
      const int end = slots - first < detail::row_of_slots ? slots : first + detail::row_of_slots;
#pragma omp simd
      for (int slot = first; slot < end; ++slot) {
        cell(slot);
      }
    }
  }
}

template <std::size_t N, class K>
void sum_over_slots(Queue&, int slots, const K& kernel, FixedSum (&total)[N]) {
  const KernelTimer timer(halyard::host::detail::record_of<K>(), slots);
#pragma omp parallel
  {
    const K cell = kernel;
    const detail::Scales<N> scale = detail::scales_of(total);
    FixedSum mine[N];
    constexpr int lanes = 16;
#pragma omp for schedule(static)
    for (int row = 0; row < detail::rows_of(slots); ++row) {
      // At most 16 terms below 2^51 a lane. (16 lanes: with 8, g++ 12 takes half of an AVX-512 register.)
      std::int64_t sum[N][lanes] = {}, spoilt[N][lanes] = {};
      int slot = row * detail::row_of_slots;
      const int end = slots - slot < detail::row_of_slots ? slots : slot + detail::row_of_slots;
      for (; slot + lanes <= end; slot += lanes) {
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) {
          detail::add_fixed_terms(cell, scale, slot + lane, lane, sum, spoilt);
        }
      }
      for (int lane = 0; slot < end; ++slot, ++lane) {
        detail::add_fixed_terms(cell, scale, slot, lane, sum, spoilt);
      }
      for (std::size_t c = 0; c < N; ++c) {
        for (int lane = 0; lane < lanes; ++lane) {
          mine[c].add(sum[c][lane]);
          mine[c].add_spoilt(spoilt[c][lane]);
        }
      }
    }
#pragma omp critical(halyard_md_sum_over_slots)
    for (std::size_t c = 0; c < N; ++c) {
      total[c].add(mine[c]);
    }
  }
}

template <class K>
double max_over_slots(Queue&, int slots, const K& kernel, double floor) {
  const KernelTimer timer(halyard::host::detail::record_of<K>(), slots);
  double largest = floor;
#pragma omp parallel reduction(max : largest)
  {
    const K cell = kernel;
#pragma omp for schedule(static)
    for (int row = 0; row < detail::rows_of(slots); ++row) {
      const int first = row * detail::row_of_slots;
      const int end = slots - first < detail::row_of_slots ? slots : first + detail::row_of_slots;
      double of_row = floor;
#pragma omp simd reduction(max : of_row)
      for (int slot = first; slot < end; ++slot) {
        const double value = cell(slot);
        of_row = value > of_row ? value : of_row;
      }
      largest = of_row > largest ? of_row : largest;
    }
  }
  return largest + 0.0;  // -0 becomes +0
}

namespace detail {
template <std::size_t N, std::size_t lanes, class K>
inline __attribute__((always_inline)) void raise_to_terms(const K& cell, int slot, int lane,
                                                          double (&largest)[N][lanes]) {
  const auto terms = cell(slot);
  for (std::size_t c = 0; c < N; ++c) {
    largest[c][lane] = terms.v[c] > largest[c][lane] ? terms.v[c] : largest[c][lane];
  }
}
}  // namespace detail

template <std::size_t N, class K>
void max_over_slots(Queue&, int slots, const K& kernel, double (&largest)[N]) {
  const KernelTimer timer(halyard::host::detail::record_of<K>(), slots);
#pragma omp parallel
  {
    const K cell = kernel;
    constexpr int lanes = 16;
    double mine[N][lanes];
    for (std::size_t c = 0; c < N; ++c) {
      std::fill_n(mine[c], lanes, largest[c]);
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (int row = 0; row < detail::rows_of(slots); ++row) {
      int slot = row * detail::row_of_slots;
      const int end = slots - slot < detail::row_of_slots ? slots : slot + detail::row_of_slots;
      for (; slot + lanes <= end; slot += lanes) {
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) {
          detail::raise_to_terms(cell, slot + lane, lane, mine);
        }
      }
      for (int lane = 0; slot < end; ++slot, ++lane) {
        detail::raise_to_terms(cell, slot, lane, mine);
      }
    }
#pragma omp critical(halyard_md_max_over_slots)
    for (std::size_t c = 0; c < N; ++c) {
      largest[c] = std::max(largest[c], *std::max_element(mine[c], mine[c] + lanes)) + 0.0;  // -0 becomes +0
    }
  }
}

#else

namespace detail {

template <class K>
struct OfSlot {
  static constexpr Cost cost = K::cost;
  K kernel;
  int slots;
  __device__ void operator()(int i, int j, int) const {
    const int slot = i + row_of_slots * j;
    if (slot < slots) {
      kernel(slot);
    }
  }
};

template <class K>
struct NumberOfSlot {
  static constexpr Cost cost = K::cost;
  K kernel;
  int slots;
  double floor;
  __device__ double operator()(int i, int j, int) const {
    const int slot = i + row_of_slots * j;
    return slot < slots ? kernel(slot) : floor;
  }
};

/// Terms of a warp are added by shuffles, warps by atomic additions of integers. A row of slots is whole warps and the
/// launch gives each warp to one row, so that all lanes take part.
template <std::size_t N, class K>
struct AddFixedTerms {
  static constexpr Cost cost = K::cost;
  K kernel;
  Scales<N> scale;
  int slots;
  unsigned long long* totals;  // of each term: low halves, high halves, spoilt
  __device__ void operator()(int i, int j, int) const {
    const int slot = i + row_of_slots * j;
    Terms<N> terms = {};
    if (slot < slots) {
      terms = kernel(slot);
    }
    for (std::size_t c = 0; c < N; ++c) {
      const double x = terms.v[c] * scale.v[c];
      const bool fits = fits_fixed(x);
      long long sum = fits ? round_to_fixed(x) : 0;
      const unsigned spoilt = __ballot_sync(0xffffffffU, !fits);
      for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffU, sum, offset);
      }
      if (i % 32 == 0) {
        atomicAdd(totals + 3 * c, static_cast<unsigned long long>(sum) & 0xffffffffULL);
        atomicAdd(totals + 3 * c + 1, static_cast<unsigned long long>(sum >> 32));
        if (spoilt != 0) {
          atomicAdd(totals + 3 * c + 2, static_cast<unsigned long long>(__popc(spoilt)));
        }
      }
    }
  }
};

inline Range3 rows_range(int slots) { return {0, row_of_slots, 0, rows_of(slots), 0, 1}; }

}  // namespace detail

template <class K>
void for_each_slot(Queue& queue, int slots, const K& kernel) {
  halyard::cuda::parallel_for(queue, detail::rows_range(slots), detail::OfSlot<K>{kernel, slots});
}

template <std::size_t N, class K>
void sum_over_slots(Queue& queue, int slots, const K& kernel, FixedSum (&total)[N]) {
  Buffer<unsigned long long> totals(queue, 3 * N, "fixed-point totals", MemoryKind::device);
  halyard::cuda::parallel_for(queue, detail::rows_range(slots),
                              detail::AddFixedTerms<N, K>{kernel, detail::scales_of(total), slots, totals.data()});
  std::int64_t result[3 * N];
  copy_bytes(queue, result, totals.data(), sizeof result);
  queue.wait();
  for (std::size_t c = 0; c < N; ++c) {
    const std::int64_t digits[FixedSum::size] = {result[3 * c], result[3 * c + 1], 0, 0, result[3 * c + 2]};
    total[c].add(FixedSum::from_digits(digits, total[c].bits()));
  }
}

namespace detail {
/// One of a kernel's terms.
template <class K>
struct TermOfSlot {
  static constexpr Cost cost = K::cost;
  K kernel;
  std::size_t term;
  __device__ double operator()(int slot) const { return kernel(slot).v[term]; }
};
}  // namespace detail

template <class K>
double max_over_slots(Queue& queue, int slots, const K& kernel, double floor) {
  return halyard::cuda::reduce_max(queue, detail::rows_range(slots), detail::NumberOfSlot<K>{kernel, slots, floor},
                                   floor);
}

template <std::size_t N, class K>
void max_over_slots(Queue& queue, int slots, const K& kernel, double (&largest)[N]) {
  for (std::size_t c = 0; c < N; ++c) {
    largest[c] = max_over_slots(queue, slots, detail::TermOfSlot<K>{kernel, c}, largest[c]);
  }
}

#endif

}  // namespace halyard::md::HALYARD_BACKEND
