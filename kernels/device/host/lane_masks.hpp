#pragma once
// Comparisons, whole numbers and table look-ups on eight lanes: what pair loops need beside the arithmetic of
// lanes.hpp. Same three forms (AVX-512, AVX2, plain loops), same bits.
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/device/host/lanes.hpp"
#include "kernels/device/scalar_lane.hpp"

namespace halyard::host {

namespace detail {
/// compress_store() without an instruction for it.
template <class T>
KERNEL int compress(T* p, unsigned mask, const T (&x)[lane_count]) {
  int count = 0;
  for (int l = 0; l < lane_count; ++l) {
    p[count] = x[l];
    count += static_cast<int>((mask >> l) & 1U);
  }
  return count;
}
}  // namespace detail

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

/// One truth value a lane.
struct Mask {
  __mmask8 m;
};
/// One 64-bit whole number a lane; wraps around.
struct IntLanes {
  __m512i v;
};
/// One 32-bit index a lane.
struct IndexLanes {
  __m256i v;
};

KERNEL Mask less(Lanes a, Lanes b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ)}; }
KERNEL Mask both(Mask a, Mask b) { return {static_cast<__mmask8>(a.m & b.m)}; }
KERNEL Mask either(Mask a, Mask b) { return {static_cast<__mmask8>(a.m | b.m)}; }
KERNEL Mask from_bits(unsigned bits) { return {static_cast<__mmask8>(bits)}; }
KERNEL unsigned to_bits(Mask a) { return a.m; }
KERNEL Lanes select(Mask mask, Lanes a, Lanes b) { return {_mm512_mask_blend_pd(mask.m, b.v, a.v)}; }
KERNEL Lanes zero_unless(Mask mask, Lanes a) { return {_mm512_maskz_mov_pd(mask.m, a.v)}; }
KERNEL Lanes square_root(Lanes a) { return {_mm512_maskz_sqrt_pd(0xff, a.v)}; }
KERNEL Lanes smaller(Lanes a, Lanes b) { return {_mm512_maskz_min_pd(0xff, a.v, b.v)}; }
KERNEL Lanes larger(Lanes a, Lanes b) { return {_mm512_maskz_max_pd(0xff, a.v, b.v)}; }
KERNEL Lanes round_down(Lanes a) {
  return {_mm512_maskz_roundscale_pd(0xff, a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
}
KERNEL IndexLanes to_index(Lanes a) { return {_mm512_maskz_cvttpd_epi32(0xff, a.v)}; }
KERNEL IndexLanes load_index(const std::int32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
KERNEL void store_index(std::int32_t* p, IndexLanes x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.v); }
KERNEL IndexLanes all_index(std::int32_t x) { return {_mm256_set1_epi32(x)}; }
KERNEL IndexLanes operator+(IndexLanes a, IndexLanes b) { return {_mm256_add_epi32(a.v, b.v)}; }
KERNEL IndexLanes operator*(IndexLanes a, IndexLanes b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
KERNEL Lanes gather(const double* table, IndexLanes index) {
  return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, index.v, table, 8)};
}

/// Where a lane has any of the bits.
KERNEL Mask any_bit(IndexLanes a, std::int32_t bits) { return {_mm256_test_epi32_mask(a.v, _mm256_set1_epi32(bits))}; }
/// Writes the lanes of the mask one after the other and returns how many there are. Up to eight numbers are written.
KERNEL int compress_store(double* p, Mask mask, Lanes x) {
  _mm512_storeu_pd(p, _mm512_maskz_compress_pd(mask.m, x.v));
  return std::popcount(static_cast<unsigned>(mask.m));
}
KERNEL int compress_store(std::int32_t* p, Mask mask, IndexLanes x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_maskz_compress_epi32(mask.m, x.v));
  return std::popcount(static_cast<unsigned>(mask.m));
}

