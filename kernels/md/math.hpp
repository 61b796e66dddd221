#pragma once
// exp, log, sin and cos of our own: the same bits for one double, for each lane of host::Lanes, in the vector body and
// the remainder of a loop, and with every compiler (libm promises none of that). Only +, -, *, /, std::fma and integer
// operations on the bits are used. Within 1.5 ulp of the exact value (tests/kernels/md/math_test.cpp measures
// it: 1.4, 1.0 and 1.3 ulp).
//
// Each function is one template over V, which is double or a compiler's vector of doubles. The coefficients interpolate
// the functions at Chebyshev points of the reduced interval, so that what is left out is below 0.2 * 2^-53.
#include <cmath>
#include <cstdint>

#include "kernels/device/backend.hpp"
#ifndef __CUDACC__
#include "kernels/device/host/lanes.hpp"
#endif

namespace halyard::md::math {

namespace detail {

template <class V>
struct Bits;
template <>
struct Bits<double> {
  using Unsigned = std::uint64_t;
};
KERNEL double fused(double a, double b, double c) { return std::fma(a, b, c); }

#if !defined(__CUDACC__) && defined(__AVX512F__)
using Vector = double __attribute__((vector_size(64)));
KERNEL Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
#elif !defined(__CUDACC__) && defined(__AVX2__) && defined(__FMA__)
using Vector = double __attribute__((vector_size(32)));
KERNEL Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
#endif
#if !defined(__CUDACC__) && (defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__)))
template <>
struct Bits<Vector> {
  using Unsigned = std::uint64_t __attribute__((vector_size(sizeof(Vector))));
};
#endif

template <class V>
KERNEL typename Bits<V>::Unsigned to_bits(V x) {
  typename Bits<V>::Unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
template <class V>
KERNEL V from_bits(typename Bits<V>::Unsigned bits) {
  V x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
template <class V>
KERNEL V broadcast(double c) {
  return V{} + c;
}
/// a b + c with a constant c
template <class V>
KERNEL V fused(V a, V b, double c) {
  return fused(a, b, broadcast<V>(c));
}

/// c[n] + c[n+2] x2 + c[n+4] x2^2 + ... Recursive: a loop here would keep g++ 12 from vectorising the caller's.
template <int n, class V, int N>
KERNEL V every_other(V x2, const double (&c)[N]) {
  if constexpr (n + 2 >= N) {
    return broadcast<V>(c[n]);
  } else {
    return fused(every_other<n + 2>(x2, c), x2, c[n]);
  }
}
/// The polynomial c[0] + c[1] x + ... + c[N-1] x^(N-1): even and odd powers apart, to halve the chain of latencies.
template <class V, int N>
KERNEL V polynomial(V x, const double (&c)[N]) {
  const V x2 = x * x;
  return fused(every_other<1>(x2, c), x, every_other<0>(x2, c));
}

// x + shift rounds |x| < 2^51 to an integer, which then stands in the low bits of the sum.
constexpr double shift = 0x1.8p52;
constexpr double infinity = __builtin_huge_val();

template <class V>
KERNEL V exp(V x) {
  constexpr double log2_e = 0x1.71547652b82fep+0;
  constexpr double ln2_high = 0x1.62e42fefa2000p-1, ln2_low = 0x1.9ef35793c7673p-41;  // n ln2_high is exact
  constexpr double q[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
                          0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
                          0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26};
  const V rounded = fused(x, broadcast<V>(log2_e), shift);
  const V n = rounded - shift;
  const V r = fused(n, broadcast<V>(-ln2_low), fused(n, broadcast<V>(-ln2_high), x));
  const V y = fused(r * r, polynomial(r, q), r) + 1.0;                 // e^r = 1 + r + r^2 q(r)
  const V half_power = from_bits<V>((to_bits(rounded) + 1022) << 52);  // 2^(n-1), normal for -708 < x < 709.8
  V result = y * half_power * 2.0;
  result = x < -708.0 ? broadcast<V>(0.0) : result;
  result = x > 0x1.62e42fefa39efp+9 ? broadcast<V>(infinity) : result;  // log of the largest double
  return x == x ? result : x;
}

template <class V>
KERNEL V log(V x) {
  constexpr double ln2_high = 0x1.62e42fefa2000p-1, ln2_low = 0x1.9ef35793c7673p-41;
  constexpr double p[] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2, 0x1.c71c62e3f11e6p-3,
                          0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3, 0x1.2b5900de53b32p-3};
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdULL;  // the bits of sqrt(1/2)
  const V subnormal_scaled = x * 0x1p54;
  const V scaled = x < 0x1p-1022 ? subnormal_scaled : x;
  const V correction = x < 0x1p-1022 ? broadcast<V>(54.0 + 1024.0) : broadcast<V>(1024.0);
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)): 1024 added to k keeps the difference of bits positive.
  const auto offset = to_bits(scaled) - root_half + (std::uint64_t{1024} << 52);
  const auto exponent = offset >> 52;
  const V k = (from_bits<V>(exponent | 0x4330000000000000ULL) - 0x1p52) - correction;
  const V m = from_bits<V>(to_bits(scaled) - ((exponent - 1024) << 52));
  // log(1 + f) = f - f^2/2 + s (f^2/2 + z P(z)), s = f/(2 + f), z = s^2: the series of atanh(s), arranged so that only
  // small terms are rounded (as in FDLIBM).
  const V f = m - 1.0;
  const V s = f / (f + 2.0);
  const V z = s * s;
  const V half_square = f * f * 0.5;
  const V tail = fused(s, half_square + z * polynomial(z, p), k * ln2_low);
  V result = fused(k, broadcast<V>(ln2_high), f - (half_square - tail));
  result = x < infinity ? result : x;  // infinity and NaN are their own logarithms
  result = x == 0.0 ? broadcast<V>(-infinity) : result;
  return x < 0.0 ? broadcast<V>(__builtin_nan("")) : result;
}

template <class V>
KERNEL void sin_cos_2pi(V u, V& sine, V& cosine) {
  constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;
  constexpr double sp[] = {-0x1.4abbce625be53p-1,  0x1.466bc6775aae1p-4,  -0x1.32d2cce62b872p-8, 0x1.50783486fac0bp-13,
                           -0x1.e3074d25ff57ep-19, 0x1.e8f036a7f2070p-25, -0x1.6cc570434eb0ap-31};
  constexpr double cp[] = {-0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5ac0p-2,  -0x1.55d3c7e3cb240p-6, 0x1.e1f5068688bacp-11,
                           -0x1.a6d1eef45ce0dp-16, 0x1.f9ce24407528ap-22, -0x1.b2f3e0c262e31p-28};
  const V turn = u * 4.0;
  const V rounded = turn + shift;
  const V r = turn - (rounded - shift);  // exact, in [-1/2, 1/2] quarter turns
  const V z = r * r;
  const V near_sine = fused(r, broadcast<V>(half_pi), r * fused(z, polynomial(z, sp), half_pi_low));
  const V near_cosine = fused(z, polynomial(z, cp), 1.0);
  const auto quarter = to_bits(rounded);  // its two low bits: the quadrant
  const auto odd = (quarter & 1) == 1;
  const V s = odd ? near_cosine : near_sine, c = odd ? near_sine : near_cosine;
  sine = from_bits<V>(to_bits(s) ^ ((quarter & 2) << 62));
  cosine = from_bits<V>(to_bits(c) ^ (((quarter + 1) & 2) << 62));
}

}  // namespace detail

