// What a run writes of its atoms, and what it finds out on the fly.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "io/input/lammps_data.hpp"
#include "io/results/file.hpp"
#include "tests/solvers/md/md_run.hpp"

namespace halyard::md {
namespace {

namespace fs = std::filesystem;

/// A folder that all ranks share, removed in the end.
class Folder {
 public:
  explicit Folder(const Communicator& comm) : comm_(comm) {
    std::string path;
    if (comm.rank() == 0) {
      path = (fs::temp_directory_path() / "halyard-md-XXXXXX").string();
      path = mkdtemp(path.data());
    }
    comm.broadcast(path);
    path_ = path;
  }
  ~Folder() {
    comm_.barrier();
    if (comm_.rank() == 0) {
      std::error_code code;
      fs::remove_all(path_, code);
    }
  }
  const fs::path& path() const { return path_; }

 private:
  const Communicator& comm_;
  fs::path path_;
};

/// A run with its outputs, driven as the loop does.
struct Driven {
  MdRun run;
  Folder folder;
  std::vector<std::unique_ptr<Output>> outputs;
  State state;
  std::int64_t step = 0;
  double time = 0.0;

  explicit Driven(const std::string& text, const std::vector<std::string>& overrides = {},
                  MPI_Comm world = MPI_COMM_WORLD)
      : run(text, overrides, world), folder(run.comm), outputs(run.solver->outputs({folder.path(), "atoms"})) {
    state = run.solver->state();
  }

  void write_due() {
    for (const auto& output : outputs) {
      if (output->due(step, time)) {
        output->write(step, time);
      }
    }
  }
  void steps(int count) {
    for (int n = 0; n < count; ++n) {
      const double dt = run.solver->prescribed_dt().value();
      ++step;
      time = static_cast<double>(step) * dt;
      run.solver->prepare({.step = step, .dt = dt, .time = time, .row_due = false});
      run.solver->step(dt);
      write_due();
    }
  }
  void end() {
    for (const auto& output : outputs) {
      output->write_at_end(step, time);
      output->flush();
    }
    run.comm.barrier();
  }
  void flush() {
    for (const auto& output : outputs) {
      output->flush();
    }
    run.comm.barrier();
  }

  std::string text(const std::string& file) const { return read_file(folder.path() / file); }

  /// Columns of a csv.
  std::map<std::string, std::vector<double>> table(const std::string& name) const {
    std::istringstream lines(text("analysis/" + name + ".csv"));
    std::map<std::string, std::vector<double>> columns;
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#")) {
        continue;
      }
      std::istringstream fields(line);
      std::size_t c = 0;
      for (std::string field; std::getline(fields, field, ','); ++c) {
        if (columns.size() <= c && names.size() <= c) {
          names.push_back(field);
          columns[field];
        } else {
          columns[names[c]].push_back(std::stod(field));
        }
      }
    }
    return columns;
  }
};

/// All that a restart needs, as one rank holds it.
struct Saved {
  std::map<std::string, std::vector<std::byte>> arrays;
  std::map<std::string, std::int64_t> scalars;
};

Saved save(State& state) {
  Saved saved;
  for (const StateArray& array : state.arrays) {
    std::vector<std::byte>& bytes = saved.arrays[array.name];
    bytes.resize(8 * static_cast<std::size_t>(array.components) * static_cast<std::size_t>(array.block.count()));
    array.get(bytes);
  }
  for (const StateScalar& scalar : state.scalars) {
    std::visit([&](auto* value) { std::memcpy(&saved.scalars[scalar.name], value, 8); }, scalar.value);
  }
  return saved;
}

/// Of a run on one rank, into one on any number.
void load(const Saved& saved, State& state) {
  for (const StateArray& array : state.arrays) {
    const auto item = 8 * static_cast<std::size_t>(array.components);
    const std::vector<std::byte>& bytes = saved.arrays.at(array.name);
    array.set(std::span(bytes).subspan(item * static_cast<std::size_t>(array.block.begin[0]),
                                       item * static_cast<std::size_t>(array.block.count())));
  }
  for (const StateScalar& scalar : state.scalars) {
    std::visit([&](auto* value) { std::memcpy(value, &saved.scalars.at(scalar.name), 8); }, scalar.value);
  }
}

