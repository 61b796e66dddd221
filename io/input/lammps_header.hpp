#pragma once
#include <array>
#include <cstdint>

#include "io/input/text_lines.hpp"
#include "kernels/md/box.hpp"

namespace halyard::md {

/// The header of a LAMMPS data file: title, counts, box.
struct LammpsHeader {
  std::string title;
  std::int64_t atoms = 0, bonds = 0, angles = 0, dihedrals = 0, impropers = 0;
  std::int32_t atom_types = 0, bond_types = 0, angle_types = 0, dihedral_types = 0, improper_types = 0;
  SimulationBox box;
};

/// Reads up to the first line that is no header line: `line` holds it, or has number 0 at the end of the file.
/// Throws Error for unknown, repeated and missing header lines.
LammpsHeader read_lammps_header(TextLines& lines, TextLine& line);

}  // namespace halyard::md
