// Embedded atoms against sums over all pairs of atoms and all their images, by the definition of the energy.
#include "kernels/md/eam_forces.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>

#include "kernels/md/pair_forces.hpp"
#include "tests/kernels/md/bricks.hpp"

namespace halyard::md::test {
namespace {

constexpr double cutoff = 2.4, skin = 0.4;

/// Made-up elements whose tables end smoothly at the cutoff.
EamGrids sample_grids(int elements, bool finnis_sinclair) {
  EamGrids grids{.elements = elements,
                 .nrho = 400,
                 .nr = 481,
                 .drho = 0.1,
                 .dr = cutoff / 480,
                 .cutoff = cutoff,
                 .finnis_sinclair = finnis_sinclair,
                 .embedding = {},
                 .density = {},
                 .r_phi = {}};
  const auto ending = [](double r) { return std::pow(1.0 - r / cutoff, 3.0); };
  for (int a = 0; a < elements; ++a) {
    auto& f = grids.embedding.emplace_back();
    for (int k = 0; k < grids.nrho; ++k) {
      f.push_back(-(1.0 + 0.4 * a) * std::sqrt(k * grids.drho + 0.05) + 0.01 * k * grids.drho);
    }
    for (int b = 0; b < (finnis_sinclair ? elements : 1); ++b) {
      auto& rho = grids.density.emplace_back();
      for (int k = 0; k < grids.nr; ++k) {
        const double r = k * grids.dr;
        rho.push_back((1.5 + 0.5 * a + 0.3 * b) * std::exp(-0.6 * r) * ending(r));
      }
    }
    for (int b = 0; b <= a; ++b) {
      auto& r_phi = grids.r_phi.emplace_back();
      for (int k = 0; k < grids.nr; ++k) {
        const double r = k * grids.dr;
        r_phi.push_back((3.0 + a + 0.5 * b) * std::exp(-1.3 * r) * ending(r));
      }
    }
  }
  return grids;
}

/// The terms of the energy at positions x, and the force on each atom by the equation.
struct Reference {
  double pair = 0.0, embedding = 0.0;
  std::vector<Vector> force;
  std::array<double, 6> virial{};
  double energy() const { return pair + embedding; }
};

Reference by_definition(const EamModel& model, const Sample& sample, const SimulationBox& box,
                        const std::vector<Vector>& x) {
  const EamView view = model.splines.view();
  const double end2 = model.splines.cutoff() * model.splines.cutoff();
  const auto element = [&](int i) {
    return model.element[static_cast<std::size_t>(sample.atoms[static_cast<std::size_t>(i)].type)];
  };
  Reference result;
  std::vector<long double> rho(x.size(), 0.0L);
  for_all_images(
      box, x,
      [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
        if (const double r2 = squared(d); r2 < end2) {
          rho[static_cast<std::size_t>(i)] +=
              eam_density(view, std::sqrt(r2), model.splines.pair_start(element(j), element(i)));
        }
      },
      1);
  std::vector<double> slope(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto f =
        eam_embedding(view, static_cast<double>(rho[i]), model.splines.embedding_start(element(static_cast<int>(i))));
    slope[i] = f.slope;
    result.embedding += f.energy;
    EXPECT_FALSE(f.outside);
  }
  std::vector<std::array<long double, 3>> force(x.size());
  long double pair_energy = 0.0L;
  std::array<long double, 6> virial{};
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for_all_images(
      box, x,
      [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
        if (const double r2 = squared(d); r2 < end2) {
          const double r = std::sqrt(r2);
          const auto to_i = eam_pair(view, r, model.splines.pair_start(element(j), element(i)));
          const auto to_j = eam_pair(view, r, model.splines.pair_start(element(i), element(j)));
          const long double f =
              -(static_cast<long double>(slope[static_cast<std::size_t>(i)]) * to_i.density_slope +
                static_cast<long double>(slope[static_cast<std::size_t>(j)]) * to_j.density_slope + to_i.phi_slope) /
              r;
          for (std::size_t a = 0; a < 3; ++a) {
            force[static_cast<std::size_t>(i)][a] += f * d[a];
          }
          for (std::size_t c = 0; c < 6; ++c) {
            virial[c] += 0.5L * d[first[c]] * f * d[second[c]];
          }
          pair_energy += 0.5L * to_i.phi;
        }
      },
      1);
  result.pair = static_cast<double>(pair_energy);
  for (const auto& f : force) {
    result.force.push_back({static_cast<double>(f[0]), static_cast<double>(f[1]), static_cast<double>(f[2])});
  }
  for (std::size_t c = 0; c < 6; ++c) {
    result.virial[c] = static_cast<double>(virial[c]);
  }
  return result;
}

/// Leaves nan in the memory that the next functions called take for their own: none may read what it has not written.
__attribute__((noinline)) void spoil_stack() {
  volatile double spoilt[1 << 14];
  for (volatile double& x : spoilt) {
    x = std::nan("");
  }
}

/// The three passes over all bricks; slopes go to the ghosts by id.
Forces passes(const EamModel& model, const Sample& sample, const std::array<int, 3>& parts, int threads,
              bool totals = true) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  const auto bricks = make_bricks(sample, parts, model.splines.cutoff() + skin);
  std::vector<Buffer<double>> slopes;
  std::vector<ForceTotals> sums(bricks.size());
  std::vector<double> slope_of(sample.atoms.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    Brick& brick = *bricks[b];
    const auto slots = static_cast<std::size_t>(brick.atoms.capacity());
    Buffer<std::int64_t> density(brick.queue, slots, "densities");
    slopes.emplace_back(brick.queue, slots, "slopes");
    clear_forces(brick.queue, brick.atoms);
    spoil_stack();
    eam_densities(brick.queue, model, sample.box, brick.list, brick.atoms, density, sums[b]);
    EXPECT_EQ(eam_embed(brick.queue, model, brick.atoms, density, totals, slopes[b], sums[b]), 0);
    for (int s = 0; s < brick.atoms.owned_slots; ++s) {
      if (const std::int64_t id = brick.atoms.id.data()[s]; id != empty_slot) {
        slope_of[static_cast<std::size_t>(id)] = slopes[b].data()[s];
      }
    }
  }
  Forces result;
  result.force.resize(sample.atoms.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    Brick& brick = *bricks[b];
    for (int s = brick.atoms.owned_slots; s < brick.atoms.slots; ++s) {
      if (const std::int64_t id = brick.atoms.id.data()[s]; id != empty_slot) {
        slopes[b].data()[s] = slope_of[static_cast<std::size_t>(id)];
      }
    }
    spoil_stack();
    eam_forces(brick.queue, model, sample.box, brick.list, slopes[b], totals, brick.atoms, sums[b]);
    result.add(brick, sums[b]);
  }
  omp_set_num_threads(before);
  return result;
}

struct NamedSample {
  std::string name;
  Sample sample;
  std::vector<std::array<int, 3>> grids;
};

std::vector<NamedSample> samples(int types) {
  const std::vector<std::array<int, 3>> grids{{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {3, 2, 2}};
  const SimulationBox box{.origin = {-1.0, 2.0, 0.5}, .length = {8.9, 8.7, 5.8}};
  const SimulationBox triclinic{.length = {11.0, 9.5, 5.9}, .xy = 4.0, .xz = -3.3, .yz = 2.1};
  const SimulationBox open{.length = {9.0, 9.0, 6.0}, .periodic = {true, false, true}};
  std::vector<NamedSample> all;
  const auto add = [&](const std::string& name, const SimulationBox& in, int count, auto place) {
    Sample sample = random_sample(in, count, 0.7, types, static_cast<unsigned>(all.size() + 11), place);
    shake(sample, 0.5 * skin * (1.0 - 1e-12), 0.6, 5);
    all.push_back({name, std::move(sample), grids});
  };
  add("orthogonal", box, 110, anywhere);
  add("awkward places", box, 110, awkward);
  add("triclinic", triclinic, 120, awkward);
  add("open along y", open, 100, awkward);
  add("one atom", box, 1, awkward);
  add("no atom", box, 0, awkward);
  return all;
}

void expect_definition(const EamModel& model, int types) {
  for (const NamedSample& named : samples(types)) {
    SCOPED_TRACE(named.name);
    const Sample& sample = named.sample;
    const Reference wanted = by_definition(model, sample, sample.box, positions(sample));
    const Forces first = passes(model, sample, {1, 1, 1}, 1);
    // Terms are rounded to 2^-38 for forces, 2^-32 for energies, and densities to 2^-46 of the largest; the
    // steepest change of a force by a density is about 10. 60 neighbours.
    for (std::size_t i = 0; i < wanted.force.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_NEAR(force_unit * static_cast<double>(first.force[i][a]), wanted.force[i][a], 1e-10) << i;
      }
    }
    const auto atoms = static_cast<double>(sample.atoms.size());
    EXPECT_NEAR(first.energy(EnergyTerm::pair), wanted.pair, atoms * 30 * energy_unit);
    EXPECT_NEAR(first.energy(EnergyTerm::embedding), wanted.embedding, atoms * energy_unit);
    for (std::size_t c = 0; c < 6; ++c) {
      EXPECT_NEAR(first.virial(sample.box)[c], wanted.virial[c], 1e-9) << c;
    }
    for (const std::array<int, 3>& parts : named.grids) {
      for (const int threads : parts == named.grids.front() ? std::vector<int>{1, 2, 3} : std::vector<int>{1}) {
        ASSERT_TRUE(passes(model, sample, parts, threads) == first) << parts[0] << parts[1] << parts[2] << threads;
      }
      ASSERT_EQ(passes(model, sample, parts, 1, false).force, first.force);
    }
  }
}

TEST(EamForces, AreThoseOfTheDefinition) { expect_definition(EamModel(sample_grids(1, false), {0}), 1); }

TEST(EamForces, OfAnAlloyAreThoseOfTheDefinition) {
  // Types in another order than the elements, one element twice.
  expect_definition(EamModel(sample_grids(3, false), {2, 0, 1, 0}), 4);
  expect_definition(EamModel(sample_grids(2, true), {1, 0}), 2);
}

TEST(EamForces, AreTheSlopesOfTheEnergyAndTheVirialIsTheSlopeUnderStrain) {
  // The splines' second derivatives jump at knots by little (smooth tables, 480 knots): 1e-3 h at most.
  constexpr double h = 1e-5;
  for (const bool finnis_sinclair : {false, true}) {
    const EamModel model(sample_grids(2, finnis_sinclair), {1, 0});
    for (const NamedSample& named : samples(2)) {
      SCOPED_TRACE(named.name);
      const Sample& sample = named.sample;
      const std::vector<Vector> x = positions(sample);
      if (sample.box.orthogonal() && sample.box.periodic[1]) {
        continue;  // the triclinic and the open box will do
      }
      const Forces found = passes(model, sample, {2, 1, 1}, 1);
      for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 2); ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
          const double slope = slope_at_zero(
              [&](double e) {
                std::vector<Vector> y = x;
                y[i][a] += e;
                return by_definition(model, sample, sample.box, y).energy();
              },
              h);
          EXPECT_NEAR(-slope, force_unit * static_cast<double>(found.force[i][a]), 1e-7);
        }
      }
      for (std::size_t c = 0; c < 6; ++c) {
        const double slope = slope_at_zero(
            [&](double e) {
              return by_definition(model, sample, strained(sample.box, c, e), strained(x, c, e)).energy();
            },
            h);
        EXPECT_NEAR(-slope, found.virial(sample.box)[c], 1e-6) << c;
      }
    }
  }
}

