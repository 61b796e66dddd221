// The operators over slots against plain loops: same bits, whatever the number of threads; empty slots and ghosts keep
// what they had.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>

#include "kernels/md/ensemble/kinetic.hpp"
#include "kernels/md/ensemble/langevin.hpp"
#include "kernels/md/ensemble/minimise.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/ensemble/stretch.hpp"
#include "kernels/md/ensemble/velocities.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "tests/kernels/md/ensemble/slots.hpp"

namespace halyard::md {
namespace {

using test::Slots;

constexpr int owned = 3 * 256 + 104;

/// Calls `operate` on the slots with 1, 2 and 3 threads and compares all positions and velocities with those that
/// `expected(slots, slot, axis)` makes, one number at a time.
template <class Operate, class Expected>
void expect_same_as_loop(Operate operate, Expected expected) {
  Slots reference(owned);
  for (int s = 0; s < reference.owned; ++s) {
    for (std::size_t a = 0; a < 3; ++a) {
      expected(reference, static_cast<std::size_t>(s), a);
    }
  }
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    Slots slots(owned);
    operate(slots);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(slots.x[a], reference.x[a]) << "axis " << a;
      EXPECT_EQ(slots.v[a], reference.v[a]) << "axis " << a;
      EXPECT_EQ(slots.force[a], reference.force[a]) << "axis " << a;
    }
  }
  omp_set_num_threads(before);
}

std::size_t type_of(const Slots& s, std::size_t i) { return static_cast<std::size_t>(s.type[i]); }

TEST(Verlet, KickAndDriftAreTheirFormulas) {
  const double dt = 0.0137;
  const auto kicked = [&](Slots& s, std::size_t i, std::size_t a) {
    s.v[a][i] += dt * force_unit * s.acceleration[type_of(s, i)] * static_cast<double>(s.force[a][i]);
  };
  expect_same_as_loop(
      [&](Slots& s) { kick(s.queue, s.owned, dt, s.masses().acceleration, s.types(), s.forces(), s.velocities()); },
      kicked);
  const auto drifted = [&](Slots& s, std::size_t i, std::size_t a) { s.x[a][i] += 0.3 * s.v[a][i]; };
  expect_same_as_loop([&](Slots& s) { drift(s.queue, s.owned, 0.3, s.velocities(), s.positions()); }, drifted);
  expect_same_as_loop(
      [&](Slots& s) {
        kick_drift(s.queue, s.owned, dt, 0.3, s.masses().acceleration, s.types(), s.forces(), s.velocities(),
                   s.positions());
      },
      [&](Slots& s, std::size_t i, std::size_t a) {
        kicked(s, i, a);
        drifted(s, i, a);
      });
}

TEST(ChangingBox, KickDriftAndRescaleAreTheirFormulas) {
  const std::array<double, 3> factor{0.9, 1.1, 1.3}, weight{0.1, 0.2, 0.3}, shift{-1.0, 0.5, 2.0};
  expect_same_as_loop(
      [&](Slots& s) {
        kick_in_changing_box(s.queue, s.owned, factor, weight, s.masses().acceleration, s.types(), s.forces(),
                             s.velocities());
      },
      [&](Slots& s, std::size_t i, std::size_t a) {
        s.v[a][i] = factor[a] * s.v[a][i] +
                    weight[a] * force_unit * s.acceleration[type_of(s, i)] * static_cast<double>(s.force[a][i]);
      });
  expect_same_as_loop(
      [&](Slots& s) {
        drift_in_changing_box(s.queue, s.owned, {factor, shift}, weight, s.velocities(), s.positions());
      },
      [&](Slots& s, std::size_t i, std::size_t a) {
        s.x[a][i] = (factor[a] * s.x[a][i] + shift[a]) + weight[a] * s.v[a][i];
      });
  expect_same_as_loop(
      [&](Slots& s) {
        map_positions(s.queue, s.owned, {factor, shift}, s.positions());
      },
      [&](Slots& s, std::size_t i, std::size_t a) { s.x[a][i] = factor[a] * s.x[a][i] + shift[a]; });
  expect_same_as_loop(
      [&](Slots& s) {
        rescale_and_drift(s.queue, s.owned, 0.02, {factor, shift}, s.velocities(), s.positions());
      },
      [&](Slots& s, std::size_t i, std::size_t a) {
        const double middle = s.x[a][i] + 0.01 * s.v[a][i];
        s.v[a][i] *= 1.0 / factor[a];
        s.x[a][i] = (factor[a] * middle + shift[a]) + 0.01 * s.v[a][i];
      });
}

