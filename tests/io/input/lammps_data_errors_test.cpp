#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/input/lammps_data.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/input/sample_data.hpp"

namespace halyard::md {
namespace {

std::string message_of(const std::string& text, AtomStyle style = AtomStyle::automatic) {
  try {
    parse_lammps_data(text, "f", style);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::string sample_with(const std::string& from, const std::string& to) {
  std::string text = sample_data();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no such text";
  return text.replace(at, from.size(), to);
}

struct Mistake {
  const char *from, *to, *message;  // what is changed in the sample, and what is said of it
};

const Mistake mistakes[] = {
    {"4 atoms", "4.0 atoms", "f:3: expected a whole number from 0 before 'atoms', not '4.0'; found: \"4.0 atoms\""},
    {"4 atoms", "-4 atoms", "f:3: expected a whole number from 0 before 'atoms', not '-4'; found: \"-4 atoms\""},
    {"4 atoms", "4 4 atoms", "f:3: expected 1 number before 'atoms'; found: \"4 4 atoms\""},
    {"4 atoms", "4000000000000000000 atoms",
     "f:3: expected a whole number from 0 to 144115188075855871 before 'atoms', not '4000000000000000000'; found: "
     "\"4000000000000000000 atoms\""},
    {"4 atoms", "four atoms", "f:3: expected a whole number from 0 before 'atoms', not 'four'; found: \"four atoms\""},
    {"4 atoms\n", "", "f: the header has no line 'atoms'; the first line is the title and holds no header line"},
    {"2 bonds", "2 bonds\n3 bonds", "f:5: the header line 'bonds' is given twice, first in line 4; found: \"3 bonds\""},
    {"2 bonds", "2 bolts",
     "f:4: unknown header line; expected one of 'N atoms', 'N bonds', 'N angles', 'N dihedrals', 'N impropers', 'N "
     "atom types' (bond, angle, dihedral, improper types), 'lo hi xlo xhi' (ylo yhi, zlo zhi), 'xy xz yz xy xz yz', or "
     "the name of a section; found: \"2 bolts\""},
    {"2 bonds", "2 ellipsoids\n2 bonds",
     "f:4: atoms with a shape ('ellipsoids') are not supported; expected point atoms; found: \"2 ellipsoids\""},
    {"4 atoms", "99999999999999999999 atoms",
     "f:3: expected a whole number from 0 before 'atoms', not '99999999999999999999'; found: \"99999999999999999999 "
     "atoms\""},
    {"-1 9.5 xlo xhi", "9.5 -1 xlo xhi", "f:13: expected lower < upper before 'xlo xhi'; found: \"9.5 -1 xlo xhi\""},
    {"-1 9.5 xlo xhi", "-1 inf xlo xhi",
     "f:13: expected finite numbers before 'xlo xhi', not 'inf'; found: \"-1 inf xlo xhi\""},
    {"-1 9.5 xlo xhi", "9.5 xlo xhi", "f:13: expected 2 numbers before 'xlo xhi'; found: \"9.5 xlo xhi\""},
    {"-1 9.5 xlo xhi\n", "", "f: the header has no line 'xlo xhi'"},
    {"-1 9.5 xlo xhi", "1 0 0 avec",
     "f:13: a general triclinic box ('avec') is not supported; expected lines 'lo hi xlo xhi' (ylo yhi, zlo zhi) and "
     "'xy xz yz xy xz yz'; found: \"1 0 0 avec\""},
    {"1e-1 xy xz yz", "1e-1x xy xz yz",
     "f:16: expected finite numbers before 'xy xz yz', not '1e-1x'; found: \"0.5 -0.25 1e-1x xy xz yz\""},
    // sections
    {"Masses", "Mases",
     "f:18: unknown section 'Mases' (did you mean 'Masses'?); expected one of Masses, Atoms, Velocities, Bonds, "
     "Angles, Dihedrals, Impropers, Pair Coeffs, PairIJ Coeffs, Bond Coeffs, Angle Coeffs, Dihedral Coeffs, Improper "
     "Coeffs; found: \"Mases\""},
    {"Masses", "Ellipsoids",
     "f:18: section 'Ellipsoids' (a property of atoms with a shape) is not supported; supported sections: Masses, "
     "Atoms, Velocities, Bonds, Angles, Dihedrals, Impropers, Pair Coeffs, PairIJ Coeffs, Bond Coeffs, Angle Coeffs, "
     "Dihedral Coeffs, Improper Coeffs; found: \"Ellipsoids\""},
    {"Masses", "BondBond Coeffs",
     "f:18: section 'BondBond Coeffs' (a cross term of the class2 force field) is not supported; supported sections: "
     "Masses, Atoms, Velocities, Bonds, Angles, Dihedrals, Impropers, Pair Coeffs, PairIJ Coeffs, Bond Coeffs, Angle "
     "Coeffs, Dihedral Coeffs, Improper Coeffs; found: \"BondBond Coeffs\""},
    {"Masses", "Atom Type Labels",
     "f:18: section 'Atom Type Labels' (names in place of type numbers; write the types as numbers from 1) is not "
     "supported; supported sections: Masses, Atoms, Velocities, Bonds, Angles, Dihedrals, Impropers, Pair Coeffs, "
     "PairIJ Coeffs, Bond Coeffs, Angle Coeffs, Dihedral Coeffs, Improper Coeffs; found: \"Atom Type Labels\""},
    {"Velocities\n", "Masses\n", "f:58: section 'Masses' is given twice, first in line 18; found: \"Masses\""},
    {"Masses\n\n1 12.011\n2 1.008\n", "", "f: no section 'Masses', but the header has 2 atom types"},
    {"1 12.011\n", "", "f:22: Masses: section 'Pair Coeffs' begins after 1 of the 2 lines that the header promises"},
    {"1 12.011\n", "1 12.011\n1 12.011\n", "f:21: Masses: 1 type given twice: 1 (lines 20 and 21); expected each once"},
    {"1 12.011\n", "2 12.011\n", "f:21: Masses: 1 type given twice: 2 (lines 20 and 21); expected each once"},
    {"1 12.011\n", "1 0\n", "f:20: Masses: expected a mass above 0; found: \"1 0\""},
    {"1 12.011\n", "1 nan\n", "f:20: Masses: expected a finite number as mass, not 'nan'; found: \"1 nan\""},
    {"1 12.011\n", "1 12.011 C\n", "f:20: Masses: expected 'type mass'; found: \"1 12.011 C\""},
    {"2 1.008", "3 1.008",
     "f:21: Masses: expected an integer from 1 to 2 as atom type (2 atom types in the header), not '3'; found: \"3 "
     "1.008\""},
    // coefficients
    {"1 0.1 3.5", "1 0.1 3.5 inf",
     "f:25: Pair Coeffs: expected 'type [style] numbers', all finite, not 'inf'; found: \"1 0.1 3.5 inf\""},
    {"1 0.1 3.5", "1 nan 3.5",
     "f:25: Pair Coeffs: expected 'type [style] numbers', all finite, not 'nan'; found: \"1 nan 3.5\""},
    {"1 0.1 3.5", "1", "f:25: Pair Coeffs: expected coefficients behind the type; found: \"1\""},
    {"1 0.1 3.5", "2 0.1 3.5", "f:26: Pair Coeffs: type 2 is given twice, first in line 25; expected each once"},
    {"2 1 0.05 3", "2 2 0.05 3",
     "f:32: PairIJ Coeffs: type pair 2 2 is given twice, first in line 31; expected each once"},
    {"2 1 0.05 3", "3 1 0.05 3",
     "f:31: PairIJ Coeffs: expected an integer from 1 to 2 as atom type (2 atom types in the header), not '3'; found: "
     "\"3 1 0.05 3\""},
    {"1 harmonic 250", "1 harmonic morse 250",
     "f:36: Bond Coeffs: expected 'type [style] numbers', all finite, not 'morse'; found: \"1 harmonic morse 250 "
     "1.09\""},
    {"1 harmonic 250 1.09\n", "",
     "f:38: Bond Coeffs: section 'Angle Coeffs' begins after 1 of the 2 lines that the header promises"},
    // atoms
    {"Atoms # full", "Atoms # sphere",
     "f:51: Atoms: atom style 'sphere' is not supported; supported styles: atomic, charge, bond, angle, molecular, "
     "full"},
    {"Atoms # full", "Atoms # charge",
     "f:51: Atoms: atom style charge holds no bonds, but there are 2 in the header; found: \"Atoms # charge\""},
    {"Atoms # full", "Atoms # angle",
     "f:51: Atoms: atom style angle holds no dihedrals, but there are 1 in the header; found: \"Atoms # angle\""},
    {"1 1 1 -0.3 1 2 3 0 0 0", "1 1 1 -0.3 1 2 3 0 0",
     "f:53: Atoms: 9 columns do not fit atom style full; expected 'id molecule type q x y z' (7), or that and three "
     "image flags (10); found: \"1 1 1 -0.3 1 2 3 0 0\""},
    {"2 1 2 0.1 1.5 2.5 3.5 0 -1 2", "2 1 2 0.1 1.5 2.5 3.5",
     "f:54: Atoms: expected 'id molecule type q x y z ix iy iz' (10 columns, as in line 53); found: \"2 1 2 0.1 1.5 "
     "2.5 3.5\""},
    {"2 1 2 0.1 1.5 2.5 3.5 0 -1 2", "2 1 2 0.1 1.5 2.5 3.5 0 -1 2 7",
     "f:54: Atoms: expected 'id molecule type q x y z ix iy iz' (10 columns, as in line 53); found: \"2 1 2 0.1 1.5 "
     "2.5 3.5 0 -1 2 7\""},
    {"2 1 2 0.1 1.5 2.5 3.5 0 -1 2", "2 1 2 0.1 1.5 2.5",
     "f:54: Atoms: the line ends, expected a finite number as z; found: \"2 1 2 0.1 1.5 2.5\""},
    {"2 1 2 0.1 1.5 2.5 3.5 0 -1 2", "2 1 2 0.1 1.5 2.5 3.5 0 -1.5 2",
     "f:54: Atoms: expected an integer as image flag, not '-1.5'; found: \"2 1 2 0.1 1.5 2.5 3.5 0 -1.5 2\""},
    {"2 1 2 0.1 1.5", "2e0 1 2 0.1 1.5",
     "f:54: Atoms: expected an integer from 1 as id, not '2e0'; found: \"2e0 1 2 0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2x 1 2 0.1 1.5",
     "f:54: Atoms: expected an integer from 1 as id, not '2x'; found: \"2x 1 2 0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "0 1 2 0.1 1.5",
     "f:54: Atoms: expected an integer from 1 as id, not '0'; found: \"0 1 2 0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 -1 2 0.1 1.5",
     "f:54: Atoms: expected an integer from 0 as molecule, not '-1'; found: \"2 -1 2 0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 1 3 0.1 1.5",
     "f:54: Atoms: expected an integer from 1 to 2 as atom type (2 atom types in the header), not '3'; found: \"2 1 3 "
     "0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 1 H 0.1 1.5",
     "f:54: Atoms: expected an integer from 1 to 2 as atom type (2 atom types in the header), not 'H'; found: \"2 1 H "
     "0.1 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 1 2 0.1 1.5x",
     "f:54: Atoms: expected a finite number as x, not '1.5x'; found: \"2 1 2 0.1 1.5x 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 1 2 0.1 1e999",
     "f:54: Atoms: expected a finite number as x, not '1e999'; found: \"2 1 2 0.1 1e999 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "2 1 2 nan 1.5",
     "f:54: Atoms: expected a finite number as charge, not 'nan'; found: \"2 1 2 nan 1.5 2.5 3.5 0 -1 2\""},
    {"2 1 2 0.1 1.5", "3 1 2 0.1 1.5", "f:55: Atoms: 1 id given twice: 3 (lines 54 and 55); expected each once"},
    {"4 1 2 0.1 0.25 3 3 1 0 0\n", "",
     "f:57: Atoms: section 'Velocities' begins after 3 of the 4 lines that the header promises"},
    {"4 1 2 0.1 0.25 3 3 1 0 0\n", "4 1 2 0.1 0.25 3 3 1 0 0\n5 1 2 0.1 0.25 3 3 1 0 0\n",
     "f:57: Atoms: more lines than the 4 that the header promises; found: \"5 1 2 0.1 0.25 3 3 1 0 0\""},
    {"Atoms # full", "Atom # full",
     "f:51: unknown section 'Atom' (did you mean 'Atoms'?); expected one of Masses, Atoms, Velocities, Bonds, Angles, "
     "Dihedrals, Impropers, Pair Coeffs, PairIJ Coeffs, Bond Coeffs, Angle Coeffs, Dihedral Coeffs, Improper Coeffs; "
     "found: \"Atom # full\""},
    // velocities
    {"2 0 -0.2 0", "7 0 -0.2 0", "f:61: Velocities: 1 id of atoms that section 'Atoms' does not hold: 7 (line 61)"},
    {"2 0 -0.2 0", "3 0 -0.2 0", "f:62: Velocities: 1 id given twice: 3 (lines 61 and 62); expected each once"},
    {"2 0 -0.2 0", "2 0 -0.2", "f:61: Velocities: the line ends, expected a finite number as vz; found: \"2 0 -0.2\""},
    {"2 0 -0.2 0", "2 0 -0.2 0 0", "f:61: Velocities: expected 'id vx vy vz'; found: \"2 0 -0.2 0 0\""},
    {"4 0 0 0\n", "", "f:64: Velocities: section 'Bonds' begins after 3 of the 4 lines that the header promises"},
    // topology
    {"2 2 1 3", "2 2 1 9",
     "f:68: Bonds: 1 bond of atoms that section 'Atoms' does not hold: bond 2 (line 68) names atom 9"},
    {"Bonds\n\n1 1 1 2\n2 2 1 3", "Bonds\n\n1 1 1 2\n2 2 1 4000000000",
     "f:68: Bonds: 1 bond of atoms that section 'Atoms' does not hold: bond 2 (line 68) names atom 4000000000"},
    {"2 2 1 3", "2 3 1 3",
     "f:68: Bonds: expected an integer from 1 to 2 as bond type (2 bond types in the header), not '3'; found: \"2 3 1 "
     "3\""},
    {"2 2 1 3", "1 2 1 3", "f:68: Bonds: 1 id given twice: 1 (lines 67 and 68); expected each once"},
    {"2 2 1 3", "2 2 2 1", "f:68: Bonds: 1 bond given twice: bond 2 (line 68) is bond 1 (line 67); expected each once"},
    {"2 2 1 3", "2 2 1 1", "f:68: Bonds: atom 1 is named twice; expected 2 different atoms; found: \"2 2 1 1\""},
    {"2 2 1 3", "2 2 1 3 4", "f:68: Bonds: expected 'id type atom1 atom2'; found: \"2 2 1 3 4\""},
    {"2 2 1 3", "2 2 1", "f:68: Bonds: the line ends, expected an integer from 1 as atom id; found: \"2 2 1\""},
    {"2 2 1 3\n", "", "f:69: Bonds: section 'Angles' begins after 1 of the 2 lines that the header promises"},
    {"Bonds\n\n1 1 1 2\n2 2 1 3\n\n", "", "f: no section 'Bonds', but the header has 2 bonds"},
    {"Impropers\n\n1 1 1 2 3 4\n", "Impropers\n",
     "f:78: Impropers: the file ends after 0 of the 1 lines that the header promises"},
    {"Impropers\n\n1 1 1 2 3 4\n", "Impropers\n\n1 1 1 2 3 4\n2 1 1 2 4 3\n",
     "f:81: Impropers: more lines than the 1 that the header promises; found: \"2 1 1 2 4 3\""},
};

TEST(LammpsDataErrors, TellLineFoundAndExpected) {
  ASSERT_EQ(message_of(sample_data()), "nothing thrown");
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(message_of(sample_with(mistake.from, mistake.to)), mistake.message)
        << mistake.from << " -> " << mistake.to;
}

TEST(LammpsDataErrors, AFileCutAnywhereIsRefused) {
  const std::string text = sample_data();
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_THROW(parse_lammps_data(text.substr(0, size), "f"), Error) << size;
}

TEST(LammpsDataErrors, FirstTenAreListed) {
  std::string text =
      "t\n2 atoms\n12 bonds\n1 atom types\n1 bond types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 "
      "1\n\nAtoms\n\n"
      "1 1 1 1 1 1\n2 1 1 2 2 2\n\nBonds\n\n";
  for (int bond = 12; bond > 0; --bond) text += fmt::format("{} 1 {} 1\n", bond, 100 + bond);
  EXPECT_EQ(
      message_of(text),
      "f:31: Bonds: 12 bonds of atoms that section 'Atoms' does not hold: the first 10: bond 1 (line 31) names atom "
      "101, bond 2 (line 30) names atom 102, bond 3 (line 29) names atom 103, bond 4 (line 28) names atom 104, bond "
      "5 (line 27) names atom 105, bond 6 (line 26) names atom 106, bond 7 (line 25) names atom 107, bond 8 (line "
      "24) names atom 108, bond 9 (line 23) names atom 109, bond 10 (line 22) names atom 110");
  const std::string five =
      "t\n5 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 1\n\nAtoms\n\n";
  EXPECT_EQ(
      message_of(five + "7 1 1 1 1\n3 1 1 1 1\n7 1 1 1 1\n3 1 1 1 1\n7 1 1 1 1\n"),
      "f:16: Atoms: 3 ids given twice: 3 (lines 14 and 16), 7 (lines 13 and 15), 7 (lines 15 and 17); expected each "
      "once");
}

TEST(LammpsDataErrors, AtomsInAGapOfTheIdsAreUnknown) {
  std::string text =
      "t\n2 atoms\n1 bonds\n1 atom types\n1 bond types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 "
      "1\n\nAtoms\n\n"
      "1 1 1 1 1 1\n3 1 1 2 2 2\n\nBonds\n\n";
  EXPECT_EQ(message_of(text + "1 1 1 3\n"), "nothing thrown");
  EXPECT_EQ(message_of(text + "1 1 1 2\n"),
            "f:20: Bonds: 1 bond of atoms that section 'Atoms' does not hold: bond 1 (line 20) names atom 2");
}

TEST(LammpsDataErrors, StylesThatAreNotCertain) {
  const std::string head =
      "t\n1 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nMasses\n\n1 1\n\nAtoms\n\n";
  EXPECT_EQ(
      message_of(head + "1 1 1 2 3 4\n"),
      "f:11: Atoms: 6 columns fit atom style charge ('id type q x y z') and bond, angle, molecular ('id molecule type "
      "x y z'); expected a comment that says which ('Atoms # charge') or the style in the case; found: \"Atoms\"");
  EXPECT_EQ(
      message_of(head + "1 1 1 2\n"),
      "f:13: Atoms: 4 columns fit no atom style; expected 5 (atomic), 6 (charge, bond, angle, molecular) or 7 (full), "
      "or three image flags more; found: \"1 1 1 2\"");
  EXPECT_EQ(message_of(sample_data(), AtomStyle::molecular),
            "f:51: Atoms: the comment says atom style full, but the case says molecular; found: \"Atoms # full\"");
  EXPECT_EQ(message_of(sample_with("Atoms # full", "Atoms"), AtomStyle::atomic),
            "f:51: Atoms: atom style atomic holds no bonds, but there are 2 in the header; found: \"Atoms\"");
}

TEST(LammpsDataErrors, FilesThatAreNoText) {
  EXPECT_EQ(message_of(""), "f: is empty; expected a title line, a header and sections");
  EXPECT_EQ(message_of("\x1f\x8b\x08"), "f: is compressed by gzip; expected plain text, unpack it first");
  EXPECT_EQ(message_of("start\r\r2 atoms\r"),
            "f: ends its lines with carriage returns alone, as old Macintoshes did; expected line feeds");
  EXPECT_EQ(message_of("\xff\xfet"), "f: is UTF-16 text; expected ASCII or UTF-8, save it as that");
  EXPECT_EQ(message_of(std::string(200, 'x')), "f: the header has no line 'atoms'");
  EXPECT_EQ(message_of("title\n" + std::string(200, 'x') + " atoms\n").substr(0, 60),
            "f:2: expected a whole number from 0 before 'atoms', not 'xxx");
}

}  // namespace
}  // namespace halyard::md
