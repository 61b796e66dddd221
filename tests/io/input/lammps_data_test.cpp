#include "io/input/lammps_data.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernels/device/error.hpp"
#include "tests/io/input/sample_data.hpp"
#include "tests/support/reference_text.hpp"

namespace halyard::md {
namespace {

LammpsData reference(const std::string& name) {
  return parse_lammps_data(reference_text(std::string(DATA_FOLDER "/") + name + ".gz"), name);
}

double twice_kinetic_energy(const LammpsData& data) {
  double sum = 0.0;
  for (std::size_t i = 0; i < data.atoms.size(); ++i)
    for (const double v : data.velocities[i]) sum += data.masses[static_cast<std::size_t>(data.atoms[i].type)] * v * v;
  return sum;
}

TEST(LammpsData, LennardJonesMelt) {
  const LammpsData data = reference("ljmelt4000.data");
  EXPECT_EQ(data.title, "LAMMPS data file via write_data, version 29 Sep 2021, timestep = 0");
  EXPECT_EQ(data.style, AtomStyle::atomic);
  ASSERT_EQ(data.atoms.size(), 4000u);
  EXPECT_EQ(data.box.length[0], 16.795961913825074);
  EXPECT_EQ(data.box.periodic, (std::array{true, true, true}));
  EXPECT_EQ(data.masses, std::vector<double>{1.0});
  EXPECT_EQ(data.atoms[1].x, (std::array{0.8397980956912536, 0.8397980956912536, 0.0}));
  EXPECT_EQ(data.velocities[0], (std::array{-0.12758831706256135, -0.6727310103541239, -2.0331621333440726}));
  EXPECT_NEAR(twice_kinetic_energy(data), 2 * 8637.84, 1e-9);  // LAMMPS' own sum; 12000 terms in another order
}

TEST(LammpsData, CopperInAnyOrderOfIds) {
  const LammpsData data = reference("cu4000.data");
  ASSERT_EQ(data.atoms.size(), 4000u);
  for (std::size_t i = 0; i < data.atoms.size(); ++i) ASSERT_EQ(data.atoms[i].id, static_cast<std::int64_t>(i + 1));
  // Line 25 of the file has atom 12 before atoms 10 and 11.
  EXPECT_EQ(data.atoms[11].x, (std::array{7.007656479568322, 1.5542027642157545, 1.682915965523674}));
  EXPECT_EQ(data.atoms[9].image, (std::array{0, 0, 0}));
  EXPECT_EQ(data.atoms[0].image, (std::array{-1, 0, -1}));
  EXPECT_EQ(data.masses[0], 63.55);
}

TEST(LammpsData, FeneChain) {
  const LammpsData data = reference("data.chain");
  EXPECT_EQ(data.style, AtomStyle::bond);  // 9 columns, bonds alone in the header
  ASSERT_EQ(data.atoms.size(), 32000u);
  ASSERT_EQ(data.bonds.size(), 31680u);
  EXPECT_EQ(data.bond_types, 1);
  EXPECT_EQ(data.bonds[0], (LammpsTerm<2>{.id = 1, .type = 0, .atoms = {1, 2}}));
  EXPECT_EQ(data.atoms[0].molecule, 1);
  EXPECT_EQ(data.atoms[31999].molecule, 320);
  EXPECT_EQ(data.box.origin[1], -16.796);
  EXPECT_EQ(data.box.length[1], 16.796 - -16.796);
  // LAMMPS' temperature at step 0, 3 N - 3 degrees of freedom.
  EXPECT_NEAR(twice_kinetic_energy(data) / (3 * 31999), 0.970297718819305, 1e-12);
}

TEST(LammpsData, RhodopsinWithAllSections) {
  const LammpsData data = reference("data.rhodo");
  EXPECT_EQ(data.style, AtomStyle::full);
  ASSERT_EQ(data.atoms.size(), 32000u);
  EXPECT_EQ(data.bonds.size(), 27723u);
  EXPECT_EQ(data.angles.size(), 40467u);
  EXPECT_EQ(data.dihedrals.size(), 56829u);
  EXPECT_EQ(data.impropers.size(), 1034u);
  EXPECT_EQ(data.masses.size(), 68u);
  EXPECT_EQ(data.pair_coeffs.lines.size(), 68u);
  EXPECT_TRUE(data.pair_ij_coeffs.empty());
  EXPECT_EQ(data.bond_coeffs.lines.size(), 115u);
  EXPECT_EQ(data.angle_coeffs.lines.size(), 243u);
  EXPECT_EQ(data.dihedral_coeffs.lines.size(), 453u);
  EXPECT_EQ(data.improper_coeffs.lines.size(), 19u);
  EXPECT_EQ(data.pair_coeffs.lines[0].numbers, (std::vector{0.046, 0.400014, 0.046, 0.400014}));
  EXPECT_EQ(data.dihedral_coeffs.lines[0].numbers, (std::vector{0.14, 3.0, 0.0, 1.0}));
  EXPECT_EQ(data.dihedral_coeffs.line, 525);
  EXPECT_EQ(data.dihedral_coeffs.lines[0].line, 527);
  EXPECT_EQ(data.dihedral_coeffs.lines[0].type, 0);
  EXPECT_EQ(data.atoms[0].charge, -0.3);
  EXPECT_EQ(data.atoms[0].type, 26);
  EXPECT_EQ(data.impropers[0], (LammpsTerm<4>{.id = 1, .type = 3, .atoms = {18, 5, 20, 19}}));
}

TEST(LammpsData, WaterWithLeadingBlanksAndTabs) {
  const LammpsData data = reference("data.spce");
  EXPECT_EQ(data.style, AtomStyle::full);
  ASSERT_EQ(data.atoms.size(), 4500u);
  EXPECT_EQ(data.masses, (std::vector{15.9994, 1.00794}));
  EXPECT_EQ(data.atoms[2].type, 1);
  EXPECT_EQ(data.atoms[2].x, (std::array{11.49482, 28.56390, 21.65678}));
  EXPECT_EQ(data.atoms[2].image, (std::array{0, 1, 0}));
  EXPECT_EQ(data.angles[1], (LammpsTerm<3>{.id = 2, .type = 0, .atoms = {5, 4, 6}}));
  EXPECT_TRUE(data.velocities.empty());
  double charge = 0.0;
  for (const LammpsAtom& atom : data.atoms) charge += atom.charge;
  EXPECT_NEAR(charge, 0.0, 1e-10);  // 4500 terms of 0.8 at 1e-16
}

TEST(LammpsData, WhatIsWrittenReadsBackTheSame) {
  for (const char* name : {"ljmelt4000.data", "cu4000.data", "data.chain", "data.rhodo", "data.spce"}) {
    const LammpsData data = reference(name);
    const std::string text = write_lammps_data(data);
    EXPECT_TRUE(parse_lammps_data(text, name) == data) << name;
    EXPECT_EQ(write_lammps_data(parse_lammps_data(text, name)), text) << name;
  }
}

TEST(LammpsData, EverySectionReadsBackTheSame) {
  const LammpsData data = parse_lammps_data(sample_data(), "sample");
  EXPECT_EQ(data.pair_ij_coeffs.lines.size(), 3u);
  EXPECT_EQ(data.pair_ij_coeffs.lines[1].second_type, 1);  // "2 1" in the file
  EXPECT_EQ(data.pair_coeffs.style_hint, "lj/cut");
  EXPECT_EQ(data.bond_coeffs.lines[0].style, "harmonic");
  EXPECT_EQ(data.box.xz, -0.25);
  EXPECT_TRUE(parse_lammps_data(write_lammps_data(data), "again") == data);
}

TEST(LammpsData, NumbersKeepTheirBits) {
  LammpsData data = parse_lammps_data(sample_data(), "sample");
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    for (LammpsAtom& atom : data.atoms)
      for (double& x : atom.x) do
          x = std::bit_cast<double>(random());  // all exponents, subnormal numbers too
        while (!std::isfinite(x));
    data.atoms[0].charge = -0.0;
    data.atoms[1].x = {5e-324, 1.7976931348623157e308, 1e22};
    const LammpsData back = parse_lammps_data(write_lammps_data(data), "back");
    for (std::size_t i = 0; i < data.atoms.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(back.atoms[i].x[axis]),
                  std::bit_cast<std::uint64_t>(data.atoms[i].x[axis]));
    ASSERT_TRUE(std::signbit(back.atoms[0].charge));
  }
}

TEST(LammpsData, BoxLengthsKeepTheirBits) {
  LammpsData data = parse_lammps_data(sample_data(), "sample");
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> length(1.0, 1000.0), part(-3.0, 3.0);
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      data.box.length[axis] = length(random);
      data.box.origin[axis] = round % 3 == 0   ? 0.0
                              : round % 3 == 1 ? -0.5 * data.box.length[axis]
                                               : part(random) * data.box.length[axis];
    }
    ASSERT_EQ(parse_lammps_data(write_lammps_data(data), "back").box, data.box) << round;
  }
}