TEST(Velocities, AreDrawnByIdAndScaledShiftedAndFrozenByGroup) {
  const RandomStream stream(77, RandomPurpose::velocities);
  for (const std::uint32_t mask : {0U, 1U, 2U}) {
    const auto group = [&](Slots& s) { return mask == 0 ? s.all() : s.group(mask); };
    expect_same_as_loop(
        [&](Slots& s) {
          draw_velocities(s.queue, group(s), stream, 1.7, s.masses().inverse_root_mass, s.types(), s.ids(),
                          s.velocities());
        },
        [&](Slots& s, std::size_t i, std::size_t a) {
          if (s.in(group(s), static_cast<int>(i)) && s.id[i] >= 0) {
            s.v[a][i] =
                std::sqrt(1.7) * s.inverse_root_mass[type_of(s, i)] * four_normals(stream.words(s.id[i], 0)).z[a];
          }
        });
    expect_same_as_loop(
        [&](Slots& s) {
          scale_velocities(s.queue, group(s), {0.5, 0.7, -1.1}, s.velocities());
        },
        [&](Slots& s, std::size_t i, std::size_t a) {
          const double factor[] = {0.5, 0.7, -1.1};
          s.v[a][i] *= s.in(group(s), static_cast<int>(i)) ? factor[a] : 1.0;
        });
    expect_same_as_loop(
        [&](Slots& s) {
          shift_velocities(s.queue, group(s), {0.5, 0.7, -1.1}, s.ids(), s.velocities());
        },
        [&](Slots& s, std::size_t i, std::size_t a) {
          const double change[] = {0.5, 0.7, -1.1};
          s.v[a][i] += s.in(group(s), static_cast<int>(i)) && s.id[i] >= 0 ? change[a] : 0.0;
        });
    const std::array<bool, 3> components{true, mask != 1, mask != 2};
    expect_same_as_loop([&](Slots& s) { freeze(s.queue, group(s), components, s.velocities(), s.forces()); },
                        [&](Slots& s, std::size_t i, std::size_t a) {
                          if (s.in(group(s), static_cast<int>(i)) && components[a]) {
                            s.v[a][i] = 0.0;
                            s.force[a][i] = 0;
                          }
                        });
  }
}

TEST(Velocities, DrawnOnesFollowMaxwellAndTheirMomentumCanBeTakenAway) {
  Slots s(20000, true);
  const double thermal_energy = 0.6;
  draw_velocities(s.queue, s.all(), RandomStream(3, RandomPurpose::velocities), thermal_energy,
                  s.masses().inverse_root_mass, s.types(), s.ids(), s.velocities());
  const FixedSum twice = twice_kinetic_energy(s.queue, s.all(), s.masses().mass, s.types(), s.velocities());
  // chi squared of 60000 degrees of freedom: relative standard error sqrt(2/60000), five of them.
  EXPECT_NEAR(twice.value() / (60000.0 * thermal_energy), 1.0, 5.0 * std::sqrt(2.0 / 60000.0));
  auto sums = momentum_and_mass(s.queue, s.all(), 1.0, s.masses().mass, s.types(), s.ids(), s.velocities());
  const double mass = sums[3].value();
  shift_velocities(s.queue, s.all(), {-sums[0].value() / mass, -sums[1].value() / mass, -sums[2].value() / mass},
                   s.ids(), s.velocities());
  sums = momentum_and_mass(s.queue, s.all(), 1.0, s.masses().mass, s.types(), s.ids(), s.velocities());
  for (std::size_t a = 0; a < 3; ++a) {
    // Each of 20000 terms is rounded by up to 2^-37 before and after; velocities by 1e-16.
    EXPECT_NEAR(sums[a].value(), 0.0, 20000.0 * 0x1p-36);
  }
}

