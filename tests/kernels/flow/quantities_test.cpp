#include "kernels/flow/quantities.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/flow/flow_fixture.hpp"

namespace halyard::flow {
namespace {

using test::epsilon;
using test::Grid;
using test::Point;
using test::queue;
using test::TestField;

Grid stretched_grid() {
  return Grid({test::random_axis(9, false, 1), test::random_axis(5, false, 2), test::random_axis(6, false, 3)});
}

// Gradients of linear velocities are differences of values up to 6, rounded to 3 epsilon, over gaps of at least 0.05.
constexpr double kGradientError = 6 * 3 * epsilon / 0.05;

struct Exact {
  double vorticity[3], q, strain_squared;  // S_ij S_ij
};

/// By the definitions: S and Omega the halves of A, Q = (|Omega|^2 - |S|^2) / 2.
Exact exact(const double (&A)[3][3]) {
  Exact e{{A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]}, 0.0, 0.0};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double S = 0.5 * (A[a][b] + A[b][a]), Omega = 0.5 * (A[a][b] - A[b][a]);
      e.strain_squared += S * S;
      e.q += 0.5 * (Omega * Omega - S * S);
    }
  }
  return e;
}

/// Vorticity, Q and dissipation of a linear velocity on a stretched grid are those of its matrix in every cell.
void expect_exact(const test::LinearVelocity& linear) {
  const Grid grid = stretched_grid();
  const Exact e = exact(linear.A);
  const double nu = 0.3;
  TestField u(grid.n(), 3), omega(grid.n(), 3), q(grid.n(), 1), eps(grid.n(), 1);
  u.set_by_place(grid, linear);
  vorticity(queue(), grid.metrics(), u.vector(), omega.vector(), u.cells());
  q_criterion(queue(), grid.metrics(), u.vector(), q.view(), u.cells());
  dissipation(queue(), grid.metrics(), nu, u.vector(), eps.view(), u.cells());
  omega.download();
  q.download();
  eps.download();
  test::for_each(u.cells(), [&](int i, int j, int k) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(omega(c, i, j, k), e.vorticity[c], 2 * kGradientError);
    }
    // Sums of nine products of gradients up to 2.5.
    EXPECT_NEAR(q(0, i, j, k), e.q, 9 * 2.5 * kGradientError);
    EXPECT_NEAR(eps(0, i, j, k), 2.0 * nu * e.strain_squared, 2 * nu * 9 * 2.5 * kGradientError);
  });
}

TEST(Quantities, OfAnyLinearVelocityAreExact) { expect_exact({}); }

TEST(Quantities, OfEachSingleGradientAreExact) {
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      test::LinearVelocity linear{{0, 0, 0}, {}};
      linear.A[a][b] = 1.5;
      expect_exact(linear);
    }
  }
}

TEST(Quantities, OfSolidBodyRotation) {
  // u = Omega x r: vorticity 2 Omega, Q = |Omega|^2, no dissipation.
  const double o[3] = {0.3, -0.6, 1.1};
  const test::LinearVelocity rotation{{0, 0, 0}, {{0, -o[2], o[1]}, {o[2], 0, -o[0]}, {-o[1], o[0], 0}}};
  const Exact e = exact(rotation.A);
  EXPECT_NEAR(e.vorticity[2], 2.2, 2 * epsilon);
  EXPECT_NEAR(e.q, 0.3 * 0.3 + 0.6 * 0.6 + 1.1 * 1.1, 4 * epsilon);
  EXPECT_EQ(e.strain_squared, 0.0);
  expect_exact(rotation);
}

TEST(Quantities, OfPureStrain) {
  // u = (x, -2 y, z): no vorticity, Q = -|S|^2 / 2 = -3, S_ij S_ij = 6.
  const test::LinearVelocity strain{{0, 0, 0}, {{1, 0, 0}, {0, -2, 0}, {0, 0, 1}}};
  const Exact e = exact(strain.A);
  EXPECT_EQ(e.q, -3.0);
  EXPECT_EQ(e.strain_squared, 6.0);
  expect_exact(strain);
}

/// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0 (Taylor & Green 1937) and its gradients.
struct TaylorGreen {
  static double velocity(int c, const Point& x) {
    return c == 0   ? std::sin(x[0]) * std::cos(x[1]) * std::cos(x[2])
           : c == 1 ? -std::cos(x[0]) * std::sin(x[1]) * std::cos(x[2])
                    : 0.0;
  }
  static Exact values(const Point& x) {
    const double sx = std::sin(x[0]), cx = std::cos(x[0]), sy = std::sin(x[1]), cy = std::cos(x[1]);
    const double sz = std::sin(x[2]), cz = std::cos(x[2]);
    return exact(
        {{cx * cy * cz, -sx * sy * cz, -sx * cy * sz}, {sx * sy * cz, -cx * cy * cz, cx * sy * sz}, {0, 0, 0}});
  }
};

