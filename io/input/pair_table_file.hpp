#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::md {

/// One section of a file of tabulated pair potentials.
struct PairTableSection {
  std::string keyword;         // its name
  std::int64_t line = 0;       // where that stands
  std::vector<double> r;       // rising, above zero [length]
  std::vector<double> energy;  // U(r)
  std::vector<double> force;   // as the file says: -U'(r)
};

/// Reads the text of a file for LAMMPS' pair_style table (docs.lammps.org/pair_table.html); `file` names it in
/// messages. A section is a line that begins with its keyword, a line of parameters, and N rows "number r U F":
///
///   # anything
///   ARGON
///   N 500 R 1.0 10.0
///
///   1 1.0 25.5 102.34
///
/// Parameters in any order: N; R lo hi or RSQ lo hi, which then say where the rows are, evenly spaced in r or r^2 (the
/// column r only must not contradict them); FPRIME lo hi, the slopes of the force at the ends, which are not needed
/// here. BITMAP is refused.
/// @throws Error with file:line and what was expected.
std::vector<PairTableSection> parse_pair_tables(std::string_view text, const std::string& file);

}  // namespace halyard::md
