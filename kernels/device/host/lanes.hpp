#pragma once
// Eight doubles that are worked on side by side: one line of cells per lane. Every operation acts on each lane alone,
// so a line gets the same bits in any lane, beside any neighbours. Compiles to one AVX-512 register, two AVX registers,
// or plain loops; std::fma in all of them.
#include <cmath>

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

#include "kernels/device/backend.hpp"

namespace halyard::host {

constexpr int lane_count = 8;

#if defined(__AVX512F__)

struct Lanes {
  __m512d v;
};
KERNEL Lanes load(const double* p) { return {_mm512_loadu_pd(p)}; }
KERNEL void store(double* p, Lanes x) { _mm512_storeu_pd(p, x.v); }
KERNEL Lanes all(double x) { return {_mm512_set1_pd(x)}; }
KERNEL Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
KERNEL Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.v, b.v)}; }
KERNEL Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
KERNEL Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
KERNEL Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }    // a b + c
KERNEL Lanes fms(Lanes a, Lanes b, Lanes c) { return {_mm512_fmsub_pd(a.v, b.v, c.v)}; }    // a b - c
KERNEL Lanes fnma(Lanes a, Lanes b, Lanes c) { return {_mm512_fnmadd_pd(a.v, b.v, c.v)}; }  // c - a b

/// The first `count` elements; the other lanes are zero.
KERNEL Lanes load_first(const double* p, int count) {
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), p)};
}
KERNEL void store_first(double* p, int count, Lanes x) {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1U << count) - 1U), x.v);
}

/// Eight rows of eight numbers: column c comes into out[c], row r into lane r. (By __builtin_shufflevector: g++ 12
/// warns of uninitialised values inside its own shuffle intrinsics.)
KERNEL void load_columns(const double* const rows[8], Lanes out[8]) {
  for (int half = 0; half < 2; ++half) {
    __m512d t[4];
    for (int r = 0; r < 4; ++r) {
      t[r] = __builtin_shufflevector(_mm256_loadu_pd(rows[r] + 4 * half), _mm256_loadu_pd(rows[r + 4] + 4 * half), 0, 1,
                                     2, 3, 4, 5, 6, 7);
    }
    const __m512d lo01 = __builtin_shufflevector(t[0], t[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const __m512d hi01 = __builtin_shufflevector(t[0], t[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const __m512d lo23 = __builtin_shufflevector(t[2], t[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const __m512d hi23 = __builtin_shufflevector(t[2], t[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[4 * half] = {__builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13)};
    out[4 * half + 1] = {__builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13)};
    out[4 * half + 2] = {__builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15)};
    out[4 * half + 3] = {__builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15)};
  }
}

/// The reverse of load_columns().
KERNEL void store_columns(double* const rows[8], const Lanes in[8]) {
  for (int half = 0; half < 2; ++half) {
    const Lanes* x = in + 4 * half;
    const __m512d lo01 = __builtin_shufflevector(x[0].v, x[1].v, 0, 8, 2, 10, 4, 12, 6, 14);
    const __m512d hi01 = __builtin_shufflevector(x[0].v, x[1].v, 1, 9, 3, 11, 5, 13, 7, 15);
    const __m512d lo23 = __builtin_shufflevector(x[2].v, x[3].v, 0, 8, 2, 10, 4, 12, 6, 14);
    const __m512d hi23 = __builtin_shufflevector(x[2].v, x[3].v, 1, 9, 3, 11, 5, 13, 7, 15);
    const __m512d row[4] = {__builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13),
                            __builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13),
                            __builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15),
                            __builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int r = 0; r < 4; ++r) {
      _mm256_storeu_pd(rows[r] + 4 * half, __builtin_shufflevector(row[r], row[r], 0, 1, 2, 3));
      _mm256_storeu_pd(rows[r + 4] + 4 * half, __builtin_shufflevector(row[r], row[r], 4, 5, 6, 7));
    }
  }
}

#elif defined(__AVX2__) && defined(__FMA__)

struct Lanes {
  __m256d a, b;
};
KERNEL Lanes load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
KERNEL void store(double* p, Lanes x) {
  _mm256_storeu_pd(p, x.a);
  _mm256_storeu_pd(p + 4, x.b);
}
KERNEL Lanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
KERNEL Lanes operator+(Lanes x, Lanes y) { return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
KERNEL Lanes operator-(Lanes x, Lanes y) { return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)}; }
KERNEL Lanes operator*(Lanes x, Lanes y) { return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
KERNEL Lanes operator/(Lanes x, Lanes y) { return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
KERNEL Lanes fma(Lanes x, Lanes y, Lanes z) { return {_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)}; }
KERNEL Lanes fms(Lanes x, Lanes y, Lanes z) { return {_mm256_fmsub_pd(x.a, y.a, z.a), _mm256_fmsub_pd(x.b, y.b, z.b)}; }
KERNEL Lanes fnma(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fnmadd_pd(x.a, y.a, z.a), _mm256_fnmadd_pd(x.b, y.b, z.b)};
}

KERNEL Lanes load_first(const double* p, int count) {
  double x[lane_count] = {};
  for (int l = 0; l < count; ++l) {
    x[l] = p[l];
  }
  return load(x);
}
KERNEL void store_first(double* p, int count, Lanes y) {
  double x[lane_count];
  store(x, y);
  for (int l = 0; l < count; ++l) {
    p[l] = x[l];
  }
}