TEST(Quantities, OfTheTaylorGreenVortexAreOfSecondOrder) {
  double error[2][5] = {};  // max of: vorticity, Q, dissipation, energy, velocity
  for (int level = 0; level < 2; ++level) {
    const std::int64_t r = level == 0 ? 1 : 3;
    const double length = 2.0 * std::numbers::pi;
    const Grid grid({test::uniform_axis(17 * r, length, true), test::sine_axis(19 * r, length, 0.3),
                     test::uniform_axis(15 * r, length, true)});
    TestField u(grid.n(), 3), vector(grid.n(), 3), scalar(grid.n(), 1);
    u.set_by_place(grid, TaylorGreen::velocity);
    double* const largest = error[level];
    const auto compare = [&](int which, TestField& field, int components, auto value) {
      field.download();
      test::for_each(u.cells(), [&](int i, int j, int k) {
        const Point x = grid.place(Grid::centre_of_cell, i, j, k);
        for (int c = 0; c < components; ++c) {
          largest[which] = std::max(largest[which], std::abs(field(c, i, j, k) - value(c, x)));
        }
      });
    };
    vorticity(queue(), grid.metrics(), u.vector(), vector.vector(), u.cells());
    compare(0, vector, 3, [](int c, const Point& x) { return TaylorGreen::values(x).vorticity[c]; });
    q_criterion(queue(), grid.metrics(), u.vector(), scalar.view(), u.cells());
    compare(1, scalar, 1, [](int, const Point& x) { return TaylorGreen::values(x).q; });
    dissipation(queue(), grid.metrics(), 0.01, u.vector(), scalar.view(), u.cells());
    compare(2, scalar, 1, [](int, const Point& x) { return 0.02 * TaylorGreen::values(x).strain_squared; });
    kinetic_energy(queue(), u.vector(), scalar.view(), u.cells());
    compare(3, scalar, 1, [](int, const Point& x) {
      return 0.5 * (std::pow(TaylorGreen::velocity(0, x), 2) + std::pow(TaylorGreen::velocity(1, x), 2));
    });
    centred_velocity(queue(), u.vector(), vector.vector(), u.cells());
    compare(4, vector, 3, TaylorGreen::velocity);
  }
  for (int which = 0; which < 5; ++which) {
    // The next term of the error is h^4; and the largest error sits in cells that differ with the grid.
    const double order = std::log(error[0][which] / error[1][which]) / std::log(3.0);
    EXPECT_GT(order, 1.85) << which;
    EXPECT_LT(order, 2.15) << which;
    EXPECT_LT(error[1][which], 0.02) << which;  // values up to 4; (2 pi / 45)^2 = 0.02
  }
}

TEST(CentredVelocity, IsTheMeanOfTheTwoFaces) {
  TestField u({7, 3, 4}, 3), out({7, 3, 4}, 3);
  u.set_random(3);
  centred_velocity(queue(), u.vector(), out.vector(), u.cells());
  out.download();
  test::for_each(u.cells(), [&](int i, int j, int k) {
    EXPECT_EQ(out(0, i, j, k), 0.5 * (u(0, i - 1, j, k) + u(0, i, j, k)));
    EXPECT_EQ(out(1, i, j, k), 0.5 * (u(1, i, j - 1, k) + u(1, i, j, k)));
    EXPECT_EQ(out(2, i, j, k), 0.5 * (u(2, i, j, k - 1) + u(2, i, j, k)));
  });
}

TEST(KineticEnergy, IsTheMeanOfTheSquaresOnTheTwoFaces) {
  TestField u({7, 3, 4}, 3), out({7, 3, 4}, 1);
  u.set_random(3);
  kinetic_energy(queue(), u.vector(), out.view(), u.cells());
  out.download();
  test::for_each(u.cells(), [&](int i, int j, int k) {
    double energy = 0.0;
    for (int c = 0; c < 3; ++c) {
      const double here = u(c, i, j, k), below = u(c, i - (c == 0), j - (c == 1), k - (c == 2));
      energy += 0.25 * (here * here + below * below);
    }
    EXPECT_NEAR(out(0, i, j, k), energy, 4 * epsilon);  // values up to 1.5, summed in another order
  });
}

TEST(Quantities, WriteOwnedCellsOnlyAndNeedNoCorners) {
  const Grid grid = stretched_grid();
  TestField u(grid.n(), 3), vector(grid.n(), 3), scalar(grid.n(), 1);
  u.set_random(2);
  const Range3 cells = u.cells();
  for (int c = 0; c < 3; ++c) {
    for (const int i : {-1, cells.i1}) {
      for (const int j : {-1, cells.j1}) {
        for (const int k : {-1, cells.k1}) {
          u(c, i, j, k) = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }
  u.upload();
  const auto expect_untouched = [&](TestField& field, int components) {
    field.download();
    for (int c = 0; c < components; ++c) {
      test::for_each(test::with_ghosts(cells), [&](int i, int j, int k) {
        const bool owned = i >= 0 && j >= 0 && k >= 0 && i < cells.i1 && j < cells.j1 && k < cells.k1;
        EXPECT_TRUE(owned ? std::isfinite(field(c, i, j, k)) && field(c, i, j, k) != 77.0 : field(c, i, j, k) == 77.0);
      });
    }
    field.set([](int, int, int, int) { return 77.0; });
  };
  const auto marker = [](int, int, int, int) { return 77.0; };
  vector.set(marker);
  scalar.set(marker);
  centred_velocity(queue(), u.vector(), vector.vector(), cells);
  expect_untouched(vector, 3);
  vorticity(queue(), grid.metrics(), u.vector(), vector.vector(), cells);
  expect_untouched(vector, 3);
  q_criterion(queue(), grid.metrics(), u.vector(), scalar.view(), cells);
  expect_untouched(scalar, 1);
  dissipation(queue(), grid.metrics(), 0.1, u.vector(), scalar.view(), cells);
  expect_untouched(scalar, 1);
  kinetic_energy(queue(), u.vector(), scalar.view(), cells);
  expect_untouched(scalar, 1);
}

}  // namespace
}  // namespace halyard::flow
