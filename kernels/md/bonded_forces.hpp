#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/md/atoms.hpp"
#include "kernels/md/bonded_terms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/bonded_list.hpp"
#include "kernels/md/pair_parameters.hpp"

namespace halyard::md {

/// What the bonded terms of a rank add up to.
struct BondedTotals {
  ForceTotals totals;  // with `overlap` where there is a broken term
  /// A term that has no force: a FENE bond beyond its length, two atoms at one point, a force or an energy beyond the
  /// fixed-point range. Its kind as a number, then its atoms' ids; -1: none.
  std::array<std::int64_t, 5> broken{-1, -1, -1, -1, -1};
};

/// Adds the forces of the bonded terms, and of special pairs with a weight, on owned atoms to atoms.force; with
/// `totals`, sums energies and what the virial needs (force_totals.hpp). Needs the ghosts' positions.
///
/// A term's virial is the sum over its atoms a of (x_a - x_2 + S_a2) (x) f_a, as their forces add up to zero: the
/// positions' part is in that of all atoms, S_a2 (x) f_a is for shift_force2, counted where atom a is owned.
/// @param pair the pair potential and its coefficients, for special pairs
BondedTotals bonded_forces(Queue& queue, const BondedModel& model, std::string_view pair, const PairParameters& table,
                           const SimulationBox& box, const host::BondedList& list, bool totals, Atoms& atoms);

}  // namespace halyard::md
