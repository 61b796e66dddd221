#include "kernels/md/eam_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <sstream>

#include "kernels/device/error.hpp"
#include "tests/support/reference_text.hpp"

namespace halyard::md {
namespace {

/// Two elements with smooth made-up functions; rho_ab by pairs.
double sample_density(int a, int b, double r) { return (1.0 + a + 0.3 * b) * std::exp(-1.1 * r) + 0.01 * std::cos(r); }
double sample_r_phi(int a, int b, double r) { return (2.0 + a + b) * std::exp(-1.7 * r) - 0.2 * std::sin(2.0 * r); }
double sample_embedding(int a, double rho) { return -(1.0 + a) * std::sqrt(rho + 0.1) + 0.3 * rho * rho; }

EamGrids sample_grids(int refinement) {
  EamGrids grids{.elements = 2,
                 .nrho = 40 * refinement + 1,
                 .nr = 60 * refinement + 1,
                 .drho = 0.05 / refinement,
                 .dr = 0.1 / refinement,
                 .cutoff = 6.0,
                 .finnis_sinclair = true,
                 .embedding = {},
                 .density = {},
                 .r_phi = {}};
  for (int a = 0; a < 2; ++a) {
    auto& f = grids.embedding.emplace_back();
    for (int k = 0; k < grids.nrho; ++k) {
      f.push_back(sample_embedding(a, k * grids.drho));
    }
    for (int b = 0; b < 2; ++b) {
      auto& rho = grids.density.emplace_back();
      for (int k = 0; k < grids.nr; ++k) {
        rho.push_back(sample_density(a, b, k * grids.dr));
      }
    }
    for (int b = 0; b <= a; ++b) {
      auto& z2 = grids.r_phi.emplace_back();
      for (int k = 0; k < grids.nr; ++k) {
        z2.push_back(sample_r_phi(a, b, k * grids.dr));
      }
    }
  }
  return grids;
}

TEST(EamSplines, KnotsKeepTheTablesValues) {
  const EamGrids grids = sample_grids(1);
  const EamSplines splines(grids);
  const EamView eam = splines.view();
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      for (int k = 1; k < grids.nr; ++k) {
        const double r = k * grids.dr;
        const auto pair = eam_pair(eam, r, splines.pair_start(a, b));
        EXPECT_NEAR(pair.density, sample_density(a, b, r), 2e-15);
        EXPECT_NEAR(pair.phi * r, sample_r_phi(a, b, r), 4e-15);
        EXPECT_EQ(eam_density(eam, r, splines.pair_start(a, b)), pair.density);
      }
    }
    for (int k = 0; k < grids.nrho; ++k) {
      const auto f = eam_embedding(eam, k * grids.drho, splines.embedding_start(a));
      EXPECT_NEAR(f.energy, sample_embedding(a, k * grids.drho), 2e-15);
      EXPECT_FALSE(k < grids.nrho - 1 && f.outside);
    }
  }
  EXPECT_EQ(eam_density(eam, 0.0, splines.pair_start(1, 0)), sample_density(1, 0, 0.0));
}

TEST(EamSplines, ConvergeInTheInteriorWithTheFourthPower) {
  // The 5-point slopes are of fourth order, so the cubics are: halving the step divides the errors by 16.
  double error[2][3] = {};
  for (int fine = 0; fine < 2; ++fine) {
    const EamSplines splines(sample_grids(1 + fine));
    const EamView eam = splines.view();
    for (double r = 1.03; r < 5.0; r += 0.0137) {
      const auto pair = eam_pair(eam, r, splines.pair_start(1, 0));
      error[fine][0] = std::max(error[fine][0], std::fabs(pair.density - sample_density(1, 0, r)));
      error[fine][1] = std::max(error[fine][1], std::fabs(pair.phi - sample_r_phi(1, 0, r) / r));
    }
    for (double rho = 0.5; rho < 1.7; rho += 0.00137) {
      const auto f = eam_embedding(eam, rho, splines.embedding_start(1));
      error[fine][2] = std::max(error[fine][2], std::fabs(f.energy - sample_embedding(1, rho)));
    }
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(error[0][i] / error[1][i], 16.0, 4.0);
    EXPECT_LT(error[1][i], 2e-6);
  }
}

