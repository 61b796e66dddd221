#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/input/lammps_data.hpp"
#include "kernels/md/bonded_terms.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// The bonded terms of a system, and the coefficients of its data file.
struct Topology {
  std::array<std::int64_t, bonded_kinds> counts{};  // in the whole system
  std::array<std::int32_t, bonded_kinds> types{};
  /// The longest way along the bond vectors of one term, at the start: no two of its atoms are further apart.
  double longest = 0.0;
  /// Those of this rank's share of the atoms, as the records of System; special pairs too, but those of weight 1.
  std::vector<BondedTerm> terms;
  LammpsCoefficients pair, pair_ij;
  std::array<LammpsCoefficients, bonded_kinds> coefficients;
};

/// Special pairs as LAMMPS finds them: by the least number of bonds between two atoms, up to three, whatever angles and
/// dihedrals there are. A pair is given once, the smaller id first; pairs of weight 1 are left out.
/// @param bonds of `atoms` atoms, by internal ids
std::vector<BondedTerm> find_special_pairs(std::int64_t atoms, const std::vector<BondedTerm>& bonds,
                                           const std::array<double, 3>& weight);

/// Deals out what rank 0 has read to the ranks of the atoms' records. Collective; call it on every rank, `data` counts
/// on rank 0.
/// @throws CollectiveError for bonds longer than half the box; the message names the atoms.
Topology deal_out_topology(const Communicator& comm, const LammpsData& data, const std::array<bool, 3>& periodic,
                           const std::array<double, 3>& special_weight);

}  // namespace halyard::md