TEST(Kinetic, SumsAreThoseOfEachAtomRounded) {
  for (const std::uint32_t mask : {0U, 1U, 3U}) {
    Slots s(owned);
    const SlotGroup group = mask == 0 ? s.all() : s.group(mask);
    KineticTensor tensor;
    tensor.fill(FixedSum(kinetic_bits));
    FixedSum trace(kinetic_bits);
    std::array<FixedSum, 4> momentum;
    momentum.fill(FixedSum(momentum_bits));
    for (int i = 0; i < s.owned; ++i) {
      if (!s.in(group, i) || !s.atom(i)) {
        continue;
      }
      const auto n = static_cast<std::size_t>(i);
      const double m = s.mass[type_of(s, n)], v[] = {s.v[0][n], s.v[1][n], s.v[2][n]};
      const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      for (std::size_t c = 0; c < 6; ++c) {
        tensor[c].add_term(m * v[pairs[c][0]] * v[pairs[c][1]]);
      }
      trace.add_term(m * (v[0] * v[0] + (v[1] * v[1] + v[2] * v[2])));
      for (std::size_t a = 0; a < 3; ++a) {
        momentum[a].add_term(m / 2.0 * v[a]);
      }
      momentum[3].add_term(m / 4.0);
    }
    EXPECT_EQ(kinetic_tensor(s.queue, group, s.masses().mass, s.types(), s.velocities()), tensor);
    EXPECT_EQ(twice_kinetic_energy(s.queue, group, s.masses().mass, s.types(), s.velocities()), trace);
    EXPECT_EQ(momentum_and_mass(s.queue, group, 4.0, s.masses().mass, s.types(), s.ids(), s.velocities()), momentum);
  }
  Slots s(owned);
  s.v[1][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(twice_kinetic_energy(s.queue, s.all(), s.masses().mass, s.types(), s.velocities()).spoilt(), 1);
}

TEST(Positions, LargestDisplacementsAreAgainstTheMappedFormerPositions) {
  Slots s(owned);
  const AxisMap map{{1.02, 0.99, 1.01}, {0.1, -0.2, 0.3}};
  std::array<std::vector<double>, 3> reference = s.x;
  map_positions(s.queue, s.owned, map, s.positions());
  std::array<std::vector<double>, 3> later = s.x;
  const auto largest = [&] {
    return max_displacements_squared(s.queue, s.owned, s.ids(), s.positions(),
                                     {FormerPositions{Slots::view(reference), map}, {Slots::view(later), {}}});
  };
  EXPECT_EQ(largest(), (std::array{0.0, 0.0}));
  s.x[2][static_cast<std::size_t>(s.owned)] += 100.0;  // a ghost
  s.x[0][4] += 100.0;                                  // an empty slot
  EXPECT_EQ(largest(), (std::array{0.0, 0.0}));
  s.x[1][801] += 0.5;
  s.x[2][3] -= 0.25;
  later[1][801] += 0.375;
  EXPECT_NEAR(largest()[0], 0.25, 1e-13);  // differences of numbers of order 10
  EXPECT_NEAR(largest()[1], 0.0625, 1e-13);
  s.x[0][6] = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(largest(), (std::array{inf, inf}));
}

TEST(Positions, WallsMirrorAndCount) {
  const double inf = std::numeric_limits<double>::infinity();
  Slots s(16, true);
  for (auto& axis : s.x) {
    axis.assign(16, 0.5);
  }
  for (auto& axis : s.v) {
    axis.assign(16, 2.0);
  }
  s.x[0][1] = -0.125;
  s.x[0][2] = 1.25;
  s.x[1][3] = 7.0;  // no wall along y
  s.x[2][4] = 4.0;  // beyond the mirror image of the other wall
  s.x[2][5] = 1.0;  // on the wall: inside
  s.x[0][6] = -0.125;
  s.id[6] = empty_slot;
  const Reflections result =
      reflect_at_walls(s.queue, 16, {0.0, -inf, 0.0}, {1.0, inf, 1.0}, s.ids(), s.positions(), s.velocities());
  EXPECT_EQ(result.count.value(), 3.0);
  EXPECT_EQ(result.lost.value(), 1.0);
  EXPECT_EQ(s.x[0][1], 0.125);
  EXPECT_EQ(s.v[0][1], -2.0);
  EXPECT_EQ(s.v[1][1], 2.0);
  EXPECT_EQ(s.x[0][2], 0.75);
  EXPECT_EQ(s.v[0][2], -2.0);
  EXPECT_EQ(s.x[1][3], 7.0);
  EXPECT_EQ(s.x[2][5], 1.0);
  EXPECT_EQ(s.v[2][5], 2.0);
  EXPECT_EQ(s.x[0][6], -0.125);
}

TEST(Langevin, FusedStepIsItsPartsOneAfterTheOther) {
  const RandomStream stream(5, RandomPurpose::langevin);
  const LangevinNoise noise(0.8, 0.05, 1.3);
  for (const std::uint32_t mask : {0U, 2U}) {
    Slots a(owned), b(owned);
    const auto group = [&](const Slots& s) { return mask == 0 ? s.all() : s.group(mask); };
    FixedSum heat_a(kinetic_bits), heat_b(kinetic_bits);
    const FixedSum before = twice_kinetic_energy(a.queue, a.all(), a.masses().mass, a.types(), a.velocities());
    for (std::int64_t step = 40; step < 43; ++step) {
      langevin_kick_drift(a.queue, group(a), 0.05, noise, stream, step, a.masses(), a.types(), a.ids(), a.forces(),
                          a.velocities(), a.positions(), heat_a);
      kick_drift(b.queue, b.owned, 0.025, 0.025, b.masses().acceleration, b.types(), b.forces(), b.velocities(),
                 b.positions());
      langevin_noise(b.queue, group(b), noise, stream, step, b.masses(), b.types(), b.ids(), b.velocities(), heat_b);
      drift(b.queue, b.owned, 0.025, b.velocities(), b.positions());
    }
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.v, b.v);
    EXPECT_EQ(heat_a, heat_b);
    // Without forces the heat is all that the kinetic energy gains.
    Slots c(owned);
    FixedSum heat_c(kinetic_bits);
    langevin_noise(c.queue, group(c), noise, stream, 1, c.masses(), c.types(), c.ids(), c.velocities(), heat_c);
    const FixedSum after = twice_kinetic_energy(c.queue, c.all(), c.masses().mass, c.types(), c.velocities());
    // Every atom's three terms are rounded once each.
    EXPECT_NEAR(after.value() - before.value(), heat_c.value(), 3.0 * owned * 0x1p-37);
  }
}

