// Bonded systems from data files: LAMMPS' energies, special pairs, what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/io/scratch_folder.hpp"
#include "tests/solvers/md/md_run.hpp"
#include "tests/support/reference_text.hpp"

namespace halyard::md {
namespace {

class Molecules : public ScratchFolder {
 protected:
  /// Writes a file once for all ranks and returns its path as a TOML string.
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder() / name;
    if (rank() == 0) {
      std::ofstream(path) << text;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return "'" + path.string() + "'";
  }
  std::string case_of(const std::string& data, const std::string& rest, const std::string& units = "lj") {
    return fmt::format("units = \"{}\"\n[system]\nsource = \"data\"\ndata = {}\n{}[[stage]]\nsteps = 100\ndt = 0.001\n",
                       units, data, rest);
  }
};

const char* const fene_and_wca = R"([pair]
potential = "lj-shifted"
cutoff = 1.12
special_lj = [0.0, 1.0, 1.0]
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.4
[bonded]
bond = "fene"
[[bonded.bond_coefficients]]
type = 1
values = [30.0, 1.5, 1.0, 1.0]
)";

TEST_F(Molecules, ChainBenchOfLammps) {
  MdRun run(case_of(file("chain", reference_text(INPUT_FOLDER "/data.chain.gz")), fene_and_wca));
  const auto near = [&](const std::string& column, double share, double wanted) {
    EXPECT_NEAR(share * run.column(column), wanted, 1e-10 * wanted) << column;
  };
  near("temperature", 1.0, 0.970297718819305);
  near("pair_energy", 1.0 / 32000, 0.444840872749373);
  near("bond_energy", 1.0 / 32000, 20.4945230057518);
  near("total_energy", 1.0 / 32000, 22.3947649740246);
  near("pressure", 1.0, 4.67218331365804);
}

TEST_F(Molecules, RhodopsinBenchOfLammpsWithoutCharges) {
  std::istringstream lines(reference_text(INPUT_FOLDER "/data.rhodo.gz"));
  std::string text, line, section;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> word;
    for (std::string w; words >> w;) {
      word.push_back(w);
    }
    if (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0][0])) != 0) {
      section = word[0];
    }
    if (section == "Atoms" && word.size() >= 7) {
      word[3] = "0";
      line = fmt::format("{}", fmt::join(word, " "));
    }
    text += line + "\n";
  }
  MdRun run(case_of(file("rhodo", text), R"(data_style = "full"
[pair]
potential = "lj-charmm"
cutoff = 10.0
inner_cutoff = 8.0
mixing = "arithmetic"
[bonded]
bond = "harmonic"
angle = "charmm"
dihedral = "charmm"
improper = "harmonic"
)",
                    "real"));
  // LAMMPS without constraints, whose bonds then are those of the file (reference: lammps_bench).
  const auto near = [&](const std::string& column, double wanted, double share) {
    EXPECT_NEAR(run.column(column), wanted, share * std::fabs(wanted)) << column;
  };
  near("bond_energy", 2538.00323337372, 1e-10);
  near("angle_energy", 10921.3750041321, 1e-10);
  near("dihedral_energy", 5211.78649955145, 1e-10);
  near("improper_energy", 213.511585445475, 1e-10);
  // With the pairs 1-4 of the dihedrals. Most of the six million pairs are of hydrogens, whose attraction of some 1e-11
  // is below half of energy_unit and rounds to zero: a few 1e-6 in all.
  near("pair_energy", -2307.86341545531, 2e-9);
}

