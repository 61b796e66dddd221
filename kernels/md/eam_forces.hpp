#pragma once
#include <cstdint>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/eam_tables.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md {

/// An embedded-atom potential for the types of a case.
struct EamModel {
  EamSplines splines;
  std::vector<int> element;  // of each type
  double density_unit;       // densities are summed as whole multiples of it; a power of two
  // Of each ordered pair of types (type_i * types + type_j): below safe_r2 a term may leave the fixed-point range;
  // where the rows of what j gives to i, and i to j, begin in the tables.
  std::vector<double> safe_r2, to_i_start, to_j_start;

  EamModel(const EamGrids& grids, std::vector<int> element_of_type);
};

// The three parts of the forces (equations in eam_tables.hpp); between the second and the third the slopes go to the
// ghosts.

/// density[slot] of owned atoms, in density_unit.
void eam_densities(Queue& queue, const EamModel& model, const SimulationBox& box, const host::PairList& list,
                   const Atoms& atoms, Buffer<std::int64_t>& density, ForceTotals& totals);

/// slope[slot] = F'(rho) of owned atoms. With `with_totals` adds F to the embedding energy. Returns the number of
/// densities outside the table, which are counted in totals too.
std::int64_t eam_embed(Queue& queue, const EamModel& model, const Atoms& atoms, const Buffer<std::int64_t>& density,
                       bool with_totals, Buffer<double>& slope, ForceTotals& totals);

/// Adds the forces to atoms.force; with `with_totals` the pair energy and the forces over the sides to totals.
void eam_forces(Queue& queue, const EamModel& model, const SimulationBox& box, const host::PairList& list,
                const Buffer<double>& slope, bool with_totals, Atoms& atoms, ForceTotals& totals);

}  // namespace halyard::md
