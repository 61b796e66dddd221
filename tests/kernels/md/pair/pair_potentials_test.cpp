// What holds for every pair potential of the table; each one's own numbers are in its test.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {
namespace {

/// Inputs of a potential in its usual range of reduced units, none of them a round number.
template <class Potential>
std::vector<double> sample_inputs() {
  std::vector<double> values;
  for (const PairInput& input : Potential::inputs) {
    const bool inner = input.name == "inner_cutoff", repulsion = input.name == "a", range = input.name == "rho";
    values.push_back(inner ? 2.1 : repulsion ? 913.7 : range ? 0.2713 : input.name == "alpha" ? 2.93 : 1.137);
  }
  return values;
}

PairTable sample_table() {
  PairTable table{.where = "sample.table", .r = {}, .energy = {}, .force = {}};
  for (int i = 0; i <= 300; ++i) {
    const double r = 0.6 + 0.007 * i, inv_r6 = 1.0 / std::pow(r, 6);
    table.r.push_back(r);
    table.energy.push_back(4.0 * inv_r6 * (inv_r6 - 1.0));
    table.force.push_back(24.0 * inv_r6 * (2.0 * inv_r6 - 1.0) / r);
  }
  return table;
}

template <class Potential>
struct Sample {
  double c[Potential::coefficients];
  std::vector<double> inputs = sample_inputs<Potential>(), tables;
  double r_cut = 2.513, r_min = 0.7;
  Sample() {
    if constexpr (is_tabulated<Potential>) {
      Potential::prepare(sample_table(), r_cut, tables, c);
    } else {
      r_cut = Potential::cutoff(inputs.data(), r_cut);
      Potential::prepare(inputs.data(), r_cut, c);
    }
  }
  PairTerm<double> operator()(double r) const { return Potential::template evaluate<double>(r * r, c, tables.data()); }
};

template <class Potential>
class PairPotential : public ::testing::Test {};

template <class Tuple>
struct AsTypes;
template <class... Potential>
struct AsTypes<std::tuple<Potential...>> {
  using type = ::testing::Types<Potential...>;
};
using AllPotentials = AsTypes<PairPotentials>::type;
TYPED_TEST_SUITE(PairPotential, AllPotentials);

TYPED_TEST(PairPotential, ForceIsMinusTheSlopeOfTheEnergy) {
  const Sample<TypeParam> u;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(u.r_min, u.r_cut - 0.01);
  for (int i = 0; i < 500; ++i) {
    // Fourth-order differences: h^4 U^(5) / 30 is 1e-11 of the repulsive force with h = 1e-3 r / 3, round-off 1e-16 /
    // h.
    double r = uniform(random);
    const double h = 3e-4 * r;
    if constexpr (is_tabulated<TypeParam>) {  // within one interval, where U is one cubic
      const double step = 1.0 / u.c[1], k = std::floor((r - 0.6) / step);
      r = 0.6 + (k + 0.5) * step;
    }
    const double slope =
        (8.0 * (u(r + h).energy - u(r - h).energy) - (u(r + 2 * h).energy - u(r - 2 * h).energy)) / (12.0 * h);
    const double repulsion = 48.0 * std::pow(r, -13.0) + 1.0;
    EXPECT_NEAR(u(r).force_over_r * r, -slope, 1e-9 * repulsion) << "r = " << r;
  }
}

TYPED_TEST(PairPotential, LanesAreTheScalarFormula) {
  const Sample<TypeParam> u;
  host::Lanes c[TypeParam::coefficients];
  for (int i = 0; i < TypeParam::coefficients; ++i) {
    c[i] = host::all(u.c[i]);
  }
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.61, 2.7);  // beyond the cutoff too
  for (int i = 0; i < 200; ++i) {
    double r2[8], energy[8], force[8];
    for (double& value : r2) {
      value = std::pow(uniform(random), 2);
    }
    const auto term = TypeParam::template evaluate<host::Lanes>(host::load(r2), c, u.tables.data());
    host::store(energy, term.energy);
    host::store(force, term.force_over_r);
    for (int l = 0; l < 8; ++l) {
      const auto scalar = TypeParam::template evaluate<double>(r2[l], u.c, u.tables.data());
      EXPECT_EQ(energy[l], scalar.energy);
      EXPECT_EQ(force[l], scalar.force_over_r);
    }
  }
}

