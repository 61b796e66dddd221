#pragma once
#include <tuple>
#include <vector>

#include "solvers/md/action_force.hpp"
#include "solvers/md/action_freeze.hpp"
#include "solvers/md/action_spring.hpp"
#include "solvers/md/action_thermostat.hpp"
#include "solvers/md/action_wall.hpp"

namespace halyard::md {

/// All that can act on atoms from outside; what each is, action.hpp says.
using ActionSettings = std::tuple<std::vector<WallSettings>, std::vector<FreezeSettings>, std::vector<ForceSettings>,
                                  std::vector<SpringSettings>, std::vector<GroupThermostatSettings>>;

/// use(list) for the tables of each kind: a std::vector of its settings.
template <class Settings, class Use>
void for_each_action_list(Settings& actions, Use use) {
  std::apply([&](auto&... list) { (use(list), ...); }, actions);
}

}  // namespace halyard::md
