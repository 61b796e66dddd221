// Published energies, virials and tails; LAMMPS' forces, first rows and series.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"
#include "tests/support/reference_text.hpp"

namespace halyard::md {
namespace {

class MdReference : public ScratchFolder {
 protected:
  /// Writes a file once for all ranks and returns its path as a TOML string.
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder() / name;
    if (rank() == 0) {
      std::ofstream(path) << text;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return "'" + path.string() + "'";
  }
  std::string data(const std::string& name) { return file(name, reference_text(INPUT_FOLDER "/" + name + ".gz")); }
};

/// Of each atom three numbers of a file of lines "id ... a b c", which start at column `first`.
std::vector<double> vectors_of(const std::string& text, int first, std::size_t count) {
  std::vector<double> values(3 * count, NAN);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::size_t id = 0;
    double skipped = 0.0;
    words >> id;
    for (int c = 1; c < first; ++c) {
      words >> skipped;
    }
    if (id >= 1 && id <= count) {
      words >> values[3 * id - 3] >> values[3 * id - 2] >> values[3 * id - 1];
    }
  }
  return values;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

void expect_forces(const MdRun& run, const std::vector<double>& wanted, double tolerance) {
  const std::vector<double> found = forces_at_start(run);
  ASSERT_EQ(found.size(), wanted.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = std::max(worst, std::fabs(found[i] - wanted[i]));
  }
  EXPECT_LE(worst, tolerance);
  EXPECT_FALSE(std::isnan(largest_of(wanted)));
}

// --- NIST's reference configurations

struct NistRow {
  const char* potential;
  double cutoff, energy, virial, tail;
};
struct NistConfiguration {
  int number;
  std::vector<NistRow> rows;
  std::array<double, 7> pressure;  // mean, then the tensor, of the plain cut at 3
};

const std::vector<NistConfiguration>& nist() {
  static const std::vector<NistConfiguration> configurations{
      {1,
       {{"lj", 3, -4351.540194543873, -568.665465318173, -198.488883744157},
        {"lj", 4, -4467.495724947979, -1263.883371872135, -83.768986403337},
        {"lj-force-shifted", 3, -3870.924885784017, 317.538346012447, 0}},
       {-0.189555155106058, -0.530289185000784, -0.167706115945305, 0.129329835627914, -0.160333145824275,
        -0.0491675214269885, -0.203266104510347}},
      {2,
       {{"lj", 3, -690.004045172868, -568.457340737899, -24.229600066425},
        {"lj", 4, -704.603319726964, -655.987560706642, -10.225706348064},
        {"lj-force-shifted", 3, -620.119860998322, -445.331049619798, 0}},
       {-0.370089414542904, -0.284180402640435, -0.498710965788458, -0.327376875199817, 0.0572781738124901,
        0.154059551233443, -0.0736745969201523}},
      {4,
       {{"lj", 3, -16.790321304626, -46.249196746309, -0.545166001495},
        {"lj", 4, -17.060453220271, -47.868828191072, -0.230078392831},
        {"lj-force-shifted", 3, -15.001402286915, -43.096005539178, 0}},
       {-0.0301101541317115, -0.0239081964405042, -0.0423169689975021, -0.0241052969571283, 0.00419511564539344,
        -0.0010798748311441, 0.00726948089307563}}};
  return configurations;
}

const char* const tensor_columns[6] = {"pressure_xx", "pressure_yy", "pressure_zz",
                                       "pressure_xy", "pressure_xz", "pressure_yz"};

TEST_F(MdReference, NistEnergiesVirialsTailsAndForces) {
  for (const NistConfiguration& configuration : nist()) {
    const std::string text = reference_text(fmt::format(DATA_FOLDER "/nist_lj_{}.txt.gz", configuration.number));
    std::istringstream head(text);
    double edge = 0.0;
    std::size_t count = 0;
    head >> edge >> edge >> edge >> count;
    // The lines of a data file's atoms; coordinates as NIST gives them, around the origin.
    std::string atoms;
    for (std::size_t i = 0; i < count; ++i) {
      std::string id, x, y, z;
      head >> id >> x >> y >> z;
      atoms += fmt::format("{} 1 {} {} {}\n", id, x, y, z);
    }
    const std::string data = file(fmt::format("nist{}.data", configuration.number),
                                  fmt::format("NIST\n\n{0} atoms\n1 atom types\n{1} {2} xlo xhi\n{1} {2} ylo yhi\n"
                                              "{1} {2} zlo zhi\n\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n{3}",
                                              count, -0.5 * edge, 0.5 * edge, atoms));
    for (const NistRow& row : configuration.rows) {
      SCOPED_TRACE(fmt::format("configuration {}, {} cut at {}", configuration.number, row.potential, row.cutoff));
      const bool tail = row.tail != 0.0;
      const std::string text_of_case = fmt::format(
          "units = \"lj\"\n[system]\nsource = \"data\"\ndata = {}\n[pair]\npotential = \"{}\"\ncutoff = {}\n"
          "[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n[neighbour]\nskin = 0.1\n[[stage]]\nsteps = 1\n"
          "dt = 0.001\n",
          data, row.potential, row.cutoff);
      MdRun run(text_of_case);
      // 1e-10 relative. Where terms cancel, the resolution of energies (2.3e-10 a pair, at random over the pairs
      // within the cutoff, 53 at most an atom) and of forces (3.6e-12 times up to 4) counts.
      const double volume = edge * edge * edge, terms = std::sqrt(static_cast<double>(count) * 60.0);
      const double energy = run.column("potential_energy");
      EXPECT_NEAR(energy, row.energy, 1e-10 * std::fabs(row.energy));
      EXPECT_EQ(run.column("kinetic_energy"), 0.0);
      EXPECT_EQ(run.column("temperature"), 0.0);
      const double virial = 3.0 * volume * run.column("pressure");
      EXPECT_NEAR(virial, row.virial, 1e-10 * std::fabs(row.virial) + 4.0 * force_unit * terms);
      if (tail) {
        MdRun with_tail(text_of_case, {"pair.tail=true"});
        // Both energies have the same rounded pairs.
        EXPECT_NEAR(with_tail.column("potential_energy") - energy, row.tail,
                    1e-10 * std::fabs(row.tail) + 1e-15 * std::fabs(energy));
        // p_tail = 16/3 pi rho^2 (2/3 r_cut^-9 - r_cut^-3)  (Allen & Tildesley)
        const double rho = static_cast<double>(count) / volume, r3 = std::pow(row.cutoff, -3.0);
        EXPECT_NEAR(with_tail.column("pressure") - run.column("pressure"),
                    16.0 / 3.0 * M_PI * rho * rho * (2.0 / 3.0 * r3 * r3 * r3 - r3), 1e-13);
      }
      if (std::string(row.potential) == "lj" && row.cutoff == 3) {
        EXPECT_NEAR(run.column("pressure"), configuration.pressure[0], 1e-10 * std::fabs(configuration.pressure[0]));
        for (std::size_t c = 0; c < 6; ++c) {
          EXPECT_NEAR(run.column(tensor_columns[c]), configuration.pressure[c + 1],
                      1e-10 * std::fabs(configuration.pressure[c + 1]))
              << tensor_columns[c];
        }
        const std::vector<double> wanted = vectors_of(
            reference_text(fmt::format(DATA_FOLDER "/nist_lj_{}_forces.txt.gz", configuration.number)), 4, count);
        expect_forces(run, wanted, 1e-9 * largest_of(wanted));
      }
    }
  }
}

// --- LAMMPS

/// The rows of a table with a line of names.
std::vector<std::map<std::string, double>> table(const std::string& text) {
  std::istringstream lines(text);
  std::string line, name;
  std::getline(lines, line);
  std::vector<std::string> names;
  for (std::istringstream words(line); words >> name;) {
    names.push_back(name);
  }
  std::vector<std::map<std::string, double>> rows;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    auto& row = rows.emplace_back();
    for (const std::string& n : names) {
      words >> row[n];
    }
  }
  return rows;
}

const std::map<std::string, std::string> lammps_names{
    {"Temp", "temperature"}, {"PotEng", "potential_energy"}, {"KinEng", "kinetic_energy"}, {"TotEng", "total_energy"},
    {"Press", "pressure"},   {"Pxx", "pressure_xx"},         {"Pyy", "pressure_yy"},       {"Pzz", "pressure_zz"},
    {"Pxy", "pressure_xy"},  {"Pxz", "pressure_xz"},         {"Pyz", "pressure_yz"}};

/// Steps 0, 10, ..., 50 of a series: energies and temperature to 1e-10 of themselves at step 0 and to 1e-8 on;
/// pressures to the same share of `pressure_scale`, the size of their kinetic and virial parts, which cancel.
void expect_series(MdRun& run, const std::string& text, double pressure_scale) {
  const auto rows = table(text);
  for (std::size_t r = 0; r <= 5; ++r) {
    const double share = r == 0 ? 1e-10 : 1e-8;
    for (const auto& [theirs, ours] : lammps_names) {
      const double wanted = rows[r].at(theirs);
      EXPECT_NEAR(run.column(ours), wanted,
                  share * std::max(std::fabs(wanted), theirs[0] == 'P' && theirs != "PotEng" ? pressure_scale : 0.0))
          << ours << " at step " << 10 * r;
    }
    run.steps(10);
  }
}

TEST_F(MdReference, LennardJonesMeltAsLammpsHasIt) {
  MdRun run(
      fmt::format("units = \"lj\"\n[system]\nsource = \"data\"\ndata = {}\n[pair]\npotential = \"lj\"\ncutoff = "
                  "2.5\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n[neighbour]\nskin = 0.3\n[[stage]]\n"
                  "steps = 100\ndt = 0.005\n",
                  data("ljmelt4000.data")));
  // A perfect lattice: what LAMMPS has left of the forces is its round-off, up to 1e-13 of the 48 that cancel.
  EXPECT_LE(largest_of(forces_at_start(run)), 1e-9);
  // Mean kinetic and virial parts of the pressure are 1.2 and 6.2.
  expect_series(run, reference_text(DATA_FOLDER "/ljmelt4000_nve.txt"), 6.0);
}

const char* const copper = R"(units = "metal"
constants = "lammps"
[[type]]
name = "Cu"
mass = 63.55
[pair]
potential = "eam"
files = ['CASES_FOLDER/copper-eam/Cu_u3.eam']
file_format = "funcfl"
[neighbour]
skin = 1.0
[[stage]]
steps = 100
dt = 0.005
)";
std::string copper_case() {
  std::string text = copper;
  text.replace(text.find("CASES_FOLDER"), 12, CASES_FOLDER);
  return text;
}

