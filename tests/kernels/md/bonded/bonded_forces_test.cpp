// The loops over bonded terms against plain sums over molecules that are not cut by any side.
#include "kernels/md/bonded_forces.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kernels/md/bonded/styles.hpp"
#include "kernels/md/pair/potentials.hpp"
#include "kernels/md/pair_forces.hpp"
#include "kernels/md/virial.hpp"

namespace halyard::md {
namespace {

using Point = std::array<double, 3>;
using Vector = Vector3<double>;

Vector between(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Chains of atoms as they are bonded, wherever they lie: no atom is wrapped.
struct Molecules {
  SimulationBox box;
  std::vector<Point> x;
  std::vector<int> type;
  std::vector<BondedTerm> terms;  // once each
  BondedModel model;
  PairParameters pair;
};

constexpr const char* pair_name = "lj";
constexpr double pair_cutoff = 2.5;

template <class Styles>
void set_style(BondedStyle& to, const std::string& name, const std::vector<std::vector<double>>& inputs) {
  with_style<Styles>(name, [&](auto style) {
    using Style = decltype(style);
    to.name = name;
    to.types = static_cast<int>(inputs.size());
    to.c.resize(inputs.size() * Style::coefficients);
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      double c[Style::coefficients];
      Style::prepare(inputs[t].data(), c);
      for (std::size_t k = 0; k < Style::coefficients; ++k) {
        to.c[k * inputs.size() + t] = c[k];
      }
    }
  });
}

/// The styles of one run, with inputs for one or two types each.
struct Styles {
  std::string bond, angle, dihedral, improper;
  std::vector<std::vector<double>> bonds, angles, dihedrals, impropers;
};

const std::vector<Styles>& all_styles() {
  static const std::vector<Styles> all{{"harmonic",
                                        "harmonic",
                                        "harmonic",
                                        "harmonic",
                                        {{30, 1.0}, {55.5, 1.2}},
                                        {{5, 100}, {7, 120}},
                                        {{1.5, 1, 3}, {0.7, -1, 2}},
                                        {{2.5, 10}}},
                                       {"fene",
                                        "cosine",
                                        "opls",
                                        "cvff",
                                        {{30, 1.6, 1, 1}},
                                        {{1.5}},
                                        {{1.1, -0.4, 0.6, 0.2}},
                                        {{0.8, -1, 2}, {1.1, 1, 3}}},
                                       {"morse",
                                        "charmm",
                                        "charmm",
                                        "harmonic",
                                        {{20, 1.7, 1.05}, {12, 2.0, 1.1}},
                                        {{4, 110, 3, 1.8}, {6, 95, 0, 0}},
                                        {{0.9, 3, 180, 0.5}, {0.4, 1, 35, 0.0}},
                                        {{3, 0}, {1.5, 35}}},
                                       {"harmonic",
                                        "charmm",
                                        "multi/harmonic",
                                        "cvff",
                                        {{30, 1.0}},
                                        {{4, 110, 3, 1.8}},
                                        {{0.5, -0.3, 0.2, 0.7, -0.1}, {0.1, 0.2, 0.3, 0.4, 0.5}},
                                        {{0.8, 1, 2}}}};
  return all;
}

Molecules make(const Styles& styles, bool triclinic, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  Molecules m;
  m.box = {.origin = {-1.0, 2.0, 0.5}, .length = {9.0, 8.5, 9.5}};
  if (triclinic) {
    m.box.xy = 2.1;
    m.box.xz = -1.7;
    m.box.yz = 1.4;
  }
  set_style<BondStyles>(m.model.styles[0], styles.bond, styles.bonds);
  set_style<AngleStyles>(m.model.styles[1], styles.angle, styles.angles);
  set_style<DihedralStyles>(m.model.styles[2], styles.dihedral, styles.dihedrals);
  set_style<ImproperStyles>(m.model.styles[3], styles.improper, styles.impropers);
  m.model.special_weight = {0.0, 0.25, 0.7};
  constexpr int types = 2;
  m.pair = PairParameters(types, LennardJones::coefficients);
  m.model.ends = m.pair;
  for (std::size_t p = 0; p < 4; ++p) {
    const double input[2] = {0.5 + 0.2 * static_cast<double>(p / 2 + p % 2),
                             0.8 + 0.05 * static_cast<double>(p / 2 + p % 2)};
    for (PairParameters* table : {&m.pair, &m.model.ends}) {
      double c[LennardJones::coefficients];
      LennardJones::prepare(input, pair_cutoff, c);
      for (std::size_t k = 0; k < LennardJones::coefficients; ++k) {
        table->c[k * 4 + p] = c[k] * (table == &m.pair ? 1.0 : 0.8);
      }
      table->cutoff2[p] = pair_cutoff * pair_cutoff;
    }
  }
  if (styles.dihedral == "charmm") {
    m.model.ends_weight = {styles.dihedrals[0][3], styles.dihedrals[1][3]};
  }
  const auto type_of = [&](const BondedStyle& style) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(style.types));
  };
  constexpr std::int64_t length = 7;
  for (int molecule = 0; molecule < 12; ++molecule) {
    const auto first = static_cast<std::int64_t>(m.x.size());
    // The first ones across faces and corners, others up to three boxes away.
    Point at =
        m.box.position({molecule < 8 ? molecule % 2 : uniform(-3, 3), molecule < 8 ? molecule / 2 % 2 : uniform(-3, 3),
                        molecule < 8 ? molecule / 4 : uniform(-3, 3)});
    Point direction{1, 0, 0};
    for (std::int64_t a = 0; a < length; ++a) {
      m.x.push_back(at);
      m.type.push_back(static_cast<int>(random() % types));
      // Steps that bend: no three atoms on a line, no two too near.
      Point step{};
      for (double cosine = 1.0; cosine > 0.8 || cosine < -0.3;) {
        double norm = 0.0;
        cosine = 0.0;
        for (std::size_t d = 0; d < 3; ++d) {
          step[d] = uniform(-1, 1);
          norm += step[d] * step[d];
        }
        for (std::size_t d = 0; d < 3; ++d) {
          step[d] /= std::sqrt(norm);
          cosine += step[d] * direction[d];
        }
      }
      direction = step;
      const double bond = uniform(0.9, 1.25);
      for (std::size_t d = 0; d < 3; ++d) {
        at[d] += bond * step[d];
      }
      const std::int64_t i = first + a;
      const auto add = [&](std::int64_t back, BondedKind kind, std::int32_t type) {
        if (a >= back) {
          BondedTerm term{{i - back, i - back + 1, -1, -1}, type, kind, 0};
          for (std::int64_t k = 2; k <= back; ++k) {
            term.atoms[static_cast<std::size_t>(k)] = i - back + k;
          }
          if (random() % 2 == 0) {
            std::reverse(term.atoms.begin(), term.atoms.begin() + static_cast<std::ptrdiff_t>(back + 1));
          }
          m.terms.push_back(term);
        }
      };
      add(1, BondedKind::bond, type_of(m.model.styles[0]));
      add(2, BondedKind::angle, type_of(m.model.styles[1]));
      add(3, BondedKind::dihedral, type_of(m.model.styles[2]));
      if (a % 2 == 0) {
        add(3, BondedKind::improper, type_of(m.model.styles[3]));
      }
      for (std::int64_t n = 1; n <= 3 && n <= a; ++n) {
        m.terms.push_back({{i - n, i, -1, -1}, static_cast<std::int32_t>(n - 1), BondedKind::special, 0});
      }
    }
  }
  return m;
}

