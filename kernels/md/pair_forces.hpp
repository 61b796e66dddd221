#pragma once
#include <string_view>

#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "kernels/md/pair_parameters.hpp"

namespace halyard::md {

/// Adds the forces of the pair potential `name` between all pairs of the list that are closer than their cutoff to
/// atoms.force; with `totals`, sums energy and what the virial needs. Needs the ghosts' positions.
/// `clamped`: pairs nearer than their safe distance, which else only set ForceTotals::overlap, have the energy of that
/// distance and its force times r over it: a minimiser takes them apart.
ForceTotals pair_forces(Queue& queue, std::string_view name, const PairParameters& table, const SimulationBox& box,
                        const host::PairList& list, bool totals, Atoms& atoms, bool clamped = false);

/// Sets the forces of the owned atoms to zero.
void clear_forces(Queue& queue, Atoms& atoms);

}  // namespace halyard::md