TEST(EamForces, DensitiesOutsideTheTableAreCountedAndTooClosePairsTold) {
  EamGrids grids = sample_grids(1, false);
  const EamModel model(grids, {0});
  Sample sample{.box = {.length = {6.0, 6.0, 6.0}}, .atoms = {}};
  const auto counted = [&](const EamModel& of) {
    Brick brick(sample, {1, 1, 1}, {0, 0, 0}, cutoff + skin);
    const auto slots = static_cast<std::size_t>(brick.atoms.capacity());
    Buffer<std::int64_t> density(brick.queue, slots, "densities");
    Buffer<double> slope(brick.queue, slots, "slopes");
    ForceTotals totals;
    eam_densities(brick.queue, of, sample.box, brick.list, brick.atoms, density, totals);
    const std::int64_t outside = eam_embed(brick.queue, of, brick.atoms, density, false, slope, totals);
    return std::make_pair(outside, totals.overlap);
  };
  for (int i = 0; i < 3; ++i) {
    sample.atoms.push_back({.x = {1.0 + 0.8 * i, 1.0, 1.0}});
  }
  EXPECT_EQ(counted(model), std::make_pair(std::int64_t{0}, false));
  grids.drho = 1e-4;  // tables up to 0.04, which all three exceed
  EXPECT_EQ(counted(EamModel(grids, {0})).first, 3);
  sample.atoms[2].x = sample.atoms[1].x;
  EXPECT_TRUE(counted(model).second);
}

}  // namespace
}  // namespace halyard::md::test
