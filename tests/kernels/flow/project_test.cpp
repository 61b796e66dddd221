#include "kernels/flow/project.hpp"

#include <gtest/gtest.h>

#include "kernels/flow/divergence.hpp"
#include "tests/kernels/flow/flow_fixture.hpp"

namespace halyard::flow {
namespace {

using test::epsilon;
using test::Grid;
using test::Point;
using test::queue;
using test::TestField;

constexpr double kNoShift[3] = {0.0, 0.0, 0.0};

/// The seven-point Laplacian of phi at cell (i, j, k), from widths alone.
double laplacian(const Grid& grid, TestField& phi, int i, int j, int k) {
  const int at[3] = {i, j, k};
  double sum = 0.0;
  for (int a = 0; a < 3; ++a) {
    int up[3] = {i, j, k}, down[3] = {i, j, k};
    up[a] += 1;
    down[a] -= 1;
    const double above = (phi(0, up[0], up[1], up[2]) - phi(0, i, j, k)) / grid.gap(a, at[a]);
    const double below = (phi(0, i, j, k) - phi(0, down[0], down[1], down[2])) / grid.gap(a, at[a] - 1);
    sum += (above - below) / grid.width(a, at[a]);
  }
  return sum;
}

TEST(Project, TakesTheLaplacianTimesTheStepFromTheDivergence) {
  for (const bool periodic : {true, false}) {
    const Grid grid(
        {test::random_axis(9, periodic, 1), test::random_axis(5, periodic, 2), test::random_axis(7, periodic, 3)});
    const double dt = 0.3;
    TestField u(grid.n(), 3), phi(grid.n(), 1), before(grid.n(), 1), after(grid.n(), 1);
    u.set_random(1);
    phi.set_random(2);
    for (int a = 0; a < 3; ++a) {
      if (periodic) {
        u.wrap(a);
        phi.wrap(a);
      } else {
        const int n = static_cast<int>(grid.n()[a]);
        test::for_each(test::with_ghosts(u.cells()), [&](int i, int j, int k) {
          int at[3] = {i, j, k};
          if (at[a] == -1 || at[a] == n - 1) {
            u(a, i, j, k) = 0.0;  // on the wall
          }
          at[a] = std::clamp(at[a], 0, n - 1);
          phi(0, i, j, k) = phi(0, at[0], at[1], at[2]);
        });
        u.upload();
        phi.upload();
      }
    }
    divergence(queue(), grid.metrics(), 1.0, u.vector(), before.view(), u.cells());
    project(queue(), grid.metrics(), dt, kNoShift, phi.view(), u.vector(), u.cells());
    u.download();
    for (int a = 0; a < 3 && periodic; ++a) {
      u.wrap(a);
    }
    divergence(queue(), grid.metrics(), 1.0, u.vector(), after.view(), u.cells());
    before.download();
    after.download();
    test::for_each(u.cells(), [&](int i, int j, int k) {
      // Six gradients up to 2 / 0.05, a few roundings each, over widths of at least 0.05.
      EXPECT_NEAR(after(0, i, j, k) - before(0, i, j, k), -dt * laplacian(grid, phi, i, j, k),
                  6 * 4 * epsilon * (1.0 + dt * 2.0 / 0.05) / 0.05);
    });
    if (!periodic) {
      for (int a = 0; a < 3; ++a) {  // equal pressures on both sides: the walls stay tight, exactly
        test::for_each(u.cells(), [&](int i, int j, int k) {
          const int at[3] = {i, j, k};
          if (at[a] == grid.n()[a] - 1) {
            EXPECT_EQ(u(a, i, j, k), 0.0);
          }
        });
      }
    }
  }
}

TEST(Project, LinearPressureGivesItsGradient) {
  const Grid grid({test::random_axis(5, false, 1), test::random_axis(4, false, 2), test::random_axis(3, false, 3)});
  const double slope[3] = {0.7, -1.3, 2.1}, dt = 0.5;
  TestField u(grid.n(), 3), phi(grid.n(), 1);
  u.set([](int c, int, int, int) { return 1.0 + c; });
  phi.set_by_place(grid, [&](int, const Point& x) { return slope[0] * x[0] + slope[1] * x[1] + slope[2] * x[2]; });
  project(queue(), grid.metrics(), dt, kNoShift, phi.view(), u.vector(), u.cells());
  u.download();
  for (int c = 0; c < 3; ++c) {
    // Differences of values up to 2, rounded to 3 epsilon, over gaps of at least 0.05.
    test::for_each(u.cells(), [&](int i, int j, int k) {
      EXPECT_NEAR(u(c, i, j, k), 1.0 + c - dt * slope[c], dt * 2 * 3 * epsilon / 0.05);
    });
  }
}

TEST(Project, ShiftIsAddedToEachComponentAndGhostsAreLeftAlone) {
  TestField u({5, 3, 2}, 3), phi({5, 3, 2}, 1);
  const Grid grid(
      {test::uniform_axis(5, 1.0, true), test::uniform_axis(3, 1.0, true), test::uniform_axis(2, 1.0, true)});
  u.set([](int c, int i, int j, int k) { return 0.25 * (c + 1) + i + 8.0 * j + 64.0 * k; });
  phi.set([](int, int, int, int) { return 3.0; });
  const double shift[3] = {0.5, -0.25, 2.0};
  project(queue(), grid.metrics(), 0.1, shift, phi.view(), u.vector(), u.cells());
  u.download();
  const Range3 cells = u.cells();
  for (int c = 0; c < 3; ++c) {
    test::for_each(test::with_ghosts(cells), [&](int i, int j, int k) {
      const bool owned = i >= 0 && j >= 0 && k >= 0 && i < cells.i1 && j < cells.j1 && k < cells.k1;
      EXPECT_EQ(u(c, i, j, k),
                0.25 * (c + 1) + i + 8.0 * j + 64.0 * k + (owned ? shift[c] : 0.0));  // all exact in binary
    });
  }
}

TEST(Project, NeedsUpperGhostsOnly) {
  TestField u({4, 3, 2}, 3), phi({4, 3, 2}, 1);
  const Grid grid(
      {test::uniform_axis(4, 1.0, true), test::uniform_axis(3, 1.0, true), test::uniform_axis(2, 1.0, true)});
  phi.set([](int, int i, int j, int k) {
    return i < 0 || j < 0 || k < 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 * i;
  });
  project(queue(), grid.metrics(), 0.1, kNoShift, phi.view(), u.vector(), u.cells());
  u.download();
  for (int c = 0; c < 3; ++c) {
    test::for_each(u.cells(), [&](int i, int j, int k) { EXPECT_TRUE(std::isfinite(u(c, i, j, k))); });
  }
}

}  // namespace
}  // namespace halyard::flow
