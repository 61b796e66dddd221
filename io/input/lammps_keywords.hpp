#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "io/input/lammps_data.hpp"

namespace halyard::md {

/// The columns of an atom line.
struct AtomColumns {
  bool molecule = false, charge = false;

  int count() const { return 5 + (molecule ? 1 : 0) + (charge ? 1 : 0); }  // without image flags
  std::string text() const;                                                // "id type x y z"
};

AtomColumns columns_of(AtomStyle style);
/// A style that Halyard reads, by its LAMMPS name.
std::optional<AtomStyle> atom_style_of(std::string_view name);
/// A LAMMPS atom style that Halyard does not read.
bool is_unsupported_atom_style(std::string_view name);
/// "atomic, charge, ..."
std::string supported_atom_styles();
/// What contradicts the style: "atom style charge holds no bonds, the header has 3"; empty when nothing does.
std::string contradiction(AtomStyle style, std::size_t bonds, std::size_t angles, std::size_t dihedrals,
                          std::size_t impropers);

enum class Section {
  masses,
  atoms,
  velocities,
  bonds,
  angles,
  dihedrals,
  impropers,
  pair_coeffs,
  pair_ij_coeffs,
  bond_coeffs,
  angle_coeffs,
  dihedral_coeffs,
  improper_coeffs,
};
constexpr int section_count = 13;

std::string_view name_of(Section section);
/// By its exact name, words separated by one blank.
std::optional<Section> section_of(std::string_view name);
/// A section that LAMMPS knows and Halyard does not: what it is, in words; empty for others.
std::string_view unsupported_section(std::string_view name);
/// All section names, for messages.
std::string supported_sections();
/// "; did you mean 'Atoms'?" or nothing.
std::string nearest_section(std::string_view name);

}  // namespace halyard::md
