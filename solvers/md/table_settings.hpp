#pragma once
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/pair_parameters.hpp"
#include "solvers/md/case.hpp"

namespace halyard::md {

/// What the pair loop reads of tabulated potentials: pair.files, a section of them for each pair of types. A sentence
/// is added to notes for each section whose force is not minus the slope of its energy.
/// @throws Error at the key's position for pairs that are missing or given twice, sections that are not there or in two
/// files, tables that end before the cutoff; with file:line for what is wrong in a file.
PairParameters read_pair_tables(const MdCase& settings, int types, const CaseSchema& schema,
                                std::vector<std::string>& notes);

}  // namespace halyard::md