TEST(Minimise, SumsHoldOverManyOrdersOfMagnitude) {
  for (const double scale : {1e-9, 1.0, 1e3}) {
    Slots s(owned);
    double expected[3] = {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.owned); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        s.force[a][i] = static_cast<std::int64_t>(scale * static_cast<double>(s.force[a][i]));
        s.v[a][i] *= scale * 1e-3;
        const double f = static_cast<double>(s.force[a][i]) * force_unit, v = s.v[a][i];
        expected[0] += f * v;
        expected[1] += v * v;
        expected[2] += f * f;
      }
    }
    const MinimiserSums sums = minimiser_sums(s.queue, s.owned, max_force_component(s.queue, s.owned, s.forces()),
                                              max_speed(s.queue, s.owned, s.velocities()), s.forces(), s.velocities());
    const auto values = sums.values();
    // 872 terms of at most 3 in units of 2^-46, beside sums of order 100 in those units.
    EXPECT_NEAR(values[0], expected[0], 1e-11 * std::sqrt(expected[1] * expected[2]));
    EXPECT_NEAR(values[1], expected[1], 1e-11 * expected[1]);
    EXPECT_NEAR(values[2], expected[2], 1e-11 * expected[2]);
  }
}

TEST(Minimise, SteerAndStepBackAreTheirFormulas) {
  expect_same_as_loop(
      [&](Slots& s) {
        steer(s.queue, s.owned, 0.1, 0.75, 0.2, s.masses().acceleration, s.types(), s.forces(), s.velocities());
      },
      [&](Slots& s, std::size_t i, std::size_t a) {
        const double f = static_cast<double>(s.force[a][i]);
        s.v[a][i] = 0.75 * (s.v[a][i] + 0.1 * force_unit * s.acceleration[type_of(s, i)] * f) + 0.2 * force_unit * f;
      });
  expect_same_as_loop([&](Slots& s) { step_back(s.queue, s.owned, 0.3, s.velocities(), s.positions()); },
                      [&](Slots& s, std::size_t i, std::size_t a) {
                        s.x[a][i] -= 0.15 * s.v[a][i];
                        s.v[a][i] = 0.0;
                      });
}

}  // namespace
}  // namespace halyard::md
