#pragma once
#include <memory>
#include <vector>

#include "io/log/log.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/run/output.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/solver.hpp"

namespace halyard {

/// [output.fields] and [[output.slice]] of a plan, for a solver with a grid; none for one without. The solver must
/// outlive them. Collective. @throws Error where a quantity is not the solver's or a slice lies outside the grid.
std::vector<std::unique_ptr<Output>> grid_outputs(const Communicator& communicator, Log& log, const Plan& plan,
                                                  Solver& solver, const OutputPlace& place);

}  // namespace halyard
