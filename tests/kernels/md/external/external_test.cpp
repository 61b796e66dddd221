// Forces from outside: each against its potential, in any group, and never on what is not an atom of it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "kernels/md/external/constant_force.hpp"
#include "kernels/md/external/group_sums.hpp"
#include "kernels/md/external/spring.hpp"
#include "kernels/md/external/wall_lj93.hpp"
#include "tests/kernels/md/ensemble/slots.hpp"

namespace halyard::md {
namespace {

using test::Slots;

/// Images beside slots, and a tilted box.
struct Images {
  std::array<std::vector<std::int32_t>, 3> image;
  SimulationBox box{.origin = {-4, -4, -4}, .length = {8, 9, 10}, .xy = 1.5, .xz = -0.5, .yz = 2.0};

  explicit Images(const Slots& s) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (int n = 0; n < s.count(); ++n) {
        image[a].push_back((n * 7 + static_cast<int>(a) * 5) % 3 - 1);
      }
    }
  }
  Unwrapped unwrapped(Slots& s) { return {box, s.positions(), Slots::view(image)}; }
  std::array<double, 3> at(Slots& s, std::size_t i) const {
    const std::array<double, 3> shift = box.lattice_vector({image[0][i], image[1][i], image[2][i]});
    return {s.x[0][i] + shift[0], s.x[1][i] + shift[1], s.x[2][i] + shift[2]};
  }
};

TEST(WallLj93, TheForceIsMinusTheSlopeAndTheEnergyEndsAtTheCutoff) {
  const double epsilon = 1.3, sigma = 0.9, cutoff = 2.7;
  const WallLj93 wall(epsilon, sigma, cutoff);
  EXPECT_EQ(wall(cutoff).energy, 0.0);
  const auto plain = [&](double d) { return epsilon * (2.0 / 15.0 * std::pow(sigma / d, 9) - std::pow(sigma / d, 3)); };
  for (const double d : {0.6, 0.75, 0.858 * sigma, 1.0, 1.7, 2.6}) {
    EXPECT_NEAR(wall(d).energy, plain(d) - plain(cutoff), 1e-13 * std::max(1.0, std::fabs(plain(d))));
    const double h = 1e-4;  // central difference of fourth order: h^4 of the fifth derivative, and rounding over h
    const double slope =
        (8.0 * (wall(d + h).energy - wall(d - h).energy) - wall(d + 2 * h).energy + wall(d - 2 * h).energy) /
        (12.0 * h);
    EXPECT_NEAR(wall(d).force, -slope, 1e-9 * std::max(1.0, std::fabs(slope))) << d;
  }
  // The minimum, where 9 * 2/15 (sigma/d)^9 = 3 (sigma/d)^3.
  EXPECT_NEAR(wall(std::pow(0.4, 1.0 / 6.0) * sigma).force, 0.0, 1e-14);
}

TEST(WallLj93, ActsOnTheAtomsOfItsGroupWithinItsReach) {
  for (const std::uint32_t mask : {0U, 2U}) {
    for (const double inward : {1.0, -1.0}) {
      Slots s(1000);
      const SlotGroup group = mask == 0 ? s.all() : s.group(mask);
      const WallLj93 wall(1.0, 1.0, 2.5);
      // All atoms are within 20 of the middle: from just off the wall to far beyond its reach.
      const double at = inward * -12.5;
      const auto before = s.force;
      for (std::size_t i = 0; i < s.x[1].size(); i += 3) {
        s.x[1][i] = s.id[i] < 0 ? s.x[1][i] : at + inward * (0.75 + 0.01 * static_cast<double>(i % 300));
      }
      FixedSum energy(34), force(34);
      std::vector<std::int64_t> wanted = s.force[1];
      int touched = 0;
      for (int n = 0; n < s.owned; ++n) {
        const auto i = static_cast<std::size_t>(n);
        const double d = inward * (s.x[1][i] - at);
        if (s.in(group, n) && s.atom(n) && d < wall.cutoff) {
          const double f = inward * wall(d).force;
          energy.add_term(wall(d).energy);
          force.add_term(-f);
          wanted[i] += std::llrint(f / force_unit);
          ++touched;
        }
      }
      EXPECT_GT(touched, 50);
      const WallSums sums =
          add_wall_force(s.queue, group, wall, {1, at, inward}, s.ids(), {s.x[1].data()}, {s.force[1].data()});
      EXPECT_EQ(sums.energy, energy);
      EXPECT_EQ(sums.force, force);
      EXPECT_EQ(sums.beyond.units(), 0);
      EXPECT_EQ(s.force[1], wanted);
      EXPECT_EQ(s.force[0], before[0]);
    }
  }
}