namespace detail {
KERNEL void transpose_4x4(__m256d x[4]) {
  const __m256d lo01 = _mm256_unpacklo_pd(x[0], x[1]), hi01 = _mm256_unpackhi_pd(x[0], x[1]);
  const __m256d lo23 = _mm256_unpacklo_pd(x[2], x[3]), hi23 = _mm256_unpackhi_pd(x[2], x[3]);
  x[0] = _mm256_permute2f128_pd(lo01, lo23, 0x20);
  x[1] = _mm256_permute2f128_pd(hi01, hi23, 0x20);
  x[2] = _mm256_permute2f128_pd(lo01, lo23, 0x31);
  x[3] = _mm256_permute2f128_pd(hi01, hi23, 0x31);
}
}  // namespace detail

KERNEL void load_columns(const double* const rows[8], Lanes out[8]) {
  for (int half = 0; half < 2; ++half) {
    __m256d upper[4], lower[4];
    for (int r = 0; r < 4; ++r) {
      upper[r] = _mm256_loadu_pd(rows[r] + 4 * half);
      lower[r] = _mm256_loadu_pd(rows[r + 4] + 4 * half);
    }
    detail::transpose_4x4(upper);
    detail::transpose_4x4(lower);
    for (int c = 0; c < 4; ++c) {
      out[4 * half + c] = {upper[c], lower[c]};
    }
  }
}

KERNEL void store_columns(double* const rows[8], const Lanes in[8]) {
  for (int half = 0; half < 2; ++half) {
    __m256d upper[4], lower[4];
    for (int c = 0; c < 4; ++c) {
      upper[c] = in[4 * half + c].a;
      lower[c] = in[4 * half + c].b;
    }
    detail::transpose_4x4(upper);
    detail::transpose_4x4(lower);
    for (int r = 0; r < 4; ++r) {
      _mm256_storeu_pd(rows[r] + 4 * half, upper[r]);
      _mm256_storeu_pd(rows[r + 4] + 4 * half, lower[r]);
    }
  }
}

#else

struct Lanes {
  double v[lane_count];
};
template <class Operation>
KERNEL Lanes each_lane(Operation operation) {
  Lanes x;
  for (int l = 0; l < lane_count; ++l) {
    x.v[l] = operation(l);
  }
  return x;
}
KERNEL Lanes load(const double* p) {
  return each_lane([&](int l) { return p[l]; });
}
KERNEL void store(double* p, Lanes x) {
  for (int l = 0; l < lane_count; ++l) {
    p[l] = x.v[l];
  }
}
KERNEL Lanes all(double x) {
  return each_lane([&](int) { return x; });
}
KERNEL Lanes operator+(Lanes a, Lanes b) {
  return each_lane([&](int l) { return a.v[l] + b.v[l]; });
}
KERNEL Lanes operator-(Lanes a, Lanes b) {
  return each_lane([&](int l) { return a.v[l] - b.v[l]; });
}
KERNEL Lanes operator*(Lanes a, Lanes b) {
  return each_lane([&](int l) { return a.v[l] * b.v[l]; });
}
KERNEL Lanes operator/(Lanes a, Lanes b) {
  return each_lane([&](int l) { return a.v[l] / b.v[l]; });
}
KERNEL Lanes fma(Lanes a, Lanes b, Lanes c) {
  return each_lane([&](int l) { return std::fma(a.v[l], b.v[l], c.v[l]); });
}
KERNEL Lanes fms(Lanes a, Lanes b, Lanes c) {
  return each_lane([&](int l) { return std::fma(a.v[l], b.v[l], -c.v[l]); });
}
KERNEL Lanes fnma(Lanes a, Lanes b, Lanes c) {
  return each_lane([&](int l) { return std::fma(-a.v[l], b.v[l], c.v[l]); });
}
KERNEL Lanes load_first(const double* p, int count) {
  return each_lane([&](int l) { return l < count ? p[l] : 0.0; });
}
KERNEL void store_first(double* p, int count, Lanes x) {
  for (int l = 0; l < count; ++l) {
    p[l] = x.v[l];
  }
}
KERNEL void load_columns(const double* const rows[8], Lanes out[8]) {
  for (int c = 0; c < 8; ++c) {
    out[c] = each_lane([&](int l) { return rows[l][c]; });
  }
}
KERNEL void store_columns(double* const rows[8], const Lanes in[8]) {
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) {
      rows[r][c] = in[c].v[r];
    }
  }
}

#endif

/// A complex number in each lane.
struct ComplexLanes {
  Lanes re, im;
};
KERNEL ComplexLanes operator+(ComplexLanes a, ComplexLanes b) { return {a.re + b.re, a.im + b.im}; }
KERNEL ComplexLanes operator-(ComplexLanes a, ComplexLanes b) { return {a.re - b.re, a.im - b.im}; }
/// a (w_re + i w_im)
KERNEL ComplexLanes multiply(ComplexLanes a, Lanes w_re, Lanes w_im) {
  return {fms(a.re, w_re, a.im * w_im), fma(a.re, w_im, a.im * w_re)};
}
/// a (w_re - i w_im)
KERNEL ComplexLanes multiply_conjugate(ComplexLanes a, Lanes w_re, Lanes w_im) {
  return {fma(a.re, w_re, a.im * w_im), fms(a.im, w_re, a.re * w_im)};
}

/// Element m of a buffer of complex lanes: eight real parts, then eight imaginary parts.
constexpr int complex_stride = 2 * lane_count;
KERNEL ComplexLanes load_complex(const double* buffer, int m) {
  return {load(buffer + complex_stride * m), load(buffer + complex_stride * m + lane_count)};
}
KERNEL void store_complex(double* buffer, int m, ComplexLanes x) {
  store(buffer + complex_stride * m, x.re);
  store(buffer + complex_stride * m + lane_count, x.im);
}

}  // namespace halyard::host
