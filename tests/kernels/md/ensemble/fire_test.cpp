#include "kernels/md/ensemble/fire.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/md/ensemble/minimise.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "tests/kernels/md/ensemble/slots.hpp"

namespace halyard::md {
namespace {

using test::Slots;

/// Minimises an energy whose forces set_forces(slots) fills; returns the steps until no component exceeds `tolerance`.
template <class SetForces>
int minimise(Slots& s, const FireSettings& settings, double tolerance, SetForces set_forces, int most = 20000) {
  Fire fire(settings);
  set_forces(s);
  for (int step = 0; step < most; ++step) {
    const double largest = max_force_component(s.queue, s.owned, s.forces());
    if (largest < tolerance) {
      return step;
    }
    const auto sums = minimiser_sums(s.queue, s.owned, largest, max_speed(s.queue, s.owned, s.velocities()), s.forces(),
                                     s.velocities())
                          .values();
    const Fire::Decision d = fire.decide(settings, sums[0], sums[1], sums[2]);
    EXPECT_FALSE(d.stuck);
    if (d.back > 0.0) {
      step_back(s.queue, s.owned, d.back, s.velocities(), s.positions());
    }
    steer(s.queue, s.owned, fire.dt, d.keep, d.steer, s.masses().acceleration, s.types(), s.forces(), s.velocities());
    const double move = fire.limit(settings, max_speed(s.queue, s.owned, s.velocities()));
    const auto before = s.x;
    drift(s.queue, s.owned, move, s.velocities(), s.positions());
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.owned); ++i) {
      const double dx = s.x[0][i] - before[0][i], dy = s.x[1][i] - before[1][i], dz = s.x[2][i] - before[2][i];
      EXPECT_LT(std::sqrt(dx * dx + dy * dy + dz * dz), settings.longest_move * (1.0 + 1e-12));
    }
    set_forces(s);
  }
  return most;
}

void start(Slots& s) {
  s.set_masses({1.0, 1.0});
  for (auto& axis : s.v) {
    axis.assign(axis.size(), 0.0);
  }
}

TEST(Fire, FindsTheMinimumOfAStiffQuadratic) {
  const double k[3] = {1.0, 30.0, 400.0};
  Slots s(64, true);
  start(s);
  const FireSettings settings{.dt = 0.02, .longest_move = 0.1};
  const int steps = minimise(s, settings, 1e-9, [&](Slots& slots) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < 64; ++i) {
        slots.force[a][i] = std::llrint(-k[a] * slots.x[a][i] / force_unit);
      }
    }
  });
  EXPECT_LT(steps, 2000);
  for (std::size_t a = 0; a < 3; ++a) {
    for (const double x : s.x[a]) {
      EXPECT_LT(std::fabs(x) * k[a], 1.1e-9);  // the tolerance, and a force's rounding
    }
  }
}

// Rosenbrock's valley in each atom's x and y: (1 - x)^2 + 100 (y - x^2)^2, minimum at (1, 1).
TEST(Fire, FollowsRosenbrocksValley) {
  Slots s(64, true);
  start(s);
  for (std::size_t i = 0; i < 64; ++i) {
    s.x[0][i] = -1.2 + 0.01 * static_cast<double>(i);
    s.x[1][i] = 1.0;
    s.x[2][i] = 0.0;
  }
  const FireSettings settings{.dt = 0.01, .longest_move = 0.1};
  const int steps = minimise(s, settings, 1e-8, [](Slots& slots) {
    for (std::size_t i = 0; i < 64; ++i) {
      const double x = slots.x[0][i], y = slots.x[1][i];
      slots.force[0][i] = std::llrint((2.0 * (1.0 - x) + 400.0 * x * (y - x * x)) / force_unit);
      slots.force[1][i] = std::llrint(-200.0 * (y - x * x) / force_unit);
      slots.force[2][i] = 0;
    }
  });
  EXPECT_LT(steps, 10000);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(s.x[0][i], 1.0, 1e-7);  // the softest curvature there is 0.4, of which 1e-8 is the force
    EXPECT_NEAR(s.x[1][i], 1.0, 1e-7);
  }
}

TEST(Fire, DecisionsFollowThePaper) {
  const FireSettings settings{.dt = 0.01, .longest_move = 0.1};
  Fire fire(settings);
  Fire::Decision d = fire.decide(settings, 0.0, 0.0, 4.0);  // at rest
  EXPECT_EQ(d.back, 0.0);
  EXPECT_EQ(d.keep, 1.0);
  EXPECT_EQ(fire.limit(settings, 1.0), 0.01);
  for (int n = 0; n < 20; ++n) {
    d = fire.decide(settings, 1.0, 9.0, 4.0);
    EXPECT_EQ(fire.dt, 0.01);
    EXPECT_EQ(d.keep, 0.75);
    EXPECT_EQ(d.steer, 0.25 * 1.5);
  }
  d = fire.decide(settings, 1.0, 9.0, 4.0);  // step 21 downhill: faster from now on
  EXPECT_EQ(fire.dt, 0.01 * 1.1);
  EXPECT_EQ(fire.alpha, 0.25 * 0.99);
  for (int n = 0; n < 100; ++n) {
    d = fire.decide(settings, 1.0, 9.0, 4.0);
  }
  EXPECT_EQ(fire.dt, 0.1);
  EXPECT_EQ(fire.limit(settings, 4.0), 0.025);
  d = fire.decide(settings, -1.0, 9.0, 4.0);  // uphill
  EXPECT_EQ(d.back, 0.025);
  EXPECT_EQ(d.keep, 1.0);
  EXPECT_EQ(d.steer, 0.0);
  EXPECT_EQ(fire.dt, 0.05);
  EXPECT_EQ(fire.alpha, 0.25);
  for (int n = 0; n < 1999; ++n) {
    d = fire.decide(settings, -1.0, 9.0, 4.0);
    EXPECT_FALSE(d.stuck);
  }
  EXPECT_GE(fire.dt, 0.01 * 0.02);
  d = fire.decide(settings, -1.0, 9.0, 4.0);
  EXPECT_TRUE(d.stuck);
}

}  // namespace
}  // namespace halyard::md
