#include "kernels/md/normal_random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace halyard::md {
namespace {

// Random tests run with fixed seeds: they pass or fail for good. Bounds are five standard errors of the estimate, which
// a right generator exceeds once in 2 million.

TEST(NormalRandom, UniformsAreTheMidpointsOfTheirCells) {
  EXPECT_EQ(uniform_of(0), 0x1p-33);
  EXPECT_EQ(uniform_of(1), 3 * 0x1p-33);
  EXPECT_EQ(uniform_of(0xffffffffU), 1.0 - 0x1p-33);
}

TEST(NormalRandom, MomentsAndCorrelationsAreThoseOfIndependentNormals) {
  const RandomStream stream(12345, RandomPurpose::langevin);
  constexpr int ids = 1000, steps = 1000;
  constexpr double n = double{ids} * steps;
  double moment[4][5] = {}, cross[4][4] = {}, next_id = 0.0, next_step = 0.0;
  std::vector<double> previous_step(ids, 0.0);
  for (int step = 0; step < steps; ++step) {
    double previous_id = 0.0;
    for (int id = 0; id < ids; ++id) {
      const FourNormals four = four_normals(stream.words(id, step));
      for (int c = 0; c < 4; ++c) {
        double power = 1.0;
        for (int p = 0; p < 5; ++p) {
          moment[c][p] += power;
          power *= four.z[c];
        }
        for (int d = 0; d < c; ++d) {
          cross[c][d] += four.z[c] * four.z[d];
        }
      }
      next_id += four.z[0] * previous_id;
      next_step += four.z[0] * previous_step[static_cast<std::size_t>(id)];
      previous_id = previous_step[static_cast<std::size_t>(id)] = four.z[0];
    }
  }
  // Standard errors of the sample moments: variances of z, z^2, z^3, z^4 are 1, 2, 15, 96.
  for (int c = 0; c < 4; ++c) {
    EXPECT_NEAR(moment[c][1] / n, 0.0, 5.0 * std::sqrt(1.0 / n));
    EXPECT_NEAR(moment[c][2] / n, 1.0, 5.0 * std::sqrt(2.0 / n));
    EXPECT_NEAR(moment[c][3] / n, 0.0, 5.0 * std::sqrt(15.0 / n));
    EXPECT_NEAR(moment[c][4] / n, 3.0, 5.0 * std::sqrt(96.0 / n));
    for (int d = 0; d < c; ++d) {
      EXPECT_NEAR(cross[c][d] / n, 0.0, 5.0 * std::sqrt(1.0 / n)) << c << d;
    }
  }
  EXPECT_NEAR(next_id / n, 0.0, 5.0 * std::sqrt(1.0 / n));
  EXPECT_NEAR(next_step / n, 0.0, 5.0 * std::sqrt(1.0 / n));
}

TEST(NormalRandom, TailsHoldTheirShareAndEnd) {
  const RandomStream stream(99, RandomPurpose::langevin);
  constexpr int calls = 500000;
  const double beyond[] = {1.0, 2.0, 3.0, 4.0};
  double count[4] = {};
  for (int id = 0; id < calls; ++id) {
    for (const double z : four_normals(stream.words(id, 0)).z) {
      for (int b = 0; b < 4; ++b) {
        count[b] += std::fabs(z) > beyond[b] ? 1.0 : 0.0;
      }
    }
  }
  for (int b = 0; b < 4; ++b) {
    const double share = std::erfc(beyond[b] / std::sqrt(2.0)), expected = 4.0 * calls * share;
    EXPECT_NEAR(count[b], expected, 5.0 * std::sqrt(expected)) << beyond[b];  // a count's error is its root
  }
  const FourNormals extreme = four_normals({{0, 0, 0xffffffffU, 0x40000000U}});
  EXPECT_NEAR(extreme.z[0], 6.7637, 1e-4);  // sqrt(66 log 2)
  EXPECT_NEAR(extreme.z[3], std::sqrt(0x1p-32), 1e-9);
}

TEST(NormalRandom, NumbersBelongToTheirAddress) {
  const RandomStream stream(1, RandomPurpose::langevin), other_seed(2, RandomPurpose::langevin),
      other_purpose(1, RandomPurpose::velocities);
  const auto first = [](const Philox4x32::Words& words) { return words.w[0]; };
  const std::uint32_t word = first(stream.words(17, 4));
  EXPECT_EQ(word, first(stream.words(17, 4)));
  EXPECT_NE(word, first(other_seed.words(17, 4)));
  EXPECT_NE(word, first(other_purpose.words(17, 4)));
  EXPECT_NE(word, first(stream.words(17 + (std::int64_t{1} << 32), 4)));
  EXPECT_NE(word, first(stream.words(17, 4 + (std::int64_t{1} << 32))));
  EXPECT_NE(word, first(stream.words(17, 4, 1)));
}

/// The largest distance between the sample's distribution and the exact one, times sqrt(n) (Kolmogorov & Smirnov):
/// above 2.7 once in a million.
double kolmogorov(std::vector<double> sample, const std::function<double(double)>& cumulative) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cumulative(sample[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return distance * std::sqrt(n);
}

TEST(RandomSequence, DistributionsAreExact) {
  constexpr int n = 100000;
  std::vector<double> uniform(n), normal(n), one(n), two(n), four(n);
  for (int step = 0; step < n; ++step) {
    RandomSequence random(RandomStream(5, RandomPurpose::velocity_rescale), step);
    const auto s = static_cast<std::size_t>(step);
    uniform[s] = random.uniform();
    normal[s] = random.normal();
    one[s] = random.sum_of_squares(1);
    two[s] = random.sum_of_squares(2);
    four[s] = random.sum_of_squares(4);
  }
  EXPECT_LT(kolmogorov(uniform, [](double x) { return x; }), 2.7);
  EXPECT_LT(kolmogorov(normal, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 2.7);
  EXPECT_LT(kolmogorov(one, [](double x) { return std::erf(std::sqrt(0.5 * x)); }), 2.7);
  EXPECT_LT(kolmogorov(two, [](double x) { return 1.0 - std::exp(-0.5 * x); }), 2.7);
  EXPECT_LT(kolmogorov(four, [](double x) { return 1.0 - std::exp(-0.5 * x) * (1.0 + 0.5 * x); }), 2.7);
}

TEST(RandomSequence, SumsOfSquaresHaveChiSquaredMoments) {
  constexpr int n = 50000;
  for (const double count : {1.0, 3.0, 5.0, 100.0, 95997.0}) {
    double mean = 0.0, variance = 0.0;
    for (int step = 0; step < n; ++step) {
      RandomSequence random(RandomStream(8, RandomPurpose::velocity_rescale), step);
      const double x = random.sum_of_squares(count) - count;
      mean += x / n;
      variance += x * x / n;
    }
    EXPECT_NEAR(mean, 0.0, 5.0 * std::sqrt(2.0 * count / n)) << count;
    // The fourth central moment of chi squared is 12 k (k + 4).
    EXPECT_NEAR(variance, 2.0 * count, 5.0 * std::sqrt((12.0 * count * (count + 4.0) - 4.0 * count * count) / n))
        << count;
  }
  RandomSequence random(RandomStream(8, RandomPurpose::velocity_rescale), 0);
  EXPECT_EQ(random.sum_of_squares(0), 0.0);
}

}  // namespace
}  // namespace halyard::md
