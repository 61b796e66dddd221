#pragma once
#include "solvers/md/action_case.hpp"

namespace halyard::md {

/// One [[force]]: the same force on each atom of a group.
struct ForceSettings : ActionTarget {
  static constexpr const char* list = "force";
  static constexpr const char* help = "A constant force on each atom of a group.";
  static constexpr const char* not_in_npt = "its energy would depend on where the box lies";
  std::array<double, 3> value{};

  void declare(CaseSchema& element);
  std::unique_ptr<Action> make(std::uint32_t mask, int number) const;
};

}  // namespace halyard::md
