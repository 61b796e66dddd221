// Forces, energies and virials of the pair loop against sums over all pairs of atoms and all their images.
#include "kernels/md/pair_forces.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>

#include "kernels/md/host/rounding.hpp"
#include "kernels/md/pair/potentials.hpp"
#include "tests/kernels/md/bricks.hpp"

namespace halyard::md::test {
namespace {

constexpr double cutoff = 2.5, skin = 0.4;

/// Coefficients of `types` types that differ in all: epsilon, sigma and the cutoff.
template <class Potential>
PairParameters sample_parameters(int types) {
  PairParameters table(types, Potential::coefficients);
  for (int a = 0; a < types; ++a) {
    for (int b = 0; b < types; ++b) {
      const double input[2] = {1.0 + 0.25 * (a + b) + 0.1 * a * b, 1.0 - 0.05 * (a + b)};
      const double r_cut = cutoff - 0.2 * (a + b), end = Potential::cutoff(input, r_cut);
      double c[Potential::coefficients];
      Potential::prepare(input, r_cut, c);
      const auto pair = static_cast<std::size_t>(a * types + b);
      table.cutoff2[pair] = end * end;
      table.safe2[pair] = safe_r2<Potential>(c, r_cut);
      for (int k = 0; k < Potential::coefficients; ++k) {
        table.c[static_cast<std::size_t>(k * types * types) + pair] = c[k];
      }
    }
  }
  return table;
}

/// f(U, -U'/r) of the pair where it is near enough.
template <class Potential, class Use>
void with_term(const PairParameters& table, int type_i, int type_j, double r2, Use use) {
  const auto pair = static_cast<std::size_t>(type_i * table.types + type_j);
  if (r2 < table.cutoff2[pair]) {
    double c[Potential::coefficients];
    for (int k = 0; k < Potential::coefficients; ++k) {
      c[k] = table.c[static_cast<std::size_t>(k * table.types * table.types) + pair];
    }
    use(Potential::template evaluate<double>(r2, c));
  }
}

/// A number rounded to whole units as every term of the loop is: to the nearest, ties to even.
std::int64_t rounded(double factor, double value, double unit) {
  return std::bit_cast<std::int64_t>(std::fma(factor, value, host::rounding_constant(unit))) -
         host::rounding_bits(unit);
}

/// Sums over all ordered pairs, each term rounded as the loop rounds it: the very bits are expected.
template <class Potential>
Forces brute_force(const Sample& sample, const SimulationBox& box, const PairParameters& table,
                   const std::map<int, std::vector<int>>& excluded = {}) {
  Forces sum;
  sum.force.resize(sample.atoms.size());
  for_all_images(box, positions(sample), [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
    const auto found = excluded.find(i);
    if (found != excluded.end() && std::find(found->second.begin(), found->second.end(), j) != found->second.end()) {
      return;
    }
    const int type_i = sample.atoms[static_cast<std::size_t>(i)].type;
    const int type_j = sample.atoms[static_cast<std::size_t>(j)].type;
    with_term<Potential>(table, type_i, type_j, squared(d), [&](const PairTerm<double>& term) {
      for (std::size_t a = 0; a < 3; ++a) {
        sum.force[static_cast<std::size_t>(i)][a] += rounded(term.force_over_r, d[a], force_unit);
      }
      sum.energy2[0] += rounded(1.0, term.energy, energy_unit);
    });
  });
  return sum;
}

/// The energy without rounding to units, of atoms at x.
template <class Potential>
double energy(const Sample& sample, const SimulationBox& box, const std::vector<Vector>& x,
              const PairParameters& table) {
  long double sum = 0.0L;
  for_all_images(
      box, x,
      [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
        with_term<Potential>(table, sample.atoms[static_cast<std::size_t>(i)].type,
                             sample.atoms[static_cast<std::size_t>(j)].type, squared(d),
                             [&](const PairTerm<double>& term) { sum += 0.5L * term.energy; });
      },
      1);
  return static_cast<double>(sum);
}

template <class Potential>
Forces loop(const Sample& sample, const SimulationBox& box, const PairParameters& table,
            const std::array<int, 3>& parts, int threads, bool totals = true,
            const std::map<int, std::vector<int>>& excluded = {}) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  Forces sum, of_pruned;
  sum.force.resize(sample.atoms.size());
  of_pruned.force.resize(sample.atoms.size());
  for (const auto& brick : make_bricks(sample, parts, cutoff + skin, excluded)) {
    host::PairList pruned;
    host::prune_pair_list(brick->atoms, box, brick->list, cutoff * (1.0 + 1e-12), pruned);
    for (const host::PairList* list : {&pruned, &brick->list}) {
      clear_forces(brick->queue, brick->atoms);
      const ForceTotals of_brick = pair_forces(brick->queue, Potential::name, table, box, *list, totals, brick->atoms);
      (list == &pruned ? of_pruned : sum).add(*brick, of_brick);
    }
  }
  EXPECT_TRUE(of_pruned == sum);  // what pruning left out was beyond the cutoff
  omp_set_num_threads(before);
  return sum;
}

struct NamedSample {
  std::string name;
  Sample sample;
  std::vector<std::array<int, 3>> grids;
};

SimulationBox make_box(const Vector& length, const Vector& tilts = {},
                       const std::array<bool, 3>& periodic = {true, true, true}) {
  return {.origin = {-1.7, 0.3, 11.0},
          .length = length,
          .xy = tilts[0],
          .xz = tilts[1],
          .yz = tilts[2],
          .periodic = periodic};
}

/// Random and awkward positions, each moved by up to half the skin since the list was built.
std::vector<NamedSample> samples(int types) {
  const std::vector<std::array<int, 3>> few{{1, 1, 1}, {2, 1, 1}, {1, 1, 2}},
      many{{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {3, 2, 2}, {1, 2, 2}};
  std::vector<NamedSample> all;
  const auto add = [&](const std::string& name, const SimulationBox& box, int count, auto place,
                       const std::vector<std::array<int, 3>>& grids) {
    Sample sample = random_sample(box, count, 0.85, types, static_cast<unsigned>(all.size() + 1), place);
    shake(sample, 0.5 * skin * (1.0 - 1e-12), 0.8, 7);
    all.push_back({name, std::move(sample), grids});
  };
  add("orthogonal", make_box({5.9, 8.9, 5.83}), 150, anywhere, few);
  add("orthogonal, many bricks", make_box({8.8, 9.3, 6.1}), 170, anywhere, many);
  add("awkward places", make_box({9.1, 8.75, 5.9}), 160, awkward, many);
  add("two cutoffs wide", make_box({5.0, 5.0, 5.0}), 60, awkward, {{1, 1, 1}});
  add("triclinic", make_box({6.7, 6.3, 5.81}, {3.1, -2.2, 2.7}), 110, anywhere, few);
  add("triclinic, awkward places, many bricks", make_box({11.2, 9.9, 6.0}, {-4.3, 3.9, 2.0}), 170, awkward, many);
  add("open along y", make_box({6.0, 11.0, 6.2}, {}, {true, false, true}), 130, awkward,
      {{1, 1, 1}, {1, 3, 1}, {2, 1, 2}});
  add("open box, thin", make_box({12.0, 0.9, 12.0}, {}, {false, false, false}), 80, awkward,
      {{1, 1, 1}, {3, 1, 1}, {2, 1, 3}});
  add("a corner full, the rest empty", make_box({9.0, 9.0, 9.0}), 30,
      [](std::mt19937_64& random, int) { return 0.32 * anywhere(random, 0); }, {{1, 1, 1}, {3, 3, 3}, {2, 1, 1}});
  add("all in one plane", make_box({9.0, 9.0, 6.0}), 50,
      [](std::mt19937_64& random, int axis) { return axis == 2 ? 1.0 : anywhere(random, 0); },
      {{1, 1, 1}, {2, 2, 2}, {1, 1, 2}});
  add("all on one line", make_box({6.0, 9.0, 6.0}), 7,
      [](std::mt19937_64& random, int axis) { return axis == 1 ? anywhere(random, 0) : 0.0; }, {{1, 1, 1}, {2, 3, 2}});
  add("two atoms", make_box({6.0, 6.0, 6.0}), 2, awkward, {{1, 1, 1}, {2, 2, 2}});
  add("one atom", make_box({6.0, 6.0, 6.0}), 1, awkward, {{1, 1, 1}, {2, 2, 2}});
  add("no atom", make_box({6.0, 6.0, 6.0}), 0, awkward, {{1, 1, 1}, {2, 2, 2}});
  return all;
}

template <class Potential>
void expect_brute_force(int types) {
  const PairParameters table = sample_parameters<Potential>(types);
  for (const NamedSample& named : samples(types)) {
    SCOPED_TRACE(named.name);
    const Sample& sample = named.sample;
    const Forces brute = brute_force<Potential>(sample, sample.box, table);
    const Forces first = loop<Potential>(sample, sample.box, table, {1, 1, 1}, 1);
    EXPECT_TRUE(sample.atoms.size() < 3 || brute.energy2[0] != 0);
    for (const std::array<int, 3>& parts : named.grids) {
      for (const int threads : parts == named.grids.front() ? std::vector<int>{1, 2, 3} : std::vector<int>{1}) {
        SCOPED_TRACE(testing::Message() << parts[0] << "x" << parts[1] << "x" << parts[2] << ", " << threads);
        const Forces found = loop<Potential>(sample, sample.box, table, parts, threads);
        ASSERT_EQ(found.force, brute.force);
        ASSERT_EQ(found.energy2, brute.energy2);
        ASSERT_FALSE(found.overlap);
        // With the forces over the sides: the virial has the same bits too.
        ASSERT_TRUE(found == first);
        const Forces without = loop<Potential>(sample, sample.box, table, parts, threads, false);
        ASSERT_EQ(without.force, brute.force);
      }
    }
  }
}

TEST(PairForces, AreTheSumOverAllImagesBitForBit) {
  expect_brute_force<LennardJones>(1);
  expect_brute_force<LennardJonesForceShifted>(1);
}

TEST(PairForces, OfThreeTypesAreTheSumOverAllImagesBitForBit) { expect_brute_force<LennardJones>(3); }

TEST(PairForces, InAnotherBoxThanTheListsAreTheSumOverAllImages) {
  // The box has been stretched since, positions with it, by less than the skin allows.
  const PairParameters table = sample_parameters<LennardJones>(3);
  for (NamedSample& named : samples(3)) {
    SCOPED_TRACE(named.name);
    Sample sample = named.sample;
    SimulationBox box = sample.box;
    const double factor[3] = {0.99, 1.02, 0.995};
    for (std::size_t a = 0; a < 3; ++a) {
      box.length[a] *= factor[a];
      box.origin[a] *= factor[a];
    }
    box.xy *= factor[0];
    box.xz *= factor[0];
    box.yz *= factor[1];
    // reach 2.9 shrinks to 2.871 at most, so atoms may move by 0.18.
    shake(sample, 0.18, 0.83, 3);
    for (SampleAtom& atom : sample.atoms) {
      for (std::size_t a = 0; a < 3; ++a) {
        atom.moved[a] += (factor[a] - 1.0) * atom.x[a];
      }
    }
    const Forces brute = brute_force<LennardJones>(sample, box, table);
    for (const std::array<int, 3>& parts : named.grids) {
      const Forces found = loop<LennardJones>(sample, box, table, parts, 1);
      ASSERT_EQ(found.force, brute.force);
      ASSERT_EQ(found.energy2, brute.energy2);
    }
  }
}

TEST(PairForces, LeaveOutExcludedPairs) {
  const PairParameters table = sample_parameters<LennardJones>(3);
  for (const NamedSample& named : samples(3)) {
    SCOPED_TRACE(named.name);
    // Every near pair whose ids differ by less than four.
    std::map<int, std::vector<int>> excluded;
    for_all_images(named.sample.box, positions(named.sample),
                   [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
                     if (i != j && std::abs(i - j) < 4 && squared(d) < cutoff * cutoff) {
                       excluded[i].push_back(j);
                     }
                   });
    if (excluded.empty()) {
      continue;
    }
    const Forces brute = brute_force<LennardJones>(named.sample, named.sample.box, table, excluded);
    for (const std::array<int, 3>& parts : named.grids) {
      const Forces found = loop<LennardJones>(named.sample, named.sample.box, table, parts, 1, true, excluded);
      ASSERT_EQ(found.force, brute.force);
      ASSERT_EQ(found.energy2, brute.energy2);
    }
  }
}

TEST(PairForces, AreTheSlopesOfTheEnergyAndTheVirialIsTheSlopeUnderStrain) {
  // Force-shifted, so that no pair jumps at its cutoff; its second derivative does, by about 0.5, so that differences
  // over h err by up to 0.5 h for each pair that crosses it: seldom, and below 1e-3 of the force scale at h = 1e-4.
  // What round-off leaves, 1e-15 |E| / h = 1e-9, is less.
  using Potential = LennardJonesForceShifted;
  constexpr double h = 1e-5;
  for (const int types : {1, 3}) {
    const PairParameters table = sample_parameters<Potential>(types);
    for (const NamedSample& named : samples(types)) {
      SCOPED_TRACE(named.name);
      const Sample& sample = named.sample;
      const std::vector<Vector> x = positions(sample);
      if (x.size() > 135) {
        continue;  // the same again, and slow
      }
      const Forces found = loop<Potential>(sample, sample.box, table, named.grids.back(), 2);
      for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 3); ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
          const double slope = slope_at_zero(
              [&](double e) {
                std::vector<Vector> y = x;
                y[i][a] += e;
                return energy<Potential>(sample, sample.box, y, table);
              },
              h);
          const double f = force_unit * static_cast<double>(found.force[i][a]);
          EXPECT_NEAR(-slope, f, 1e-6 * (1.0 + std::fabs(f)));
        }
      }
      // The virial is the slope of the energy under a strain; along open edges as well.
      const std::array<double, 6> w = found.virial(sample.box);
      for (std::size_t c = 0; c < 6; ++c) {
        const double slope = slope_at_zero(
            [&](double e) { return energy<Potential>(sample, strained(sample.box, c, e), strained(x, c, e), table); },
            h);
        EXPECT_NEAR(-slope, w[c], 1e-6 * (10.0 + std::fabs(w[c]))) << c;
      }
    }
  }
}

