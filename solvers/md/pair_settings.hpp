#pragma once
#include <cstdint>
#include <span>

#include "io/case/schema.hpp"
#include "kernels/md/pair/pair_term.hpp"
#include "kernels/md/pair_parameters.hpp"
#include "solvers/md/case.hpp"

namespace halyard::md {

/// The coefficients of all pairs of types: as given, else mixed from those of the types.
/// @throws Error at the key's position for pairs that are missing and cannot be mixed, given twice, or of types that
/// there are not, and for coefficients that the potential refuses.
PairParameters make_pair_parameters(const MdCase& settings, int types, const CaseSchema& schema);

/// What a uniform density beyond the cutoffs adds: energy = 2 pi sum_ij n_i n_j tail.energy / V, pressure times volume
/// = 2 pi / 3 sum_ij n_i n_j tail.virial / V. atoms: how many there are of each type.
struct TailCorrection {
  double energy_volume = 0.0;     // energy times volume
  double pressure_volume2 = 0.0;  // pressure times volume^2
};
/// @throws Error where the potential has no tail.
TailCorrection make_tail(const MdCase& settings, std::span<const std::int64_t> atoms, const CaseSchema& schema);

}  // namespace halyard::md
