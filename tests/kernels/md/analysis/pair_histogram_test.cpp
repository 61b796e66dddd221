#include "kernels/md/analysis/pair_histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace halyard::md {
namespace {

/// Random atoms of a box and all images around it.
PairPoints random_points(const SimulationBox& box, int count, int types, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  PairPoints points;
  points.own = static_cast<std::size_t>(count);
  const auto add = [&](const std::array<double, 3>& x, std::int32_t type, std::array<std::int8_t, 3> image) {
    for (std::size_t d = 0; d < 3; ++d) {
      points.x[d].push_back(x[d]);
    }
    points.type.push_back(type);
    points.image.push_back(image);
  };
  for (int a = 0; a < count; ++a) {
    const std::array<double, 3> f{uniform(), uniform(), uniform()};
    add(box.position(f), static_cast<std::int32_t>(random() % static_cast<unsigned>(types)), {0, 0, 0});
  }
  for (std::int8_t nz = -1; nz <= 1; ++nz) {
    for (std::int8_t ny = -1; ny <= 1; ++ny) {
      for (std::int8_t nx = -1; nx <= 1; ++nx) {
        const auto in_reach = [&box](int n, int d) { return n == 0 || box.periodic[static_cast<std::size_t>(d)]; };
        if ((nx != 0 || ny != 0 || nz != 0) && in_reach(nx, 0) && in_reach(ny, 1) && in_reach(nz, 2)) {
          for (std::size_t a = 0; a < points.own; ++a) {
            add({points.x[0][a], points.x[1][a], points.x[2][a]}, points.type[a], {nx, ny, nz});
          }
        }
      }
    }
  }
  return points;
}

std::vector<std::int64_t> brute_force(const SimulationBox& box, const PairPoints& points, int types, double range,
                                      int bins) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(type_pairs(types) * bins), 0);
  for (std::size_t i = 0; i < points.own; ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      const std::array<double, 3> n = box.lattice_vector({points.image[j][0], points.image[j][1], points.image[j][2]});
      double r2 = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double dx = (points.x[d][i] - points.x[d][j]) - n[d];
        r2 += dx * dx;
      }
      const double r = std::sqrt(r2);
      if (i != j && r < range) {
        const int bin = std::min(bins - 1, static_cast<int>(r * (bins / range)));
        ++counts[static_cast<std::size_t>(type_pair(points.type[i], points.type[j], types) * bins + bin)];
      }
    }
  }
  return counts;
}

TEST(TypePair, NumbersATriangle) {
  for (const int types : {1, 2, 5}) {
    int next = 0;
    for (int a = 0; a < types; ++a) {
      for (int b = a; b < types; ++b, ++next) {
        EXPECT_EQ(type_pair(a, b, types), next);
        EXPECT_EQ(type_pair(b, a, types), next);
      }
    }
    EXPECT_EQ(type_pairs(types), next);
  }
}

TEST(PairHistogram, FindsWhatAllPairsGive) {
  const SimulationBox cube{.origin = {-3.0, 0.5, 10.0}, .length = {7.0, 6.0, 8.0}};
  const SimulationBox sheared{.origin = {1.0, -2.0, 0.25}, .length = {7.0, 6.5, 8.0}, .xy = 2.9, .xz = -1.7, .yz = 3.1};
  const SimulationBox slab{.origin = {0.0, 0.0, 0.0}, .length = {7.0, 6.0, 20.0}, .periodic = {true, true, false}};
  for (const SimulationBox& box : {cube, sheared, slab}) {
    for (const double range : {0.3, 1.1, 2.6}) {
      const PairPoints points = random_points(box, 300, 3, 11);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(type_pairs(3) * 37), 0);
      count_distances(box, points, 3, range, 37, counts);
      EXPECT_EQ(counts, brute_force(box, points, 3, range, 37)) << range;
    }
  }
}

TEST(PairHistogram, AddsAndTakesNoAtoms) {
  const SimulationBox box{.origin = {0.0, 0.0, 0.0}, .length = {7.0, 6.0, 8.0}};
  std::vector<std::int64_t> counts(5, 3);
  count_distances(box, PairPoints{}, 1, 2.0, 5, counts);
  EXPECT_EQ(counts, std::vector<std::int64_t>(5, 3));
  PairPoints alone = random_points(box, 1, 1, 3);
  count_distances(box, alone, 1, 2.0, 5, counts);
  EXPECT_EQ(counts, std::vector<std::int64_t>(5, 3));
}

TEST(PairHistogram, IsUniformForAnIdealGas) {
  const SimulationBox box{.origin = {0.0, 0.0, 0.0}, .length = {10.0, 11.0, 12.0}, .xy = 3.0};
  constexpr int count = 3000, bins = 25;
  constexpr double range = 4.5;
  const PairPoints points = random_points(box, count, 1, 5);
  std::vector<std::int64_t> counts(bins, 0);
  count_distances(box, points, 1, range, bins, counts);
  double chi2 = 0.0;
  for (int b = 0; b < bins; ++b) {
    const double low = range * b / bins, high = range * (b + 1) / bins;
    const double shell = 4.0 / 3.0 * std::numbers::pi * (high * high * high - low * low * low);
    const double pairs = 0.5 * count * (count - 1.0) * shell / box.volume();
    // Each pair is counted from both ends: half the count has the variance of a count.
    const double deviation =
        (0.5 * static_cast<double>(counts[static_cast<std::size_t>(b)]) - pairs) / std::sqrt(pairs);
    EXPECT_LT(std::fabs(deviation), 4.5) << "bin " << b;  // one in 10^5 of 25 such numbers
    chi2 += deviation * deviation;
  }
  EXPECT_LT(chi2, 25.0 + 4.0 * std::sqrt(50.0));
  EXPECT_GT(chi2, 25.0 - 3.0 * std::sqrt(50.0));
}

}  // namespace
}  // namespace halyard::md
