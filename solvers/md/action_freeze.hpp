#pragma once
#include "solvers/md/action_case.hpp"

namespace halyard::md {

/// One [[freeze]]: atoms that stay where they are.
struct FreezeSettings : ActionTarget {
  static constexpr const char* list = "freeze";
  static constexpr const char* help =
      "Atoms that do not move: neither velocity nor degrees of freedom, whatever the force on them.";
  static constexpr const char* not_in_npt =
      "the atoms would move with the box; a [[spring]] holds them in their places";
  std::array<bool, 3> components{true, true, true};

  void declare(CaseSchema& element);
  std::unique_ptr<Action> make(std::uint32_t mask, int number) const;
};

}  // namespace halyard::md