TEST(SpecialPairs, ShortestWayCountsOnce) {
  const auto bonds = [](std::initializer_list<std::array<std::int64_t, 2>> pairs) {
    std::vector<BondedTerm> list;
    for (const auto& p : pairs) {
      list.push_back({{p[0], p[1], -1, -1}, 0, BondedKind::bond, 0});
    }
    return list;
  };
  const auto found = [](const std::vector<BondedTerm>& pairs) {
    std::vector<std::array<std::int64_t, 3>> list;
    for (const BondedTerm& p : pairs) {
      list.push_back({p.atoms[0], p.atoms[1], p.type + 1});
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  using List = std::vector<std::array<std::int64_t, 3>>;
  const std::array<double, 3> none{0.0, 0.0, 0.0};
  // A chain of five: ends are four bonds apart.
  EXPECT_EQ(found(find_special_pairs(5, bonds({{1, 0}, {1, 2}, {2, 3}, {4, 3}}), none)),
            (List{{0, 1, 1}, {0, 2, 2}, {0, 3, 3}, {1, 2, 1}, {1, 3, 2}, {1, 4, 3}, {2, 3, 1}, {2, 4, 2}, {3, 4, 1}}));
  // A ring of four: opposite atoms are two bonds apart both ways, neighbours one and three.
  EXPECT_EQ(found(find_special_pairs(4, bonds({{0, 1}, {1, 2}, {2, 3}, {3, 0}}), none)),
            (List{{0, 1, 1}, {0, 2, 2}, {0, 3, 1}, {1, 2, 1}, {1, 3, 2}, {2, 3, 1}}));
  // A ring of five has no pair three bonds apart; a bond given twice is one.
  EXPECT_EQ(found(find_special_pairs(5, bonds({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 1}}), none)).size(), 10U);
  // Weights of 1 make no special pairs, but the way over them counts.
  EXPECT_EQ(found(find_special_pairs(4, bonds({{0, 1}, {1, 2}, {2, 3}}), {0.0, 1.0, 1.0})),
            (List{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}));
  EXPECT_EQ(found(find_special_pairs(4, bonds({{0, 1}, {1, 2}, {2, 3}}), {1.0, 1.0, 0.5})), (List{{0, 3, 3}}));
  EXPECT_TRUE(find_special_pairs(4, bonds({{0, 1}, {1, 2}, {2, 3}}), {1.0, 1.0, 1.0}).empty());
}

/// Four atoms in a row with ids 10, 20, 30, 40, one of them over the side of a box of 12.
std::string row_of_four(double step, const std::string& more = "") {
  std::string atoms;
  for (int n = 0; n < 4; ++n) {
    atoms += fmt::format("{} 1 1 {} 3 {}\n", 10 * (n + 1), 10.2 + n * step, 3 + 0.5 * (n % 2));
  }
  return "row\n\n4 atoms\n3 bonds\n1 atom types\n1 bond types\n0 12 xlo xhi\n0 12 ylo yhi\n0 12 zlo zhi\n\n"
         "Masses\n\n1 1.0\n\nAtoms # bond\n\n" +
         atoms + "\nBonds\n\n1 1 10 20\n2 1 30 20\n3 1 30 40\n" + more;
}

const char* const lj_and_springs = R"([pair]
potential = "lj"
cutoff = 3.5
special_lj = [0.2, 0.5, 0.9]
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.4
)";

TEST_F(Molecules, SpecialPairsCountWithTheirWeights) {
  const std::string data = file("row", row_of_four(1.0, "\nBond Coeffs # harmonic\n\n1 30 1.0\n"));
  MdRun run(case_of(data, lj_and_springs));
  const auto lj = [](double r2) { return 4.0 * (std::pow(r2, -6.0) - std::pow(r2, -3.0)); };
  const double pairs = 3 * 0.2 * lj(1.25) + 2 * 0.5 * lj(4.0) + 0.9 * lj(9.25);
  EXPECT_NEAR(run.column("pair_energy"), pairs, 4 * energy_unit);
  EXPECT_NEAR(run.column("bond_energy"), 3 * 30 * std::pow(std::sqrt(1.25) - 1.0, 2), 2 * energy_unit);
  // Total energy is conserved: the forces are those of these energies.
  const double before = run.column("total_energy");
  run.steps(100);
  EXPECT_NEAR(run.column("total_energy"), before, 1e-4 * std::fabs(before));
  EXPECT_GT(run.column("kinetic_energy"), 0.1);
}