TEST(LammpsData, BoundsOfAFileNeedNoComment) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> low(-1000.0, 1000.0), length(0.1, 1000.0);
  for (int round = 0; round < 2000; ++round) {
    const double lo = low(random), hi = lo + length(random);
    const std::string text = write_lammps_data(parse_lammps_data(
        fmt::format("t\n0 atoms\n0 atom types\n{} {} xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n", lo, hi), "bounds"));
    ASSERT_EQ(text.find("# length"), std::string::npos) << text;
  }
}

// --- the same content in another form ---

TEST(LammpsData, LineEndsMarksAndBlanksDoNotCount) {
  const std::string text = sample_data();
  const LammpsData data = parse_lammps_data(text, "sample");
  std::string crlf, spaced, commented;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const char c : text)
    spaced += c == '\n' ? std::string("  \t\n \n") : c == ' ' ? std::string("\t  ") : std::string(1, c);
  spaced.replace(0, spaced.find('\n'), data.title);
  bool first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    commented += line + (first || line.find('#') != std::string::npos ? "\n" : " # remark 1 2 3\n# Atoms\n");
    first = false;
    begin = end + 1;
  }
  EXPECT_TRUE(parse_lammps_data(crlf, "crlf") == data);
  EXPECT_TRUE(parse_lammps_data("\xef\xbb\xbf" + text, "mark") == data);
  EXPECT_TRUE(parse_lammps_data("\xef\xbb\xbf" + crlf, "mark and crlf") == data);
  EXPECT_TRUE(parse_lammps_data(text.substr(0, text.size() - 1), "no last line end") == data);
  EXPECT_TRUE(parse_lammps_data(crlf.substr(0, crlf.size() - 1), "last line ends by CR") == data);
  EXPECT_TRUE(parse_lammps_data(text + "\n\n \n# end\n", "more at the end") == data);
  LammpsData uncommented = parse_lammps_data(commented, "comments");
  for (LammpsCoefficients* coeffs : {&uncommented.pair_ij_coeffs, &uncommented.bond_coeffs, &uncommented.angle_coeffs,
                                     &uncommented.dihedral_coeffs, &uncommented.improper_coeffs}) {
    EXPECT_EQ(coeffs->style_hint, "remark 1 2 3");
    coeffs->style_hint.clear();
  }
  EXPECT_TRUE(uncommented == data);
  EXPECT_TRUE(parse_lammps_data(spaced, "blanks") == data);
}