TEST_F(MdReference, CopperAsLammpsHasIt) {
  MdRun run(copper_case() + fmt::format("[system]\nsource = \"data\"\ndata = {}\n", data("cu4000.data")));
  const std::vector<double> wanted = vectors_of(reference_text(FORCES_FOLDER "/cu4000_forces.txt.gz"), 1, 4000);
  expect_forces(run, wanted, 1e-9 * largest_of(wanted));
  // bar; kinetic part 9e3, virial part 4e4.
  expect_series(run, reference_text(DATA_FOLDER "/cu4000_nve.txt"), 5e4);
}

TEST_F(MdReference, BenchesOfLammpsAtStepZero) {
  // 32000 atoms. Velocities are LAMMPS' own draws, so what depends on their directions (the tensor) is not compared.
  const std::string lj =
      "units = \"lj\"\n[system]\ncells = [20, 20, 20]\ndensity = 0.8442\n[velocity]\ntemperature = 1.44\n[pair]\n"
      "potential = \"lj\"\ncutoff = 2.5\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n[[stage]]\nsteps = 1\n"
      "dt = 0.005\n";
  {
    MdRun run(lj);
    const auto near = [](double found, double wanted) { EXPECT_NEAR(found, wanted, 1e-10 * std::fabs(wanted)); };
    near(run.column("potential_energy") / 32000, -6.77336805323422);
    near(run.column("total_energy") / 32000, -4.61343555323421);
    near(run.column("pressure"), -5.01970725908556);
    near(run.column("temperature"), 1.44);
  }
  MdRun run(copper_case() +
            "[system]\ncells = [20, 20, 20]\nlattice_constant = 3.615\n[velocity]\ntemperature = 1600.0\n");
  const auto near = [](double found, double wanted) { EXPECT_NEAR(found, wanted, 1e-10 * std::fabs(wanted)); };
  near(run.column("potential_energy"), -113280.000077752);
  near(run.column("total_energy"), -106662.087469984);
  near(run.column("pressure"), 18703.5733590787);
}

TEST_F(MdReference, CopperCrystalsOfBothPotentials) {
  // reference: 256 atoms at a = 3.615 A, LAMMPS: energy an atom and pressure.
  const auto crystal = [&](const std::string& file, const std::string& format) {
    std::string text = copper_case() + "[system]\ncells = [4, 4, 4]\nlattice_constant = 3.615\n";
    text.replace(text.find("Cu_u3.eam"), 9, file);
    text.replace(text.find("\"funcfl\""), 8, format);
    return text;
  };
  MdRun u3(crystal("Cu_u3.eam", "\"funcfl\"")), mishin(crystal("Cu_mishin1.eam.alloy", "\"setfl\""));
  EXPECT_NEAR(u3.column("potential_energy") / 256, -3.540000002279, 3.5e-10);
  EXPECT_NEAR(mishin.column("potential_energy") / 256, -3.540218310487, 3.5e-10);
  // bar: the terms that cancel are of 1e6.
  EXPECT_NEAR(u3.column("pressure"), -0.027860375, 1e-4);
  EXPECT_NEAR(mishin.column("pressure"), -86.025760550, 1e-4);
}

}  // namespace
}  // namespace halyard::md
