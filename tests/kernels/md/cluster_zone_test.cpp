#include "kernels/md/cluster_zone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernels/md/atoms.hpp"

namespace halyard::md {
namespace {

using Fractions = std::array<std::vector<double>, 3>;

Fractions random_fractions(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  Fractions f;
  for (int i = 0; i < count; ++i) {
    for (auto& axis : f) {
      axis.push_back(u(random));
    }
  }
  return f;
}

ClusterOrder arrange(const Fractions& f, double spacing, const SimulationBox& box = {.length = {6.0, 5.0, 4.0}}) {
  ClusterOrder order;
  arrange_in_clusters(box, {f[0], f[1], f[2]}, spacing, order);
  return order;
}

void expect_sound(const ClusterOrder& order, const Fractions& f) {
  const ClusterZone& zone = order.zone;
  const std::size_t count = f[0].size();
  ASSERT_EQ(order.atom.size(), static_cast<std::size_t>(zone.clusters) * cluster_size);
  ASSERT_EQ(zone.column_start.size(), static_cast<std::size_t>(zone.columns_x * zone.columns_y) + 1);
  EXPECT_EQ(zone.column_start.front(), 0);
  EXPECT_EQ(zone.column_start.back(), zone.clusters);
  std::vector<int> seen(count, 0);
  for (int column = 0; column < zone.columns_x * zone.columns_y; ++column) {
    const int begin = zone.column_start[static_cast<std::size_t>(column)] * cluster_size;
    const int end = zone.column_start[static_cast<std::size_t>(column) + 1] * cluster_size;
    ASSERT_LE(begin, end);
    double last = -HUGE_VAL;
    bool ended = false;
    int members = 0;
    for (int s = begin; s < end; ++s) {
      const int a = order.atom[static_cast<std::size_t>(s)];
      if (a < 0) {
        ended = true;  // empty slots are at the column's end alone
        continue;
      }
      ASSERT_FALSE(ended);
      const auto at = static_cast<std::size_t>(a);
      ++seen[at];
      ++members;
      EXPECT_GE(f[2][at], last);
      last = f[2][at];
      // In its column, but for rounding at a column's side.
      const int i = column % zone.columns_x, j = column / zone.columns_x;
      const double x = (f[0][at] - zone.lower[0]) / std::max(zone.upper[0] - zone.lower[0], 1e-300) * zone.columns_x;
      const double y = (f[1][at] - zone.lower[1]) / std::max(zone.upper[1] - zone.lower[1], 1e-300) * zone.columns_y;
      EXPECT_GE(x, i - 1e-12);
      EXPECT_LE(x, i + 1 + 1e-12);
      EXPECT_GE(y, j - 1e-12);
      EXPECT_LE(y, j + 1 + 1e-12);
    }
    EXPECT_EQ((members + cluster_size - 1) / cluster_size * cluster_size, end - begin);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(count));
  for (std::size_t d = 0; d < 2 && count > 0; ++d) {
    EXPECT_EQ(zone.lower[d], *std::min_element(f[d].begin(), f[d].end()));
    EXPECT_EQ(zone.upper[d], *std::max_element(f[d].begin(), f[d].end()));
  }
}

TEST(ClusterZone, EveryAtomHasOneSlotInItsColumnInTheOrderOfZ) {
  for (const int count : {0, 1, 7, 8, 9, 100, 1000}) {
    for (const double spacing : {0.3, 1.0, 100.0}) {
      const Fractions f = random_fractions(count, static_cast<unsigned>(count));
      expect_sound(arrange(f, spacing), f);
    }
  }
}

TEST(ClusterZone, ColumnsAreAboutAsWideAsAskedFor) {
  Fractions f = random_fractions(2000, 3);
  for (auto& axis : f) {
    axis.insert(axis.end(), {0.0, 1.0});
  }
  const ClusterOrder order = arrange(f, 1.0);
  EXPECT_EQ(order.zone.columns_x, 6);
  EXPECT_EQ(order.zone.columns_y, 5);
}

TEST(ClusterZone, AtomsInOnePlaceLineOrPlane) {
  Fractions f = random_fractions(50, 9);
  f[0].assign(50, 0.5);
  expect_sound(arrange(f, 0.5), f);
  f[1].assign(50, 1.0);
  expect_sound(arrange(f, 0.5), f);
  f[2].assign(50, 0.0);
  expect_sound(arrange(f, 0.5), f);
}

TEST(ClusterZone, TheOrderDoesNotDependOnThatOfTheAtomsGiven) {
  const Fractions f = random_fractions(300, 4);
  Fractions reversed = f;
  for (auto& axis : reversed) {
    std::reverse(axis.begin(), axis.end());
  }
  const ClusterOrder one = arrange(f, 0.7), other = arrange(reversed, 0.7);
  ASSERT_EQ(one.atom.size(), other.atom.size());
  for (std::size_t s = 0; s < one.atom.size(); ++s) {
    EXPECT_EQ(one.atom[s], other.atom[s] < 0 ? -1 : 299 - other.atom[s]);
  }
}

TEST(ClusterZone, SpacingMakesClustersAboutAsLongAsWide) {
  // Eight atoms of a column of side s are 8 V / (N s^2) long: s is 1.65 times that.
  const double s = column_spacing(4000.0, 4738.0);
  EXPECT_NEAR(s / (8.0 * 4738.0 / 4000.0 / (s * s)), 1.65, 1e-12);
  EXPECT_GT(column_spacing(0.0, 10.0), 0.0);
}

}  // namespace
}  // namespace halyard::md