TEST(LammpsData, OrderOfSectionsAndLinesDoesNotCount) {
  const LammpsData data = parse_lammps_data(sample_data(), "sample");
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const std::string text = shuffled(sample_data(), seed);
    ASSERT_TRUE(parse_lammps_data(text, "shuffled") == data) << text;
  }
  const std::string water = reference_text(DATA_FOLDER "/data.spce.gz");
  EXPECT_TRUE(parse_lammps_data(shuffled(water, 51), "shuffled") == parse_lammps_data(water, "water"));
}

TEST(LammpsData, ImageFlagsMayBeMissing) {
  const std::string head =
      "t\n2 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\nMasses\n\n1 1\n\nAtoms # atomic\n\n";
  const LammpsData with = parse_lammps_data(head + "1 1 .5 .5 .5 0 0 0\n2 1 .1 .1 .1 0 0 0\n", "with");
  EXPECT_TRUE(parse_lammps_data(head + "1 1 .5 .5 .5\n2 1 .1 .1 .1\n", "without") == with);
  EXPECT_EQ(parse_lammps_data(head + "9000000000 1 .5 .5 .5\n2 1 +.1 1e-1 1E-1\n", "id").atoms[1].id, 9000000000);
}

TEST(LammpsData, NoAtomsAtAll) {
  const LammpsData data =
      parse_lammps_data("t\n0 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\nMasses\n\n1 1\n", "none");
  EXPECT_TRUE(data.atoms.empty());
  EXPECT_TRUE(parse_lammps_data(write_lammps_data(data), "none") == data);
}

// --- atom styles ---

