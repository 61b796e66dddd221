#include "kernels/flow/statistics.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/flow/advance.hpp"
#include "tests/kernels/flow/flow_fixture.hpp"

namespace halyard::flow {
namespace {

using test::epsilon;
using test::Grid;
using test::Point;
using test::queue;
using test::TestField;

using Walls = OwnedEnds[3];

/// The six values of VelocityIntegrals in one row.
std::array<double, 6> values(const VelocityIntegrals& v) {
  return {v.momentum[0].value(),    v.momentum[1].value(),    v.momentum[2].value(),
          v.kinetic_energy.value(), v.strain_squared.value(), v.enstrophy.value()};
}

void set_walls(const Grid& grid, Walls& walls) {
  for (int a = 0; a < 3; ++a) {
    const bool walled = !grid.axis(a).periodic;
    walls[a] = {walled && grid.block().begin[a] == 0, walled && grid.block().end[a] == grid.axis(a).cells()};
  }
}

VelocityIntegrals integrals(const Grid& grid, TestField& u) {
  Walls walls;
  set_walls(grid, walls);
  return velocity_integrals(queue(), grid.metrics(), u.vector(), walls, u.cells());
}

std::array<Axis, 3> random_axes(int walls) {
  return {test::random_axis(11, (walls & 1) == 0, 1), test::random_axis(5, (walls & 2) == 0, 2),
          test::random_axis(7, (walls & 4) == 0, 3)};
}

// Gradients of velocities up to 6 with 3 epsilon each over 0.05, twice in a square: 2 x 6 x 3 / 0.05 = 720 epsilon of
// the largest gradient; they scatter, and the sum over hundreds of cells averages them.
constexpr double kIntegralError = 720 * epsilon;

TEST(VelocityIntegrals, StrainAndEnstrophyOfLinearVelocitiesAreExactForAnyWalls) {
  // The gradient is one and the same on every edge and in every centre: what is tested is that their volumes, halves
  // and quarters at walls included, fill the domain.
  const test::LinearVelocity linear;
  double strain = 0.0, enstrophy = 0.0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      strain += 0.25 * std::pow(linear.A[a][b] + linear.A[b][a], 2);
      enstrophy += a < b ? 0.5 * std::pow(linear.A[a][b] - linear.A[b][a], 2) : 0.0;
    }
  }
  for (int walls = 0; walls < 8; ++walls) {
    const Grid grid(random_axes(walls));
    TestField u(grid.n(), 3);
    u.set_by_place(grid, linear);
    const auto v = integrals(grid, u);
    const double volume = grid.domain_volume();
    EXPECT_NEAR(v.strain_squared.value(), strain * volume, kIntegralError * strain * volume) << "walls " << walls;
    EXPECT_NEAR(v.enstrophy.value(), enstrophy * volume, kIntegralError * enstrophy * volume) << "walls " << walls;
  }
}

TEST(VelocityIntegrals, EachSingleGradientCountsOnce) {
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      test::LinearVelocity linear{{0, 0, 0}, {}};
      linear.A[a][b] = 2.0;
      const Grid grid(random_axes(7));
      TestField u(grid.n(), 3);
      u.set_by_place(grid, linear);
      const auto v = integrals(grid, u);
      const double volume = grid.domain_volume();
      EXPECT_NEAR(v.strain_squared.value(), (a == b ? 4.0 : 2.0) * volume, kIntegralError * volume);
      EXPECT_NEAR(v.enstrophy.value(), (a == b ? 0.0 : 2.0) * volume, kIntegralError * volume);
    }
  }
}

TEST(VelocityIntegrals, OfShearBetweenMovingWallsWithTheirBoundaryConditions) {
  // u_c = coordinate of `axis` between walls that move with it, free slip on the third axis, periodic along c:
  // S_ij S_ij = 1/2, |omega|^2 / 2 = 1/2, ghosts by fill_boundary.
  for (int axis = 0; axis < 3; ++axis) {
    for (int turn = 1; turn < 3; ++turn) {
      const int c = (axis + turn) % 3, third = 3 - axis - c;
      const Grid grid(random_axes(7 - (1 << c)));
      TestField u(grid.n(), 3);
      u.set([&](int component, int i, int j, int k) {
        const int at[3] = {i, j, k};
        return component == c ? grid.centre(axis, at[axis]) : 0.0;
      });
      const double length = grid.axis(axis).length();
      Boundary still{BoundaryKind::no_slip, {0, 0, 0}}, moving = still;
      moving.velocity[c] = length;
      const Boundary slip{BoundaryKind::free_slip, {0, 0, 0}};
      fill_boundary(queue(), axis, {still, moving}, {true, true}, u.vector(), u.cells());
      fill_boundary(queue(), third, {slip, slip}, {true, true}, u.vector(), u.cells());
      const auto v = integrals(grid, u);
      const double volume = grid.domain_volume();
      EXPECT_NEAR(v.strain_squared.value(), 0.5 * volume, kIntegralError * volume);
      EXPECT_NEAR(v.enstrophy.value(), 0.5 * volume, kIntegralError * volume);
      // Midpoint values times widths: exact for a linear profile.
      EXPECT_NEAR(v.momentum[c].value(), 0.5 * length * volume, 10 * epsilon * volume);
      EXPECT_EQ(v.momentum[axis].value(), 0.0);
      EXPECT_EQ(v.momentum[third].value(), 0.0);
    }
  }
}

