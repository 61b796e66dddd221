#pragma once
// Rows of a table, one per lane: what splines read. On AVX-512 whole rows are loaded and transposed, which is faster
// than a gather per column.
#include "kernels/device/backend.hpp"
#include "kernels/device/scalar_lane.hpp"
#ifndef __CUDACC__
#include "kernels/device/host/lane_masks.hpp"
#endif

namespace halyard::md {

/// row[k] = table[start + k] for k = 0..3; start is a whole number >= 0.
KERNEL void load_row_of_four(const double* table, double start, double row[4]) {
  const double* from = table + static_cast<int>(start);
  for (int k = 0; k < 4; ++k) {
    row[k] = from[k];
  }
}

/// row[k] = table[start + k] for k = 0..7
KERNEL void load_row_of_eight(const double* table, double start, double row[8]) {
  load_row_of_four(table, start, row);
  load_row_of_four(table + 4, start, row + 4);
}

#ifndef __CUDACC__
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
namespace detail {
KERNEL void load_four_columns(const double* table, const int start[8], halyard::host::Lanes row[4]) {
#if defined(__AVX512F__)
  __m512d t[4];
  for (int r = 0; r < 4; ++r) {
    t[r] = __builtin_shufflevector(_mm256_loadu_pd(table + start[r]), _mm256_loadu_pd(table + start[r + 4]), 0, 1, 2, 3,
                                   4, 5, 6, 7);
  }
  const __m512d lo01 = __builtin_shufflevector(t[0], t[1], 0, 8, 2, 10, 4, 12, 6, 14);
  const __m512d hi01 = __builtin_shufflevector(t[0], t[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const __m512d lo23 = __builtin_shufflevector(t[2], t[3], 0, 8, 2, 10, 4, 12, 6, 14);
  const __m512d hi23 = __builtin_shufflevector(t[2], t[3], 1, 9, 3, 11, 5, 13, 7, 15);
  row[0] = {__builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13)};
  row[1] = {__builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13)};
  row[2] = {__builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15)};
  row[3] = {__builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15)};
#else
  __m256d upper[4], lower[4];
  for (int r = 0; r < 4; ++r) {
    upper[r] = _mm256_loadu_pd(table + start[r]);
    lower[r] = _mm256_loadu_pd(table + start[r + 4]);
  }
  halyard::host::detail::transpose_4x4(upper);
  halyard::host::detail::transpose_4x4(lower);
  for (int c = 0; c < 4; ++c) {
    row[c] = {upper[c], lower[c]};
  }
#endif
}
}  // namespace detail
KERNEL void load_row_of_four(const double* table, halyard::host::Lanes start, halyard::host::Lanes row[4]) {
  alignas(32) int from[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(from), halyard::host::to_index(start).v);
  detail::load_four_columns(table, from, row);
}
KERNEL void load_row_of_eight(const double* table, halyard::host::Lanes start, halyard::host::Lanes row[8]) {
  alignas(32) int from[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(from), halyard::host::to_index(start).v);
  detail::load_four_columns(table, from, row);
  detail::load_four_columns(table + 4, from, row + 4);
}
#else
KERNEL void load_row_of_four(const double* table, halyard::host::Lanes start, halyard::host::Lanes row[4]) {
  const halyard::host::IndexLanes index = halyard::host::to_index(start);
  for (int k = 0; k < 4; ++k) {
    row[k] = halyard::host::gather(table + k, index);
  }
}
KERNEL void load_row_of_eight(const double* table, halyard::host::Lanes start, halyard::host::Lanes row[8]) {
  load_row_of_four(table, start, row);
  load_row_of_four(table + 4, start, row + 4);
}
#endif
#endif

/// Where a number lies between knots: the whole number k of the interval and the fraction x - k.
template <class Real>
struct KnotInterval {
  Real k, fraction;
};

/// x counts knots from the first; intervals 0 to `last`. Below and beyond, the end intervals with their fractions
/// outside 0..1; NaN counts as interval 0, so that what masked lanes read is inside the table.
template <class Real>
KERNEL KnotInterval<Real> knot_interval(Real x, Real last) {
  const Real k = smaller(larger(round_down(x), constant<Real>(0.0)), last);
  return {k, x - k};
}

}  // namespace halyard::md
