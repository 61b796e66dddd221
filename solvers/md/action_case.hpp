#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/box.hpp"

namespace halyard::md {

class Action;
struct MdCase;

/// What every table of an action has: [[freeze]], [[spring]], ... Each kind of action is a file of its own and a line
/// in action_table.hpp. What a case says of one:
///
///   struct SpringSettings : ActionTarget {
///     static constexpr const char* list = "spring";        // its tables in the case, [[spring]]
///     static constexpr const char* help = "...";
///     static constexpr const char* not_in_npt = "...";     // why a stage of constant pressure refuses it; null: it
///     works void declare(CaseSchema& element); std::string wrong(const MdCase& c) const;            // what is, "has a
///     side ..."; may be left out std::string wrong(const SimulationBox& box) const;   // the same once the atoms are
///     known; may be left out std::unique_ptr<Action> make(std::uint32_t mask, int number) const;   // number: in the
///     case, from 1
///   };
struct ActionTarget {
  std::string group;                 // empty: all atoms
  std::vector<std::int64_t> stages;  // from 1; none: all
};
void declare_target(CaseSchema& element, ActionTarget& target, bool group_required);

}  // namespace halyard::md