double pair_energy(const PairParameters& table, int type_i, int type_j, double r2, bool cut) {
  const auto p = static_cast<std::size_t>(type_i * table.types + type_j);
  double c[LennardJones::coefficients];
  for (std::size_t k = 0; k < LennardJones::coefficients; ++k) {
    c[k] = table.c[k * 4 + p];
  }
  return cut && r2 >= table.cutoff2[p] ? 0.0 : LennardJones::evaluate<double>(r2, c).energy;
}

/// Energy of one term at positions that are not wrapped, without the pair of a dihedral's ends.
double energy_of(const Molecules& m, const BondedTerm& term, const std::vector<Point>& x) {
  const auto at = [&](std::size_t a) { return x[static_cast<std::size_t>(term.atoms[a])]; };
  const auto pair_of = [&](const PairParameters& table, std::size_t a, std::size_t b, bool cut) {
    const Vector d = between(at(a), at(b));
    return pair_energy(table, m.type[static_cast<std::size_t>(term.atoms[a])],
                       m.type[static_cast<std::size_t>(term.atoms[b])], dot(d, d), cut);
  };
  if (term.kind == BondedKind::special) {
    return m.model.special_weight[static_cast<std::size_t>(term.type)] * pair_of(m.pair, 0, 1, true);
  }
  const BondedStyle& table = m.model.styles[static_cast<std::size_t>(term.kind)];
  double energy = 0.0;
  const auto with = [&](auto style, auto evaluate) {
    double c[decltype(style)::coefficients];
    for (int k = 0; k < decltype(style)::coefficients; ++k) {
      c[k] = table.c[static_cast<std::size_t>(k * table.types + term.type)];
    }
    energy = evaluate(style, static_cast<const double*>(c));
  };
  const Vector d12 = between(at(0), at(1));
  const auto four = [&](auto style, const double* c) {
    return style.template evaluate<double>(d12, between(at(2), at(1)), between(at(3), at(2)), c).energy;
  };
  switch (term.kind) {
    case BondedKind::bond:
      with_style<BondStyles>(table.name, [&](auto style) {
        with(style, [&](auto s, const double* c) { return s.template evaluate<double>(dot(d12, d12), c).energy; });
      });
      break;
    case BondedKind::angle:
      with_style<AngleStyles>(table.name, [&](auto style) {
        with(style, [&](auto s, const double* c) {
          return s.template evaluate<double>(d12, between(at(2), at(1)), c).energy;
        });
      });
      break;
    case BondedKind::dihedral:
      with_style<DihedralStyles>(table.name, [&](auto style) { with(style, four); });
      break;
    default:
      with_style<ImproperStyles>(table.name, [&](auto style) { with(style, four); });
  }
  return energy;
}