TEST(EamSplines, EndsFollowLammpsRule) {
  // f = k^3 on whole numbers: inner slopes 3 k^2 exactly; next to the ends by three points 3 k^2 + 1; ends one-sided.
  EamGrids grids{.elements = 1,
                 .nrho = 7,
                 .nr = 7,
                 .drho = 1.0,
                 .dr = 1.0,
                 .cutoff = 6.0,
                 .finnis_sinclair = false,
                 .embedding = {},
                 .density = {},
                 .r_phi = {}};
  std::vector<double> cubes;
  for (int k = 0; k < 7; ++k) {
    cubes.push_back(k * k * k);
  }
  grids.embedding = grids.density = grids.r_phi = {cubes};
  const EamSplines splines(grids);
  const double slopes[7] = {1.0, 4.0, 12.0, 27.0, 48.0, 76.0, 91.0};
  for (int k = 0; k < 7; ++k) {
    EXPECT_NEAR(eam_embedding(splines.view(), static_cast<double>(k), 0.0).slope, slopes[k], 1e-12) << k;
    EXPECT_NEAR(eam_pair(splines.view(), static_cast<double>(k), 0.0).density_slope, slopes[k], 1e-12) << k;
  }
  EXPECT_NEAR(eam_embedding(splines.view(), 2.5, 0.0).energy, 15.625, 1e-13);  // between exact slopes: exact
  // Above the table a straight line; below zero the first cubic k + ... : c = 0, 1, 3 - 2 - 4, 1 + 4 - 2
  const auto above = eam_embedding(splines.view(), 8.0, 0.0);
  EXPECT_NEAR(above.energy, 216.0 + 2.0 * 91.0, 1e-12);
  EXPECT_NEAR(above.slope, 91.0, 1e-12);
  EXPECT_TRUE(above.outside);
  const auto below = eam_embedding(splines.view(), -0.5, 0.0);
  EXPECT_NEAR(below.energy, -0.5 - 3.0 * 0.25 - 3.0 * 0.125, 1e-14);
  EXPECT_TRUE(below.outside);
  EXPECT_FALSE(eam_embedding(splines.view(), 6.0, 0.0).outside);
  // Beyond the last value of r that one holds, as in LAMMPS.
  EXPECT_EQ(eam_density(splines.view(), 100.0, 0.0), 216.0);
}

TEST(EamSplines, SlopesAreThoseOfTheValues) {
  const EamSplines splines(sample_grids(1));
  const EamView eam = splines.view();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.3, 1.7);
  for (int i = 0; i < 300; ++i) {
    const double x = 3.0 * uniform(random), h = 1e-4;
    if (std::floor((x - h) / 0.1) != std::floor((x + h) / 0.1)) {
      continue;  // within one interval
    }
    const double start = splines.pair_start(i % 2, (i / 2) % 2);
    const auto left = eam_pair(eam, x - h, start), middle = eam_pair(eam, x, start),
               right = eam_pair(eam, x + h, start);
    // Differences err by h^2 U'''/6 = 1e-8 times a third derivative of order 10.
    EXPECT_NEAR(middle.density_slope, (right.density - left.density) / (2 * h), 1e-7);
    EXPECT_NEAR(middle.phi_slope, (right.phi - left.phi) / (2 * h), 1e-6);
  }
  for (double rho = 0.0131; rho < 2.5; rho += 0.05) {
    const double h = 1e-4, start = splines.embedding_start(1);
    const double difference = eam_embedding(eam, rho + h, start).energy - eam_embedding(eam, rho - h, start).energy;
    EXPECT_NEAR(eam_embedding(eam, rho, start).slope, difference / (2 * h), 1e-6);
  }
}

