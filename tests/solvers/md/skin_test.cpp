// The skin that is chosen where the case gives none.
#include "solvers/md/skin.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace halyard::md {
namespace {

/// Lennard-Jones atoms at the density of LAMMPS' bench in a cube of this edge.
System atoms_in(double edge) {
  System system;
  system.box.length = {edge, edge, edge};
  system.count = static_cast<std::int64_t>(0.8442 * edge * edge * edge);
  system.masses = {1.0};
  system.atoms_of_type = {system.count};
  return system;
}

MdCase at(double temperature, double dt) {
  MdCase settings;
  settings.velocity.temperature = temperature;
  settings.stages.resize(1);
  settings.stages[0].dt = dt;
  return settings;
}

constexpr ListCosts costs{.pruning = 0.5, .search = 2.5, .renewal = 10.0};

Skins skins(const MdCase& settings, const System& system) { return choose_skins(settings, system, 2.5, costs); }

TEST(Skins, AreWiderWhereAtomsAreFaster) {
  const Skins cold = skins(at(0.7, 0.005), atoms_in(60)), hot = skins(at(2.8, 0.005), atoms_in(60));
  EXPECT_GT(hot.list, 1.1 * cold.list);
  EXPECT_GT(hot.near, 1.2 * cold.near);
  // What counts is the way in a step: twice the speed is as good as twice the step.
  EXPECT_EQ(skins(at(0.7, 0.01), atoms_in(60)).list, hot.list);
  // The measured best of the melt of LAMMPS' bench lies at 1 to 1.6, pruned to some 0.3, flat to both sides.
  const Skins melt = skins(at(1.44, 0.005), atoms_in(33.6));
  EXPECT_GT(melt.list, 0.9);
  EXPECT_LT(melt.list, 1.6);
  EXPECT_GT(melt.near, 0.2);
  EXPECT_LT(melt.near, 0.4);
}

TEST(Skins, CostLeastOfAllThatTheyMayBe) {
  const double sphere = 2.0 / 3.0 * 3.14159265358979 * 0.8442 / 8.0, half_edge = 0.49 * std::cbrt(8.0 / 0.8442);
  const auto clusters = [&](double skin) { return sphere * std::pow(2.5 + skin + half_edge, 3.0); };
  const auto cost = [&](double list, double near) {  // atoms go 0.04 a step
    return clusters(near) + 0.5 * clusters(list) * 0.08 / near + (10.0 + 2.5 * clusters(list)) * 0.08 / list;
  };
  const Skins best = skins(at(1.0, 0.01), atoms_in(100));
  for (const double change : {0.93, 1.07}) {  // more than the hundredth of the range in which both are tried
    EXPECT_LT(cost(best.list, best.near), cost(change * best.list, best.near)) << change;
    EXPECT_LT(cost(best.list, best.near), cost(best.list, change * best.near)) << change;
  }
}

TEST(Skins, StayNarrowInSmallBoxesAndWithoutMotion) {
  EXPECT_DOUBLE_EQ(skins(at(1.44, 0.005), atoms_in(10)).list, 0.3);
  EXPECT_DOUBLE_EQ(skins(at(0.0, 0.005), atoms_in(40)).list, 0.3);
  System none = atoms_in(40);
  none.count = 0;
  EXPECT_DOUBLE_EQ(skins(at(1.44, 0.005), none).list, 0.3);
  // Eight reaches in the box at most: 8 * (2.5 + 0.4) = 23.2.
  EXPECT_LE(skins(at(20.0, 0.02), atoms_in(23.2)).list, 0.4 + 1e-12);
  EXPECT_GT(skins(at(20.0, 0.02), atoms_in(23.2)).list, 0.39);
}

TEST(Skins, AGivenListSkinStandsAndPruningIsLeftOutWhereItDoesNotPay) {
  MdCase given = at(1.44, 0.005);
  given.skin = 0.8;
  EXPECT_EQ(skins(given, atoms_in(10)).list, 0.8);
  EXPECT_LT(skins(given, atoms_in(10)).near, 0.5);
  given.skin = 0.05;  // renewed every other step
  EXPECT_EQ(skins(given, atoms_in(10)).near, 0.05);
}

}  // namespace
}  // namespace halyard::md