const std::string crystal = R"(
units = "lj"
[system]
lattice = "fcc"
cells = [8, 4, 4]
density = 0.8442
[pair]
potential = "lj"
cutoff = 1.3
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.3
[[stage]]
steps = 1000
dt = 0.004
)";

TEST(Rdf, CountsTheShellsOfACrystalExactly) {
  // Points of the fcc lattice at the squared distances n a^2 / 2 (Conway & Sloane, Sphere Packings; OEIS A004015).
  constexpr std::array<int, 19> shells{1, 12, 6, 24, 12, 24, 8, 48, 6, 36, 24, 24, 24, 72, 0, 48, 12, 48, 30};
  Driven driven(crystal, {"system.cells=[7,6,6]", "analysis.rdf.every_steps=10", "analysis.rdf.bins=1000",
                          "analysis.rdf.range=5.0"});
  driven.write_due();
  driven.end();
  const auto table = driven.table("rdf");
  const std::vector<double>&r = table.at("r"), &g = table.at("g_A-A"), &n = table.at("coordination_A-A");
  ASSERT_EQ(r.size(), 1000U);
  const double a = std::cbrt(4.0 / 0.8442);
  std::size_t bin = 0;
  double within = 0.0;
  for (std::size_t shell = 1; shell < shells.size(); ++shell) {
    within += shells[shell];
    const double here = a * std::sqrt(0.5 * static_cast<double>(shell));
    const double next = a * std::sqrt(0.5 * static_cast<double>(shell + 1));
    if (next > 5.0) {
      break;
    }
    // In the middle between two shells all inner ones are counted, and nothing else.
    while (r[bin] < 0.5 * (here + next)) {
      ++bin;
    }
    EXPECT_EQ(n[bin], within) << "shell " << shell;
    EXPECT_EQ(g[bin], 0.0);
  }
  EXPECT_EQ(within, 428.0);  // up to the 17th shell
}

TEST(Rdf, OfTwoTypesAddsUpToThatOfAll) {
  const std::vector<std::string> sampled{"analysis.rdf.every_steps=5", "analysis.rdf.bins=60", "analysis.rdf.range=3",
                                         "velocity.temperature=1.2"};
  std::vector<std::string> one = sampled, two = sampled;
  two.insert(two.end(), {"system.composition=[0.3,0.7]"});
  const std::string types = "[[type]]\nname = \"Ar\"\n[[type]]\nname = \"Kr\"\n";
  const std::string pairs =
      "[[pair.coefficients]]\ntypes = [2, 2]\nepsilon = 1.0\nsigma = 1.0\n[[pair.coefficients]]\ntypes = [1, 2]\n"
      "epsilon = 1.0\nsigma = 1.0\n";
  Driven all(crystal, one), split(crystal + types + pairs, two);
  for (Driven* driven : {&all, &split}) {
    driven->write_due();
    driven->steps(20);
    driven->end();
  }
  const auto a = all.table("rdf"), s = split.table("rdf");
  ASSERT_EQ(s.size(), 7U);  // r, and two columns for each of three pairs
  std::array<double, 2> atoms{};
  System system = make_system(split.run.comm, split.run.settings, split.run.schema);
  for (const AtomRecord& record : system.records) {
    atoms[static_cast<std::size_t>(record.type)] += 1.0;
  }
  std::array<std::int64_t, 2> of_type{static_cast<std::int64_t>(atoms[0]), static_cast<std::int64_t>(atoms[1])};
  split.run.comm.sum(of_type);
  const double n1 = static_cast<double>(of_type[0]), n2 = static_cast<double>(of_type[1]), n = n1 + n2;
  ASSERT_GT(n1, 100.0);
  for (std::size_t b = 0; b < 60; ++b) {
    // Neighbours of an atom: of its own type and of the other, from either end.
    const double sum = (n1 * s.at("coordination_Ar-Ar")[b] + 2.0 * n1 * s.at("coordination_Ar-Kr")[b] +
                        n2 * s.at("coordination_Kr-Kr")[b]) /
                       n;
    EXPECT_NEAR(sum, a.at("coordination_A-A")[b], 1e-9);  // sums of a few rounded numbers below 100
  }
  // In a random alloy a share of the neighbours is of the other type, here of 150 atoms with 95 each: to 1 in 100 or
  // so.
  EXPECT_NEAR(s.at("coordination_Ar-Kr")[59] / a.at("coordination_A-A")[59], n2 / n, 0.02);
  EXPECT_NEAR(s.at("g_Ar-Kr")[55] / a.at("g_A-A")[55], 1.0, 0.1);
}

