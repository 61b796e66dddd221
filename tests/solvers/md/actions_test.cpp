// Walls, groups, and what acts on them: what each must do to the last bit or within what is known of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>

#include "kernels/md/external/wall_lj93.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"

namespace halyard::md {
namespace {

std::string stage(std::int64_t steps, double dt, const std::string& more = "") {
  return fmt::format("[[stage]]\nsteps = {}\ndt = {}\n{}\n", steps, dt, more);
}

/// 256 atoms of a Lennard-Jones fluid whose potential and force end smoothly; the first 64 are "first", the others
/// "rest".
std::string fluid(const std::string& more, double epsilon = 1.0) {
  return fmt::format(
      "units = \"lj\"\n[system]\ncells = [4, 4, 4]\ndensity = 0.7\n[velocity]\ntemperature = 1.1\n[pair]\n"
      "potential = \"lj-force-shifted\"\ncutoff = 2.0\n[[pair.coefficients]]\nepsilon = {}\nsigma = 1.0\n"
      "[[group]]\nname = \"first\"\nids = [[1, 64]]\ncolumns = [\"temperature\", \"kinetic_energy\", "
      "\"centre_of_mass\", \"momentum\", \"force\"]\n"
      "[[group]]\nname = \"rest\"\nwithout = [\"first\"]\ncolumns = [\"temperature\", \"momentum\", \"force\"]\n{}",
      epsilon, more);
}

class MdActions : public ScratchFolder {
 protected:
  /// Atoms that do not feel each other, of mass 2, in a box of 8, open along z.
  std::string free_atoms(const std::string& atoms, const std::string& velocities, int count) {
    const std::filesystem::path path = folder() / "start.data";
    if (rank() == 0) {
      std::ofstream(path) << "start\n\n"
                          << count
                          << " atoms\n1 atom types\n0 8 xlo xhi\n0 8 ylo yhi\n0 8 zlo zhi\n\nMasses\n\n1 2.0\n\n"
                          << "Atoms # atomic\n\n"
                          << atoms << "\nVelocities\n\n"
                          << velocities << "\n";
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return fmt::format(
        "units = \"lj\"\n[system]\nsource = \"data\"\ndata = '{}'\nperiodic = [true, true, false]\n[pair]\n"
        "potential = \"lj\"\ncutoff = 1.0\n[[pair.coefficients]]\nepsilon = 0.0\nsigma = 1.0\n"
        "[neighbour]\nskin = 0.5\n",
        path.string());
  }
};

TEST_F(MdActions, DrawnVelocitiesHaveNoMomentumInAnyUnits) {
  // Masses times mvv2e of 1, 0.0041 (helium in eV ps2/A2) and some 3e5 (xenon in kcal/mol fs2/A2).
  struct Units {
    const char *name, *length;
    double mvv2e, light, heavy, temperature;
  };
  for (const Units& units :
       {Units{"lj", "1.6", 1.0, 1.0, 2.5, 1.0}, Units{"metal", "5.4", 1.036427e-4, 4.0026, 39.948, 300.0},
        Units{"real", "6.0", 2390.057, 39.948, 131.293, 300.0}}) {
    SCOPED_TRACE(units.name);
    MdRun run(fmt::format("units = \"{}\"\n[[type]]\nname = \"A\"\nmass = {}\n[[type]]\nname = \"B\"\nmass = {}\n"
                          "[system]\nlattice = \"fcc\"\ncells = [6, 6, 6]\nlattice_constant = {}\ncomposition = [0.5, "
                          "0.5]\n[velocity]\ntemperature = {}\n[pair]\npotential = \"lj\"\ncutoff = 3.0\n"
                          "mixing = \"arithmetic\"\n[[pair.coefficients]]\ntypes = [1, 1]\nepsilon = 0.0\nsigma = 1.0\n"
                          "[[pair.coefficients]]\ntypes = [2, 2]\nepsilon = 0.0\nsigma = 1.0\n"
                          "[[group]]\nname = \"light\"\ntypes = [1]\ncolumns = [\"momentum\"]\n"
                          "[[group]]\nname = \"heavy\"\ntypes = [2]\ncolumns = [\"momentum\"]\n",
                          units.name, units.light, units.heavy, units.length, units.temperature) +
              stage(1, 1e-6));
    for (const char axis : {'x', 'y', 'z'}) {
      const double light = run.column(fmt::format("light_momentum_{}", axis));
      const double heavy = run.column(fmt::format("heavy_momentum_{}", axis));
      EXPECT_GT(std::fabs(light), 0.0);
      // Each of 864 terms m v mvv2e is rounded to 2^-36. The total mass is right to 2^-37 over the lighter share of the
      // unit, 4e-11: by so much of what was drawn it is off. A group's momentum is of that order, or less by chance.
      EXPECT_NEAR(light + heavy, 0.0, 864.0 * 0x1p-36 / units.mvv2e + 1e-9 * std::fabs(light));
    }
  }
}

TEST_F(MdActions, AConstantForceMovesAnAtomByHalfATSquared) {
  // a = F / m = (0.25, -0.5, 0): all numbers are short in binary, so that Verlet makes no error at all.
  MdRun run(free_atoms("1 1 4 4 4\n2 1 1 1 1\n", "1 0 0 0\n2 0 0 0\n", 2) + stage(64, 0.125) +
            "[[group]]\nname = \"one\"\nids = [[1, 1]]\ncolumns = [\"centre_of_mass\"]\n"
            "[[force]]\ngroup = \"one\"\nvalue = [0.5, -1.0, 0.0]\n");
  const double start = run.column("conserved_energy");
  run.steps(64);
  const double t = 8.0;
  EXPECT_EQ(run.column("one_centre_of_mass_x"), 4.0 + 0.5 * 0.25 * t * t);
  EXPECT_EQ(run.column("one_centre_of_mass_y"), 4.0 - 0.5 * 0.5 * t * t);
  EXPECT_EQ(run.column("kinetic_energy"), 0.5 * 2.0 * (0.0625 + 0.25) * t * t);
  EXPECT_EQ(run.column("force_energy"), -(0.5 * 12.0 - 1.0 * (4.0 - 16.0)));
  EXPECT_EQ(run.column("conserved_energy"), start);
  const std::vector<double> v = run.values("velocity");
  EXPECT_EQ(v, (std::vector<double>{2.0, -4.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST_F(MdActions, ASpringSwingsWithItsFrequencyAcrossAPeriodicSide) {
  // x'' = -w^2 x by velocity Verlet is v/w' sin(w' n dt) with sin(w' dt / 2) = w dt / 2 and, in front, w' -> w
  // sqrt(1 - (w dt / 2)^2). The atom starts next to a side and swings over it.
  const double k = 8.0, m = 2.0, dt = 0.0625, v = 3.0, w = std::sqrt(k / m);
  MdRun run(free_atoms("1 1 7.5 4 4\n", "1 3 0 0\n", 1) + stage(1000, dt) +
            "[[group]]\nname = \"all\"\ncolumns = [\"centre_of_mass\"]\n[[spring]]\ngroup = \"all\"\nk = 8.0\n");
  const double phase = 2.0 * std::asin(0.5 * w * dt), amplitude = v / (w * std::sqrt(1.0 - 0.25 * w * w * dt * dt));
  for (int n = 1; n <= 400; ++n) {
    run.steps(1);
    // Forces are rounded to 2^-38; 400 of them, each carried on for up to 25 in time.
    ASSERT_NEAR(run.column("all_centre_of_mass_x"), 7.5 + amplitude * std::sin(phase * n), 1e-7) << n;
  }
  EXPECT_GT(amplitude, 1.0);  // across the side at 8, and back
  EXPECT_NEAR(run.column("temperature"), 2.0 * run.column("kinetic_energy") / 3.0, 1e-15);  // no momentum is conserved
}

TEST_F(MdActions, ReflectingWallsKeepTheEnergyToTheLastBit) {
  MdRun run(free_atoms("1 1 4 4 0\n2 1 1 1 7.9\n3 1 2 2 8\n", "1 0 0.3 1.1\n2 0 0 2.7\n3 0.1 0 -0.123\n", 3) +
            stage(1000, 0.07) + "[[wall]]\nside = \"z-low\"\nkind = \"reflecting\"\n" +
            "[[wall]]\nside = \"z-high\"\nkind = \"reflecting\"\n");
  const double start = run.column("total_energy");
  run.steps(1000);
  EXPECT_EQ(run.column("total_energy"), start);
  const std::vector<double> x = run.values("position"), v = run.values("velocity");
  const std::array<double, 3> z0{0, 7.9, 8}, vz{1.1, 2.7, -0.123};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::fabs(v[3 * i + 2]), std::fabs(vz[i]));
    // Folded into the box: the path z0 + v t on a circle of twice its length. 1000 roundings of 8.
    const double path = std::fmod(z0[i] + vz[i] * 70.0 + 1600.0, 16.0), folded = path > 8.0 ? 16.0 - path : path;
    EXPECT_NEAR(x[3 * i + 2], folded, 1e-12);
  }
}

TEST_F(MdActions, AnAtomBetweenLennardJonesWallsKeepsItsEnergyAsDtSquared) {
  const auto worst = [&](double dt, int every) {
    MdRun run(free_atoms("1 1 4 4 4\n", "1 0 0 1.5\n", 1) + stage(100'000, dt) +
              "[[wall]]\nside = \"z-low\"\nkind = \"lj93\"\nepsilon = 1.5\nsigma = 1.0\ncutoff = 8.0\n" +
              "[[wall]]\nside = \"z-high\"\nkind = \"lj93\"\nepsilon = 0.5\nsigma = 1.2\ncutoff = 7.9\n");
    // Both are felt everywhere: at a cutoff the force jumps, which an order is not measured over.
    const double start = run.column("conserved_energy");
    EXPECT_NE(run.column("wall_energy"), 0.0);
    double most = 0.0;
    for (int n = 0; n < 200; ++n) {
      run.steps(every);
      most = std::max(most, std::fabs(run.column("conserved_energy") - start));
    }
    return most;
  };
  const double coarse = worst(0.01, 4), fine = worst(0.005, 8);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);  // second order, but for dt^4
  EXPECT_LT(fine, 0.01);
}

TEST_F(MdActions, AnIdealGasPressesOnALennardJonesWall) {
  // Langevin atoms above a wall: the mean force on each of the walls is N kT over the length between them, which the
  // repulsion takes something off: N kT / integral of exp(-U / kT). 64 atoms, sampled for 1500 in time; see the error.
  std::string atoms, velocities;
  for (int i = 0; i < 64; ++i) {
    atoms += fmt::format("{} 1 {} {} {}\n", i + 1, 0.5 + i % 8, 0.5 + i / 8, 2.0 + 0.06 * i);
    velocities += fmt::format("{} {} {} {}\n", i + 1, 0.1, -0.3, 0.7 - 0.02 * i);
  }
  const double T = 1.5;
  MdRun run(free_atoms(atoms, velocities, 64) +
            stage(1'000'000, 0.02,
                  "ensemble = \"nvt\"\nthermostat = \"langevin\"\ntemperature = 1.5\ntemperature_time = 1.0\n") +
            "[[wall]]\nside = \"z-low\"\nkind = \"lj93\"\nepsilon = 0.5\nsigma = 1.0\ncutoff = 2.5\n" +
            "[[wall]]\nside = \"z-high\"\nkind = \"lj93\"\nepsilon = 0.5\nsigma = 1.0\ncutoff = 2.5\n");
  const WallLj93 wall(0.5, 1.0, 2.5);
  double length = 0.0;
  for (int n = 0; n < 80'000; ++n) {
    const double z = (n + 0.5) * 1e-4, near = std::min(z, 8.0 - z);
    length += 1e-4 * (near < 2.5 ? std::exp(-wall(near).energy / T) : 1.0);
  }
  run.steps(500);
  double sum = 0.0, square = 0.0;
  const int blocks = 50, samples = 60;
  for (int b = 0; b < blocks; ++b) {
    double block = 0.0;
    for (int n = 0; n < samples; ++n) {
      run.steps(10);
      block += 0.5 * (run.column("wall_z-high_force") - run.column("wall_z-low_force")) / samples;
    }
    sum += block / blocks;
    square += block * block / blocks;
  }
  // A block is 12 in time, far longer than velocities remember (1): blocks are independent.
  const double error = std::sqrt((square - sum * sum) / (blocks - 1));
  EXPECT_NEAR(sum, 64 * T / length, 4.0 * error);
  EXPECT_LT(error, 0.03 * 64 * T / length);
}

TEST_F(MdActions, FrozenAtomsStayToTheLastBitAndHaveNoPartInTheTemperature) {
  for (const std::string& ensemble :
       {std::string(),
        std::string("ensemble = \"nvt\"\nthermostat = \"langevin\"\ntemperature = 1.1\ntemperature_time = 0.1\n"),
        std::string("ensemble = \"nvt\"\nthermostat = \"nose_hoover\"\ntemperature = 1.1\ntemperature_time = 0.1\n"),
        std::string("ensemble = \"nvt\"\ntemperature = 1.1\ntemperature_time = 0.1\n")}) {
    MdRun run(fluid("[[freeze]]\ngroup = \"first\"\n" + stage(100, 0.004, ensemble)));
    // 192 atoms; what frozen ones give and take leaves no momentum of the others.
    EXPECT_NEAR(run.column("temperature"), 1.1, 1e-12) << ensemble;
    EXPECT_NEAR(run.column("kinetic_energy"), 0.5 * 3 * 192 * 1.1, 1e-9);
    EXPECT_NEAR(run.column("rest_momentum_x"), 0.0, 1e-9);
    const std::vector<double> before = run.values("position");
    run.steps(100);
    const std::vector<double> after = run.values("position"), v = run.values("velocity");
    for (std::size_t i = 0; i < 3 * 64; ++i) {
      ASSERT_EQ(before[i], after[i]) << ensemble;
      ASSERT_EQ(v[i], 0.0);
    }
    EXPECT_NE(before[3 * 64], after[3 * 64]);
    EXPECT_EQ(run.column("first_temperature"), 0.0);
    EXPECT_EQ(run.column("first_kinetic_energy"), 0.0);
    // Rounding of 192 kinetic energies, to 2^-36, once by components.
    EXPECT_NEAR(run.column("temperature"), run.column("rest_temperature"), 1e-11);
    // Newton's third law, each atom's force rounded to 2^-34: what the frozen ones feel is told too.
    EXPECT_NEAR(run.column("first_force_x"), -run.column("rest_force_x"), 256 * 0x1p-35);
    EXPECT_NE(run.column("first_force_x"), 0.0);
  }
}

TEST_F(MdActions, FrozenComponentsLeaveAtomsInTheirPlanes) {
  for (const std::string& ensemble :
       {std::string(),
        std::string("ensemble = \"nvt\"\nthermostat = \"langevin\"\ntemperature = 1.1\ntemperature_time = 0.1\n")}) {
    MdRun run(
        fluid("[[freeze]]\ngroup = \"first\"\ncomponents = [false, false, true]\n" + stage(200, 0.002, ensemble)));
    const double start = run.column("conserved_energy");
    const std::vector<double> before = run.values("position");
    run.steps(200);
    const std::vector<double> after = run.values("position");
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_NE(before[3 * i], after[3 * i]);
      ASSERT_EQ(before[3 * i + 2], after[3 * i + 2]);
    }
    // As in the tests of ensembles: the error of dt for 256 atoms; noise on frozen components is not counted as heat.
    EXPECT_NEAR(run.column("conserved_energy"), start, 0.2) << ensemble;
  }
}

/// Of the groups "first" and "rest", over 200 samples 20 steps apart.
std::array<double, 2> mean_temperatures(MdRun& run) {
  std::array<double, 2> mean{};
  for (int n = 0; n < 200; ++n) {
    run.steps(20);
    mean[0] += run.column("first_temperature") / 200;
    mean[1] += run.column("rest_temperature") / 200;
  }
  return mean;
}

TEST_F(MdActions, TwoThermostatsHoldTwoGroupsAtTwoTemperatures) {
  // Atoms that do not feel each other, so that no heat flows between the groups. K of n degrees of freedom has the mean
  // n kT / 2 and the relative deviation sqrt(2 / n); 200 samples 0.2 apart, twice the time constant.
  for (const std::string kind : {"langevin", "velocity_rescaling", "nose_hoover"}) {
    MdRun run(fluid(fmt::format("[[thermostat]]\ngroup = \"first\"\nkind = \"{0}\"\ntemperature = 0.5\n"
                                "temperature_time = 0.1\n[[thermostat]]\ngroup = \"rest\"\nkind = \"{0}\"\n"
                                "temperature = 2.0\ntemperature_time = 0.1\n",
                                kind) +
                        stage(100'000, 0.01),
                    0.0));
    run.steps(100);
    const double start = run.column("conserved_energy");
    const auto [cold, hot] = mean_temperatures(run);
    EXPECT_NEAR(cold, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / (3 * 64) / 100)) << kind;
    EXPECT_NEAR(hot, 2.0, 4.0 * 2.0 * std::sqrt(2.0 / (3 * 192) / 100)) << kind;
    // Free atoms change their energy by heat alone: kinetic terms are rounded to 2^-36, 256 a step.
    // Of a chain the splitting of its own equations has an error too, which the test of what is conserved bounds.
    if (kind != "nose_hoover") {
      EXPECT_NEAR(run.column("conserved_energy"), start, 4000 * 256 * 0x1p-37) << kind;
    }
  }
}

TEST_F(MdActions, TheStagesThermostatHoldsTheOthers) {
  for (const std::string thermostat : {"langevin", "velocity_rescaling", "nose_hoover"}) {
    MdRun run(fluid("[[thermostat]]\ngroup = \"first\"\ntemperature = 0.5\ntemperature_time = 0.1\n" +
                        stage(100'000, 0.01,
                              "ensemble = \"nvt\"\ntemperature = 2.0\ntemperature_time = 0.1\nthermostat = \"" +
                                  thermostat + "\"\n"),
                    0.0));
    run.steps(200);
    const auto [cold, hot] = mean_temperatures(run);
    EXPECT_NEAR(cold, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / (3 * 64) / 100)) << thermostat;
    EXPECT_NEAR(hot, 2.0, 4.0 * 2.0 * std::sqrt(2.0 / (3 * 192) / 100)) << thermostat;
  }
}

TEST_F(MdActions, ARampOfAGroupEndsWhereItSays) {
  for (const std::string kind : {"langevin", "velocity_rescaling"}) {
    MdRun run(fluid("[[thermostat]]\ngroup = \"rest\"\nkind = \"" + kind +
                        "\"\ntemperature = 1.0\ntemperature_end = 3.0\ntemperature_time = 0.05\n" + stage(1000, 0.01),
                    0.0));
    run.steps(950);
    double last = 0.0;
    for (int n = 0; n < 50; ++n) {
      run.steps(1);
      last += run.column("rest_temperature") / 50;
    }
    // 2.95 is asked for in the mean. 576 degrees of freedom: 6 %, of some ten independent values in 0.5; four errors.
    EXPECT_NEAR(last, 2.95, 4.0 * 2.95 * std::sqrt(2.0 / 576 / 10)) << kind;
  }
}

TEST_F(MdActions, FrozenAtomsOfAThermostatsGroupStayAndTheirNoiseIsNoHeat) {
  MdRun run(
      fluid("[[group]]\nname = \"half\"\nids = [[33, 128]]\n[[freeze]]\ngroup = \"first\"\n[[thermostat]]\n"
            "group = \"half\"\nkind = \"langevin\"\ntemperature = 2.0\ntemperature_time = 0.1\n" +
                stage(200, 0.01),
            0.0));
  const double start = run.column("conserved_energy");
  const std::vector<double> before = run.values("position");
  run.steps(200);
  const std::vector<double> after = run.values("position");
  for (std::size_t i = 0; i < 3 * 64; ++i) {
    ASSERT_EQ(before[i], after[i]);
  }
  EXPECT_NE(before[3 * 64], after[3 * 64]);
  // Free atoms: heat alone. Four sums a step of 256 terms rounded to 2^-36.
  EXPECT_NEAR(run.column("conserved_energy"), start, 200 * 4 * 256 * 0x1p-37);
}

TEST_F(MdActions, AThermostatOfAllAtomsLeavesTheirMomentumWithoutShare) {
  // Two atoms with opposite velocities, rescaled: 3 degrees of freedom, not 6. K has the mean 3/2 and the variance 3/2;
  // 2000 samples as far apart as the energy remembers, half of them independent.
  MdRun run(free_atoms("1 1 4 4 4\n2 1 1 1 1\n", "1 1 0.5 0\n2 -1 -0.5 0\n", 2) + stage(1'000'000, 0.01) +
            "[[group]]\nname = \"all\"\ncolumns = [\"temperature\"]\n[[thermostat]]\ngroup = \"all\"\ntemperature = "
            "1.0\ntemperature_time = 0.1\n");
  run.steps(100);
  double mean = 0.0;
  for (int n = 0; n < 2000; ++n) {
    run.steps(10);
    mean += run.column("kinetic_energy") / 2000;
  }
  EXPECT_NEAR(mean, 1.5, 4.0 * std::sqrt(1.5 / 1000));
  EXPECT_NEAR(run.column("all_temperature"), run.column("temperature"), 1e-9);
}

/// The largest |conserved energy - that at the start| over 0.64 in time.
double worst_drift(const std::string& more, const std::string& ensemble, double dt) {
  const int stride = static_cast<int>(std::lround(0.016 / dt));
  MdRun run(fluid(more + stage(10'000, dt, ensemble)));
  const double start = run.column("conserved_energy");
  double worst = 0.0;
  for (int n = 0; n < 40; ++n) {
    run.steps(stride);
    worst = std::max(worst, std::fabs(run.column("conserved_energy") - start));
  }
  return worst;
}

TEST_F(MdActions, SpringsAndForcesArePartOfWhatIsConserved) {
  const std::string springs = "[[spring]]\ngroup = \"first\"\nk = 50.0\n";
  const std::string chain =
      "ensemble = \"nvt\"\nthermostat = \"nose_hoover\"\ntemperature = 1.0\ntemperature_time = 0.2\n";
  // A box that changes takes the places of the springs with it, and their virial is in the pressure.
  const std::string npt =
      "ensemble = \"npt\"\nbarostat = \"mttk\"\ntemperature = 1.0\ntemperature_time = 0.2\npressure = 1.0\n"
      "pressure_time = 0.5\ncoupling = \"anisotropic\"\n";
  const std::string group_chain =
      "[[thermostat]]\ngroup = \"first\"\nkind = \"nose_hoover\"\ntemperature = 1.0\ntemperature_time = 0.2\n";
  for (const auto& [more, ensemble] :
       {std::pair(springs, std::string()), std::pair(group_chain, std::string()), std::pair(springs, chain),
        std::pair(springs, npt),
        std::pair(springs + "[[force]]\ngroup = \"rest\"\nvalue = [1.0, 0.5, -2.0]\n[[freeze]]\ngroup = \"first\"\n"
                            "components = [true, false, false]\n",
                  std::string())}) {
    const double coarse = worst_drift(more, ensemble, 0.008), fine = worst_drift(more, ensemble, 0.004);
    EXPECT_NEAR(coarse / fine, 4.0, 0.8) << more << ensemble;  // second order, but for the next one
    EXPECT_LT(fine, 1.0) << more << ensemble;
  }
}

TEST_F(MdActions, WorkInTheStagesThatAreNamed) {
  MdRun run(
      fluid("[[freeze]]\ngroup = \"first\"\nstages = [2]\n" + stage(5, 0.004) + stage(5, 0.004) + stage(5, 0.004)));
  std::array<std::vector<double>, 4> x;
  for (std::size_t n = 0; n < 4; ++n) {
    x[n] = run.values("position");
    run.steps(5);
  }
  EXPECT_NE(x[0][0], x[1][0]);
  EXPECT_EQ(x[1][0], x[2][0]);
  EXPECT_NE(x[1][3 * 64], x[2][3 * 64]);
  EXPECT_NE(x[2][0], x[3][0]);
}

TEST_F(MdActions, GroupsAreTheAtomsThatMeetEverything) {
  // The lattice sites of 4 x 4 x 4 cells whose edge is 2: 256 sites at whole multiples of 1.
  const auto members = [](const std::string& group) {
    MdRun run(
        "units = \"lj\"\n[system]\ncells = [4, 4, 4]\nlattice_constant = 2.0\n[pair]\npotential = \"lj\"\n"
        "cutoff = 2.5\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n" +
        stage(1, 0.001) + "[[group]]\nname = \"corner\"\nids = [[1, 4]]\n[[group]]\nname = \"g\"\n" + group +
        "[[freeze]]\ngroup = \"g\"\n");
    double count = 0.0;
    for (const StateArray& array : run.solver->state().arrays) {
      if (array.name == "groups") {
        std::vector<std::int64_t> masks(static_cast<std::size_t>(array.block.count()));
        array.get(std::as_writable_bytes(std::span(masks)));
        std::int64_t mine = 0;
        for (const std::int64_t mask : masks) {
          mine += (mask >> 1) & 1;
        }
        count = static_cast<double>(run.comm.sum(mine));
      }
    }
    return count;
  };
  EXPECT_EQ(members("types = [1]\n"), 256);
  EXPECT_EQ(members("ids = [[1, 10], [8, 12], [256, 300]]\n"), 13);
  EXPECT_EQ(members("z = [0.0, 1.0]\n"), 2 * 32);
  EXPECT_EQ(members("z = [0.0, 1.0]\nx = [0.0, 0.5]\n"), 8);
  EXPECT_EQ(members("sphere_centre = [4.0, 4.0, 4.0]\nsphere_radius = 1.5\n"), 13);
  EXPECT_EQ(members("cylinder_axis = \"y\"\ncylinder_centre = [4.0, 4.0]\ncylinder_radius = 0.5\n"), 4);
  EXPECT_EQ(members("ids = [[3, 8]]\nwithout = [\"corner\"]\n"), 4);
}

}  // namespace
}  // namespace halyard::md
