#include "kernels/md/math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace halyard::md::math {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The distance to the exact value in units of the last place of a double there; long double holds 11 bits more.
double ulps(double value, long double exact) {
  if (exact == 0.0L) {
    return value == 0.0 ? 0.0 : inf;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(value) - exact, 53 - exponent)));
}

std::vector<double> uniform_numbers(double low, double high, int n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) {
    v = uniform(random);
  }
  return x;
}

TEST(Math, ExpIsWithinOneAndAHalfUlp) {
  for (const double width : {1e-3, 0.4, 5.0, 707.9}) {
    double worst = 0.0;
    for (const double x : uniform_numbers(-width, width, 200000)) {
      worst = std::max(worst, ulps(exp(x), std::exp(static_cast<long double>(x))));
    }
    EXPECT_LT(worst, 1.5) << "|x| < " << width;
  }
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
  EXPECT_TRUE(std::isfinite(exp(709.782712893383)));
  EXPECT_EQ(exp(709.79), inf);
  EXPECT_EQ(exp(1e300), inf);
  EXPECT_EQ(exp(inf), inf);
  EXPECT_GT(exp(-707.99), 0.0);
  EXPECT_EQ(exp(-708.01), 0.0);
  EXPECT_EQ(exp(-1e300), 0.0);
  EXPECT_EQ(exp(-inf), 0.0);
  EXPECT_TRUE(std::isnan(exp(nan)));
}

TEST(Math, LogIsWithinOneAndAHalfUlp) {
  double worst = 0.0;
  for (const double y : uniform_numbers(-700.0, 700.0, 200000)) {
    const double x = std::exp(y);
    worst = std::max(worst, ulps(log(x), std::log(static_cast<long double>(x))));
  }
  for (const double width : {1e-9, 1e-3, 0.4}) {
    for (const double y : uniform_numbers(1.0 - width, 1.0 + width, 200000)) {  // where the result is small
      worst = std::max(worst, ulps(log(y), std::log(static_cast<long double>(y))));
    }
  }
  for (const double y : uniform_numbers(0.0, 1.0, 200000)) {  // subnormal numbers
    const double x = y * 0x1p-1022;
    worst = std::max(worst, ulps(log(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.5);
  EXPECT_EQ(log(1.0), 0.0);
  EXPECT_EQ(log(0.0), -inf);
  EXPECT_EQ(log(-0.0), -inf);
  EXPECT_EQ(log(inf), inf);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_TRUE(std::isnan(log(-inf)));
  EXPECT_TRUE(std::isnan(log(nan)));
}

TEST(Math, SineAndCosineAreWithinOneAndAHalfUlp) {
  // 2 pi u in long double is itself wrong by 2 pi u 2^-64: the exact argument is taken within an eighth of a turn.
  const auto reference = [](double u, long double& s, long double& c) {
    const double quarters = std::nearbyint(4.0 * u);
    const long double r = (4.0L * u - quarters) * (std::numbers::pi_v<long double> / 2);
    const long double sr = std::sin(r), cr = std::cos(r);
    switch (static_cast<std::int64_t>(quarters) & 3) {
      case 0:
        s = sr, c = cr;
        break;
      case 1:
        s = cr, c = -sr;
        break;
      case 2:
        s = -sr, c = -cr;
        break;
      default:
        s = -cr, c = sr;
        break;
    }
  };
  double worst = 0.0;
  for (const double width : {1e-6, 1.0, 1e3, 1e12}) {
    for (const double u : uniform_numbers(-width, width, 200000)) {
      double s, c;
      long double exact_s, exact_c;
      sin_cos_2pi(u, s, c);
      reference(u, exact_s, exact_c);
      worst = std::max({worst, ulps(s, exact_s), ulps(c, exact_c)});
    }
  }
  EXPECT_LT(worst, 1.5);
  for (int n = -8; n <= 8; ++n) {
    double s, c;
    sin_cos_2pi(0.25 * n, s, c);
    EXPECT_EQ(s, n % 2 == 0 ? 0.0 : (((n % 4) + 4) % 4 == 1 ? 1.0 : -1.0)) << n;
    EXPECT_EQ(c, n % 2 != 0 ? 0.0 : (((n % 4) + 4) % 4 == 0 ? 1.0 : -1.0)) << n;
  }
}

void expect_same_bits(double a, double b, double x) {
  if (std::isnan(a) && std::isnan(b)) {
    return;
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << x;
}

TEST(Math, EveryLaneHasTheBitsOfTheNumberAlone) {
  std::vector<double> x = uniform_numbers(-750.0, 750.0, 4000);
  for (const double y : uniform_numbers(-1.0, 3.0, 4000)) {
    x.push_back(y);
  }
  for (const double y :
       {0.0, -0.0, inf, -inf, nan, 1.0, 0x1p-1074, 0x1p-1022, 709.79, -708.0, 1e300, -1e300, 0.25, 0.125, 0.375, 0.5}) {
    x.push_back(y);
  }
  while (x.size() % halyard::host::lane_count != 0) {
    x.push_back(0.5);
  }
  for (std::size_t i = 0; i < x.size(); i += halyard::host::lane_count) {
    double e[halyard::host::lane_count], l[halyard::host::lane_count], s[halyard::host::lane_count],
        c[halyard::host::lane_count];
    const halyard::host::Lanes v = halyard::host::load(&x[i]);
    halyard::host::Lanes vs, vc;
    sin_cos_2pi(v, vs, vc);
    halyard::host::store(e, exp(v));
    halyard::host::store(l, log(v));
    halyard::host::store(s, vs);
    halyard::host::store(c, vc);
    for (int n = 0; n < halyard::host::lane_count; ++n) {
      const double y = x[i + static_cast<std::size_t>(n)];
      double one_s, one_c;
      sin_cos_2pi(y, one_s, one_c);
      expect_same_bits(e[n], exp(y), y);
      expect_same_bits(l[n], log(y), y);
      expect_same_bits(s[n], one_s, y);
      expect_same_bits(c[n], one_c, y);
    }
  }
}

TEST(Math, VectorisedLoopsHaveTheSameBits) {
  const std::vector<double> x = uniform_numbers(-30.0, 30.0, 1003);
  std::vector<double> e(x.size()), l(x.size()), s(x.size()), c(x.size());
  const int n = static_cast<int>(x.size());
  const double* in = x.data();
  double *pe = e.data(), *pl = l.data(), *ps = s.data(), *pc = c.data();
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    pe[i] = exp(in[i]);
    pl[i] = log(in[i] * in[i]);
    double sine, cosine;
    sin_cos_2pi(in[i], sine, cosine);
    ps[i] = sine;
    pc[i] = cosine;
  }
  for (int i = 0; i < n; ++i) {
    volatile double y = in[i];
    volatile double y2 = in[i] * in[i];
    double sine, cosine;
    sin_cos_2pi(y, sine, cosine);
    expect_same_bits(pe[i], exp(y), y);
    expect_same_bits(pl[i], log(y2), y);
    expect_same_bits(ps[i], sine, y);
    expect_same_bits(pc[i], cosine, y);
  }
}

}  // namespace
}  // namespace halyard::md::math