LammpsData one_atom(const std::string& counts, const std::string& comment, const std::string& line, AtomStyle style) {
  return parse_lammps_data("t\n2 atoms\n2 atom types\n" + counts +
                               "0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 1\n2 1\n\nAtoms" + comment + "\n\n" +
                               line,
                           "one", style);
}

TEST(LammpsData, StyleGivenSaidOrRecognised) {
  const AtomStyle automatic = AtomStyle::automatic;
  EXPECT_EQ(one_atom("", "", "1 1 1 2 3\n2 1 4 5 6\n", automatic).style, AtomStyle::atomic);
  EXPECT_EQ(one_atom("", "", "1 1 1 2 3 0 0 0\n2 1 4 5 6 0 0 0\n", automatic).style, AtomStyle::atomic);
  EXPECT_EQ(one_atom("", "", "1 7 1 0.5 1 2 3\n2 7 1 0 4 5 6\n", automatic).style, AtomStyle::full);
  EXPECT_EQ(one_atom("", "", "1 7 1 0.5 1 2 3 0 0 0\n2 7 1 0 4 5 6 0 0 0\n", automatic).style, AtomStyle::full);
  // The charge of the first atom could be a type.
  const LammpsData charge = one_atom("", "", "1 2 1 1 2 3\n2 1 -0.5 4 5 6\n", automatic);
  EXPECT_EQ(charge.style, AtomStyle::charge);
  EXPECT_EQ(charge.atoms[0].type, 1);
  EXPECT_EQ(charge.atoms[0].charge, 1.0);
  const LammpsData bonded =
      one_atom("0 bonds\n1 bond types\n", " # molecular", "1 2 1 1 2 3\n2 1 2 4 5 6\n", automatic);
  EXPECT_EQ(bonded.style, AtomStyle::molecular);
  EXPECT_EQ(bonded.atoms[0].molecule, 2);
  EXPECT_EQ(bonded.atoms[0].type, 0);
  EXPECT_EQ(one_atom("", " # charge", "1 2 1 1 2 3\n2 1 1 4 5 6\n", automatic).atoms[0].charge, 1.0);
  EXPECT_EQ(one_atom("", " # from a script", "1 2 1 1 2 3\n2 1 1 4 5 6\n", AtomStyle::charge).atoms[0].charge, 1.0);
  EXPECT_EQ(one_atom("", "", "1 2 1 1 2 3\n2 1 1 4 5 6\n", AtomStyle::angle).atoms[0].molecule, 2);
}

TEST(LammpsData, TopologyTellsTheStyle) {
  const auto style_with = [](const std::string& counts, const std::string& sections) {
    return parse_lammps_data(
               "t\n4 atoms\n1 atom types\n" + counts +
                   "0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 1\n\nAtoms\n\n1 1 1 1 1 1\n2 1 1 2 2 "
                   "2\n3 1 1 3 3 3\n4 1 1 4 4 4\n\n" +
                   sections,
               "four")
        .style;
  };
  EXPECT_EQ(style_with("1 bonds\n1 bond types\n", "Bonds\n\n1 1 1 2\n"), AtomStyle::bond);
  EXPECT_EQ(style_with("1 angles\n1 angle types\n", "Angles\n\n1 1 1 2 3\n"), AtomStyle::angle);
  EXPECT_EQ(style_with("1 dihedrals\n1 dihedral types\n", "Dihedrals\n\n1 1 1 2 3 4\n"), AtomStyle::molecular);
  EXPECT_EQ(style_with("1 impropers\n1 improper types\n", "Impropers\n\n1 1 1 2 3 4\n"), AtomStyle::molecular);
}

TEST(LammpsData, WriterRefusesWhatItCannotHold) {
  const auto message = [](const LammpsData& data) {
    try {
      write_lammps_data(data);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  LammpsData data = parse_lammps_data(sample_data(), "sample");
  data.style = AtomStyle::automatic;
  EXPECT_EQ(message(data),
            "a LAMMPS data file needs an atom style; expected one of atomic, charge, bond, angle, molecular, full");
  data.style = AtomStyle::charge;
  EXPECT_EQ(message(data), "a LAMMPS data file cannot hold this: atom style charge holds no bonds, but there are 2");
  data.style = AtomStyle::full;
  data.velocities.pop_back();
  EXPECT_EQ(message(data), "a LAMMPS data file holds a velocity for every atom or for none, found 3 for 4 atoms");
}

}  // namespace
}  // namespace halyard::md