/// e^x. Zero for x < -708 (no subnormal results), infinity above log of the largest double, NaN for NaN.
KERNEL double exp(double x) { return detail::exp(x); }

/// The natural logarithm; -infinity for 0, NaN below.
KERNEL double log(double x) { return detail::log(x); }

/// sin(2 pi u) and cos(2 pi u) for |u| < 2^48: the reduction is exact, so sine is 0 and cosine +-1 at half turns.
KERNEL void sin_cos_2pi(double u, double& sine, double& cosine) { detail::sin_cos_2pi(u, sine, cosine); }

#ifndef __CUDACC__
// Lane by lane the same bits as above.
#if defined(__AVX512F__)
KERNEL halyard::host::Lanes exp(halyard::host::Lanes x) { return {detail::exp<detail::Vector>(x.v)}; }
KERNEL halyard::host::Lanes log(halyard::host::Lanes x) { return {detail::log<detail::Vector>(x.v)}; }
KERNEL void sin_cos_2pi(halyard::host::Lanes u, halyard::host::Lanes& sine, halyard::host::Lanes& cosine) {
  detail::Vector s, c;
  detail::sin_cos_2pi<detail::Vector>(u.v, s, c);
  sine.v = s;
  cosine.v = c;
}
#elif defined(__AVX2__) && defined(__FMA__)
KERNEL halyard::host::Lanes exp(halyard::host::Lanes x) {
  return {detail::exp<detail::Vector>(x.a), detail::exp<detail::Vector>(x.b)};
}
KERNEL halyard::host::Lanes log(halyard::host::Lanes x) {
  return {detail::log<detail::Vector>(x.a), detail::log<detail::Vector>(x.b)};
}
KERNEL void sin_cos_2pi(halyard::host::Lanes u, halyard::host::Lanes& sine, halyard::host::Lanes& cosine) {
  detail::Vector s, c;
  detail::sin_cos_2pi<detail::Vector>(u.a, s, c);
  sine.a = s;
  cosine.a = c;
  detail::sin_cos_2pi<detail::Vector>(u.b, s, c);
  sine.b = s;
  cosine.b = c;
}
#else
KERNEL halyard::host::Lanes exp(halyard::host::Lanes x) {
  for (double& v : x.v) {
    v = exp(v);
  }
  return x;
}
KERNEL halyard::host::Lanes log(halyard::host::Lanes x) {
  for (double& v : x.v) {
    v = log(v);
  }
  return x;
}
KERNEL void sin_cos_2pi(halyard::host::Lanes u, halyard::host::Lanes& sine, halyard::host::Lanes& cosine) {
  for (int l = 0; l < halyard::host::lane_count; ++l) {
    sin_cos_2pi(u.v[l], sine.v[l], cosine.v[l]);
  }
}
#endif
#endif

}  // namespace halyard::md::math
