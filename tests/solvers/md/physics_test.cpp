// What ensembles must do: conserve what they conserve, and sample what they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>

#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"

namespace halyard::md {
namespace {

/// 108 atoms of a Lennard-Jones fluid whose potential and force end smoothly, so that energies are conserved.
std::string fluid(double density, double temperature, const std::string& stages) {
  return fmt::format(
      "units = \"lj\"\n[system]\ncells = [3, 3, 3]\ndensity = {}\n[velocity]\ntemperature = {}\n[pair]\n"
      "potential = \"lj-force-shifted\"\ncutoff = 2.0\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n{}",
      density, temperature, stages);
}
std::string stage(std::int64_t steps, double dt, const std::string& more = "") {
  return fmt::format("[[stage]]\nsteps = {}\ndt = {}\n{}\n", steps, dt, more);
}

const char* const npt =
    "ensemble = \"npt\"\ntemperature = 1.0\ntemperature_time = 0.2\npressure = 1.0\n"
    "pressure_time = 0.5\n";

/// The largest |conserved energy - that at the start| over a time, looked at every `every`, from a lattice on.
double worst_drift(const std::string& ensemble, double dt, double time, double every) {
  const auto steps = static_cast<int>(std::lround(time / dt)), stride = static_cast<int>(std::lround(every / dt));
  MdRun run(fluid(0.75, 1.1, stage(steps, dt, ensemble)));
  const double start = run.column("conserved_energy");
  double worst = 0.0;
  for (int done = 0; done < steps; done += stride) {
    run.steps(stride);
    worst = std::max(worst, std::fabs(run.column("conserved_energy") - start));
    // Both from the same number at the start, but for the division.
    EXPECT_NEAR(108.0 * run.column("drift"), run.column("conserved_energy") - start, 1e-12);
  }
  return worst;
}

TEST(Conservation, TheErrorOfTheConservedEnergyFallsWithTheSquareOfDt) {
  // Verlet, Nose-Hoover and MTTK are symmetric and of second order: halving dt divides the error by four, but for the
  // next order and for what rounding leaves, 1e-9.
  const std::string chain =
      "ensemble = \"nvt\"\nthermostat = \"nose_hoover\"\ntemperature = 1.0\ntemperature_time = 0.2\n";
  for (const std::string& ensemble :
       {std::string("ensemble = \"nve\"\n"), chain, npt + std::string("barostat = \"mttk\"\n"),
        npt + std::string("barostat = \"mttk\"\ncoupling = \"anisotropic\"\n")}) {
    const double coarse = worst_drift(ensemble, 0.008, 0.64, 0.016), fine = worst_drift(ensemble, 0.004, 0.64, 0.016);
    EXPECT_NEAR(coarse / fine, 4.0, 0.8) << ensemble;
    // Of 108 atoms with a kinetic energy of 1.6 each, which start from a lattice at a pressure far from what is asked.
    EXPECT_LT(fine, 0.5) << ensemble;
    RecordProperty("drift", fmt::format("{:.3g} {:.3g}", coarse, fine));
  }
}

TEST(Conservation, TheConservedEnergyOfStochasticEnsemblesDoesNotDrift) {
  // The heat and work that noise brings are counted, so what is left is the integrator's error, as above.
  const std::string nvt = "ensemble = \"nvt\"\ntemperature = 1.0\ntemperature_time = 0.2\n";
  for (const std::string& ensemble :
       {nvt + std::string("thermostat = \"langevin\"\n"), nvt + std::string("thermostat = \"velocity_rescaling\"\n")}) {
    EXPECT_LT(worst_drift(ensemble, 0.002, 1.0, 0.1), 0.1) << ensemble;
  }
  // Cell rescaling is of first order in dt: a quarter of the step, a quarter of the error, but for other noise.
  for (const std::string& ensemble :
       {npt + std::string("barostat = \"cell_rescaling\"\ncompressibility = 0.1\n"),
        npt + std::string("barostat = \"cell_rescaling\"\ncompressibility = 0.1\ncoupling = \"semi_isotropic\"\n")}) {
    const double coarse = worst_drift(ensemble, 0.004, 1.0, 0.1), fine = worst_drift(ensemble, 0.001, 1.0, 0.1);
    EXPECT_GT(coarse / fine, 2.5) << ensemble;
    EXPECT_LT(fine, 0.5) << ensemble;
  }
}

TEST(Conservation, MomentumStaysAtRoundOff) {
  MdRun run(fluid(0.75, 1.1, stage(200, 0.005)));
  const auto momentum = [&] {
    std::array<double, 3> sum{};
    const std::vector<double> v = run.values("velocity");
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum[i % 3] += v[i];
    }
    return std::max({std::fabs(sum[0]), std::fabs(sum[1]), std::fabs(sum[2])});
  };
  // 108 velocities of up to 4, rounded at 4e-16 twice a step, at random: sqrt(108 * 400) * 2e-16. Forces cancel
  // exactly.
  const double start = momentum();
  // The sum that was taken off is one of terms rounded to 2^-36: sqrt(108) * 0.3 * 1.5e-11, with room.
  EXPECT_LT(start, 2e-10);
  run.steps(200);
  EXPECT_NEAR(momentum(), start, 2e-12);
}

TEST(Conservation, SeveralStagesCountTheirOwn) {
  MdRun run(fluid(0.75, 1.1,
                  stage(10, 0.004) + stage(10, 0.004,
                                           "ensemble = \"nvt\"\ntemperature = 1.0\n"
                                           "temperature_time = 0.1\n")));
  run.steps(10);
  EXPECT_EQ(run.column("stage"), 1.0);
  run.steps(1);
  EXPECT_EQ(run.column("stage"), 2.0);
  run.steps(100);
  EXPECT_TRUE(run.solver->finished());
}

TEST(Conservation, DriftIsCountedFromTheStartOfEachStage) {
  const std::string thermostat = "ensemble = \"nvt\"\ntemperature = 2.0\ntemperature_time = 0.1\n";
  MdRun run(fluid(0.75, 1.1,
                  stage(10, 0.004, thermostat) +
                      stage(3, 0.004, "ensemble = \"minimise\"\nforce = 1e-9\nlongest_move = 0.1\n") +
                      stage(10, 0.004)));
  EXPECT_EQ(run.column("drift"), 0.0);
  run.steps(10);
  // The heat that the thermostat brought is counted: what is left is the integrator's error, here below 1e-3 an atom.
  EXPECT_LT(std::fabs(run.column("drift")), 1e-3);
  EXPECT_NE(run.column("drift"), 0.0);
  run.steps(2);
  EXPECT_TRUE(std::isnan(run.column("drift")));
  EXPECT_TRUE(std::isnan(run.column("conserved_energy")));
  run.steps(1);  // the end of the minimisation, from where the last stage starts
  const double start = run.column("total_energy");
  run.steps(5);
  EXPECT_EQ(run.column("drift"), (run.column("conserved_energy") - start) / 108.0);
  EXPECT_LT(std::fabs(run.column("drift")), 1e-3);
}

struct Moments {
  double mean = 0.0, variance = 0.0;
};
Moments moments(const std::vector<double>& values) {
  Moments m;
  for (const double value : values) {
    m.mean += value / static_cast<double>(values.size());
  }
  for (const double value : values) {
    m.variance += (value - m.mean) * (value - m.mean) / static_cast<double>(values.size() - 1);
  }
  return m;
}

TEST(Thermostats, TheKineticEnergyHasTheCanonicalMeanAndVariance) {
  // K of n degrees of freedom: mean n kT / 2, variance n (kT)^2 / 2 of the canonical distribution. 400 samples a time
  // of 0.1 apart, which is twice the time constant: about 200 are independent. Four standard errors: 4 sqrt(2 / n /
  // 200) = 2.2 % of the mean, 4 sqrt(2 / 200) = 40 % of the variance.
  const double T = 1.2;
  for (const std::string thermostat : {"langevin", "velocity_rescaling", "nose_hoover"}) {
    MdRun run(fluid(0.5, T,
                    stage(100'000, 0.005,
                          fmt::format("ensemble = \"nvt\"\ntemperature = {}\ntemperature_time = 0.05\n"
                                      "thermostat = \"{}\"\n",
                                      T, thermostat))));
    run.steps(400);
    std::vector<double> kinetic;
    for (int sample = 0; sample < 400; ++sample) {
      run.steps(20);
      kinetic.push_back(run.column("kinetic_energy"));
    }
    // Noise moves the centre of mass too.
    const double n = thermostat == "langevin" ? 3.0 * 108 : 3.0 * 107;
    const Moments found = moments(kinetic);
    EXPECT_NEAR(found.mean, 0.5 * n * T, 0.022 * 0.5 * n * T) << thermostat;
    EXPECT_NEAR(found.variance, 0.5 * n * T * T, 0.4 * 0.5 * n * T * T) << thermostat;
  }
}

TEST(Thermostats, LangevinHeatsTheCentreOfMassToo) {
  // Eight atoms: 3 N = 24 degrees of freedom, not 21, which is 12.5 % apart. Samples a time of 0.5 apart, ten time
  // constants, are independent: one standard error of the mean of 3000 is sqrt(2 / 24 / 3000) = 0.53 %; four of them.
  const double T = 1.2;
  MdRun run(
      fmt::format("units = \"lj\"\n[system]\nlattice = \"sc\"\ncells = [2, 2, 2]\ndensity = 0.1\n[velocity]\n"
                  "temperature = {}\n[pair]\npotential = \"lj-force-shifted\"\ncutoff = 2.0\n"
                  "[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n{}",
                  T,
                  stage(1'000'000, 0.01,
                        fmt::format("ensemble = \"nvt\"\ntemperature = {}\ntemperature_time = 0.05\n"
                                    "thermostat = \"langevin\"\n",
                                    T))));
  run.steps(50);
  double kinetic = 0.0, temperature = 0.0;
  constexpr int samples = 3000;
  for (int sample = 0; sample < samples; ++sample) {
    run.steps(50);
    kinetic += run.column("kinetic_energy") / samples;
    temperature += run.column("temperature") / samples;
  }
  EXPECT_NEAR(kinetic, 0.5 * 24 * T, 4 * 0.0053 * 0.5 * 24 * T);
  EXPECT_NEAR(temperature, T, 4 * 0.0053 * T);
}

TEST(Thermostats, ARampEndsWhereItSays) {
  MdRun run(fluid(0.5, 1.0,
                  stage(800, 0.005,
                        "ensemble = \"nvt\"\ntemperature = 1.0\ntemperature_end = 2.0\n"
                        "temperature_time = 0.02\nthermostat = \"velocity_rescaling\"\n")));
  double half = 0.0, last = 0.0;
  for (int k = 0; k < 40; ++k) {
    run.steps(20);
    half += k >= 18 && k < 22 ? 0.25 * run.column("temperature") : 0.0;
    last += k >= 36 ? 0.25 * run.column("temperature") : 0.0;
  }
  // One standard deviation of a single temperature is sqrt(2 / 321) = 8 %; means of four nearly independent ones.
  EXPECT_NEAR(half, 1.5, 0.2);
  EXPECT_NEAR(last, 1.95, 0.27);
}

TEST(Barostats, TheMeanVolumeIsThatOfTheEquationOfState) {
  // NIST's molecular dynamics (SRSW, LJ_PURE): T = 0.851, p = 0.910(6) at density 0.840, with r_cut = 3 and tails; from
  // the table's neighbours, 0.020 in the density is 0.35 in the pressure: compressibility 0.068, so that the volume of
  // 256 atoms fluctuates by sqrt(T 0.068 / 305) = 1.4 %. 12 in time after 4, some 20 independent volumes:
  // 0.3 %; four times that.
  for (const std::string barostat :
       {"barostat = \"cell_rescaling\"\ncompressibility = 0.068\n", "barostat = \"mttk\"\n"}) {
    const std::string held = "temperature = 0.851\ntemperature_time = 0.2\n";
    MdRun run(
        "units = \"lj\"\n[system]\ncells = [4, 4, 4]\ndensity = 0.80\n[velocity]\ntemperature = 3.0\n[pair]\n"
        "potential = \"lj\"\ncutoff = 3.0\ntail = true\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n" +
        stage(300, 0.005) + stage(300, 0.005, "ensemble = \"nvt\"\n" + held) +
        stage(100'000, 0.005, "ensemble = \"npt\"\npressure = 0.910\npressure_time = 0.4\n" + held + barostat));
    run.steps(600 + 800);
    std::vector<double> volume, pressure;
    for (int k = 0; k < 240; ++k) {
      run.steps(10);
      volume.push_back(run.column("volume"));
      pressure.push_back(run.column("pressure"));
    }
    const Moments v = moments(volume);
    EXPECT_NEAR(v.mean, 256 / 0.840, 0.012 * 256 / 0.840) << barostat;
    // A fluctuation at all, and not a wild one: between half and twice the standard deviation above.
    EXPECT_NEAR(std::log2(std::sqrt(v.variance) / v.mean / 0.014), 0.0, 1.0) << barostat;
    // The instantaneous pressure scatters by about 0.4.
    EXPECT_NEAR(moments(pressure).mean, 0.910, 0.25) << barostat;
  }
}

TEST(Barostats, TheVolumeOfAnIdealGasHasItsDistribution) {
  // No forces: V is distributed as V^m exp(-p V / kT), whose mean is (m + 1) kT/p and variance (m + 1) (kT/p)^2.
  // Without momentum m = N - 1 of the pressure's N - 1 free momenta. 64 atoms, 600 in time, volumes independent after
  // about 1.2 (the barostat's time and the thermostat's): 500 of them. Four standard errors: 4 / sqrt(64 * 500) = 2.2 %
  // of the mean, 4 sqrt(2 / 500) = 25 % of the variance.
  for (const std::string coupling : {"isotropic", "anisotropic"}) {
    for (const std::string barostat :
         {"barostat = \"cell_rescaling\"\ncompressibility = 1.0\n", "barostat = \"mttk\"\n"}) {
      SCOPED_TRACE(coupling + ", " + barostat);
      MdRun run(
          "units = \"lj\"\n[system]\nlattice = \"sc\"\ncells = [4, 4, 4]\ndensity = 1.0\n[velocity]\ntemperature = "
          "1.0\n[pair]\npotential = \"lj\"\ncutoff = 0.3\n[[pair.coefficients]]\nepsilon = 0.0\nsigma = 1.0\n"
          "[neighbour]\nskin = 0.7\n" +
          stage(100'000, 0.02,
                "ensemble = \"npt\"\ntemperature = 1.0\ntemperature_time = 0.3\npressure = 1.0\npressure_time = "
                "0.6\ncoupling = \"" +
                    coupling + "\"\n" + barostat));
      run.steps(1000);
      std::vector<double> volume, pressure;
      for (int k = 0; k < 3000; ++k) {
        run.steps(10);
        volume.push_back(run.column("volume"));
        pressure.push_back(run.column("pressure") * run.column("volume"));
      }
      const Moments v = moments(volume);
      RecordProperty("volume", fmt::format("{:.4g} {:.4g}", v.mean, v.variance));
      EXPECT_NEAR(v.mean, 64.0, 0.022 * 64.0);
      EXPECT_NEAR(v.variance, 64.0, 0.25 * 64.0);
      // p V = (N - 1) kT; its scatter is sqrt(2 / (3 * 63)) = 10 %, over some 500 again.
      EXPECT_NEAR(moments(pressure).mean, 63.0, 0.02 * 63.0);
    }
  }
}

TEST(Minimiser, AShakenCrystalReturnsToItsLattice) {
  const std::string crystal =
      "units = \"lj\"\n[system]\ncells = [3, 3, 3]\ndensity = 1.05\n[velocity]\ntemperature = 0.2\n[pair]\n"
      "potential = \"lj-force-shifted\"\ncutoff = 2.3\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n";
  MdRun run(crystal + stage(30, 0.004) +
            stage(2000, 0.004, "ensemble = \"minimise\"\nforce = 1e-7\nlongest_move = 0.1\n"));
  const double lattice = run.column("potential_energy");
  run.steps(30);
  EXPECT_GT(run.column("potential_energy"), lattice + 1.0);
  run.steps(2000);
  ASSERT_TRUE(run.solver->finished());
  // Rounding of 108 * 40 pairs at 2.3e-10 at random; what a force of 1e-7 is away from the minimum is less.
  EXPECT_NEAR(run.column("potential_energy"), lattice, 1e-7);
  EXPECT_EQ(run.column("kinetic_energy"), 0.0);
}

/// A LAMMPS data file with the given atoms lines.
class MdStarts : public ScratchFolder {
 protected:
  std::string data(const std::string& atoms, int count, const std::string& box) {
    const std::filesystem::path path = folder() / "start.data";
    if (rank() == 0) {
      std::ofstream(path) << "start\n\n"
                          << count << " atoms\n1 atom types\n"
                          << box << "\nMasses\n\n1 1.0\n\n"
                          << (count > 0 ? "Atoms # atomic\n\n" + atoms : "");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return fmt::format(
        "units = \"lj\"\n[system]\nsource = \"data\"\ndata = '{}'\n[pair]\npotential = \"lj\"\ncutoff = 2.5\n"
        "[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n[neighbour]\nskin = 0.3\n",
        path.string());
  }
};

const char* const box_of_nine = "0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n";

TEST_F(MdStarts, AtomsFarOutsideTheBoxAreThoseInside) {
  // The same five atoms, as they are and moved by whole edges of a triclinic box; faces and corners among them.
  const std::string box = "0 9 xlo xhi\n0 8 ylo yhi\n0 7 zlo zhi\n2.5 -1.25 3.0 xy xz yz\n";
  const double at[5][3] = {{0, 0, 0}, {1.25, 0.25, 0}, {8.5, 0.5, 0.5}, {2.5, 7.75, 3.5}, {0, 1.5, 6.5}};
  std::string inside, outside;
  for (int i = 0; i < 5; ++i) {
    const int n[3] = {3 * i - 5, 7 - 2 * i, i - 3};
    inside += fmt::format("{} 1 {} {} {}\n", i + 1, at[i][0], at[i][1], at[i][2]);
    outside += fmt::format("{} 1 {} {} {}\n", i + 1, at[i][0] + 9 * n[0] + 2.5 * n[1] - 1.25 * n[2],
                           at[i][1] + 8 * n[1] + 3 * n[2], at[i][2] + 7 * n[2]);
  }
  MdRun one(data(inside, 5, box) + stage(1, 0.001));
  const double energy = one.column("potential_energy"), pressure = one.column("pressure_xz");
  const std::vector<double> forces = forces_at_start(one);
  EXPECT_NE(energy, 0.0);
  MdRun other(data(outside, 5, box) + stage(1, 0.001));
  // All coordinates are whole multiples of 1/4: no rounding on the way.
  EXPECT_EQ(other.column("potential_energy"), energy);
  EXPECT_EQ(forces_at_start(other), forces);
  EXPECT_EQ(other.column("pressure_xz"), pressure);
}

TEST_F(MdStarts, OneAtomFliesOnInAStraightLine) {
  const std::string text = data("1 1 4.5 4.5 8.75\n\nVelocities\n\n1 0.5 -0.25 1.0\n", 1, box_of_nine);
  MdRun run(text + stage(64, 0.0625));
  run.steps(64);
  EXPECT_EQ(run.column("potential_energy"), 0.0);
  EXPECT_EQ(run.column("temperature"), 0.0);  // no degree of freedom is left
  const std::vector<double> v = run.values("velocity");
  EXPECT_EQ(v, (std::vector<double>{0.5, -0.25, 1.0}));
  // Modulo the box: it has crossed the upper side, and shows so where the list has been renewed since.
  const std::vector<double> x = run.values("position");
  ASSERT_EQ(x.size(), 3U);
  EXPECT_EQ(x[0], 4.5 + 0.5 * 4);
  EXPECT_EQ(x[1], 4.5 - 0.25 * 4);
  EXPECT_EQ(std::fmod(x[2], 9.0), std::fmod(8.75 + 4.0, 9.0));
}

TEST_F(MdStarts, AMinimisationTakesAtomsApartThatAreInsideOneAnother) {
  // A pair and its minimum, 2^(1/6); at 0.05 the force would be 48 / 0.05^13, far beyond the fixed-point range.
  MdRun run(data("1 1 4.5 4.5 4.5\n2 1 4.53 4.46 4.5\n", 2, box_of_nine) +
            stage(2000, 0.002, "ensemble = \"minimise\"\nforce = 1e-7\nlongest_move = 0.1\n") + stage(10, 0.002));
  EXPECT_TRUE(std::isfinite(run.column("potential_energy")));
  while (run.column("stage") == 1.0) {
    run.steps(1, true);
  }
  const std::vector<double> x = run.values("position");
  const double r = std::sqrt(std::pow(x[0] - x[3], 2) + std::pow(x[1] - x[4], 2) + std::pow(x[2] - x[5], 2));
  // A force of 1e-7 over a curvature of 57 is 2e-9 away.
  EXPECT_NEAR(r, std::pow(2.0, 1.0 / 6.0), 4e-9);
  EXPECT_NEAR(run.column("potential_energy"), -1.0, 1e-9);
}

TEST_F(MdStarts, NoAtomsAtAllAreASystemToo) {
  for (const std::string& ensemble :
       {std::string(), std::string("ensemble = \"nvt\"\ntemperature = 1.0\ntemperature_time = 0.1\n"),
        std::string("ensemble = \"nvt\"\ntemperature = 1.0\ntemperature_time = 0.1\nthermostat = \"langevin\"\n"),
        std::string("ensemble = \"nvt\"\ntemperature = 1.0\ntemperature_time = 0.1\nthermostat = \"nose_hoover\"\n"),
        std::string("ensemble = \"minimise\"\nforce = 1e-3\nlongest_move = 0.1\n")}) {
    MdRun run(data("", 0, box_of_nine) + stage(5, 0.01, ensemble));
    run.steps(5, true);
    EXPECT_TRUE(run.solver->finished()) << ensemble;
    for (const char* column : {"temperature", "pressure", "potential_energy", "total_energy"}) {
      EXPECT_EQ(run.column(column), 0.0) << ensemble << column;
    }
  }
}

}  // namespace
}  // namespace halyard::md