TEST(Displacement, OfFreeAtomsIsBallistic) {
  // So far apart that none meets another in this time (speeds are below 5 sigmas).
  const double temperature = 0.25;
  Driven driven(crystal,
                {"system.lattice=sc", "system.cells=[8,4,5]", "system.density=0.015625", "velocity.temperature=0.25",
                 "stage=[{steps=50, dt=0.01}]", "analysis.msd.every_steps=2", "analysis.msd.lags=11",
                 "analysis.msd.origins=4", "analysis.vacf.every_steps=5", "analysis.vacf.lags=6"});
  driven.write_due();
  driven.steps(50);
  driven.end();
  const double n = 8 * 4 * 5, v2 = (3.0 * n - 3.0) / n * temperature;  // velocities are scaled to this
  const auto msd = driven.table("msd"), vacf = driven.table("vacf");
  ASSERT_EQ(msd.at("time").size(), 11U);
  for (std::size_t lag = 0; lag < 11; ++lag) {
    const double t = 0.02 * static_cast<double>(lag);
    EXPECT_NEAR(msd.at("time")[lag], t, 1e-14);
    // Round-off of positions (1e-15 of 20 sigma) against moves of 0.01, and terms in units of 2^-48.
    EXPECT_NEAR(msd.at("msd")[lag], v2 * t * t, 1e-11);
    // 26 samples, an origin every 3.
    const std::int64_t origins = (25 - static_cast<std::int64_t>(lag)) / 3 + 1;
    EXPECT_EQ(msd.at("origins")[lag], static_cast<double>(origins));
  }
  ASSERT_EQ(vacf.at("vacf").size(), 6U);
  for (std::size_t lag = 0; lag < 6; ++lag) {
    EXPECT_NEAR(vacf.at("vacf")[lag], v2, 1e-12 * v2 + 1e-13);
    EXPECT_NEAR(vacf.at("diffusion")[lag], v2 * 0.05 * static_cast<double>(lag) / 3.0, 1e-12);
  }
}

TEST(DensityProfile, CountsTheLayersOfACrystal) {
  // 16 layers of 32 atoms along x, the first on the side: 6, 5 and 5 of them in thirds of the box.
  Driven driven(crystal, {"analysis.density_profile.every_steps=1", "analysis.density_profile.axis=x",
                          "analysis.density_profile.bins=3"});
  driven.write_due();
  driven.end();
  const auto table = driven.table("density_profile");
  const double volume = 512.0 / 0.8442, length = 8.0 * std::cbrt(4.0 / 0.8442);
  const std::vector<double>& density = table.at("density");
  ASSERT_EQ(density.size(), 3U);
  EXPECT_NEAR(density[0], 6.0 * 32.0 * 3.0 / volume, 1e-12);
  EXPECT_NEAR(density[1], 5.0 * 32.0 * 3.0 / volume, 1e-12);
  EXPECT_NEAR(density[2], 5.0 * 32.0 * 3.0 / volume, 1e-12);
  EXPECT_NEAR(table.at("x")[1], 0.5 * length, 1e-12);
}