TEST(PairForces, TheVirialIsTheSumOfDisplacementTimesForceOverAllImages) {
  const PairParameters table = sample_parameters<LennardJones>(3);
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for (const NamedSample& named : samples(3)) {
    SCOPED_TRACE(named.name);
    const Sample& sample = named.sample;
    std::array<long double, 6> brute{}, size{};
    for_all_images(sample.box, positions(sample), [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
      with_term<LennardJones>(table, sample.atoms[static_cast<std::size_t>(i)].type,
                              sample.atoms[static_cast<std::size_t>(j)].type, squared(d),
                              [&](const PairTerm<double>& term) {
                                for (std::size_t c = 0; c < 6; ++c) {
                                  const long double product = 0.5L * d[first[c]] * d[second[c]] * term.force_over_r;
                                  brute[c] += product;
                                  size[c] += std::fabs(product);
                                }
                              });
    });
    for (const std::array<int, 3>& parts : named.grids) {
      const Forces found = loop<LennardJones>(sample, sample.box, table, parts, 1);
      // Positions are rounded to 2^-38 where they meet the forces; forces to 2^-38, thousands of them.
      double rounding = 1e-9;
      for (const auto& f : found.force) {
        for (const std::int64_t component : f) {
          rounding += 0.5 * force_unit * std::fabs(force_unit * static_cast<double>(component));
        }
      }
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(found.virial(sample.box)[c], static_cast<double>(brute[c]),
                    rounding + 1e-14 * static_cast<double>(size[c]))
            << c;
      }
    }
  }
}