TEST_F(Molecules, TheSameOnManyRanksAsOnOne) {
  const std::string text = case_of(fmt::format("'{}/from-lammps/butane.data'", CASES_FOLDER), R"([velocity]
temperature = 300.0
[pair]
potential = "lj"
cutoff = 9.0
special_lj = [0.0, 0.3, 0.5]
[neighbour]
skin = 0.4
)",
                                   "real");
  MdRun many(text), one(text, {}, MPI_COMM_SELF);
  const std::uint64_t start = many.hash();
  EXPECT_EQ(start, one.hash());
  many.steps(60);
  one.steps(60);
  EXPECT_EQ(many.hash(), one.hash());
  EXPECT_NE(many.hash(), start);
  for (const char* const name : {"pair_energy", "bond_energy", "angle_energy", "dihedral_energy", "pressure_xy"}) {
    EXPECT_EQ(many.column(name), one.column(name)) << name;
  }
}

/// The message of what a case throws, when it is made or in its first steps.
std::string refusal(const std::string& text) {
  try {
    MdRun run(text);
    run.steps(100);
    return "nothing was refused";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(Molecules, RefusalsNameWhatIsWrong) {
  const std::string springs = "\nBond Coeffs # harmonic\n\n1 30 1.0\n";
  const auto expect_words = [&](const std::string& message, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << message;
    }
  };
  // No style, no coefficients, the wrong style, the wrong count, a value that is out of range.
  expect_words(refusal(case_of(file("bare", row_of_four(1.0)), lj_and_springs)),
               {"bonded.bond is not given", "harmonic, fene, morse"});
  expect_words(refusal(case_of(file("bare2", row_of_four(1.0)),
                               lj_and_springs + std::string("[bonded]\nbond = \"harmonic\"\n"))),
               {"bonded.bond_coefficients lacks type 1"});
  expect_words(refusal(case_of(file("hint", row_of_four(1.0, springs)),
                               lj_and_springs + std::string("[bonded]\nbond = \"morse\"\n"))),
               {"bonded.bond is \"morse\"", "hint:", "\"harmonic\""});
  expect_words(refusal(case_of(file("count", row_of_four(1.0, "\nBond Coeffs\n\n1 30 1.0 7\n")),
                               lj_and_springs + std::string("[bonded]\nbond = \"harmonic\"\n"))),
               {"count:", "3 coefficient(s)", "2: k r0"});
  expect_words(
      refusal(case_of(file("range", row_of_four(1.0, "\nBond Coeffs # harmonic\n\n1 30 -1.0\n")), lj_and_springs)),
      {"range:", "r0 is -1"});
  expect_words(refusal(case_of(file("angle", row_of_four(1.0, springs)),
                               lj_and_springs + std::string("[bonded]\nangle = \"cosine\"\n"))),
               {"bonded.angle is \"cosine\"", "no angles"});
  // A bond of half the box (longer ones have a nearer image); a FENE bond beyond its length: named by the ids of the
  // file.
  expect_words(refusal(case_of(file("long", row_of_four(5.99, springs)), lj_and_springs)),
               {"10 and 20", "half the box"});
  expect_words(refusal(case_of(file("fene", row_of_four(1.6)), fene_and_wca)), {"bond", "10", "20"});
  // Ties that stretch beyond a quarter more than at the start: here by their own springs, whose length is 4.
  expect_words(refusal(case_of(file("stretch", row_of_four(1.0, "\nBond Coeffs # harmonic\n\n1 30 5.0\n")),
                               "[pair]\npotential = \"wca\"\ncutoff = 1.2\nspecial_lj = [0.0, 0.0, 0.0]\n"
                               "[[pair.coefficients]]\nepsilon = 1.0\nsigma = 0.9\n[neighbour]\nskin = 0.1\n")),
               {"a quarter more than the longest at the start"});
}

}  // namespace
}  // namespace halyard::md
