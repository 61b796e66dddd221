#pragma once
#include "solvers/md/case.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// How much further than the cutoff [length] pairs are listed, and how much further the pairs that a list is pruned to
/// between its renewals.
struct Skins {
  double list = 0.0, near = 0.0;
};

/// What an atom's part in keeping lists costs, in clusters met by it in a step.
struct ListCosts {
  double pruning = 0.0;  // for each cluster of the list
  double search = 0.0;   // for each cluster of the list, when it is renewed
  double renewal = 0.0;  // all else of a renewal: the atom is moved and sorted anew
};

/// The skins with which a step costs least: wide ones make each step meet more pairs in vain, narrow ones make lists be
/// renewed and pruned more often. They depend on the case alone, not on ranks or on timings. The list's skin is the
/// case's where it gives one; else at least 0.12 of the cutoff, and wider only as far as the box stays eight list
/// reaches wide, so that small systems can still be cut in bricks.
Skins choose_skins(const MdCase& settings, const System& system, double cutoff, const ListCosts& costs);

}  // namespace halyard::md