double ends_energy(const Molecules& m, const BondedTerm& term, const std::vector<Point>& x) {
  if (term.kind != BondedKind::dihedral || m.model.ends_weight.empty()) {
    return 0.0;
  }
  const auto i = static_cast<std::size_t>(term.atoms[0]), j = static_cast<std::size_t>(term.atoms[3]);
  const Vector d = between(x[i], x[j]);
  return m.model.ends_weight[static_cast<std::size_t>(term.type)] *
         pair_energy(m.model.ends, m.type[i], m.type[j], dot(d, d), false);
}

std::array<double, energy_term_count> energies(const Molecules& m, const std::vector<Point>& x) {
  std::array<double, energy_term_count> sum{};
  for (const BondedTerm& term : m.terms) {
    sum[static_cast<std::size_t>(energy_term_of(term.kind))] += energy_of(m, term, x);
    sum[static_cast<std::size_t>(EnergyTerm::pair)] += ends_energy(m, term, x);
  }
  return sum;
}
double energy(const Molecules& m, const std::vector<Point>& x) {
  double sum = 0.0;
  for (const double e : energies(m, x)) {
    sum += e;
  }
  return sum;
}

/// What a rank that owns the atoms with owns(id) computes; its ghosts are all others, some of them twice.
struct RankResult {
  ForceTotals totals;
  std::array<Wide, 6> products{};
  std::vector<std::array<std::int64_t, 3>> force;  // by id
  std::array<std::int64_t, 5> broken{};
  std::vector<host::BondedProblem> problems;
  Exclusions exclusions;
};