TEST(VelocityIntegrals, AgreeWithTheSumsTheyStandFor) {
  const Grid grid(random_axes(2));
  TestField u(grid.n(), 3);
  u.set_random(5);
  long double momentum_sum[3] = {}, energy = 0.0L;
  for (int c = 0; c < 3; ++c) {
    test::for_each(u.cells(), [&](int i, int j, int k) {
      const long double value = u(c, i, j, k), volume = grid.volume(c, i, j, k);
      momentum_sum[c] += value * volume;
      energy += 0.5L * value * value * volume;
    });
  }
  const auto v = integrals(grid, u);
  const double volume = grid.domain_volume();
  for (int c = 0; c < 3; ++c) {
    // Velocities up to 1, four roundings a term, two dozen in a row's sum of eight lanes.
    EXPECT_NEAR(v.momentum[c].value(), static_cast<double>(momentum_sum[c]), 6 * epsilon * volume);
    const ExactSum alone = momentum(queue(), grid.metrics(), c, u.view(c), u.cells());
    EXPECT_NEAR(alone.value(), static_cast<double>(momentum_sum[c]), 6 * epsilon * volume);
  }
  EXPECT_NEAR(v.kinetic_energy.value(), static_cast<double>(energy), 6 * epsilon * volume);
}

TEST(VelocityIntegrals, OfUniformFlowInAPeriodicBox) {
  const Grid grid({test::random_axis(11, true, 1), test::random_axis(5, true, 2), test::uniform_axis(1, 0.5, true)});
  const double flow[3] = {1.5, -0.5, 2.0};
  TestField u(grid.n(), 3);
  u.set([&](int c, int, int, int) { return flow[c]; });
  const auto v = values(integrals(grid, u));
  const double volume = grid.domain_volume();
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(v[c], flow[c] * volume, 6 * epsilon * std::abs(flow[c]) * volume);
  }
  EXPECT_NEAR(v[3], 3.25 * volume, 6 * epsilon * 3.25 * volume);
  EXPECT_EQ(v[4], 0.0);
  EXPECT_EQ(v[5], 0.0);
}

TEST(VelocityIntegrals, DissipationIsWhatViscosityTakes) {
  // Summation by parts on the staggered grid: for div u = 0 with walls at rest the viscous power is -2 nu int S:S
  // exactly, and int S:S = int |omega|^2 / 2.
  for (int walls = 0; walls < 8; ++walls) {
    const Grid grid(random_axes(walls));
    TestField u(grid.n(), 3);
    test::set_discrete_curl(grid, u, 21);
    const auto v = integrals(grid, u);
    // Cancellation of the cross terms du/dy dv/dx leaves the rounding of about 1000 terms.
    EXPECT_NEAR(v.strain_squared.value(), v.enstrophy.value(), 200 * epsilon * v.enstrophy.value())
        << "walls " << walls;
    const double nu = 0.3, no_force[3] = {0.0, 0.0, 0.0};
    TestField g(grid.n(), 3), still(grid.n(), 3), u_new(grid.n(), 3);
    advance(queue(), grid.metrics(), 0, 0.1, nu, no_force, u.vector(), g.vector(), u_new.vector(), u.cells());
    advance(queue(), grid.metrics(), 0, 0.1, 0.0, no_force, u.vector(), still.vector(), u_new.vector(), u.cells());
    g.download();
    still.download();
    double power = 0.0;
    for (int c = 0; c < 3; ++c) {
      test::for_each(u.cells(), [&](int i, int j, int k) {
        power += u(c, i, j, k) * (g(c, i, j, k) - still(c, i, j, k)) * grid.volume(c, i, j, k);
      });
    }
    const double dissipated = 2.0 * nu * v.strain_squared.value();
    EXPECT_NEAR(-power, dissipated, 500 * epsilon * dissipated) << "walls " << walls;  // and the rounding of G itself
  }
}

