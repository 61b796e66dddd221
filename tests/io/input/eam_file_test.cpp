#include "io/input/eam_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "io/input/elements.hpp"
#include "kernels/device/error.hpp"
#include "tests/support/reference_text.hpp"

namespace halyard::md {
namespace {

EamFuncfl copper_funcfl() {
  return parse_eam_funcfl(reference_text(CASES_FOLDER "/copper-eam/Cu_u3.eam"), "Cu_u3.eam");
}

EamTables mishin() {
  return parse_eam_setfl(reference_text(CASES_FOLDER "/copper-eam/Cu_mishin1.eam.alloy"), "Cu_mishin1.eam.alloy");
}

/// Cubic through the four values around x.
double interpolated(const std::vector<double>& table, double spacing, double x) {
  const auto last = static_cast<double>(table.size()) - 3.0;
  const auto k = static_cast<std::size_t>(std::clamp(std::floor(x / spacing), 1.0, last));
  const double p = x / spacing - static_cast<double>(k);
  return -p * (p - 1) * (p - 2) / 6 * table[k - 1] + (p * p - 1) * (p - 2) / 2 * table[k] -
         p * (p + 1) * (p - 2) / 2 * table[k + 1] + p * (p * p - 1) / 6 * table[k + 2];
}

/// Energy per atom of the perfect fcc crystal.
double fcc_energy(const EamTables& tables, double a) {
  double rho = 0.0, pairs = 0.0;
  for (int i = -8; i <= 8; ++i)
    for (int j = -8; j <= 8; ++j)
      for (int k = -8; k <= 8; ++k) {
        if ((i + j + k) % 2 != 0 || (i == 0 && j == 0 && k == 0)) continue;
        const double r = 0.5 * a * std::sqrt(double(i * i + j * j + k * k));
        if (r >= tables.cutoff) continue;
        rho += interpolated(tables.density_of(0, 0), tables.dr, r);
        pairs += 0.5 * interpolated(tables.r_phi_of(0, 0), tables.dr, r) / r;
      }
  return interpolated(tables.embedding[0], tables.drho, rho) + pairs;
}

TEST(EamFile, CopperFuncfl) {
  const EamFuncfl cu = copper_funcfl();
  EXPECT_EQ(cu.element, (EamElement{"Cu", 29, 63.55, 3.615, "FCC"}));
  EXPECT_EQ(cu.nrho, 500);
  EXPECT_EQ(cu.nr, 500);
  EXPECT_EQ(cu.drho, 5.0100200400801306e-04);
  EXPECT_EQ(cu.cutoff, 4.9499999999999886);
  ASSERT_EQ(cu.embedding.size(), 500u);
  ASSERT_EQ(cu.charge.size(), 500u);
  ASSERT_EQ(cu.density.size(), 500u);
  EXPECT_EQ(cu.embedding[0], 0.0);
  EXPECT_EQ(cu.embedding[1], -3.1561636903424350e-01);
  EXPECT_EQ(cu.embedding[5], -9.9329216586042435e-01);  // first number of the second line
  EXPECT_EQ(cu.charge[499], 0.0);                       // beyond the cutoff
  EXPECT_EQ(cu.density[499], 0.0);
  EXPECT_TRUE(cu.title.starts_with("DATE: 2007-06-11 CONTRIBUTOR: Stephen Foiles"));
}

TEST(EamFile, OneFuncflFileKeepsItsTables) {
  const EamFuncfl cu = copper_funcfl();
  const EamTables tables = mix_funcfl({cu});
  EXPECT_EQ(tables.nrho, cu.nrho);
  EXPECT_EQ(tables.nr, cu.nr);
  EXPECT_EQ(tables.drho, cu.drho);
  EXPECT_EQ(tables.dr, cu.dr);
  EXPECT_EQ(tables.cutoff, cu.cutoff);
  EXPECT_EQ(tables.embedding.at(0), cu.embedding);
  EXPECT_EQ(tables.density.at(0), cu.density);
  ASSERT_EQ(tables.r_phi.size(), 1u);
  for (std::size_t k = 0; k < 500; ++k) EXPECT_EQ(tables.r_phi[0][k], 27.2 * 0.529 * cu.charge[k] * cu.charge[k]);
  EXPECT_TRUE(tables.notes.empty());
}

// Computed by LAMMPS with splines of its own; the cubics here differ by about (dr / width of the functions)^4, and its
// splines by 1e-6 from other splines.
TEST(EamFile, CohesiveEnergyOfCopper) {
  EXPECT_NEAR(fcc_energy(mix_funcfl({copper_funcfl()}), 3.615), -3.540000002279, 4e-6);
  EXPECT_NEAR(fcc_energy(mishin(), 3.615), -3.540218310487, 4e-6);
}

TEST(EamFile, MishinCopper) {
  const EamTables cu = mishin();
  ASSERT_EQ(cu.elements.size(), 1u);
  EXPECT_EQ(cu.elements[0].name, "Cu");
  EXPECT_EQ(cu.elements[0].mass, 63.549999999999997);
  EXPECT_EQ(cu.elements[0].lattice, "FCC");
  EXPECT_EQ(cu.nrho, 10001);
  EXPECT_EQ(cu.nr, 10001);
  EXPECT_EQ(cu.cutoff, 5.50679);
  EXPECT_FALSE(cu.finnis_sinclair);
  ASSERT_EQ(cu.embedding[0].size(), 10001u);
  EXPECT_EQ(cu.embedding[0][0], 0.00000499999999981071);
  EXPECT_EQ(cu.embedding[0][1], -0.00174266214468467274);
  EXPECT_EQ(cu.r_phi[0].size(), 10001u);
}

// --- mixing ---

EamFuncfl sampled(const std::string& file, int z, int nrho, double drho, int nr, double dr, double cutoff,
                  const std::function<double(double)>& function) {
  EamFuncfl funcfl;
  funcfl.file = file;
  funcfl.element = {std::string(element_symbol(z)), z, 2.0 * z, 4.0, "fcc"};
  funcfl.nrho = nrho;
  funcfl.drho = drho;
  funcfl.nr = nr;
  funcfl.dr = dr;
  funcfl.cutoff = cutoff;
  for (int k = 0; k < nrho; ++k) funcfl.embedding.push_back(-function(k * drho));
  for (int k = 0; k < nr; ++k) funcfl.charge.push_back(function(k * dr));
  for (int k = 0; k < nr; ++k) funcfl.density.push_back(0.5 * function(k * dr));
  return funcfl;
}

double cubic(double x) { return 3.0 - 2.0 * x + 0.7 * x * x - 0.05 * x * x * x; }

TEST(EamMix, CubicsAreExactOnTheCommonGrid) {
  const EamFuncfl ni = sampled("ni", 28, 201, 0.005, 401, 0.01, 4.0, cubic);
  const EamFuncfl cu = sampled("cu", 29, 101, 0.008, 301, 0.0125, 3.7, [](double x) { return 0.5 * cubic(x); });
  const EamTables mixed = mix_funcfl({ni, cu});
  EXPECT_EQ(mixed.dr, 0.0125);
  EXPECT_EQ(mixed.drho, 0.008);
  EXPECT_EQ(mixed.nr, 321);    // up to 4.0, where nickel's table ends
  EXPECT_EQ(mixed.nrho, 126);  // up to 1.0
  EXPECT_EQ(mixed.cutoff, 4.0);
  EXPECT_EQ(mixed.elements[0].name, "Ni");
  EXPECT_EQ(mixed.elements[1].name, "Cu");
  ASSERT_EQ(mixed.density[0].size(), 321u);
  for (std::size_t k = 0; k < 321; ++k) {
    const double r = 0.0125 * double(k), z_ni = cubic(r);
    const double z_cu = 0.5 * cubic(std::min(r, 3.75));              // copper's table ends there; its last value holds
    EXPECT_NEAR(mixed.density_of(0, 1)[k], 0.5 * z_ni, 1e-13) << k;  // round-off of numbers near 3
    EXPECT_NEAR(mixed.density_of(1, 0)[k], 0.5 * z_cu, 1e-13) << k;
    EXPECT_NEAR(mixed.r_phi_of(0, 0)[k], 27.2 * 0.529 * z_ni * z_ni, 2e-12) << k;
    EXPECT_NEAR(mixed.r_phi_of(0, 1)[k], 27.2 * 0.529 * z_ni * z_cu, 2e-12) << k;
    EXPECT_NEAR(mixed.r_phi_of(1, 1)[k], 27.2 * 0.529 * z_cu * z_cu, 2e-12) << k;
  }
  for (std::size_t k = 0; k < 126; ++k) EXPECT_NEAR(mixed.embedding[0][k], -cubic(0.008 * double(k)), 1e-13) << k;
  EXPECT_EQ(mixed.density[1].back(), cu.density.back());
  EXPECT_EQ(&mixed.r_phi_of(0, 1), &mixed.r_phi_of(1, 0));
}

TEST(EamMix, ThreeElements) {
  const auto constant = [](double z) { return [z](double) { return z; }; };
  std::vector<EamFuncfl> files;
  for (int i = 0; i < 3; ++i) files.push_back(sampled("f", 27 + i, 5, 1.0, 5, 1.0, 4.0, constant(1.0 + i)));
  const EamTables mixed = mix_funcfl(files);
  ASSERT_EQ(mixed.r_phi.size(), 6u);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      EXPECT_NEAR(mixed.r_phi_of(a, b)[2], 27.2 * 0.529 * (1 + a) * (1 + b), 1e-13) << a << b;  // round-off
}

TEST(EamMix, TheLongestTableNeverEndsEarly) {
  // The longest file ends at 3.99, between the common points 3.96 and 4.02.
  const EamTables mixed =
      mix_funcfl({sampled("a", 28, 5, 1.0, 400, 0.01, 3.98, cubic), sampled("b", 29, 5, 1.0, 50, 0.06, 2.0, cubic)});
  EXPECT_EQ(mixed.nr, 68);
  EXPECT_GE((mixed.nr - 1) * mixed.dr, mixed.cutoff);
  EXPECT_EQ(mixed.density[0].back(), 0.5 * cubic(399 * 0.01));
  EXPECT_THROW(mix_funcfl({}), Error);
}

// --- setfl and Finnis-Sinclair of two elements ---

std::string numbers(double first, int count, int a_line) {
  std::string text;
  for (int k = 0; k < count; ++k)
    text += fmt::format("{}{}", first + k, k % a_line == a_line - 1 || k == count - 1 ? "\n" : " ");
  return text;
}

const std::string two_head = "one\n# two\nthree\n2 Fe Cr\n6 0.5 5 1.0D0 4.0 # nrho drho nr dr cutoff\n";

TEST(EamFile, SetflOfTwoElements) {
  const std::string text = two_head + "26 55.845 2.855 bcc\n" + numbers(100, 6, 4) + numbers(200, 5, 5) + "24 51.99\n" +
                           numbers(300, 6, 5) + numbers(400, 5, 2) + numbers(500, 5, 5) + "\n" + numbers(600, 5, 5) +
                           numbers(700, 5, 1) + "\n\n";
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& form : {text, crlf, "\xef\xbb\xbf" + text, text.substr(0, text.size() - 3)}) {
    const EamTables tables = parse_eam_setfl(form, "two");
    ASSERT_EQ(tables.elements.size(), 2u);
    EXPECT_EQ(tables.elements[0], (EamElement{"Fe", 26, 55.845, 2.855, "bcc"}));
    EXPECT_EQ(tables.elements[1], (EamElement{"Cr", 24, 51.99, 0.0, ""}));
    EXPECT_EQ(tables.dr, 1.0);
    EXPECT_EQ(tables.embedding[1], (std::vector<double>{300, 301, 302, 303, 304, 305}));
    EXPECT_EQ(tables.density_of(0, 1)[0], 200.0);
    EXPECT_EQ(tables.density_of(1, 0)[4], 404.0);
    EXPECT_EQ(tables.r_phi_of(0, 0)[0], 500.0);
    EXPECT_EQ(tables.r_phi_of(1, 0)[0], 600.0);
    EXPECT_EQ(tables.r_phi_of(0, 1)[0], 600.0);
    EXPECT_EQ(tables.r_phi_of(1, 1)[4], 704.0);
    EXPECT_TRUE(tables.notes.empty());
    EXPECT_EQ(element_index(tables, "Cr", "two"), 1);
  }
}

TEST(EamFile, FinnisSinclairOfTwoElements) {
  const std::string text = two_head + "26 55.845 2.855 bcc\n" + numbers(100, 6, 6) + numbers(200, 5, 5) +
                           numbers(250, 5, 5) + "24 51.99 2.88 bcc\n" + numbers(300, 6, 6) + numbers(400, 5, 5) +
                           numbers(450, 5, 5) + numbers(500, 5, 5) + numbers(600, 5, 5) + numbers(700, 5, 5);
  const EamTables tables = parse_eam_fs(text, "fs");
  EXPECT_TRUE(tables.finnis_sinclair);
  EXPECT_EQ(tables.density_of(0, 0)[0], 200.0);
  EXPECT_EQ(tables.density_of(0, 1)[0], 250.0);  // iron's block, second table: what iron adds at chromium
  EXPECT_EQ(tables.density_of(1, 0)[0], 400.0);
  EXPECT_EQ(tables.density_of(1, 1)[4], 454.0);
  EXPECT_EQ(tables.r_phi_of(1, 0)[0], 600.0);
}

TEST(EamFile, CutoffBeyondTheTableIsNoted) {
  const std::string text =
      "a\nb\nc\n1 Fe\n5 0.5 5 1 5\n26 55.845 2.855 bcc\n" + numbers(0, 5, 5) + numbers(0, 5, 5) + numbers(0, 5, 5);
  EXPECT_EQ(
      parse_eam_setfl(text, "Fe.fs").notes,
      std::vector<std::string>{"Fe.fs: the cutoff 5 A lies beyond the last value of the tables at 4 A; that value "
                               "holds from there to the cutoff"});
}

// --- mistakes ---

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::string one_element(const std::string& from = "", const std::string& to = "") {
  std::string text =
      "a\nb\nc\n1 Fe\n5 0.5 6 1 5\n26 55.845 2.855 bcc\n0 1 2\n3 4\n10 11 12 13 14 15\n20 21 22 23 24 25\n";
  if (!from.empty()) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "no such text";
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(EamFile, MistakesAreNamed) {
  struct Mistake {
    const char *from, *to, *message;
  };
  const std::vector<Mistake> mistakes{
      {"1 Fe", "1 Fe Cr", "f:4: expected 1 element name behind the number, found 2; found: \"1 Fe Cr\""},
      {"1 Fe", "Fe", "f:4: expected the number of elements, from 1, and their names ('2 Cu Ni'); found: \"Fe\""},
      {"1 Fe", "2 Fe Fe", "f:4: element 'Fe' is named twice; expected each once; found: \"2 Fe Fe\""},
      {"5 0.5 6 1 5", "5 0.5 6 1",
       "f:5: expected 'nrho drho nr dr cutoff': integer, number, integer, number, number; found: \"5 0.5 6 1\""},
      {"5 0.5 6 1 5", "5 0.5 6.0 1 5",
       "f:5: expected 'nrho drho nr dr cutoff': integer, number, integer, number, number; found: \"5 0.5 6.0 1 5\""},
      {"5 0.5 6 1 5", "4 0.5 6 1 5", "f:5: expected nrho and nr of at least 5; found: \"4 0.5 6 1 5\""},
      {"5 0.5 6 1 5", "5 0 6 1 5", "f:5: expected drho, dr and cutoff above 0; found: \"5 0 6 1 5\""},
      {"5 0.5 6 1 5", "5 0.5 6 -1 5", "f:5: expected drho, dr and cutoff above 0; found: \"5 0.5 6 -1 5\""},
      {"5 0.5 6 1 5", "5 0.5 1000000000 1 5", "f:10: the file ends after 12 of the 1000000000 numbers of rho(r) of Fe"},
      {"26 55.845", "26.0 55.845",
       "f:6: expected an element's atomic number (from 0), mass (above 0), lattice constant and lattice ('29 63.55 "
       "3.615 fcc'); found: \"26.0 55.845 2.855 bcc\""},
      {"26 55.845", "26 0",
       "f:6: expected an element's atomic number (from 0), mass (above 0), lattice constant and lattice ('29 63.55 "
       "3.615 fcc'); found: \"26 0 2.855 bcc\""},
      {"2.855 bcc", "bcc",
       "f:6: expected an element's atomic number (from 0), mass (above 0), lattice constant and lattice ('29 63.55 "
       "3.615 fcc'); found: \"26 55.845 bcc\""},
      {"3 4\n", "3\n",
       "f:9: F(rho) of Fe has its 5 numbers before this line ends; expected what follows on a line of its own; found: "
       "\"10 11 12 13 14 15\""},
      {"3 4\n", "3 4 5\n",
       "f:8: F(rho) of Fe has its 5 numbers before this line ends; expected what follows on a line of its own; found: "
       "\"3 4 5\""},
      {"3 4\n", "3 nan\n",
       "f:8: expected a finite number as value 5 of 5 of F(rho) of Fe, not 'nan'; found: \"3 nan\""},
      {"3 4\n", "3 4x\n", "f:8: expected a finite number as value 5 of 5 of F(rho) of Fe, not '4x'; found: \"3 4x\""},
      {"20 21 22 23 24 25\n", "20 21 22\n", "f:10: the file ends after 3 of the 6 numbers of r phi(r) of Fe and Fe"},
      {"20 21 22 23 24 25\n", "20 21 22 23 24 25\n26\n",
       "f:11: expected the end of the file behind the last table; found: \"26\""},
  };
  EXPECT_EQ(message_of([] { parse_eam_setfl(one_element(), "f"); }), "nothing thrown");
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(message_of([&] { parse_eam_setfl(one_element(mistake.from, mistake.to), "f"); }), mistake.message);
  EXPECT_EQ(message_of([] { parse_eam_setfl("", "f"); }), "f: ends before its title lines");
  EXPECT_EQ(message_of([] { parse_eam_setfl("a\nb\nc\n", "f"); }),
            "f:3: the file ends, expected the number of elements and their names");
  EXPECT_EQ(message_of([] { parse_eam_fs(one_element(), "f"); }), "nothing thrown");  // one element: the same format
  EXPECT_EQ(message_of([] { parse_eam_funcfl(one_element(), "f"); }).substr(0, 52),
            "f:2: expected an element's atomic number (from 0), m");
  EXPECT_EQ(message_of([] { element_index(parse_eam_setfl(one_element(), "f"), "Cu", "f"); }),
            "f: element 'Cu' is not in this file; it holds Fe");
}

TEST(EamFile, AFuncflFileThatEndsEarlyIsRefused) {
  const std::string text = reference_text(CASES_FOLDER "/copper-eam/Cu_u3.eam");
  EXPECT_EQ(message_of([&] { parse_eam_funcfl(text.substr(0, text.size() - 100), "cu"); }),
            "cu:303: the file ends after 496 of the 500 numbers of rho(r)");
}

TEST(Elements, Symbols) {
  EXPECT_EQ(element_symbol(1), "H");
  EXPECT_EQ(element_symbol(18), "Ar");
  EXPECT_EQ(element_symbol(29), "Cu");
  EXPECT_EQ(element_symbol(79), "Au");
  EXPECT_EQ(element_symbol(118), "Og");
  EXPECT_EQ(element_symbol(0), "");
  EXPECT_EQ(element_symbol(119), "");
}

}  // namespace
}  // namespace halyard::md