RankResult compute(const Molecules& m, const std::function<bool(std::int64_t)>& owns, bool totals = true,
                   double reach = 6.0) {
  Queue queue;
  Atoms atoms(queue);
  std::vector<std::int64_t> owned, ghosts;
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(m.x.size()); ++id) {
    (owns(id) ? owned : ghosts).push_back(id);
    if (!owns(id) && id % 5 == 0) {
      ghosts.push_back(id);
    }
  }
  std::reverse(owned.begin(), owned.end());
  const auto padded = [](std::size_t n) { return static_cast<int>((n + 7) / 8 * 8 + 8); };
  atoms.owned = static_cast<std::int64_t>(owned.size());
  atoms.owned_slots = padded(owned.size());
  atoms.slots = atoms.owned_slots + padded(ghosts.size());
  atoms.reserve(atoms.slots);
  for (int s = 0; s < atoms.slots; ++s) {
    atoms.id.data()[s] = empty_slot;
    atoms.type.data()[s] = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      atoms.x[d].data()[s] = atoms.reference[d].data()[s] = empty_position(s);
      atoms.force[d].data()[s] = 0;
    }
  }
  const auto place = [&](const std::vector<std::int64_t>& ids, int slot) {
    for (const std::int64_t id : ids) {
      const Point& x = m.x[static_cast<std::size_t>(id)];
      Point f = m.box.fraction(x);
      std::array<int, 3> n{};
      for (std::size_t d = 0; d < 3; ++d) {
        n[d] = m.box.periodic[d] ? static_cast<int>(std::floor(f[d])) : 0;
      }
      const Point shift = m.box.lattice_vector(n);
      atoms.id.data()[slot] = id;
      atoms.type.data()[slot] = m.type[static_cast<std::size_t>(id)];
      for (std::size_t d = 0; d < 3; ++d) {
        atoms.x[d].data()[slot] = atoms.reference[d].data()[slot] = x[d] - shift[d];
      }
      ++slot;
    }
  };
  place(owned, 0);
  place(ghosts, atoms.owned_slots);
  std::vector<BondedTerm> mine;
  for (BondedTerm term : m.terms) {
    for (int a = term.size() - 1; a >= 0; --a) {
      term.place = static_cast<std::int8_t>(a);
      if (owns(term.atom())) {
        mine.push_back(term);
      }
    }
  }
  RankResult result;
  host::BondedList list;
  result.problems = host::build_bonded_list(atoms, m.box, mine, m.model, 2, reach, list);
  result.exclusions = list.exclusions;
  if (!result.problems.empty()) {
    return result;
  }
  const BondedTotals sums = bonded_forces(queue, m.model, pair_name, m.pair, m.box, list, totals, atoms);
  result.totals = sums.totals;
  result.broken = sums.broken;
  result.products = position_force_sum(queue, atoms);
  result.force.resize(m.x.size());
  for (int s = 0; s < atoms.owned_slots; ++s) {
    if (atoms.id.data()[s] != empty_slot) {
      for (std::size_t d = 0; d < 3; ++d) {
        result.force[static_cast<std::size_t>(atoms.id.data()[s])][d] = atoms.force[d].data()[s];
      }
    } else {
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(atoms.force[d].data()[s], 0);
      }
    }
  }
  for (int s = atoms.owned_slots; s < atoms.slots; ++s) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(atoms.force[d].data()[s], 0) << "a ghost has got a force";
    }
  }
  return result;
}

bool all_atoms(std::int64_t) { return true; }

std::array<double, 6> virial(const Molecules& m, const RankResult& r) {
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  std::array<double, 6> w{};
  for (std::size_t c = 0; c < 6; ++c) {
    w[c] = virial_unit * static_cast<double>(r.products[c]);
    for (int n = 0; n < host::image_count; ++n) {
      const Point shift = m.box.lattice_vector(host::image_of(n));
      w[c] -= shift[first[c]] * 0.5 * force_unit *
              static_cast<double>(r.totals.shift_force2[static_cast<std::size_t>(n)][second[c]]);
    }
  }
  return w;
}

class BondedForces : public testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  Molecules molecules() const {
    const auto [style, triclinic] = GetParam();
    return make(all_styles()[style], triclinic, 11 + static_cast<unsigned>(style));
  }
};
INSTANTIATE_TEST_SUITE_P(Styles, BondedForces,
                         testing::Combine(testing::Range(std::size_t{0}, std::size_t{4}), testing::Bool()));

