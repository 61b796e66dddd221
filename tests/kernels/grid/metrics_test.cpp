#include "kernels/grid/metrics.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard {
namespace {

using test::epsilon;
using test::queue;

/// The row of a metric on the host, index 0 the ghost -1.
std::vector<double> row(const View1<const double>& view, std::int64_t n) {
  std::vector<double> values(static_cast<std::size_t>(n + 2));
  copy_bytes(queue(), values.data(), view.data - 1, values.size() * sizeof(double));
  queue().wait();
  return values;
}

TEST(Axis, UniformWidthIsLengthOverCellsToTheLastBit) {
  for (const std::int64_t n : {1, 3, 7, 10, 49}) {
    Axis axis = test::uniform_axis(n, 2.0 * std::numbers::pi, true, -0.3);
    for (std::int64_t i = 1; i < n; ++i) {
      axis.faces[i] += 1e-9;  // far more than rounding: inner faces must not count
    }
    const double width = axis.length() / static_cast<double>(n);
    for (std::int64_t i = -1; i <= n; ++i) {
      EXPECT_EQ(axis.width(i), width);
      EXPECT_EQ(axis.gap(i), width);
    }
    EXPECT_EQ(axis.smallest_width(), width);
  }
}

TEST(Axis, GhostsAreMirroredAtWallsAndGoOnPeriodically) {
  Axis axis{.faces = {1.0, 1.5, 2.5, 4.5, 8.5}, .periodic = false, .uniform = false};
  EXPECT_EQ(axis.cells(), 4);
  EXPECT_EQ(axis.length(), 7.5);
  EXPECT_EQ(axis.width(-1), 0.5);
  EXPECT_EQ(axis.width(-2), 1.0);
  EXPECT_EQ(axis.width(4), 4.0);
  EXPECT_EQ(axis.width(5), 2.0);
  EXPECT_EQ(axis.gap(-1), 0.5);
  EXPECT_EQ(axis.gap(3), 4.0);
  EXPECT_EQ(axis.gap(1), 1.5);
  EXPECT_EQ(axis.centre(2), 3.5);
  EXPECT_EQ(axis.smallest_width(), 0.5);
  axis.periodic = true;
  EXPECT_EQ(axis.width(-1), 4.0);
  EXPECT_EQ(axis.width(-2), 2.0);
  EXPECT_EQ(axis.width(4), 0.5);
  EXPECT_EQ(axis.width(5), 1.0);
  EXPECT_EQ(axis.gap(-1), 2.25);
  EXPECT_EQ(axis.gap(3), 2.25);
}

TEST(Axis, OneCellIsItsOwnNeighbour) {
  for (const bool periodic : {false, true}) {
    const Axis axis{.faces = {1.0, 3.0}, .periodic = periodic, .uniform = false};
    for (std::int64_t i = -2; i <= 2; ++i) {
      EXPECT_EQ(axis.width(i), 2.0);
    }
  }
}

TEST(Axis, SmallestWidthIsFoundAnywhere) {
  for (std::size_t narrow = 0; narrow < 5; ++narrow) {
    Axis axis{.faces = {0.0}, .periodic = false, .uniform = false};
    for (std::size_t i = 0; i < 5; ++i) {
      axis.faces.push_back(axis.faces.back() + (i == narrow ? 0.25 : 1.0));
    }
    EXPECT_EQ(axis.smallest_width(), 0.25);
  }
}

/// Rows of a block in the middle, at an end and of the whole axis.
class MetricsOfBlock : public testing::TestWithParam<std::array<std::int64_t, 2>> {};

TEST_P(MetricsOfBlock, AgreeWithFaceCoordinates) {
  const auto [begin, end] = GetParam();
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool periodic : {false, true}) {
      std::array<Axis, 3> axes{test::uniform_axis(3, 1.0, true), test::uniform_axis(4, 2.0, true),
                               test::uniform_axis(5, 3.0, true)};
      axes[axis] = test::random_axis(11, periodic, 5);
      Box block{{0, 0, 0}, {3, 4, 5}};
      block.begin[axis] = begin;
      block.end[axis] = end;
      const test::Grid grid(axes, block);
      const GridMetrics& metrics = grid.metrics();
      const AxisMetrics& m = axis == 0 ? metrics.x : axis == 1 ? metrics.y : metrics.z;
      const std::int64_t n = block.extent(axis);
      const auto width = row(m.width, n), inv_width = row(m.inv_width, n), gap = row(m.gap, n);
      const auto inv_gap = row(m.inv_gap, n), low = row(m.weight_low, n), high = row(m.weight_high, n);
      const auto edge = row(m.edge_length, n), owned = row(m.owned_width, n);
      for (int i = -1; i <= n; ++i) {
        const std::size_t at = static_cast<std::size_t>(i + 1);
        EXPECT_EQ(width[at], grid.width(axis, i));
        EXPECT_EQ(inv_width[at], 1.0 / width[at]);
        EXPECT_EQ(owned[at], i >= 0 && i < n ? width[at] : 0.0);
        if (begin + i == 11) {
          continue;  // beyond the last ghost there is no gap that anything reads
        }
        EXPECT_EQ(gap[at], grid.gap(axis, i));
        EXPECT_EQ(inv_gap[at], 1.0 / gap[at]);
        // Two quotients and their sum: three roundings of values up to 1.
        EXPECT_NEAR(low[at] + high[at], 1.0, 2.0 * epsilon);
        EXPECT_NEAR(low[at], grid.width(axis, i) / (grid.width(axis, i) + grid.width(axis, i + 1)), 2.0 * epsilon);
        const bool wall = !periodic && (begin + i == -1 || begin + i == 10);
        EXPECT_EQ(edge[at], wall ? 0.5 * gap[at] : gap[at]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, MetricsOfBlock,
                         testing::Values(std::array<std::int64_t, 2>{0, 11}, std::array<std::int64_t, 2>{0, 4},
                                         std::array<std::int64_t, 2>{4, 8}, std::array<std::int64_t, 2>{8, 11},
                                         std::array<std::int64_t, 2>{10, 11}, std::array<std::int64_t, 2>{0, 1}));

TEST(Metrics, LengthsAddUpToTheDomain) {
  for (const bool periodic : {false, true}) {
    const Axis axis = test::random_axis(13, periodic, 9);
    const test::Grid grid({axis, test::uniform_axis(1, 1.0, true), test::uniform_axis(2, 1.0, false)});
    double widths = 0.0, edges = 0.0;
    const auto width = row(grid.metrics().x.width, 13), edge = row(grid.metrics().x.edge_length, 13);
    for (std::size_t i = 1; i <= 13; ++i) {
      widths += width[i];
      edges += edge[i];
    }
    edges += periodic ? 0.0 : edge[0];  // the edge on the lower wall
    // Sums of 13 terms: at most 13 roundings of the total.
    EXPECT_NEAR(widths, axis.length(), 13 * epsilon * axis.length());
    EXPECT_NEAR(edges, axis.length(), 13 * epsilon * axis.length());
  }
}

TEST(Metrics, UniformRowsAreExact) {
  const test::Grid grid(
      {test::uniform_axis(7, 1.1, true), test::uniform_axis(5, 0.3, false), test::uniform_axis(1, 0.1, false)});
  const double expected[3] = {1.1 / 7.0, 0.3 / 5.0, 0.1};
  const AxisMetrics* const m[3] = {&grid.metrics().x, &grid.metrics().y, &grid.metrics().z};
  for (int a = 0; a < 3; ++a) {
    const std::int64_t n = grid.n()[a];
    for (const double width : row(m[a]->width, n)) {
      EXPECT_EQ(width, expected[a]);
    }
    for (const double gap : row(m[a]->gap, n)) {
      EXPECT_EQ(gap, expected[a]);
    }
    for (const double weight : row(m[a]->weight_low, n)) {
      EXPECT_EQ(weight, 0.5);
    }
    for (const double weight : row(m[a]->weight_high, n)) {
      EXPECT_EQ(weight, 0.5);
    }
  }
}

}  // namespace
}  // namespace halyard