TEST(PressureAutocorrelation, BeginsWithTheMeanSquareOfTheHistory) {
  Driven driven(crystal,
                {"velocity.temperature=1.4", "analysis.pressure_acf.every_steps=2", "analysis.pressure_acf.lags=4"});
  double sum = 0.0, product = 0.0;
  std::vector<std::array<double, 5>> rows;
  const auto sample = [&] {
    const auto c = [&](const char* name) { return driven.run.column(name); };
    const double xx = c("pressure_xx"), yy = c("pressure_yy"), zz = c("pressure_zz");
    rows.push_back({c("pressure_xy"), c("pressure_xz"), c("pressure_yz"), 0.5 * (xx - yy), 0.5 * (yy - zz)});
  };
  driven.write_due();
  sample();
  for (int n = 0; n < 10; ++n) {
    driven.steps(2);
    sample();
  }
  driven.end();
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (std::size_t c = 0; c < 5; ++c) {
      sum += rows[n][c] * rows[n][c] / 5.0 / 11.0;
      product += n >= 3 ? rows[n][c] * rows[n - 3][c] / 5.0 / 8.0 : 0.0;
    }
  }
  const auto table = driven.table("pressure_acf");
  ASSERT_EQ(table.at("time").size(), 4U);
  EXPECT_NEAR(table.at("pressure_acf")[0], sum, 1e-12 * sum);
  EXPECT_NEAR(table.at("pressure_acf")[3], product, 1e-12 * sum);
  EXPECT_NEAR(table.at("time")[3], 0.024, 1e-14);
  // One trapezoid: V / kT dt (C0 + C1) / 2; the temperature is that of the same samples, near 0.7 to 1.4.
  const double first = 512.0 / 0.8442 * 0.008 * 0.5 * (table.at("pressure_acf")[0] + table.at("pressure_acf")[1]);
  EXPECT_LT(std::fabs(table.at("viscosity")[1]), std::fabs(first) / 0.6);
  EXPECT_GT(std::fabs(table.at("viscosity")[1]), std::fabs(first) / 1.41);
}

const std::vector<std::string> everything{"velocity.temperature=1.4",
                                          "analysis.rdf.every_steps=3",
                                          "analysis.rdf.range=2.9",
                                          "analysis.msd.every_steps=2",
                                          "analysis.msd.lags=9",
                                          "analysis.msd.origins=3",
                                          "analysis.vacf.every_steps=3",
                                          "analysis.vacf.lags=7",
                                          "analysis.pressure_acf.every_steps=2",
                                          "analysis.pressure_acf.lags=5",
                                          "analysis.density_profile.every_steps=4",
                                          "output.trajectory.formats=[xyz]",
                                          "output.trajectory.every_steps=20",
                                          "output.trajectory.forces=true",
                                          "output.data_file=end.data"};
const std::vector<std::string> files{"analysis/rdf.csv",
                                     "analysis/msd.csv",
                                     "analysis/vacf.csv",
                                     "analysis/pressure_acf.csv",
                                     "analysis/density_profile.csv",
                                     "trajectory/atoms.xyz",
                                     "end.data"};

TEST(Outputs, AreTheSameBytesOnAnyRanksAndOverARestart) {
  Driven alone(crystal, everything, MPI_COMM_SELF), together(crystal, everything);
  alone.write_due();
  alone.steps(25);
  Saved saved = save(alone.state);
  alone.steps(26);
  alone.end();
  together.write_due();
  together.steps(51);
  together.end();
  for (const std::string& file : files) {
    EXPECT_EQ(alone.text(file), together.text(file)) << file;
  }
  // The middle of the run on one rank goes on here, on all of them.
  Driven on(crystal, everything);
  load(saved, on.state);
  on.run.solver->restored();
  on.step = 25;
  on.time = 25 * 0.004;
  on.write_due();  // as a restart into another folder: samples taken before are not taken twice
  on.steps(26);
  on.end();
  for (const std::string& file : files) {
    if (file != "trajectory/atoms.xyz") {
      EXPECT_EQ(alone.text(file), on.text(file)) << file;
    }
  }
}

