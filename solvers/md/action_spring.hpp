#pragma once
#include "solvers/md/action_case.hpp"

namespace halyard::md {

/// One [[spring]]: atoms tied to where they were at the start of the run.
struct SpringSettings : ActionTarget {
  static constexpr const char* list = "spring";
  static constexpr const char* help =
      "Springs that tie the atoms of a group to where they were at the start of the run: U = k/2 d2 each.";
  static constexpr const char* not_in_npt = nullptr;
  double k = 0.0;
  std::array<bool, 3> components{true, true, true};

  void declare(CaseSchema& element);
  std::unique_ptr<Action> make(std::uint32_t mask, int number) const;
};

}  // namespace halyard::md
