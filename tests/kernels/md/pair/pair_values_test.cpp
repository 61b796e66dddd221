// Numbers of the single potentials, worked out by hand or by other formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/md/pair/mixing.hpp"
#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {
namespace {

constexpr double round_off = 4e-16;  // two units in the last place of one

template <class Potential>
struct Prepared {
  double c[Potential::coefficients];
  Prepared(std::vector<double> input, double r_cut) { Potential::prepare(input.data(), r_cut, c); }
  PairTerm<double> operator()(double r) const { return Potential::template evaluate<double>(r * r, c); }
};

TEST(LennardJones, AtZeroMinimumAndTwoSigma) {
  const Prepared<LennardJones> u({2.0, 3.0}, 9.0);
  EXPECT_NEAR(u(3.0).energy, 0.0, 8 * round_off);             // 4 epsilon (1 - 1)
  EXPECT_NEAR(u(3.0).force_over_r, 24.0 * 2.0 / 9.0, 1e-14);  // 24 epsilon / sigma
  const double minimum = 3.0 * std::pow(2.0, 1.0 / 6.0);
  EXPECT_NEAR(u(minimum).energy, -2.0, 4e-15);
  EXPECT_NEAR(u(minimum).force_over_r, 0.0, 1e-14);
  EXPECT_NEAR(u(6.0).energy, 8.0 * (1.0 / 4096 - 1.0 / 64), round_off);
  EXPECT_NEAR(u(6.0).force_over_r, 8.0 * (12.0 / 4096 - 6.0 / 64) / 36.0, round_off);
}

TEST(LennardJones, TailOfArgumentThree) {
  // 8/9 pi N rho epsilon sigma^3 [s^9 - 3 s^3] with s = sigma / r_cut, for 800 atoms in 10^3: the published
  // -198.488883744157 of NIST's configuration 1.
  const double input[2] = {1.0, 1.0};
  const PairTail tail = LennardJones::tail(input, 3.0);
  EXPECT_NEAR(2.0 * M_PI * 800.0 * 800.0 / 1000.0 * tail.energy, -198.488883744157, 2e-12);
}

TEST(LennardJones, ZeroEpsilonIsNoInteraction) {
  const Prepared<LennardJones> u({0.0, 0.0}, 2.5);
  EXPECT_EQ(u(1e-3).energy, 0.0);
  EXPECT_EQ(u(1e-3).force_over_r, 0.0);
}

TEST(LennardJonesShifted, EnergyEndsAtZeroAndForceIsThatOfTheCutPotential) {
  const Prepared<LennardJones> cut({1.3, 0.9}, 2.5);
  const Prepared<LennardJonesShifted> u({1.3, 0.9}, 2.5);
  EXPECT_EQ(u(2.5).energy, 0.0);
  EXPECT_EQ(u(1.1).force_over_r, cut(1.1).force_over_r);
  EXPECT_NEAR(cut(1.1).energy - u(1.1).energy, cut(2.5).energy, 2 * round_off);
}

TEST(LennardJonesForceShifted, EnergyAndForceEndAtZero) {
  const Prepared<LennardJonesForceShifted> u({1.0, 1.0}, 3.0);
  // The terms that cancel are U(r_cut) = 5e-3 and r_cut U'(r_cut) = 3e-2.
  EXPECT_NEAR(u(3.0).energy, 0.0, 1e-17);
  EXPECT_NEAR(u(3.0).force_over_r, 0.0, 1e-18);
  const double u3 = 4.0 * (std::pow(3.0, -12) - std::pow(3.0, -6));
  const double slope3 = -48.0 * std::pow(3.0, -13) + 24.0 * std::pow(3.0, -7);
  EXPECT_NEAR(u(1.0).energy, -u3 + 2.0 * slope3, round_off);
  EXPECT_NEAR(u(1.0).force_over_r, 24.0 + slope3, 1e-14);
}

TEST(LennardJonesCharmm, SwitchIsOneInsideHalfWayAndZeroAtTheEnd) {
  const Prepared<LennardJones> cut({0.1, 3.4}, 12.0);
  const Prepared<LennardJonesCharmm> u({0.1, 3.4, 8.0}, 12.0);
  for (const double r : {3.0, 5.0, 7.99, 8.0}) {
    EXPECT_NEAR(u(r).energy, cut(r).energy, 2e-16 * std::fabs(cut(r).energy)) << r;
    EXPECT_NEAR(u(r).force_over_r, cut(r).force_over_r, 2e-16 * std::fabs(cut(r).force_over_r)) << r;
  }
  // Continuous from the other side: S there is a product of six rounded factors.
  const double inner = std::nextafter(8.0, 9.0);
  EXPECT_NEAR(u(inner).energy, cut(8.0).energy, 4e-15 * std::fabs(cut(8.0).energy));
  EXPECT_NEAR(u(inner).force_over_r, cut(8.0).force_over_r, 1e-14 * std::fabs(cut(8.0).force_over_r));
  EXPECT_EQ(u(12.0).energy, 0.0);
  EXPECT_EQ(u(12.0).force_over_r, 0.0);
  const double half = std::sqrt(0.5 * (64.0 + 144.0));  // S = 1/2 where r^2 is half way
  EXPECT_NEAR(u(half).energy, 0.5 * cut(half).energy, 1e-15 * std::fabs(cut(half).energy));
  // LAMMPS' form: force * r^2 = f S + 12 r^2 (rc^2 - r^2)(r^2 - ri^2) / (rc^2 - ri^2)^3 U
  const double r2 = 100.0, denominator = 80.0 * 80.0 * 80.0, s = 44.0 * 44.0 * (144.0 + 200.0 - 192.0) / denominator;
  const double lammps = cut(10.0).force_over_r * r2 * s + cut(10.0).energy * 12.0 * r2 * 44.0 * 36.0 / denominator;
  EXPECT_NEAR(u(10.0).force_over_r * r2, lammps, 1e-15 * std::fabs(lammps));
}

TEST(LennardJonesCharmm, InnerCutoffMustLieInside) {
  double c[LennardJonesCharmm::coefficients];
  const double input[3] = {1.0, 1.0, 2.5};
  EXPECT_THROW(LennardJonesCharmm::prepare(input, 2.5, c), Error);
}

TEST(WeeksChandlerAndersen, EndsWithoutForceAtTheMinimum) {
  const double input[2] = {1.7, 1.1}, end = WeeksChandlerAndersen::cutoff(input, 99.0);
  EXPECT_NEAR(std::pow(end / 1.1, 6), 2.0, 4e-15);
  const Prepared<WeeksChandlerAndersen> u({1.7, 1.1}, end);
  EXPECT_NEAR(u(end).energy, 0.0, 4e-15);
  EXPECT_NEAR(u(end).force_over_r, 0.0, 4e-14);
  EXPECT_NEAR(u(1.1).energy, 1.7, 4e-15);
}

TEST(Morse, DepthPlaceAndCurvatureOfTheWell) {
  const Prepared<Morse> u({0.3429, 1.3588, 2.866}, 8.0);
  EXPECT_NEAR(u(2.866).energy, -0.3429, round_off);
  EXPECT_NEAR(u(2.866).force_over_r, 0.0, 1e-15);
  const double r = 3.5, e = std::exp(-1.3588 * (r - 2.866));
  EXPECT_NEAR(u(r).energy, 0.3429 * (e * e - 2.0 * e), 1e-15);
  EXPECT_NEAR(u(r).force_over_r * r, 2.0 * 1.3588 * 0.3429 * (e * e - e), 1e-15);
}

TEST(Buckingham, SilicaOxygens) {
  // Oxygen of van Beest, Kramer & van Santen 1990: A = 1388.7730 eV, 1/rho = 2.76 /A, C = 175 eV A^6
  const Prepared<Buckingham> u({1388.7730, 1.0 / 2.76, 175.0}, 10.0);
  const double r = 2.6, e = 1388.7730 * std::exp(-2.76 * r);
  EXPECT_NEAR(u(r).energy, e - 175.0 / std::pow(r, 6), 1e-14);
  EXPECT_NEAR(u(r).force_over_r * r, 2.76 * e - 6.0 * 175.0 / std::pow(r, 7), 1e-14);
}

PairTable table_of(int rows, double first, double last, double power = 1.0) {
  PairTable table{.where = "lj.table: section LJ", .r = {}, .energy = {}, .force = {}};
  for (int i = 0; i < rows; ++i) {
    const double r = std::pow(
        std::pow(first, power) + (std::pow(last, power) - std::pow(first, power)) * i / (rows - 1), 1.0 / power);
    table.r.push_back(r);
    table.energy.push_back(4.0 * (std::pow(r, -12) - std::pow(r, -6)));
    table.force.push_back(48.0 * std::pow(r, -13) - 24.0 * std::pow(r, -7));
  }
  return table;
}

struct Tabled {
  std::vector<double> tables = std::vector<double>(12, 1e300);  // others' rows before
  double c[Tabulated::coefficients];
  Tabled(const PairTable& table, double r_cut) { Tabulated::prepare(table, r_cut, tables, c); }
  PairTerm<double> operator()(double r) const { return Tabulated::evaluate<double>(r * r, c, tables.data()); }
};

TEST(Tabulated, GivesTheTablesOwnNumbersAtItsDistances) {
  const PairTable table = table_of(201, 0.8, 2.8);
  const Tabled u(table, 2.5);
  for (std::size_t i = 0; i < table.r.size(); ++i) {
    // The distance itself comes out of a square root and a product: 1e-16 times the slope.
    const double slack = 1e-14 * (std::fabs(table.energy[i]) + std::fabs(table.force[i]) + 1.0);
    EXPECT_NEAR(u(table.r[i]).energy, table.energy[i], slack);
    EXPECT_NEAR(u(table.r[i]).force_over_r * table.r[i], table.force[i], 20 * slack);
  }
}

TEST(Tabulated, ConvergesWithTheFourthPowerOfTheStep) {
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const Tabled u(table_of(fine ? 201 : 101, 0.8, 2.8), 2.5);
    error[fine] = 0.0;
    for (double r = 0.85; r < 2.5; r += 0.00037) {
      error[fine] = std::max(error[fine], std::fabs(u(r).energy - 4.0 * (std::pow(r, -12) - std::pow(r, -6))));
    }
  }
  EXPECT_NEAR(error[0] / error[1], 16.0, 2.0);
}

