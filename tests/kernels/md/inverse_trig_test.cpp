#include "kernels/md/inverse_trig.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace halyard::md::math {
namespace {

double ulps(double value, long double exact) {
  if (exact == 0.0L) {
    return value == 0.0 ? 0.0 : HUGE_VAL;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(value) - exact, 53 - exponent)));
}

TEST(InverseTrig, Atan2IsWithinTwoAndAHalfUlp) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0), exponent(-40.0, 40.0);
  double worst = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    // All angles alike, then points near the axes, the diagonals and the borders of the polynomials.
    double x = uniform(random), y = uniform(random);
    if (i % 3 == 1) {
      y *= std::exp(exponent(random));
    } else if (i % 3 == 2) {
      const double angle = std::numbers::pi / 8.0 * (i % 32) + 1e-3 * uniform(random) * uniform(random);
      x = std::cos(angle), y = std::sin(angle);
    }
    worst = std::max(worst, ulps(atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_LT(worst, 2.5);
}

TEST(InverseTrig, AxesAndDiagonals) {
  constexpr double pi = std::numbers::pi;
  EXPECT_EQ(atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(atan2(0.0, 2.0), 0.0);
  EXPECT_EQ(atan2(0.0, -2.0), pi);
  EXPECT_EQ(atan2(-0.0, -2.0), pi);
  EXPECT_EQ(atan2(3.0, 0.0), pi / 2);
  EXPECT_EQ(atan2(-3.0, 0.0), -pi / 2);
  EXPECT_EQ(atan2(1.5, 1.5), pi / 4);
  EXPECT_EQ(atan2(1.5, -1.5), 3 * pi / 4);
  EXPECT_EQ(atan2(-1.5, -1.5), -3 * pi / 4);
  EXPECT_EQ(atan2(-1.5, 1.5), -pi / 4);
  EXPECT_EQ(acos(1.0), 0.0);
  EXPECT_EQ(acos(1.1), 0.0);
  EXPECT_EQ(acos(0.0), pi / 2);
  EXPECT_EQ(acos(-1.0), pi);
  EXPECT_EQ(acos(-1.1), pi);
}

TEST(InverseTrig, AcosIsWithinFourUlp) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0), exponent(-35.0, 0.0);
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    const double near = 1.0 - std::exp(exponent(random));
    const double c = i % 3 == 0 ? uniform(random) : i % 3 == 1 ? near : -near;
    worst = std::max(worst, ulps(acos(c), std::acos(static_cast<long double>(c))));
  }
  EXPECT_LT(worst, 4.0);
}

TEST(InverseTrig, LanesAreTheScalarFunctions) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 1000; ++i) {
    double x[8], y[8], angle[8], arc[8];
    for (int l = 0; l < 8; ++l) {
      x[l] = l == 7 ? 0.0 : uniform(random);
      y[l] = l == 6 ? 0.0 : uniform(random);
    }
    host::store(angle, atan2(host::load(y), host::load(x)));
    host::store(arc, acos(host::load(x)));
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(angle[l], atan2(y[l], x[l]));
      EXPECT_EQ(arc[l], acos(x[l]));
    }
  }
}

}  // namespace
}  // namespace halyard::md::math