TEST(EamSplines, LanesAreTheScalarFormulas) {
  const EamSplines splines(sample_grids(1));
  const EamView eam = splines.view();
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-0.2, 7.0);  // outside the tables as well
  for (int i = 0; i < 500; ++i) {
    double x[8], pair_start[8], embedding_start[8], out[8];
    for (int l = 0; l < 8; ++l) {
      x[l] = uniform(random);
      pair_start[l] = splines.pair_start(l % 2, (l / 2) % 2);
      embedding_start[l] = splines.embedding_start(l % 2);
    }
    const auto expect = [&](host::Lanes lanes, auto scalar) {
      host::store(out, lanes);
      for (int l = 0; l < 8; ++l) {
        EXPECT_EQ(out[l], scalar(l));
      }
    };
    const auto pair = eam_pair(eam, host::load(x), host::load(pair_start));
    expect(pair.density, [&](int l) { return eam_pair(eam, x[l], pair_start[l]).density; });
    expect(pair.density_slope, [&](int l) { return eam_pair(eam, x[l], pair_start[l]).density_slope; });
    expect(pair.phi, [&](int l) { return eam_pair(eam, x[l], pair_start[l]).phi; });
    expect(pair.phi_slope, [&](int l) { return eam_pair(eam, x[l], pair_start[l]).phi_slope; });
    expect(eam_density(eam, host::load(x), host::load(pair_start)),
           [&](int l) { return eam_density(eam, x[l], pair_start[l]); });
    const auto f = eam_embedding(eam, host::load(x), host::load(embedding_start));
    expect(f.energy, [&](int l) { return eam_embedding(eam, x[l], embedding_start[l]).energy; });
    expect(f.slope, [&](int l) { return eam_embedding(eam, x[l], embedding_start[l]).slope; });
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ((host::to_bits(f.outside) >> l) & 1U, unsigned{eam_embedding(eam, x[l], embedding_start[l]).outside});
    }
  }
}

TEST(EamSplines, WrongTablesAreRefused) {
  EamGrids grids = sample_grids(1);
  grids.density.pop_back();
  EXPECT_THROW(EamSplines{grids}, Error);
  grids = sample_grids(1);
  grids.embedding[1].push_back(0.0);
  EXPECT_THROW(EamSplines{grids}, Error);
  grids = sample_grids(1);
  grids.r_phi[2][5] = std::nan("");
  EXPECT_THROW(EamSplines{grids}, Error);
  grids = sample_grids(1);
  grids.nr = 4;
  EXPECT_THROW(EamSplines{grids}, Error);
}

/// A funcfl file of one element: after three lines the numbers of F, Z, rho. drop_last: without the last value of each
/// table, as LAMMPS builds its grid.
EamGrids copper_u3(bool drop_last) {
  std::istringstream text(reference_text(CASES_FOLDER "/copper-eam/Cu_u3.eam"));
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  EamGrids grids;
  grids.elements = 1;
  text >> grids.nrho >> grids.drho >> grids.nr >> grids.dr >> grids.cutoff;
  const auto read = [&](int count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
      text >> value;
    }
    return values;
  };
  grids.embedding = {read(grids.nrho)};
  std::vector<double> z = read(grids.nr);
  grids.density = {read(grids.nr)};
  EXPECT_TRUE(text.good() || text.eof());
  for (double& value : z) {
    value = 27.2 * 0.529 * value * value;
  }
  grids.r_phi = {z};
  if (drop_last) {
    --grids.nr, --grids.nrho;
    for (auto* tables : {&grids.embedding, &grids.density, &grids.r_phi}) {
      tables->front().pop_back();
    }
  }
  return grids;
}

TEST(EamCopper, CohesiveEnergyOfTheCrystal) {
  for (const bool drop_last : {true, false}) {
    const EamSplines splines(copper_u3(drop_last));
    const EamView eam = splines.view();
    double rho = 0.0, phi = 0.0;
    for (int i = -3; i <= 3; ++i) {
      for (int j = -3; j <= 3; ++j) {
        for (int k = -3; k <= 3; ++k) {
          const double r = 0.5 * 3.615 * std::sqrt(static_cast<double>(i * i + j * j + k * k));
          if ((i + j + k) % 2 == 0 && r > 0.0 && r < splines.cutoff()) {
            const auto pair = eam_pair(eam, r, 0.0);
            rho += pair.density;
            phi += pair.phi;
          }
        }
      }
    }
    // LAMMPS prints -3.540000002279, twelve decimals.
    EXPECT_NEAR(eam_embedding(eam, rho, 0.0).energy + 0.5 * phi, -3.540000002279, 1e-12);
  }
}