KERNEL IntLanes load(const std::int64_t* p) { return {_mm512_loadu_si512(p)}; }
KERNEL void store(std::int64_t* p, IntLanes x) { _mm512_storeu_si512(p, x.v); }
KERNEL IntLanes all_int(std::int64_t x) { return {_mm512_set1_epi64(x)}; }
KERNEL IntLanes operator+(IntLanes a, IntLanes b) { return {_mm512_add_epi64(a.v, b.v)}; }
KERNEL IntLanes operator-(IntLanes a, IntLanes b) { return {_mm512_sub_epi64(a.v, b.v)}; }
KERNEL IntLanes bits_of(Lanes a) { return {_mm512_castpd_si512(a.v)}; }
/// Modulo 2^64.
KERNEL std::int64_t sum_of_lanes(IntLanes x) {
  const __m256i half =
      _mm256_add_epi64(__builtin_shufflevector(x.v, x.v, 0, 1, 2, 3), __builtin_shufflevector(x.v, x.v, 4, 5, 6, 7));
  const __m128i quarter = _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  return _mm_cvtsi128_si64(_mm_add_epi64(quarter, _mm_unpackhi_epi64(quarter, quarter)));
}

#elif defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)

struct Mask {
  __m256d a, b;
};
struct IntLanes {
  __m256i a, b;
};
struct IndexLanes {
  __m256i v;
};

KERNEL Mask less(Lanes x, Lanes y) {
  return {_mm256_cmp_pd(x.a, y.a, _CMP_LT_OQ), _mm256_cmp_pd(x.b, y.b, _CMP_LT_OQ)};
}
KERNEL Mask both(Mask x, Mask y) { return {_mm256_and_pd(x.a, y.a), _mm256_and_pd(x.b, y.b)}; }
KERNEL Mask either(Mask x, Mask y) { return {_mm256_or_pd(x.a, y.a), _mm256_or_pd(x.b, y.b)}; }
KERNEL Mask from_bits(unsigned bits) {
  const __m256i x = _mm256_set1_epi64x(bits);
  const __m256i low = _mm256_setr_epi64x(1, 2, 4, 8), high = _mm256_setr_epi64x(16, 32, 64, 128);
  return {_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(x, low), low)),
          _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(x, high), high))};
}
KERNEL unsigned to_bits(Mask x) {
  return static_cast<unsigned>(_mm256_movemask_pd(x.a)) | (static_cast<unsigned>(_mm256_movemask_pd(x.b)) << 4);
}
KERNEL Lanes select(Mask mask, Lanes x, Lanes y) {
  return {_mm256_blendv_pd(y.a, x.a, mask.a), _mm256_blendv_pd(y.b, x.b, mask.b)};
}
KERNEL Lanes zero_unless(Mask mask, Lanes x) { return {_mm256_and_pd(mask.a, x.a), _mm256_and_pd(mask.b, x.b)}; }
KERNEL Lanes square_root(Lanes x) { return {_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)}; }
KERNEL Lanes smaller(Lanes x, Lanes y) { return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
KERNEL Lanes larger(Lanes x, Lanes y) { return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
KERNEL Lanes round_down(Lanes x) { return {_mm256_floor_pd(x.a), _mm256_floor_pd(x.b)}; }
KERNEL IndexLanes to_index(Lanes x) { return {_mm256_set_m128i(_mm256_cvttpd_epi32(x.b), _mm256_cvttpd_epi32(x.a))}; }
KERNEL IndexLanes load_index(const std::int32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
KERNEL void store_index(std::int32_t* p, IndexLanes x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.v); }
KERNEL IndexLanes all_index(std::int32_t x) { return {_mm256_set1_epi32(x)}; }
KERNEL IndexLanes operator+(IndexLanes a, IndexLanes b) { return {_mm256_add_epi32(a.v, b.v)}; }
KERNEL IndexLanes operator*(IndexLanes a, IndexLanes b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
KERNEL Lanes gather(const double* table, IndexLanes index) {
  return {_mm256_i32gather_pd(table, _mm256_castsi256_si128(index.v), 8),
          _mm256_i32gather_pd(table, _mm256_extracti128_si256(index.v, 1), 8)};
}

KERNEL Mask any_bit(IndexLanes a, std::int32_t bits) {
  const __m256i none = _mm256_cmpeq_epi32(_mm256_and_si256(a.v, _mm256_set1_epi32(bits)), _mm256_setzero_si256());
  return from_bits(0xffU ^ static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(none))));
}
KERNEL int compress_store(double* p, Mask mask, Lanes x) {
  double lane[lane_count];
  store(lane, x);
  return detail::compress(p, to_bits(mask), lane);
}
KERNEL int compress_store(std::int32_t* p, Mask mask, IndexLanes x) {
  std::int32_t lane[lane_count];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane), x.v);
  return detail::compress(p, to_bits(mask), lane);
}