TEST(PairForces, AddUpToZeroBitForBit) {
  for (const NamedSample& named : samples(3)) {
    const Forces found =
        loop<LennardJones>(named.sample, named.sample.box, sample_parameters<LennardJones>(3), named.grids.back(), 2);
    std::array<std::int64_t, 3> sum{};
    for (const auto& f : found.force) {
      for (std::size_t a = 0; a < 3; ++a) {
        sum[a] += f[a];
      }
    }
    EXPECT_EQ(sum, (std::array<std::int64_t, 3>{0, 0, 0})) << named.name;
  }
}

TEST(PairForces, TellOfPairsTooCloseForWholeNumbers) {
  const PairParameters table = sample_parameters<LennardJones>(1);
  const double safe = std::sqrt(table.safe2[0]);
  for (const double r : {0.0, 1e-9, 0.99 * safe, 1.01 * safe}) {
    for (const std::array<int, 3>& parts : {std::array<int, 3>{1, 1, 1}, std::array<int, 3>{2, 1, 1}}) {
      Sample sample{.box = make_box({6.0, 6.0, 6.0}), .atoms = {}};
      // Across the side of the box, which is a brick's side too.
      sample.atoms.push_back({.x = sample.box.position({0.0, 0.5, 0.5})});
      sample.atoms.push_back({.x = sample.box.position({0.0, 0.5, 0.5})});
      sample.atoms[1].x[0] += 6.0 - r - (r == 0.0 ? 6.0 : 0.0);
      EXPECT_EQ(loop<LennardJones>(sample, sample.box, table, parts, 1, false).overlap, r < safe) << r;
    }
  }
}

}  // namespace
}  // namespace halyard::md::test
