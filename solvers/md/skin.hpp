#pragma once
#include "solvers/md/case.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// The skin [length] with which a step costs least where the case gives none: a wide one makes each step meet more
/// pairs in vain, a narrow one makes lists be renewed more often. It depends on the case alone, not on ranks or on
/// timings. At least 0.12 of the cutoff; wider only as far as the box stays eight list reaches wide, so that small
/// systems can still be cut in bricks.
/// @param renewal what renewing the list costs, in clusters met by one atom in a step
double best_skin(const MdCase& settings, const System& system, double cutoff, double renewal);

}  // namespace halyard::md
