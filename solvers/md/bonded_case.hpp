#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/bonded_terms.hpp"

namespace halyard::md {

/// One [[bonded.bond_coefficients]], [[bonded.angle_coefficients]], ...
struct TypeCoefficients {
  int type = 1;                // from 1
  std::vector<double> values;  // in the order and the units of LAMMPS' style
};

/// What a case says about the terms that bind atoms; which atoms they bind is in the data file.
struct BondedSettings {
  std::array<std::string, bonded_kinds> styles;  // by BondedKind; empty: as the data file says
  std::array<std::vector<TypeCoefficients>, bonded_kinds> coefficients;
  std::array<double, 3> special_lj{0.0, 0.0, 0.0};  // [pair]
  std::optional<double> inner_cutoff;               // [pair]
};

/// Declares the tables [bonded] and the keys of [pair] that belong to bonds.
void declare(CaseSchema& schema, BondedSettings& settings);

}  // namespace halyard::md
