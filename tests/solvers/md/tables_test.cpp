// Tabulated potentials from a file: as the potential that the table was made of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>

#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"

namespace halyard::md {
namespace {

class MdTables : public ScratchFolder {
 protected:
  /// A file with the sections LJ and WRONG, whose force has the wrong sign; returns its path.
  std::string table(int rows, double low = 0.75, double high = 2.5) {
    const std::filesystem::path path = folder() / fmt::format("lj{}.table", rows);
    if (rank() == 0) {
      std::ofstream file(path);
      for (const double sign : {1.0, -1.0}) {
        file << (sign > 0.0 ? "LJ" : "\nWRONG") << fmt::format("\nN {} R {} {}\n\n", rows, low, high);
        for (int i = 0; i < rows; ++i) {
          const double r = i + 1 == rows ? high : low + (high - low) * i / (rows - 1);
          const double s6 = std::pow(r, -6);
          file << fmt::format("{} {:.6f} {:.17g} {:.17g}\n", i + 1, r, 4.0 * s6 * (s6 - 1.0),
                              sign * 24.0 * s6 * (2.0 * s6 - 1.0) / r);
        }
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return path.string();
  }
  /// 500 atoms in motion, so that all distances occur.
  static std::string fluid(const std::string& pair) {
    return "units = \"lj\"\n[system]\ncells = [5, 5, 5]\ndensity = 0.8442\n[velocity]\ntemperature = 3.0\n" + pair +
           "[[stage]]\nsteps = 1000\ndt = 0.004\n";
  }
  static std::string lennard_jones() {
    return "[pair]\npotential = \"lj\"\ncutoff = 2.5\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n";
  }
  static std::string tabulated(const std::string& path, const std::string& section = "LJ") {
    return fmt::format(
        "[pair]\npotential = \"tabulated\"\ncutoff = 2.5\nfiles = ['{}']\n[[pair.coefficients]]\nsection = \"{}\"\n",
        path, section);
  }
  static std::string failure(const std::string& text) {
    try {
      MdRun run(text);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(MdTables, EnergiesAndForcesAreThoseOfThePotentialAndTheErrorFallsWithTheTable) {
  // A crystal that has melted in 40 steps at a high temperature, as a data file: all distances from 0.85 on.
  MdRun melt(fluid(lennard_jones()));
  melt.steps(40);
  const std::vector<double> x = melt.values("position");
  const double edge = std::cbrt(melt.column("volume"));
  const std::string path = (folder() / "melt.data").string();
  if (rank() == 0) {
    std::ofstream file(path);
    file << fmt::format(
        "melt\n\n500 atoms\n1 atom types\n0 {0:.17g} xlo xhi\n0 {0:.17g} ylo yhi\n0 {0:.17g} zlo zhi\n\n"
        "Masses\n\n1 1.0\n\nAtoms # atomic\n\n",
        edge);
    for (std::size_t i = 0; i < 500; ++i) {
      file << fmt::format("{} 1 {:.17g} {:.17g} {:.17g}\n", i + 1, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto of = [&](const std::string& pair) {
    MdRun run(fmt::format(
        "units = \"lj\"\n[system]\nsource = \"data\"\ndata = '{}'\n{}[[stage]]\nsteps = 1\ndt = 0.004\n", path, pair));
    return std::pair(run.column("potential_energy"), forces_at_start(run));
  };
  const auto [energy, force] = of(lennard_jones());
  constexpr std::array<int, 3> rows{251, 501, 1001};
  std::array<double, 3> energy_error{}, force_error{};
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto [other_energy, other_force] = of(tabulated(table(rows[n])));
    energy_error[n] = std::fabs(other_energy - energy) / 500.0;
    for (std::size_t i = 0; i < force.size(); ++i) {
      force_error[n] = std::max(force_error[n], std::fabs(other_force[i] - force[i]));
    }
    RecordProperty(fmt::format("rows_{}", rows[n]), fmt::format("{:.3g} {:.3g}", energy_error[n], force_error[n]));
  }
  // With the step h = 0.007 and the fourth derivative D of U, 4 * 32760 r^-16 = 1.8e6 at r = 0.85, a cubic leaves at
  // most h^4 D/384 = 1.1e-5 of U and h^3 D/(72 sqrt(3)) = 5e-3 of the force; few pairs are as near.
  EXPECT_LT(energy_error[0], 1.1e-5);
  EXPECT_LT(force_error[0], 5e-3);
  // Half the step: a sixteenth of the one, an eighth of the other, which is a maximum over other places.
  for (std::size_t n = 0; n + 1 < rows.size(); ++n) {
    EXPECT_NEAR(energy_error[n] / energy_error[n + 1], 16.0, 4.0);
    EXPECT_NEAR(force_error[n] / force_error[n + 1], 8.0, 3.0);
  }
}

TEST_F(MdTables, ForcesAreMinusTheSlopeOfTheEnergyWhateverTheForceColumnSays) {
  // The cubics take the file's wrong forces at the rows, but are one function: what the total energy changes by is the
  // error of dt, a quarter for half of it.
  const auto change = [&](double dt, int steps) {
    MdRun run(
        fmt::format("units = \"lj\"\n[system]\ncells = [5, 5, 5]\ndensity = 0.8442\n[velocity]\n"
                    "temperature = 0.01\n{}[[stage]]\nsteps = 1000\ndt = {}\n",
                    tabulated(table(201), "WRONG"), dt));
    const double start = run.column("total_energy"), kinetic = run.column("kinetic_energy");
    run.steps(steps);
    EXPECT_GT(std::fabs(run.column("kinetic_energy") - kinetic), 0.1);
    return std::fabs(run.column("total_energy") - start);
  };
  EXPECT_NEAR(change(0.0005, 40) / change(0.00025, 80), 4.0, 1.0);
}

TEST_F(MdTables, MistakesAreToldAtTheirPlace) {
  const std::string path = table(251), good = fluid(tabulated(path));
  EXPECT_EQ(failure(good), "");
  const auto with = [&](const std::string& old, const std::string& changed) {
    std::string text = good;
    return failure(text.replace(text.find(old), old.size(), changed));
  };
  EXPECT_NE(with("\"LJ\"", "\"LK\"").find("number 1 asks for section LK; pair.files have LJ, WRONG."),
            std::string::npos);
  EXPECT_NE(with("section = \"LJ\"", "").find("number 1 lacks section, which the potential tabulated needs."),
            std::string::npos);
  EXPECT_NE(with("section = \"LJ\"", "section = \"LJ\"\nsigma = 1.0")
                .find("number 1 gives sigma, which the potential tabulated does not have."),
            std::string::npos);
  EXPECT_NE(with("section = \"LJ\"", "section = \"LJ\"\n[[pair.coefficients]]\nsection = \"LJ\"")
                .find("number 2 gives types 1 and 1 again."),
            std::string::npos);
  EXPECT_NE(with("cutoff = 2.5", "cutoff = 2.6")
                .find(path + ":1: section LJ: the table ends at r = 2.500000, below the cutoff of 2.600000"),
            std::string::npos);
  EXPECT_NE(with("[[pair.", "tail = true\n[[pair.").find("has no tail"), std::string::npos);
  EXPECT_NE(with("files = ['" + path + "']", "").find("is \"tabulated\", which needs pair.files."), std::string::npos);
  EXPECT_NE(with("']", fmt::format("', '{}']", path)).find("number 1 asks for section LJ, which is in "),
            std::string::npos);
  EXPECT_NE(
      with("[velocity]", "[[type]]\nname = \"A\"\n[[type]]\nname = \"B\"\n[velocity]").find("lacks types 1 and 2."),
      std::string::npos);
  EXPECT_NE(failure(fluid(lennard_jones() + "section = \"LJ\"\n"))
                .find("number 1 gives section, which the potential lj does not have."),
            std::string::npos);
}

TEST_F(MdTables, AWrongForceColumnIsTold) {
  const auto notes_of = [&](const std::string& section) {
    MdRun run(fluid(tabulated(table(251), section)));
    return ForceField(run.settings, make_system(run.comm, run.settings, run.schema), run.schema).notes();
  };
  EXPECT_TRUE(notes_of("LJ").empty());
  const std::vector<std::string> notes = notes_of("WRONG");
  ASSERT_EQ(notes.size(), 1U);
  // Of the 249 between the first and the last one has a force near zero.
  EXPECT_NE(notes[0].find("section WRONG: in 248 of 251 rows the force is not minus the slope of the energy"),
            std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace halyard::md
