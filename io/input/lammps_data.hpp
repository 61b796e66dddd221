#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/md/box.hpp"

namespace halyard::md {

/// What an atom line of a LAMMPS data file holds (docs.lammps.org/read_data.html):
///   atomic                    id type x y z
///   charge                    id type q x y z
///   bond, angle, molecular    id molecule type x y z
///   full                      id molecule type q x y z
/// each with three image flags behind it or without.
enum class AtomStyle { automatic, atomic, charge, bond, angle, molecular, full };

std::string_view name_of(AtomStyle style);

struct LammpsAtom {
  std::int64_t id = 0;        // from 1
  std::int64_t molecule = 0;  // 0: none, or a style without molecules
  double charge = 0.0;        // 0 in a style without charges
  std::array<double, 3> x{};  // as in the file: not wrapped into the box
  std::array<std::int32_t, 3> image{};
  std::int32_t type = 0;  // from 0: one below the file's

  bool operator==(const LammpsAtom&) const = default;
};

/// A bond (N = 2), angle (3), dihedral or improper (4), its atoms by id in the file's order.
template <int N>
struct LammpsTerm {
  std::int64_t id = 0;    // from 1; orders the terms, nothing else
  std::int32_t type = 0;  // from 0
  std::array<std::int64_t, N> atoms{};

  bool operator==(const LammpsTerm&) const = default;
};

struct LammpsCoefficientLine {
  std::int32_t type = 0;         // from 0
  std::int32_t second_type = 0;  // PairIJ Coeffs: from `type` on; elsewhere equal to `type`
  std::string style;             // the word before the numbers, as hybrid styles have; else empty
  std::vector<double> numbers;
  std::int64_t line = 0;  // in the file, for messages; 0 when it comes from none

  /// The line in the file does not count.
  bool operator==(const LammpsCoefficientLine& other) const;
};

/// A coefficient section: one line per type (PairIJ: per pair of types), in the order of types; no line where the file
/// has no such section.
struct LammpsCoefficients {
  std::string style_hint;  // the comment behind the section's name: "Pair Coeffs # lj/cut"
  std::int64_t line = 0;   // of the section's name, for messages; 0 when it comes from no file
  std::vector<LammpsCoefficientLine> lines;

  bool empty() const { return lines.empty(); }
  /// The line in the file does not count.
  bool operator==(const LammpsCoefficients& other) const;
};

/// What a LAMMPS data file says. Numbers are in the units of the case; the file names none.
struct LammpsData {
  std::string title;
  AtomStyle style = AtomStyle::automatic;  // after reading never automatic, but for a file without atoms
  SimulationBox box;                       // periodic on all sides: the file does not say
  std::int32_t atom_types = 0, bond_types = 0, angle_types = 0, dihedral_types = 0, improper_types = 0;
  std::vector<double> masses;                     // by type
  std::vector<LammpsAtom> atoms;                  // by ascending id
  std::vector<std::array<double, 3>> velocities;  // of atoms[i]; empty where the file has none
  std::vector<LammpsTerm<2>> bonds;               // by ascending id, as the three below
  std::vector<LammpsTerm<3>> angles;
  std::vector<LammpsTerm<4>> dihedrals, impropers;
  LammpsCoefficients pair_coeffs, pair_ij_coeffs, bond_coeffs, angle_coeffs, dihedral_coeffs, improper_coeffs;

  bool operator==(const LammpsData&) const = default;
};

/// Reads the text of a LAMMPS data file; `file` names it in messages. Comments, blank lines, CRLF, a byte order mark
/// and a missing last line end are taken; sections, and the lines of a section, may come in any order, with the same
/// result. `style`: as given, else from the comment of the section ("Atoms # full"), else from the columns and the
/// header's topology counts. Throws Error (file:line, what was found, what was expected) for whatever does not fit: a
/// count in the header that is not met, unknown keywords and sections, ids given twice, terms or velocities of atoms
/// that are not there, types out of range, missing masses, numbers that are not finite or have letters behind them.
LammpsData parse_lammps_data(std::string_view text, const std::string& file, AtomStyle style = AtomStyle::automatic);

/// The text of a data file that parse_lammps_data and LAMMPS read. Numbers have the fewest digits (at most 17) that
/// give the same bits when read. The file holds xlo and xhi; where no double xhi gives the length of the box by xhi -
/// xlo, the line ends in a comment with the length ("# length 12.5"), which parse_lammps_data takes. Throws Error when
/// the data has no style, or terms that its style cannot hold.
std::string write_lammps_data(const LammpsData& data);

}  // namespace halyard::md