TEST(WallLj93, CountsWhatIsBehindItOrTooCloseAndLeavesItAlone) {
  Slots s(16, true);
  s.x[0].assign(16, 5.0);
  s.x[0][2] = 0.0;   // on it
  s.x[0][5] = -3.0;  // behind
  s.x[0][7] = 1e-3;  // a force beyond what fits
  s.x[0][9] = std::nan("");
  s.x[0][11] = -1.0;
  s.id[11] = empty_slot;
  const std::vector<std::int64_t> before = s.force[0];
  const WallSums sums = add_wall_force(s.queue, s.all(), WallLj93(1.0, 1.0, 2.5), {0, 0.0, 1.0}, s.ids(),
                                       {s.x[0].data()}, {s.force[0].data()});
  EXPECT_EQ(sums.beyond.value(), 4.0);
  EXPECT_EQ(sums.energy.value(), 0.0);
  EXPECT_EQ(s.force[0], before);
}

TEST(Spring, IsHarmonicAboutItsPlaceInTheStretchedBox) {
  for (const std::uint32_t mask : {0U, 1U}) {
    Slots s(400);
    Images images(s);
    std::array<std::vector<double>, 3> anchor = s.v;
    const SlotGroup group = mask == 0 ? s.all() : s.group(mask);
    const AxisMap map{{1.1, 0.9, 1.0}, {0.1, 0.2, -0.3}};
    const std::array<bool, 3> components{true, mask == 0, true};
    auto wanted = s.force;
    FixedSum energy(34);
    std::array<double, 6> virial{};
    constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    const double k = 2.5;
    for (int n = 0; n < s.owned; ++n) {
      const auto i = static_cast<std::size_t>(n);
      if (!s.in(group, n) || !s.atom(n)) {
        continue;
      }
      const std::array<double, 3> at = images.at(s, i);
      double d[3], f[3], u = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        d[a] = at[a] - (map.factor[a] * anchor[a][i] + map.shift[a]);
        f[a] = components[a] ? -k * d[a] : 0.0;
        wanted[a][i] += std::llrint(f[a] / force_unit);
        u -= 0.5 * f[a] * d[a];
      }
      energy.add_term(u);
      for (std::size_t c = 0; c < 6; ++c) {
        virial[c] += d[first[c]] * f[second[c]];
      }
    }
    const SpringSums sums = add_spring_force(s.queue, group, k, components, map, s.ids(), images.unwrapped(s),
                                             Slots::view(anchor), s.forces());
    // The order of the sum for tilted images: an ulp of 20 each way, times k in units of 2^-38.
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < wanted[a].size(); ++i) {
        EXPECT_NEAR(static_cast<double>(s.force[a][i]), static_cast<double>(wanted[a][i]), 1.0);
      }
    }
    EXPECT_EQ(sums.energy.spoilt(), 0);
    EXPECT_NEAR(sums.energy.value(), energy.value(), 400 * energy_unit);
    for (std::size_t c = 0; c < 6; ++c) {
      EXPECT_NEAR(sums.virial[c].value(), virial[c], 400 * energy_unit) << c;
    }
  }
  Slots s(16, true);
  Images images(s);
  std::array<std::vector<double>, 3> anchor = s.x;
  s.x[0][3] += 1e4;
  const auto before = s.force;
  const SpringSums sums = add_spring_force(s.queue, s.all(), 1.0, {true, true, true}, {}, s.ids(), images.unwrapped(s),
                                           Slots::view(anchor), s.forces());
  EXPECT_EQ(sums.energy.spoilt(), 1);  // 1e4 is beyond the largest force, 8192
  EXPECT_EQ(s.force[0][3], before[0][3]);
}