TEST(EamCopper, HotCrystalOfLammps) {
  std::istringstream data(reference_text(DATA_FOLDER "/../../../io/input/data/cu4000.data.gz"));
  std::istringstream forces(reference_text(DATA_FOLDER "/cu4000_forces.txt.gz"));
  std::string line;
  while (std::getline(data, line) && line.rfind("Atoms", 0) != 0) {
  }
  constexpr int n = 4000;
  constexpr double box = 36.150000000000006;
  std::vector<std::array<double, 3>> x(n), f(n, {0.0, 0.0, 0.0});
  for (int i = 0; i < n; ++i) {
    int id = 0, type = 0, flag = 0;
    data >> id >> type;
    auto& position = x.at(static_cast<std::size_t>(id - 1));
    data >> position[0] >> position[1] >> position[2] >> flag >> flag >> flag;
  }
  ASSERT_TRUE(data.good());
  const EamSplines splines(copper_u3(true));
  const EamView eam = splines.view();
  struct Neighbour {
    int i, j;
    std::array<double, 3> d;
    double r;
  };
  std::vector<Neighbour> pairs;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      std::array<double, 3> d;
      double r2 = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = x[i][axis] - x[j][axis];
        d[axis] -= box * std::nearbyint(d[axis] / box);
        r2 += d[axis] * d[axis];
      }
      if (r2 < splines.cutoff() * splines.cutoff()) {
        pairs.push_back({i, j, d, std::sqrt(r2)});
      }
    }
  }
  std::vector<double> rho(n, 0.0), slope(n);
  double energy = 0.0, virial = 0.0, largest = 0.0, worst = 0.0;
  for (const auto& pair : pairs) {
    const double density = eam_density(eam, pair.r, 0.0);
    rho[pair.i] += density;
    rho[pair.j] += density;
  }
  for (int i = 0; i < n; ++i) {
    const auto embedding = eam_embedding(eam, rho[i], 0.0);
    ASSERT_FALSE(embedding.outside);
    energy += embedding.energy;
    slope[i] = embedding.slope;
  }
  for (const auto& pair : pairs) {
    const auto term = eam_pair(eam, pair.r, 0.0);
    const double f_over_r = -((slope[pair.i] + slope[pair.j]) * term.density_slope + term.phi_slope) / pair.r;
    energy += term.phi;
    virial += f_over_r * pair.r * pair.r;
    for (int axis = 0; axis < 3; ++axis) {
      f[pair.i][axis] += f_over_r * pair.d[axis];
      f[pair.j][axis] -= f_over_r * pair.d[axis];
    }
  }
  EXPECT_NEAR(energy, -13728.3912440423, 1e-10 * 13728.0);
  // P V = N k T + W/3 with LAMMPS' k = 8.617343e-5 eV/K and 1.6021765e6 bar A^3 / eV (units metal, 29 Sep 2021)
  const double kinetic = 2.0 / 3.0 * 398.217503397423;
  EXPECT_NEAR((kinetic + virial / 3.0) / (box * box * box) * 1.6021765e6, 52536.4372461819, 1e-9 * 52536.0);
  for (int i = 0; i < n; ++i) {
    int id = 0;
    double g[3];
    forces >> id >> g[0] >> g[1] >> g[2];
    for (int axis = 0; axis < 3; ++axis) {
      largest = std::max(largest, std::fabs(g[axis]));
      worst = std::max(worst, std::fabs(g[axis] - f[static_cast<std::size_t>(id - 1)][axis]));
    }
  }
  ASSERT_FALSE(forces.fail());
  EXPECT_LT(worst, 1e-11 * largest);  // LAMMPS' coefficients of the slopes are rounded apart from ours
}

TEST(EamCopper, SafeDistanceIsWellBelowTheFirstNeighbours) {
  const EamSplines splines(copper_u3(false));
  const double safe = std::sqrt(splines.safe_r2(0, 0, 1e4));
  EXPECT_LT(safe, 1.0);
  EXPECT_GT(safe, 0.0);
  // A smaller limit on the density is met further out.
  const double density_at_two = eam_density(splines.view(), 2.0, 0.0);
  EXPECT_NEAR(std::sqrt(splines.safe_r2(0, 0, density_at_two)), 2.0, 1e-9);
}

}  // namespace
}  // namespace halyard::md
