#include "kernels/flow/divergence.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/kernels/flow/flow_fixture.hpp"

namespace halyard::flow {
namespace {

using test::epsilon;
using test::Grid;
using test::Point;
using test::queue;
using test::TestField;

std::array<Axis, 3> odd_axes(bool periodic) {
  return {test::random_axis(11, periodic, 1), test::random_axis(5, periodic, 2), test::random_axis(7, periodic, 3)};
}

TEST(Divergence, IsExactForLinearVelocities) {
  const Grid grid(odd_axes(false));
  const test::LinearVelocity linear;
  TestField u(grid.n(), 3), rhs(grid.n(), 1);
  u.set_by_place(grid, linear);
  const double scale = -2.5, exact = linear.A[0][0] + linear.A[1][1] + linear.A[2][2];
  divergence(queue(), grid.metrics(), scale, u.vector(), rhs.view(), u.cells());
  rhs.download();
  test::for_each(u.cells(), [&](int i, int j, int k) {
    // Three differences of velocities up to 6, rounded to 3 epsilon each, over widths of at least 0.05.
    EXPECT_NEAR(rhs(0, i, j, k), scale * exact, 2.5 * 3 * 6 * epsilon / 0.05);
  });
}

TEST(Divergence, EachComponentCountsAlongItsOwnAxisOnly) {
  const Grid grid(odd_axes(true));
  for (int c = 0; c < 3; ++c) {
    TestField u(grid.n(), 3), rhs(grid.n(), 1);
    u.set([&](int component, int i, int j, int k) {
      return component == c ? (c == 0 ? 3.0 * j + 5.0 * k : c == 1 ? 3.0 * i + 5.0 * k : 3.0 * i + 5.0 * j) : 0.0;
    });
    divergence(queue(), grid.metrics(), 1.0, u.vector(), rhs.view(), u.cells());
    rhs.download();
    test::for_each(u.cells(), [&](int i, int j, int k) { EXPECT_EQ(rhs(0, i, j, k), 0.0); });
  }
}

TEST(Divergence, OfADiscreteCurlIsZeroToRoundOff) {
  for (const bool periodic : {true, false}) {
    const Grid grid(odd_axes(periodic));
    TestField u(grid.n(), 3);
    test::set_discrete_curl(grid, u, 4);
    // Potentials up to 1 over two widths of at least 0.05, twelve terms: 12 epsilon / 0.05^2.
    EXPECT_LT(max_divergence(queue(), grid.metrics(), u.vector(), u.cells()), 12.0 * epsilon / (0.05 * 0.05));
  }
}

TEST(Divergence, NeedsLowerGhostsOnlyAndWritesCellsOnly) {
  const Grid grid(odd_axes(true));
  TestField u(grid.n(), 3), rhs(grid.n(), 1);
  u.set_random(1);
  const Range3 cells = u.cells();
  for (int c = 0; c < 3; ++c) {
    test::for_each(test::with_ghosts(cells), [&](int i, int j, int k) {
      if (i == cells.i1 || j == cells.j1 || k == cells.k1) {
        u(c, i, j, k) = std::numeric_limits<double>::quiet_NaN();
      }
    });
  }
  u.upload();
  rhs.set([](int, int, int, int) { return 77.0; });
  divergence(queue(), grid.metrics(), 1.0, u.vector(), rhs.view(), cells);
  rhs.download();
  test::for_each(test::with_ghosts(cells), [&](int i, int j, int k) {
    const bool owned = i >= 0 && j >= 0 && k >= 0 && i < cells.i1 && j < cells.j1 && k < cells.k1;
    EXPECT_TRUE(owned ? std::isfinite(rhs(0, i, j, k)) : rhs(0, i, j, k) == 77.0);
  });
}

TEST(DivergenceRow, IsTheArrayVersionBitForBit) {
  if (queue().device() != Device::host) {
    GTEST_SKIP() << "rows are asked for on the host alone";
  }
  for (const std::int64_t nx : {1, 7, 8, 16, 29}) {  // vector body, remainder, both
    const Grid grid({test::random_axis(nx, true, 1), test::random_axis(5, true, 2), test::random_axis(3, true, 3)});
    TestField u(grid.n(), 3), rhs(grid.n(), 1);
    u.set_random(8);
    divergence(queue(), grid.metrics(), 1.0 / 3.0, u.vector(), rhs.view(), u.cells());
    rhs.download();
    const int n = static_cast<int>(nx);
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 5; ++j) {
        std::vector<double> row(static_cast<std::size_t>(n) + 1, 77.0);
        divergence_row(grid.metrics(), 1.0 / 3.0, u.vector(), n, j, k, row.data());
        EXPECT_EQ(std::memcmp(row.data(), &rhs(0, 0, j, k), static_cast<std::size_t>(n) * sizeof(double)), 0);
        EXPECT_EQ(row.back(), 77.0);
      }
    }
  }
}

TEST(MaxDivergence, FindsTheLargestOfEitherSignInAnyCell) {
  const Grid grid(
      {test::uniform_axis(9, 9.0, true), test::uniform_axis(2, 2.0, true), test::uniform_axis(3, 3.0, true)});
  TestField u(grid.n(), 3);
  EXPECT_EQ(max_divergence(queue(), grid.metrics(), u.vector(), u.cells()), 0.0);
  test::for_each(u.cells(), [&](int i, int j, int k) {
    for (const double value : {2.5, -2.5}) {
      u.set([&](int c, int a, int b, int d) { return c == 1 && a == i && b == j && d == k ? value : 0.0; });
      EXPECT_EQ(max_divergence(queue(), grid.metrics(), u.vector(), u.cells()), 2.5);
    }
  });
}

}  // namespace
}  // namespace halyard::flow