TEST(ConstantForce, AddsToEveryAtomOfItsGroupAndHasItsWorkAsEnergy) {
  for (const std::uint32_t mask : {0U, 3U}) {
    Slots s(400);
    Images images(s);
    const SlotGroup group = mask == 0 ? s.all() : s.group(mask);
    const std::array<double, 3> f{0.25, -1.5, 0.1};
    auto wanted = s.force;
    double energy = 0.0;
    for (int n = 0; n < s.owned; ++n) {
      const auto i = static_cast<std::size_t>(n);
      for (std::size_t a = 0; a < 3 && s.in(group, n) && s.atom(n); ++a) {
        wanted[a][i] += std::llrint(f[a] / force_unit);
        energy -= f[a] * images.at(s, i)[a];
      }
    }
    const FixedSum sum = add_constant_force(s.queue, group, f, s.ids(), images.unwrapped(s), s.forces());
    EXPECT_EQ(s.force, wanted);
    EXPECT_NEAR(sum.value(), energy, 400 * energy_unit);
  }
}

TEST(GroupSums, AreTheCentreOfMassAndTheTotalForce) {
  for (const std::uint32_t mask : {0U, 2U}) {
    Slots s(400);
    Images images(s);
    const SlotGroup group = mask == 0 ? s.all() : s.group(mask);
    std::array<double, 4> centre{};
    std::array<double, 3> force{};
    for (int n = 0; n < s.owned; ++n) {
      const auto i = static_cast<std::size_t>(n);
      if (!s.in(group, n) || !s.atom(n)) {
        continue;
      }
      const double m = s.mass[static_cast<std::size_t>(s.type[i])] / 2.5;
      for (std::size_t a = 0; a < 3; ++a) {
        centre[a] += m * images.at(s, i)[a];
        force[a] += force_unit * static_cast<double>(s.force[a][i]);
      }
      centre[3] += m;
    }
    const auto sums =
        weighted_positions(s.queue, group, 1.0 / 2.5, s.masses().mass, s.types(), s.ids(), images.unwrapped(s));
    const auto total = total_force(s.queue, group, s.forces());
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(sums[c].value(), centre[c], 400 * 0x1p-31);
    }
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(total[a].value(), force[a], 400 * 0x1p-35);
    }
  }
}

TEST(ReflectingWalls, AnIdealGasPressesWithNKTOverV) {
  // Free atoms between mirrors along z: the impulse on a wall per area and time is N kT / V, whatever dt is. Each atom
  // hits a wall about |v| time / (2 L) times with impulses 2 |v|: over a long time its share is v^2 / L, whose mean
  // over N atoms has the relative error sqrt(2 / N); four of them, with 1/200 for the hits that time cuts off.
  const int n = 4000;
  Slots s(n, true);
  s.set_masses({1.0, 1.0});
  const double length = 10.0, dt = 0.4, time = 800.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    s.x[2][i] = (static_cast<double>(i) + 0.5) / n * length;
  }
  const std::vector<double> v = s.v[2];
  double impulse = 0.0, thermal = 0.0;
  for (const double speed : v) {
    thermal += speed * speed / n;  // near kT = 1, of which the test above is
  }
  for (int step = 0; step < static_cast<int>(time / dt); ++step) {
    drift(s.queue, n, dt, s.velocities(), s.positions());
    const std::vector<double> before = s.v[2];
    reflect_at_walls(s.queue, n, {-HUGE_VAL, -HUGE_VAL, 0.0}, {HUGE_VAL, HUGE_VAL, length}, s.ids(), s.positions(),
                     s.velocities());
    for (std::size_t i = 0; i < before.size(); ++i) {
      impulse += std::fabs(s.v[2][i] - before[i]);
    }
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    ASSERT_EQ(std::fabs(s.v[2][i]), std::fabs(v[i]));  // mirrors keep the energy to the last bit
  }
  // Two walls of area A: impulse / (2 A time) = n kT / (A length).
  const double pressure_share = impulse / (2.0 * time) * length / n;
  EXPECT_NEAR(pressure_share, thermal, 0.005 * thermal);
  EXPECT_NEAR(pressure_share, 1.0, 4.0 * std::sqrt(2.0 / n) + 0.005);
}

}  // namespace
}  // namespace halyard::md
