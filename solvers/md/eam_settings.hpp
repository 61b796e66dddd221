#pragma once
#include "io/case/schema.hpp"
#include "kernels/md/eam_forces.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// Reads the potential's files (every rank the same: they are small) and finds each type's element in them.
/// @throws Error at the key's position, or with the line of the file.
EamModel read_eam_model(const MdCase& settings, const System& system, const CaseSchema& schema);

}  // namespace halyard::md
