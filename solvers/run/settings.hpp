#pragma once
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/program.hpp"

namespace halyard {

/// Declares `program`, `title` and the tables that all programs share, bound to `plan`, with the checks between them:
/// an end is given; with a fixed dt every output interval and the end are multiples of it; slices name components that
/// exist. Names under [output] are checked against the program's quantities. A program without a grid has no fields and
/// slices; one with its own schedule has no dt, end and intervals of time.
void declare_plan(CaseSchema& schema, Plan& plan, const Program& program);

/// Throws Error when the text is a case of another program, naming that program: told alone, since all its keys would
/// be unknown here. Says nothing about a text that is no TOML (the schema does).
void check_program(const std::string& text, const std::string& file, const std::string& program);

SliceSettings slice_settings(const SlicePlan& slice);

/// True when `value` is a whole multiple of dt, to one part in 1e9 (decimal fractions are not exact in binary).
bool is_multiple(double value, double dt);

}  // namespace halyard