TYPED_TEST(PairPotential, ScalingByAPowerOfTwoIsExact) {
  Sample<TypeParam> u;
  const Sample<TypeParam> before;
  TypeParam::scale(u.c, 0x1p38);
  for (double r = 0.8; r < u.r_cut; r += 0.0917) {
    EXPECT_EQ(u(r).energy, 0x1p38 * before(r).energy);
    EXPECT_EQ(u(r).force_over_r, 0x1p38 * before(r).force_over_r);
  }
}

TYPED_TEST(PairPotential, FromSafeDistanceOnNothingOverflows) {
  const Sample<TypeParam> u;
  const double safe = safe_r2<TypeParam>(u.c, u.r_cut, u.tables.data());
  ASSERT_GT(safe, 0.0);
  ASSERT_LT(safe, u.r_cut * u.r_cut);
  const auto within = [&](double r) {
    const auto term = u(r);
    const double f = std::fabs(term.force_over_r) * r;
    return f < 8192.0 && f * r < 131072.0 && std::fabs(term.energy) < 131072.0;
  };
  for (int i = 0; i <= 100000; ++i) {
    const double r = std::sqrt(safe) + (u.r_cut - std::sqrt(safe)) * i / 100000.0;
    ASSERT_TRUE(within(r)) << "r = " << r;
  }
  const bool bounded = std::sqrt(safe) < 2e-6 * u.r_cut;  // Morse: finite everywhere
  const bool table_ends = is_tabulated<TypeParam> && std::fabs(std::sqrt(safe) - 0.6) < 1e-12;
  EXPECT_TRUE(bounded || table_ends || !within(std::sqrt(safe) * (1.0 - 1e-9))) << "too careful: " << std::sqrt(safe);
}

TYPED_TEST(PairPotential, TailIsTheIntegralBeyondTheCutoff) {
  if constexpr (TypeParam::has_tail) {
    const Sample<TypeParam> u;
    const PairTail tail = TypeParam::tail(u.inputs.data(), u.r_cut);
    // With x = r_cut / r the integrals run over 0..1; Simpson's rule on 2000 intervals errs by 1e-12 of them.
    double energy = 0.0, virial = 0.0;
    const int n = 2000;
    for (int i = 1; i <= n; ++i) {
      const double x = static_cast<double>(i) / n, r = u.r_cut / x,
                   weight = (i == n  ? 1.0
                             : i % 2 ? 4.0
                                     : 2.0) /
                            (3.0 * n);
      const double measure = weight * r * r * u.r_cut / (x * x);
      energy += measure * u(r).energy;
      virial += measure * r * r * u(r).force_over_r;
    }
    EXPECT_NEAR(tail.energy, energy, 1e-10 * std::fabs(energy));
    EXPECT_NEAR(tail.virial, virial, 1e-10 * std::fabs(virial));
  }
}

TYPED_TEST(PairPotential, BadInputsAreNamed) {
  if constexpr (!is_tabulated<TypeParam>) {
    const Sample<TypeParam> u;
    double c[TypeParam::coefficients];
    for (std::size_t i = 0; i < TypeParam::inputs.size(); ++i) {
      for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
        auto inputs = u.inputs;
        inputs[i] = bad;
        try {
          TypeParam::prepare(inputs.data(), u.r_cut, c);
          FAIL() << TypeParam::name << " took " << TypeParam::inputs[i].name << " = " << bad;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(TypeParam::inputs[i].name), std::string::npos) << error.what();
        }
      }
    }
    EXPECT_THROW(TypeParam::prepare(u.inputs.data(), 0.0, c), Error);
  }
}

TEST(PairPotentials, AreFoundByName) {
  int found = 0;
  for_each_pair_potential([&](auto potential) {
    with_pair_potential(potential.name,
                        [&](auto same) { found += std::is_same_v<decltype(same), decltype(potential)>; });
  });
  EXPECT_EQ(found, static_cast<int>(std::tuple_size_v<PairPotentials>));
  EXPECT_EQ(max_pair_coefficients, 8);
  try {
    with_pair_potential("lennard", [](auto) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "There is no pair potential \"lennard\"; there are lj, lj-shifted, lj-force-shifted, lj-charmm, wca, "
                 "morse, buckingham, tabulated.");
  }
}

}  // namespace
}  // namespace halyard::md
