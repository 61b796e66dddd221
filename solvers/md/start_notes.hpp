#pragma once
#include <string>
#include <vector>

#include "solvers/md/case.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// What a run says of its units at the start: the constants of the unit system to all digits; box, density, temperature
/// and dt in SI where the units have SI values. Whole lines.
std::vector<std::string> unit_lines(const MdCase& settings, const System& system);

/// What the sanity of a case is judged by, besides the case and its atoms.
struct SanityScales {
  double cutoff = 0.0;         // of the pair potential [length]
  double stiffest_bond = 0.0;  // U'' at the minimum of the stiffest bond [energy/length^2]; 0: no bonds
};

/// Values that are allowed but hardly meant: one sentence at most of a long dt, of a short one, of density, of
/// temperature.
std::vector<std::string> sanity_notes(const MdCase& settings, const System& system, const SanityScales& scales);

}  // namespace halyard::md