TEST(Tabulated, UnevenTablesAreResampled) {
  const Tabled u(table_of(2001, 0.8, 2.8, 2.0), 2.5);  // even in r^2
  for (double r = 0.81; r < 2.5; r += 0.0137) {
    EXPECT_NEAR(u(r).energy, 4.0 * (std::pow(r, -12) - std::pow(r, -6)), 1e-7 * (1.0 + std::pow(r, -12)));
  }
}

TEST(Tabulated, IsNotSafeBelowItsFirstDistance) {
  const Tabled u(table_of(201, 0.8, 2.8), 2.5);
  EXPECT_NEAR(std::sqrt(safe_r2<Tabulated>(u.c, 2.5, u.tables.data())), 0.8, 1e-14);
}

TEST(Tabulated, MistakesNameTheRow) {
  const auto message = [](const PairTable& table, double r_cut) -> std::string {
    try {
      Tabled u(table, r_cut);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const PairTable good = table_of(11, 1.0, 2.0);
  EXPECT_EQ(message(good, 2.0), "");
  EXPECT_EQ(
      message(good, 2.1),
      "lj.table: section LJ: the table ends at r = 2.000000, below the cutoff of 2.100000; give a longer table or a "
      "smaller cutoff.");
  PairTable bad = good;
  bad.r[4] = bad.r[3];
  EXPECT_EQ(message(bad, 2.0), "lj.table: section LJ: row 5 has r = 1.300000; distances must be above zero and rise.");
  bad = good;
  bad.energy[7] = std::nan("");
  EXPECT_NE(message(bad, 2.0).find("row 8 has a number that is not finite"), std::string::npos);
  bad = good;
  bad.force.pop_back();
  EXPECT_NE(message(bad, 2.0).find("11 rows of r, 11 of U and 10 of F"), std::string::npos);
  EXPECT_EQ(Tabulated::inconsistent_rows(table_of(101, 1.0, 2.0)), 0U);
  bad = table_of(101, 1.0, 2.0);
  for (double& f : bad.force) {
    f = -f;
  }
  EXPECT_GT(Tabulated::inconsistent_rows(bad), 90U);
}

TEST(PairMixing, RulesOfLammps) {
  EXPECT_DOUBLE_EQ(mix_length(PairMixing::arithmetic, 3.0, 4.0), 3.5);
  EXPECT_DOUBLE_EQ(mix_length(PairMixing::geometric, 3.0, 12.0), 6.0);
  EXPECT_DOUBLE_EQ(mix_length(PairMixing::sixth_power, 1.0, 2.0), std::pow(32.5, 1.0 / 6.0));
  EXPECT_DOUBLE_EQ(mix_epsilon(PairMixing::arithmetic, 0.25, 4.0, 1.0, 2.0), 1.0);
  EXPECT_DOUBLE_EQ(mix_epsilon(PairMixing::sixth_power, 0.25, 4.0, 1.0, 2.0), 2.0 * 8.0 / 65.0);
  EXPECT_EQ(mix_length(PairMixing::sixth_power, 0.3, 0.3), 0.3);
  EXPECT_EQ(mix_epsilon(PairMixing::sixth_power, 0.3, 0.3, 1.1, 1.1), 0.3);
  EXPECT_EQ(pair_mixing("sixth-power"), PairMixing::sixth_power);
  EXPECT_THROW(pair_mixing("sixthpower"), Error);
}

}  // namespace
}  // namespace halyard::md