bool same_digits(const VelocityIntegrals& a, const VelocityIntegrals& b) {
  bool same = a.kinetic_energy.digits() == b.kinetic_energy.digits() &&
              a.strain_squared.digits() == b.strain_squared.digits() && a.enstrophy.digits() == b.enstrophy.digits();
  for (int c = 0; c < 3; ++c) {
    same = same && a.momentum[c].digits() == b.momentum[c].digits();
  }
  return same;
}

TEST(VelocityIntegrals, DoNotDependOnTheNumberOfThreads) {
  const Grid grid({test::random_axis(21, false, 1), test::random_axis(5, false, 2), test::random_axis(7, true, 3)});
  TestField u(grid.n(), 3);
  u.set_random(5);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const VelocityIntegrals alone = integrals(grid, u);
  for (const int count : {2, 3, 5, 8}) {
    omp_set_num_threads(count);
    EXPECT_TRUE(same_digits(integrals(grid, u), alone)) << count << " threads";
  }
  omp_set_num_threads(threads);
}

/// The part of a field that a block holds, ghosts included.
TestField part_of(TestField& whole, const Box& block) {
  TestField part(block.extents(), 3);
  part.set([&](int c, int i, int j, int k) {
    return whole(c, i, static_cast<int>(block.begin[1]) + j, static_cast<int>(block.begin[2]) + k);
  });
  return part;
}

TEST(VelocityIntegrals, PartsInYAndZAddUpToTheSameDigits) {
  for (int walls = 0; walls < 8; ++walls) {
    const std::array<Axis, 3> axes = random_axes(walls);
    const Grid grid(axes);
    TestField u(grid.n(), 3);
    u.set_random(5);
    const VelocityIntegrals whole = integrals(grid, u);
    for (const auto& [py, pz] : {std::array<std::int64_t, 2>{2, 1}, {1, 3}, {3, 2}, {5, 7}}) {
      VelocityIntegrals sum;
      for (std::int64_t z = 0; z < pz; ++z) {
        for (std::int64_t y = 0; y < py; ++y) {
          const auto [j0, j1] = even_part(grid.n()[1], py, y);
          const auto [k0, k1] = even_part(grid.n()[2], pz, z);
          const Grid block(axes, {{0, j0, k0}, {grid.n()[0], j1, k1}});
          TestField part = part_of(u, block.block());
          const VelocityIntegrals v = integrals(block, part);
          for (int c = 0; c < 3; ++c) {
            sum.momentum[c].add(v.momentum[c]);
          }
          sum.kinetic_energy.add(v.kinetic_energy);
          sum.strain_squared.add(v.strain_squared);
          sum.enstrophy.add(v.enstrophy);
        }
      }
      EXPECT_TRUE(same_digits(sum, whole)) << "walls " << walls << ", " << py << " x " << pz;
    }
  }
}

TEST(VelocityIntegrals, OfNonFiniteVelocitiesAreNotNumbers) {
  const Grid grid(random_axes(0));
  TestField u(grid.n(), 3);
  u(1, 3, 2, 4) = std::numeric_limits<double>::infinity();
  u.upload();
  EXPECT_TRUE(std::isnan(integrals(grid, u).kinetic_energy.value()));
  EXPECT_TRUE(std::isnan(momentum(queue(), grid.metrics(), 1, u.view(1), u.cells()).value()));
}

TEST(WallGradient, OfLinearProfilesIsExactOnEachAxisAndSide) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int turn = 1; turn < 3; ++turn) {
      const int c = (axis + turn) % 3;
      const Grid grid(random_axes(1 << axis));
      const double slope = 1.7, lower = -0.3, upper = lower + slope * grid.axis(axis).length();
      TestField u(grid.n(), 3);
      u.set([&](int component, int i, int j, int k) {
        const int at[3] = {i, j, k};
        return component == c ? lower + slope * grid.centre(axis, at[axis]) : 99.0;
      });
      const double area = grid.domain_volume() / grid.axis(axis).length();
      // (value - wall) of about 0.1, rounded at 1, over half a cell of at least 0.025.
      const double error = 2 * epsilon / 0.025 * area;
      EXPECT_NEAR(wall_gradient(queue(), grid.metrics(), axis, false, c, lower, u.view(c), u.cells()).value(),
                  slope * area, error);
      EXPECT_NEAR(wall_gradient(queue(), grid.metrics(), axis, true, c, upper, u.view(c), u.cells()).value(),
                  -slope * area, error);
    }
  }
}

