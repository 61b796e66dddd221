#pragma once
#include "solvers/md/action_case.hpp"

namespace halyard::md {

enum class GroupThermostatKind { langevin, velocity_rescaling, nose_hoover };

/// One [[thermostat]]: a group with a temperature of its own.
struct GroupThermostatSettings : ActionTarget {
  static constexpr const char* list = "thermostat";
  static constexpr const char* help =
      "A thermostat for a group alone. The stage's own, where it has one, holds the atoms that are in no such group.";
  static constexpr const char* not_in_npt = "constant pressure is that of one temperature";
  GroupThermostatKind kind = GroupThermostatKind::velocity_rescaling;
  double temperature = 0.0;
  std::optional<double> temperature_end;
  double temperature_time = 0.0;
  std::int64_t seed = 1;
  int chain_length = 3;

  void declare(CaseSchema& element);
  std::unique_ptr<Action> make(std::uint32_t mask, int number) const;
};

}  // namespace halyard::md