TEST_P(BondedForces, EnergiesAreThoseOfWholeMolecules) {
  const Molecules m = molecules();
  const RankResult r = compute(m, all_atoms);
  ASSERT_TRUE(r.problems.empty());
  EXPECT_FALSE(r.totals.overlap);
  const auto wanted = energies(m, m.x);
  for (std::size_t t = 0; t < energy_term_count; ++t) {
    // Each term is rounded to 2^-32, and wrapped positions have 1e-15 of the box.
    EXPECT_NEAR(0.5 * energy_unit * static_cast<double>(r.totals.energy2[t]), wanted[t], 2e-8) << energy_term_names[t];
  }
  EXPECT_GT(std::fabs(wanted[static_cast<std::size_t>(EnergyTerm::pair)]), 0.1);
}

TEST_P(BondedForces, ForcesAreSlopesOfTheEnergy) {
  const Molecules m = molecules();
  const RankResult r = compute(m, all_atoms);
  std::array<std::int64_t, 3> sum{};
  for (std::size_t i = 0; i < m.x.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      sum[d] += r.force[i][d];
      const double h = 1e-5;
      std::vector<Point> x = m.x;
      const auto at = [&](double shift) {
        x[i][d] = m.x[i][d] + shift;
        return energy(m, x);
      };
      const double slope = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h);
      // Round-off of an energy of some 1e3 over h: 1e-13 * 1e3 / 1e-5.
      EXPECT_NEAR(force_unit * static_cast<double>(r.force[i][d]), -slope, 2e-6 + 1e-8 * std::fabs(slope))
          << "atom " << i << " along " << d;
    }
  }
  EXPECT_EQ(sum, (std::array<std::int64_t, 3>{})) << "momentum is kept exactly";
}

TEST_P(BondedForces, VirialIsTheSlopeOfTheEnergyUnderStrain) {
  const Molecules m = molecules();
  const RankResult r = compute(m, all_atoms);
  const std::array<double, 6> found = virial(m, r);
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for (std::size_t c = 0; c < 6; ++c) {
    const auto strained = [&](double strain) {
      std::vector<Point> x = m.x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i][second[c]] += strain * m.x[i][first[c]];
      }
      return energy(m, x);
    };
    const double h = 1e-5;
    const double slope = (8.0 * (strained(h) - strained(-h)) - (strained(2 * h) - strained(-2 * h))) / (12.0 * h);
    EXPECT_NEAR(found[c], -slope, 1e-5 + 1e-8 * std::fabs(slope)) << "component " << c;
  }
}

TEST_P(BondedForces, AnySplitOverRanksAndThreadsGivesTheSameNumbers) {
  const Molecules m = molecules();
  omp_set_num_threads(1);
  const RankResult one = compute(m, all_atoms);
  const std::vector<std::function<std::int64_t(std::int64_t)>> splits{[](std::int64_t id) { return id % 2; },
                                                                      [](std::int64_t id) { return id * 7 / 3 % 3; },
                                                                      [](std::int64_t id) { return id / 50; }};
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(compute(m, all_atoms).force, one.force);
    for (const auto& rank_of : splits) {
      ForceTotals totals;
      std::array<Wide, 6> products{};
      std::vector<std::array<std::int64_t, 3>> force(m.x.size());
      for (std::int64_t rank = 0; rank < 3; ++rank) {
        const auto owns = [&](std::int64_t id) { return rank_of(id) == rank; };
        const RankResult part = compute(m, owns);
        ASSERT_TRUE(part.problems.empty());
        totals.add(part.totals);
        for (std::size_t c = 0; c < 6; ++c) {
          products[c] += part.products[c];
        }
        const RankResult without_totals = compute(m, owns, false);
        EXPECT_EQ(without_totals.force, part.force);
        for (std::size_t i = 0; i < force.size(); ++i) {
          for (std::size_t d = 0; d < 3; ++d) {
            force[i][d] += part.force[i][d];
          }
        }
      }
      EXPECT_EQ(force, one.force);
      EXPECT_TRUE(totals.energy2 == one.totals.energy2);
      EXPECT_TRUE(products == one.products);
      for (std::size_t n = 0; n < host::image_count; ++n) {
        if (n != static_cast<std::size_t>(host::image_index({0, 0, 0}))) {
          EXPECT_EQ(totals.shift_force2[n], one.totals.shift_force2[n]);
        }
      }
    }
  }
  omp_set_num_threads(2);
}