TEST(WallGradient, PartsAddUpToTheSameDigits) {
  const std::array<Axis, 3> axes = random_axes(2);  // walls in y
  const Grid grid(axes);
  TestField u(grid.n(), 3);
  u.set_random(4);
  const ExactSum whole = wall_gradient(queue(), grid.metrics(), 1, true, 0, 0.1, u.view(0), u.cells());
  ExactSum sum;
  for (std::int64_t z = 0; z < 3; ++z) {
    const auto [k0, k1] = even_part(grid.n()[2], 3, z);
    const Grid block(axes, {{0, 2, k0}, {grid.n()[0], grid.n()[1], k1}});
    TestField part = part_of(u, block.block());
    sum.add(wall_gradient(queue(), block.metrics(), 1, true, 0, 0.1, part.view(0), part.cells()));
  }
  EXPECT_EQ(sum.digits(), whole.digits());
}

TEST(MaxConvectiveRate, TakesTheLargerFaceOfEachComponent) {
  const Grid grid({test::random_axis(9, true, 1), test::random_axis(3, true, 2), test::random_axis(4, true, 3)});
  TestField u(grid.n(), 3);
  EXPECT_EQ(max_convective_rate(queue(), grid.metrics(), u.vector(), u.cells()), 0.0);
  for (unsigned seed = 1; seed < 6; ++seed) {
    u.set_random(seed);
    double largest = 0.0;
    test::for_each(u.cells(), [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      double rate = 0.0;
      for (int c = 0; c < 3; ++c) {
        const double below = u(c, i - (c == 0), j - (c == 1), k - (c == 2));
        rate += std::max(std::abs(u(c, i, j, k)), std::abs(below)) / grid.width(c, at[c]);
      }
      largest = std::max(largest, rate);
    });
    // Product with 1 / width instead of a quotient, sum in another order.
    EXPECT_NEAR(max_convective_rate(queue(), grid.metrics(), u.vector(), u.cells()), largest, 4 * epsilon * largest);
  }
  // One face alone, in a ghost: the cell above it is still bound by it.
  for (int c = 0; c < 3; ++c) {
    u.set([&](int component, int i, int j, int k) {
      const int at[3] = {i, j, k};
      return component == c && at[c] == -1 ? -3.0 : 0.0;
    });
    EXPECT_NEAR(max_convective_rate(queue(), grid.metrics(), u.vector(), u.cells()), 3.0 / grid.width(c, 0),
                4 * epsilon * 3.0 / 0.05);
  }
}

TEST(FieldReductions, FindTheLargestOfEitherSignInAnyCellAndIgnoreGhosts) {
  TestField a({9, 2, 3}, 1), b({9, 2, 3}, 1);
  const Range3 cells = a.cells();
  test::for_each(cells, [&](int i, int j, int k) {
    for (const double value : {4.0, -4.0}) {
      a.set([&](int, int x, int y, int z) {
        const bool owned = x >= 0 && y >= 0 && z >= 0 && x < cells.i1 && y < cells.j1 && z < cells.k1;
        return !owned ? 1e9 : x == i && y == j && z == k ? value : 1.0;
      });
      b.set([&](int, int, int, int) { return 1.0; });
      EXPECT_EQ(max_magnitude(queue(), a.view(), cells), 4.0);
      EXPECT_EQ(max_difference(queue(), a.view(), b.view(), cells), std::abs(value - 1.0));
      EXPECT_EQ(max_difference(queue(), b.view(), a.view(), cells), std::abs(value - 1.0));
    }
  });
  EXPECT_EQ(max_difference(queue(), a.view(), a.view(), cells), 0.0);
}

TEST(CopyField, CopiesTheCellsAndNothingElse) {
  TestField a({9, 2, 3}, 1), b({9, 2, 3}, 1);
  a.set_random(1);
  b.set([](int, int, int, int) { return 77.0; });
  const Range3 range{1, 8, 0, 2, 1, 3};
  copy_field(queue(), a.view(), b.view(), range);
  b.download();
  test::for_each(test::with_ghosts(b.cells()), [&](int i, int j, int k) {
    const bool inside = i >= 1 && i < 8 && j >= 0 && j < 2 && k >= 1 && k < 3;
    EXPECT_EQ(b(0, i, j, k), inside ? a(0, i, j, k) : 77.0);
  });
}

}  // namespace
}  // namespace halyard::flow