KERNEL IntLanes load(const std::int64_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 4))};
}
KERNEL void store(std::int64_t* p, IntLanes x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 4), x.b);
}
KERNEL IntLanes all_int(std::int64_t x) { return {_mm256_set1_epi64x(x), _mm256_set1_epi64x(x)}; }
KERNEL IntLanes operator+(IntLanes x, IntLanes y) { return {_mm256_add_epi64(x.a, y.a), _mm256_add_epi64(x.b, y.b)}; }
KERNEL IntLanes operator-(IntLanes x, IntLanes y) { return {_mm256_sub_epi64(x.a, y.a), _mm256_sub_epi64(x.b, y.b)}; }
KERNEL IntLanes bits_of(Lanes x) { return {_mm256_castpd_si256(x.a), _mm256_castpd_si256(x.b)}; }
KERNEL std::int64_t sum_of_lanes(IntLanes x) {
  const __m256i half = _mm256_add_epi64(x.a, x.b);
  const __m128i quarter = _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  return _mm_cvtsi128_si64(_mm_add_epi64(quarter, _mm_unpackhi_epi64(quarter, quarter)));
}

#else

struct Mask {
  unsigned m;
};
struct IntLanes {
  std::uint64_t v[lane_count];
};
struct IndexLanes {
  std::int32_t v[lane_count];
};

namespace detail {
/// Copies of the lanes as plain numbers and back: for the form without vector registers.
struct Plain {
  double v[lane_count];
};
KERNEL Plain plain(Lanes x) {
  Plain p;
  store(p.v, x);
  return p;
}
template <class Operation>
KERNEL Lanes lane_by_lane(Operation operation) {
  double p[lane_count];
  for (int l = 0; l < lane_count; ++l) {
    p[l] = operation(l);
  }
  return load(p);
}
template <class Whole, class Operation>
KERNEL Whole whole_by_lane(Operation operation) {
  Whole x;
  for (int l = 0; l < lane_count; ++l) {
    x.v[l] = operation(l);
  }
  return x;
}
}  // namespace detail