TEST(BondedList, ExcludesSpecialPairsBothWays) {
  const Molecules m = make(all_styles()[0], false, 3);
  const RankResult r = compute(m, all_atoms);
  // Slots are in the reverse order of ids, molecules 7 atoms long.
  const auto count = static_cast<std::int64_t>(m.x.size());
  for (std::int64_t id = 0; id < count; ++id) {
    const auto s = static_cast<std::size_t>(count - 1 - id);
    std::vector<std::int64_t> partners(r.exclusions.ids.begin() + r.exclusions.start[s],
                                       r.exclusions.ids.begin() + r.exclusions.start[s + 1]);
    std::sort(partners.begin(), partners.end());
    std::vector<std::int64_t> wanted;
    for (std::int64_t other = id - 3; other <= id + 3; ++other) {
      if (other != id && other >= 0 && other / 7 == id / 7 && other < count) {
        wanted.push_back(other);
      }
    }
    EXPECT_EQ(partners, wanted) << "atom " << id;
  }
}

/// Two atoms and a bond.
Molecules pair_of_atoms(double distance, const std::string& style, const std::vector<double>& inputs) {
  Molecules m = make(all_styles()[0], false, 3);
  m.x = {{0.0, 3.0, 3.0}, {distance, 3.0, 3.0}};
  m.type = {0, 1};
  m.terms = {{{0, 1, -1, -1}, 0, BondedKind::bond, 0}};
  set_style<BondStyles>(m.model.styles[0], style, {inputs});
  return m;
}

TEST(BondedList, RefusesTermsThatAreTooLongOrLackAnAtom) {
  EXPECT_TRUE(compute(pair_of_atoms(4.2, "harmonic", {1, 1}), all_atoms).problems.empty());
  // Half the shortest width is 4.25; further apart, the nearest image may be another one.
  const RankResult half = compute(pair_of_atoms(4.3, "harmonic", {1, 1}), all_atoms);
  ASSERT_EQ(half.problems.size(), 1U);
  EXPECT_NEAR(half.problems[0].distance, 4.3, 1e-12);
  EXPECT_EQ(half.problems[0].atoms, (std::array<std::int64_t, 2>{0, 1}));
  EXPECT_EQ(compute(pair_of_atoms(2.1, "harmonic", {1, 1}), all_atoms, true, 2.0).problems.size(), 1U);
  Molecules m = pair_of_atoms(1.0, "harmonic", {1, 1});
  m.terms[0].atoms[1] = 7;
  const auto missing = compute(m, [](std::int64_t id) { return id < 2; }).problems;
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].distance, 0.0);
  EXPECT_EQ(missing[0].atoms, (std::array<std::int64_t, 2>{0, 7}));
}

TEST(BondedForcesAlone, TellsWhichTermIsBroken) {
  const std::vector<double> fene{30.0, 1.5, 1.0, 1.0};
  EXPECT_EQ(compute(pair_of_atoms(1.49, "fene", fene), all_atoms).broken[0], -1);
  const RankResult broken = compute(pair_of_atoms(1.5, "fene", fene), all_atoms);
  EXPECT_TRUE(broken.totals.overlap);
  EXPECT_EQ(broken.broken, (std::array<std::int64_t, 5>{0, 0, 1, -1, -1}));
  // Two atoms at one point; a force of 2 * 1e4 * 0.5 beyond the fixed-point range of 8192.
  EXPECT_TRUE(compute(pair_of_atoms(0.0, "harmonic", {1, 1}), all_atoms).totals.overlap);
  EXPECT_TRUE(compute(pair_of_atoms(1.5, "harmonic", {1e4, 1}), all_atoms).totals.overlap);
  EXPECT_FALSE(compute(pair_of_atoms(1.4, "harmonic", {1e4, 1}), all_atoms).totals.overlap);
}

}  // namespace
}  // namespace halyard::md