TEST(Outputs, TrajectoriesHaveAFrameAtTheEndAndKeepUsersIds) {
  Driven driven(crystal, {"velocity.temperature=1.4", "output.trajectory.formats=[xyz]",
                          "output.trajectory.every_steps=4", "stage=[{steps=6, dt=0.004}]"});
  driven.write_due();
  driven.steps(6);
  driven.end();
  std::istringstream lines(driven.text("trajectory/atoms.xyz"));
  std::vector<std::string> steps;
  for (std::string line; std::getline(lines, line);) {
    ASSERT_EQ(line, "512");
    std::getline(lines, line);
    const std::size_t at = line.find("Step=") + 5;
    steps.push_back(line.substr(at, line.find_first_not_of("0123456789", at) - at));
    for (int atom = 1; atom <= 512; ++atom) {
      std::getline(lines, line);
      std::istringstream fields(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
      ASSERT_EQ(words.front(), "A");
      ASSERT_EQ(words.back(), std::to_string(atom));
      for (int d = 1; d <= 3; ++d) {
        const double x = std::stod(words[static_cast<std::size_t>(d)]);
        ASSERT_GE(x, 0.0);
        ASSERT_LE(x, (d == 1 ? 8.0 : 4.0) * std::cbrt(4.0 / 0.8442));
      }
    }
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"0", "4", "6"}));
}

TEST(DataFile, IsTheStateThatARunCanStartFrom) {
  Driven driven(crystal, {"velocity.temperature=1.4", "output.data_file=end.data"});
  driven.steps(40);
  driven.end();
  const fs::path file = driven.folder.path() / "end.data";
  const LammpsData data = parse_lammps_data(read_file(file), file.string());
  ASSERT_EQ(data.atoms.size(), 512U);
  const std::vector<double> x = driven.run.values("position"), v = driven.run.values("velocity");
  for (std::size_t a = 0; a < 512; ++a) {
    ASSERT_EQ(data.atoms[a].id, static_cast<std::int64_t>(a) + 1);
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_EQ(data.velocities[a][d], v[3 * a + d]);
      // Wrapped or not, it is the same place.
      const double length = data.box.length[d], turns = (data.atoms[a].x[d] - x[3 * a + d]) / length;
      ASSERT_NEAR(turns, std::round(turns), 1e-14);
      ASSERT_GE(data.atoms[a].x[d], 0.0);
      ASSERT_LE(data.atoms[a].x[d], length);
    }
  }
  const std::string again = R"(
units = "lj"
[pair]
potential = "lj"
cutoff = 1.3
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.3
[[stage]]
steps = 1000
dt = 0.004
)";
  MdRun next(again, {"system.source=data", "system.data=" + file.string()});
  // Energies are sums of terms rounded to 2^-32; positions moved by a box length are rounded to 1e-15.
  EXPECT_NEAR(next.column("potential_energy"), driven.run.column("potential_energy"), 1e-9);
  EXPECT_NEAR(next.column("kinetic_energy"), driven.run.column("kinetic_energy"), 1e-12);
}

/// The message of the error that a case gives.
std::string refusal(const std::vector<std::string>& overrides) {
  try {
    MdRun run(crystal, overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Outputs, RefuseWhatCannotBe) {
  EXPECT_NE(refusal({"output.trajectory.every_steps=10"}).find("names no form"), std::string::npos);
  EXPECT_NE(refusal({"output.data_file=../x.data"}).find("without a folder"), std::string::npos);
  EXPECT_NE(refusal({"analysis.rdf.every_steps=1", "analysis.rdf.range=4"}).find("half the width"), std::string::npos);
  EXPECT_NE(refusal({"analysis.rdf.every_steps=1", "analysis.rdf.pairs=[[1,2]]"}).find("1 type(s)"), std::string::npos);
  EXPECT_NE(refusal({"analysis.msd.every_steps=1", "analysis.msd.from_stage=2"}).find("there are 1 stage(s)"),
            std::string::npos);
  EXPECT_NE(refusal({"analysis.msd.every_steps=1", "analysis.msd.from_stage=1",
                     "stage=[{steps=5, dt=0.004}, {steps=5, dt=0.002}]"})
                .find("another dt"),
            std::string::npos);
}

}  // namespace
}  // namespace halyard::md
