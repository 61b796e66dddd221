// Energies and forces of the whole solver against sums over all pairs and images: atoms at awkward places, far outside
// their box, and at every step of runs in which the list of pairs is renewed and the box changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <random>

#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"

namespace halyard::md {
namespace {

using Vector = std::array<double, 3>;
constexpr double cutoff = 2.0;

struct AllPairs {
  double energy = 0.0;
  std::vector<double> forces;
  double rounding = 0.0;    // of the energy
  double size_force = 0.0;  // largest sum of the magnitudes of the forces on an atom
};

/// The sum over all pairs and images of the energy-shifted potential, epsilon = sigma = 1. A pair is brought to
/// within half an edge first; then, boxes being two cutoffs wide, one image either way is enough.
AllPairs all_pairs(const SimulationBox& box, const std::vector<double>& x) {
  const std::size_t count = x.size() / 3;
  const double lx = box.length[0], ly = box.length[1], lz = box.length[2];
  const double shift = 4.0 * (std::pow(cutoff, -12.0) - std::pow(cutoff, -6.0));
  AllPairs sum;
  sum.forces.resize(x.size());
  double energy = 0.0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, 3> force{};
    double size = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      std::array<double, 3> d{};
      for (std::size_t a = 0; a < 3; ++a) {
        d[a] = x[3 * i + a] - x[3 * j + a];
      }
      const double nz = box.periodic[2] ? std::round(d[2] / lz) : 0.0;
      d = {d[0] - nz * box.xz, d[1] - nz * box.yz, d[2] - nz * lz};
      const double ny = box.periodic[1] ? std::round(d[1] / ly) : 0.0;
      d = {d[0] - ny * box.xy, d[1] - ny * ly, d[2]};
      d[0] -= (box.periodic[0] ? std::round(d[0] / lx) : 0.0) * lx;
      for (int kz = box.periodic[2] ? -1 : 0; kz <= (box.periodic[2] ? 1 : 0); ++kz) {
        for (int ky = box.periodic[1] ? -1 : 0; ky <= (box.periodic[1] ? 1 : 0); ++ky) {
          for (int kx = box.periodic[0] ? -1 : 0; kx <= (box.periodic[0] ? 1 : 0); ++kx) {
            const double dx = d[0] + kx * lx + ky * box.xy + kz * box.xz, dy = d[1] + ky * ly + kz * box.yz,
                         dz = d[2] + kz * lz;
            const double r2 = dx * dx + dy * dy + dz * dz;
            if ((i == j && kx == 0 && ky == 0 && kz == 0) || r2 >= cutoff * cutoff) {
              continue;
            }
            const double s6 = 1.0 / (r2 * r2 * r2), over_r = (48.0 * s6 * s6 - 24.0 * s6) / r2;
            energy += 0.5 * (4.0 * (s6 * s6 - s6) - shift);
            force = {force[0] + over_r * dx, force[1] + over_r * dy, force[2] + over_r * dz};
            size += std::fabs(over_r) * std::sqrt(r2);
            ++pairs;
          }
        }
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      sum.forces[3 * i + a] = force[a];
    }
    sum.size_force = std::max(sum.size_force, size);
    sum.rounding += size;
  }
  sum.energy = energy;
  // Each pair's energy is rounded to energy_unit, at random; positions to 2e-15 of the box when atoms are wrapped.
  const double place = 4e-16 * (std::fabs(box.origin[0]) + box.length[0] + box.length[1] + box.length[2]);
  sum.rounding = 4.0 * energy_unit * std::sqrt(static_cast<double>(pairs) + 1.0) + place * sum.rounding;
  return sum;
}

/// On a face and one unit in the last place on either side of it, on cuts between two, three and seven bricks.
std::vector<double> inside_and_beside() {
  return {0.0,
          -0x1p-60,
          std::nextafter(0.0, 1.0),
          std::nextafter(0.0, -1.0),
          std::nextafter(1.0, 0.0),
          1.0,
          std::nextafter(1.0, 2.0),
          0.5,
          std::nextafter(0.5, 0.0),
          1.0 / 3.0,
          2.0 / 3.0,
          1.0 / 7.0,
          3.0 / 7.0,
          -1e-16,
          0.999999999999};
}

class AllPairsTest : public ScratchFolder {
 protected:
  /// A data file of this box and these places, numbered from 1.
  std::string data(const SimulationBox& box, const std::vector<double>& x, const std::string& more = "") {
    const std::filesystem::path path = folder() / fmt::format("start{}.data", files_++);
    if (rank() == 0) {
      std::ofstream file(path);
      file << fmt::format("places\n\n{} atoms\n1 atom types\n", x.size() / 3);
      const Vector high{box.origin[0] + box.length[0], box.origin[1] + box.length[1], box.origin[2] + box.length[2]};
      file << fmt::format("{} {} xlo xhi\n{} {} ylo yhi\n{} {} zlo zhi\n", box.origin[0], high[0], box.origin[1],
                          high[1], box.origin[2], high[2]);
      if (!box.orthogonal()) {
        file << fmt::format("{} {} {} xy xz yz\n", box.xy, box.xz, box.yz);
      }
      file << "\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n";
      for (std::size_t i = 0; i < x.size() / 3; ++i) {
        file << fmt::format("{} 1 {} {} {}\n", i + 1, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return fmt::format(
        "units = \"lj\"\n[system]\nsource = \"data\"\ndata = '{}'\nperiodic = [{}, {}, {}]\n[pair]\npotential = "
        "\"lj-shifted\"\ncutoff = {}\n[[pair.coefficients]]\nepsilon = 1.0\nsigma = 1.0\n{}",
        path.string(), box.periodic[0], box.periodic[1], box.periodic[2], cutoff, more);
  }

 private:
  int files_ = 0;
};

double nearest_image2(const SimulationBox& box, const Vector& a, const Vector& b) {
  double nearest = 1e300;
  for (int k = 0; k < 27; ++k) {
    const Vector s = box.lattice_vector({k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1});
    const bool open =
        (k % 3 != 1 && !box.periodic[0]) || (k / 3 % 3 != 1 && !box.periodic[1]) || (k / 9 != 1 && !box.periodic[2]);
    const double dx = a[0] - b[0] + s[0], dy = a[1] - b[1] + s[1], dz = a[2] - b[2] + s[2];
    nearest = open ? nearest : std::min(nearest, dx * dx + dy * dy + dz * dz);
  }
  return nearest;
}

/// Up to `count` places no nearer than 0.88 to one another, `awkward` ones first; with `far`, moved by whole edges.
std::vector<double> places(const SimulationBox& box, int count, bool far, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const std::vector<double> special = inside_and_beside();
  std::vector<Vector> inside;
  std::vector<double> x;
  for (int attempt = 0; attempt < 60 * count && static_cast<int>(inside.size()) < count; ++attempt) {
    Vector f;
    for (std::size_t a = 0; a < 3; ++a) {
      const double at = special[random() % special.size()];
      f[a] = random() % 2 == 0 ? uniform(random) : box.periodic[a] ? at : std::clamp(at, 1e-9, 1.0 - 1e-9);
    }
    const Vector at = box.position(f);
    bool free = true;
    for (const Vector& other : inside) {
      free = free && nearest_image2(box, at, other) > 0.88 * 0.88;
    }
    if (!free) {
      continue;
    }
    inside.push_back(at);
    std::array<int, 3> n{};
    for (std::size_t a = 0; a < 3; ++a) {
      n[a] = far && box.periodic[a] ? static_cast<int>(random() % 2001) - 1000 : 0;
    }
    const Vector moved = box.lattice_vector(n);
    for (std::size_t a = 0; a < 3; ++a) {
      x.push_back(at[a] + moved[a]);
    }
  }
  return x;
}

// Wide enough along x for seven bricks of cutoff and skin, 2.41; two or three along y and z.
std::vector<std::pair<std::string, SimulationBox>> boxes() {
  return {{"orthogonal", {.origin = {-3.7, 0.25, 11.0}, .length = {20.0, 7.0, 5.2}}},
          {"triclinic", {.origin = {1.3, -2.0, 0.0}, .length = {22.5, 7.5, 5.9}, .xy = 2.9, .xz = -2.2, .yz = 2.6}},
          {"open along y", {.origin = {0.0, 0.0, 0.0}, .length = {18.0, 6.0, 5.2}, .periodic = {true, false, true}}}};
}

const char* const one_step = "[[stage]]\nsteps = 1\ndt = 0.001\n";

TEST_F(AllPairsTest, AtAwkwardPlacesAndFarOutsideTheBox) {
  for (const auto& [name, box] : boxes()) {
    for (const bool far : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", name, far ? "far outside" : "on the faces"));
      const std::vector<double> x = places(box, 380, far, 3);
      ASSERT_GT(x.size(), 3U * 220U);
      const AllPairs wanted = all_pairs(box, x);
      const std::string text = data(box, x, one_step);
      MdRun run(text);
      // A place 1000 boxes away is known to 2e-12: through the slopes of all pairs, at random.
      const double away = far ? 4e-12 : 0.0;
      EXPECT_NEAR(run.column("potential_energy"), wanted.energy,
                  wanted.rounding + away * wanted.size_force * std::sqrt(static_cast<double>(x.size())));
      const std::vector<double> forces = forces_at_start(run);
      ASSERT_EQ(forces.size(), x.size());
      // The slope of a force at 0.88 is 1e4: times the rounding of two places.
      const double stiffness = 1e4, place = 1e-14 + away;
      for (std::size_t k = 0; k < forces.size(); ++k) {
        ASSERT_NEAR(forces[k], wanted.forces[k], 60.0 * force_unit + stiffness * place) << "atom " << k / 3 + 1;
      }
      MdRun alone(text, {}, MPI_COMM_SELF);
      EXPECT_EQ(run.column("potential_energy"), alone.column("potential_energy"));
      EXPECT_EQ(run.column("pressure_xz"), alone.column("pressure_xz"));
    }
  }
}

/// The box now, from the state.
SimulationBox box_now(MdRun& run, const SimulationBox& start) {
  SimulationBox box = start;
  for (const StateScalar& scalar : run.solver->state().scalars) {
    const auto take = [&](const std::string& name, double& to) {
      if (scalar.name == name) {
        to = *std::get<double*>(scalar.value);
      }
    };
    for (std::size_t d = 0; d < 3; ++d) {
      take(fmt::format("box_origin_{}", "xyz"[d]), box.origin[d]);
      take(fmt::format("box_length_{}", "xyz"[d]), box.length[d]);
    }
    take("box_tilt_xy", box.xy);
    take("box_tilt_xz", box.xz);
    take("box_tilt_yz", box.yz);
  }
  return box;
}

TEST_F(AllPairsTest, AtEveryStepWhateverTheSkinAndTheBox) {
  // Hot, dense and at a pressure far from what is asked: atoms move half of the smallest skin every few steps, and
  // boxes change by a few per cent. A pair missed for one step shows: at the cutoff its force is 0.16, so its energy is
  // beyond the bounds as soon as it is nearer than the cutoff by 1e-6.
  const std::string held = "temperature = 3.0\ntemperature_time = 0.05\n";
  const std::string pressed =
      "ensemble = \"npt\"\npressure = 8.0\npressure_time = 0.2\ncoupling = \"anisotropic\"\n" + held;
  const std::vector<std::pair<const char*, std::string>> ensembles{
      {"nve", ""},
      {"langevin", "ensemble = \"nvt\"\nthermostat = \"langevin\"\n" + held},
      {"mttk", "barostat = \"mttk\"\n" + pressed},
      {"cell rescaling", "barostat = \"cell_rescaling\"\ncompressibility = 0.05\n" + pressed}};
  for (const auto& [name, box] : boxes()) {
    const std::vector<double> x = places(box, 220, false, 7);
    SimulationBox start = box;
    if (!box.periodic[1]) {  // room for those that fly off
      start.origin[1] -= 5.0;
      start.length[1] += 10.0;
    }
    for (const auto& [ensemble, keys] : ensembles) {
      if (!box.periodic[1] && keys.find("npt") != std::string::npos) {
        continue;
      }
      for (const char* skin : {"0.06", "0.23", "0.4"}) {  // the widest is pruned to about 0.14
        SCOPED_TRACE(fmt::format("{}, {}, skin {}", name, ensemble, skin));
        MdRun run(
            data(start, x,
                 fmt::format("[velocity]\ntemperature = 3.0\n[neighbour]\nskin = {}\n[[stage]]\nsteps = 1000\ndt = "
                             "0.002\n{}",
                             skin, keys)));
        for (int step = 0; step < 16; ++step) {
          run.steps(1, true);
          const SimulationBox now = box_now(run, start);
          const AllPairs wanted = all_pairs(now, run.values("position"));
          ASSERT_NEAR(run.column("potential_energy"), wanted.energy, wanted.rounding) << "step " << step + 1;
        }
        if (keys.find("npt") != std::string::npos) {
          EXPECT_GT(std::fabs(run.column("volume") / box.volume() - 1.0), 0.002);
        }
      }
    }
  }
}

TEST_F(AllPairsTest, AtEveryStepOfABoxThatShrinksWithAllAtomsInTheirPlaces) {
  // Atoms too heavy to move by themselves: they follow the box, which shrinks by 5 % against a list that reaches 3 %
  // beyond the cutoff. Pairs come nearer without any displacement, so the list must expire by the box alone.
  for (const auto& [name, box] : boxes()) {
    if (!box.periodic[1]) {
      continue;
    }
    SCOPED_TRACE(name);
    const std::vector<double> x = places(box, 220, false, 11);
    MdRun run(data(box, x,
                   "[[type]]\nname = \"A\"\nmass = 1e12\n[velocity]\ntemperature = 0.001\n[neighbour]\nskin = 0.06\n"
                   "[[stage]]\nsteps = 1000\ndt = 0.002\nensemble = \"npt\"\nbarostat = \"cell_rescaling\"\n"
                   "temperature = 0.001\ntemperature_time = 0.1\npressure = 20.0\npressure_time = 0.05\n"
                   "compressibility = 0.01\n"));
    for (int step = 0; step < 24; ++step) {
      run.steps(1, true);
      const AllPairs wanted = all_pairs(box_now(run, box), run.values("position"));
      ASSERT_NEAR(run.column("potential_energy"), wanted.energy, wanted.rounding) << "step " << step + 1;
    }
    EXPECT_LT(run.column("volume") / box.volume(), 0.87);  // 4.5 % of the edges
  }
}

}  // namespace
}  // namespace halyard::md