KERNEL Mask less(Lanes a, Lanes b) {
  const auto p = detail::plain(a), q = detail::plain(b);
  unsigned m = 0;
  for (int l = 0; l < lane_count; ++l) {
    m |= static_cast<unsigned>(p.v[l] < q.v[l]) << l;
  }
  return {m};
}
KERNEL Mask both(Mask a, Mask b) { return {a.m & b.m}; }
KERNEL Mask either(Mask a, Mask b) { return {a.m | b.m}; }
KERNEL Mask from_bits(unsigned bits) { return {bits & 0xffU}; }
KERNEL unsigned to_bits(Mask a) { return a.m; }
KERNEL Lanes select(Mask mask, Lanes a, Lanes b) {
  const auto p = detail::plain(a), q = detail::plain(b);
  return detail::lane_by_lane([&](int l) { return ((mask.m >> l) & 1U) != 0 ? p.v[l] : q.v[l]; });
}
KERNEL Lanes zero_unless(Mask mask, Lanes a) { return select(mask, a, all(0.0)); }
KERNEL Lanes square_root(Lanes a) {
  const auto p = detail::plain(a);
  return detail::lane_by_lane([&](int l) { return std::sqrt(p.v[l]); });
}
KERNEL Lanes smaller(Lanes a, Lanes b) {
  const auto p = detail::plain(a), q = detail::plain(b);
  return detail::lane_by_lane([&](int l) { return p.v[l] < q.v[l] ? p.v[l] : q.v[l]; });
}
KERNEL Lanes larger(Lanes a, Lanes b) {
  const auto p = detail::plain(a), q = detail::plain(b);
  return detail::lane_by_lane([&](int l) { return p.v[l] > q.v[l] ? p.v[l] : q.v[l]; });
}
KERNEL Lanes round_down(Lanes a) {
  const auto p = detail::plain(a);
  return detail::lane_by_lane([&](int l) { return std::floor(p.v[l]); });
}
KERNEL IndexLanes to_index(Lanes a) {
  const auto p = detail::plain(a);
  return detail::whole_by_lane<IndexLanes>([&](int l) { return static_cast<std::int32_t>(p.v[l]); });
}
KERNEL IndexLanes load_index(const std::int32_t* p) {
  return detail::whole_by_lane<IndexLanes>([&](int l) { return p[l]; });
}
KERNEL void store_index(std::int32_t* p, IndexLanes x) {
  for (int l = 0; l < lane_count; ++l) {
    p[l] = x.v[l];
  }
}
KERNEL IndexLanes all_index(std::int32_t x) {
  return detail::whole_by_lane<IndexLanes>([&](int) { return x; });
}
KERNEL IndexLanes operator+(IndexLanes a, IndexLanes b) {
  return detail::whole_by_lane<IndexLanes>([&](int l) { return a.v[l] + b.v[l]; });
}
KERNEL IndexLanes operator*(IndexLanes a, IndexLanes b) {
  return detail::whole_by_lane<IndexLanes>([&](int l) { return a.v[l] * b.v[l]; });
}
KERNEL Lanes gather(const double* table, IndexLanes index) {
  return detail::lane_by_lane([&](int l) { return table[index.v[l]]; });
}
KERNEL Mask any_bit(IndexLanes a, std::int32_t bits) {
  unsigned m = 0;
  for (int l = 0; l < lane_count; ++l) {
    m |= static_cast<unsigned>((a.v[l] & bits) != 0) << l;
  }
  return {m};
}
KERNEL int compress_store(double* p, Mask mask, Lanes x) { return detail::compress(p, mask.m, detail::plain(x).v); }
KERNEL int compress_store(std::int32_t* p, Mask mask, IndexLanes x) { return detail::compress(p, mask.m, x.v); }

KERNEL IntLanes load(const std::int64_t* p) {
  return detail::whole_by_lane<IntLanes>([&](int l) { return static_cast<std::uint64_t>(p[l]); });
}
KERNEL void store(std::int64_t* p, IntLanes x) {
  for (int l = 0; l < lane_count; ++l) {
    p[l] = static_cast<std::int64_t>(x.v[l]);
  }
}
KERNEL IntLanes all_int(std::int64_t x) {
  return detail::whole_by_lane<IntLanes>([&](int) { return static_cast<std::uint64_t>(x); });
}
KERNEL IntLanes operator+(IntLanes a, IntLanes b) {
  return detail::whole_by_lane<IntLanes>([&](int l) { return a.v[l] + b.v[l]; });
}
KERNEL IntLanes operator-(IntLanes a, IntLanes b) {
  return detail::whole_by_lane<IntLanes>([&](int l) { return a.v[l] - b.v[l]; });
}
KERNEL IntLanes bits_of(Lanes a) {
  const auto p = detail::plain(a);
  return detail::whole_by_lane<IntLanes>([&](int l) { return std::bit_cast<std::uint64_t>(p.v[l]); });
}
KERNEL std::int64_t sum_of_lanes(IntLanes x) {
  std::uint64_t sum = 0;
  for (int l = 0; l < lane_count; ++l) {
    sum += x.v[l];
  }
  return static_cast<std::int64_t>(sum);
}

#endif

KERNEL bool any(Mask mask) { return to_bits(mask) != 0; }

}  // namespace halyard::host

namespace halyard {
template <>
KERNEL host::Lanes constant<host::Lanes>(double value) {
  return host::all(value);
}
}  // namespace halyard
