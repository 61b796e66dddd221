#include "solvers/md/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/md/ensemble/kinetic.hpp"
#include "kernels/md/ensemble/velocities.hpp"
#include "kernels/md/external/group_sums.hpp"
#include "solvers/md/fast_atom.hpp"
#include "solvers/md/repeated.hpp"
#include "solvers/md/sums.hpp"

namespace halyard::md {

namespace {

bool listed(const std::vector<std::int64_t>& stages, std::size_t stage) {
  return stages.empty() ||
         std::find(stages.begin(), stages.end(), static_cast<std::int64_t>(stage) + 1) != stages.end();
}

/// Of the sums of masses and momenta: a power of 4 that no atom's mass is above.
double mass_unit(const ActionView& view) {
  const double heaviest = *std::max_element(view.system.masses.begin(), view.system.masses.end());
  return std::exp2(2.0 * std::ceil(0.5 * std::log2(heaviest * view.units.mass_velocity2)));
}

constexpr std::array<std::uint32_t, 3> free_component{Groups::free_x, Groups::free_y, Groups::free_z};

/// Errors at a table of actions: "spring number 2 MESSAGE".
template <class Settings>
void check_target(CaseCheck& check, const MdCase& c, const Settings& s, std::size_t number) {
  const auto wrong = [&](const std::string& message) {
    check.error(Settings::list, fmt::format("number {} {}", number, message));
  };
  const bool known = s.group.empty() || std::any_of(c.groups.begin(), c.groups.end(),
                                                    [&](const GroupSettings& g) { return g.name == s.group; });
  if (!known) {
    wrong(fmt::format("is for the group \"{}\", which no [[group]] defines.", s.group));
  }
  const auto stages = static_cast<std::int64_t>(c.stages.size());
  for (const std::int64_t stage : s.stages) {
    if (stage > stages) {
      wrong(fmt::format("is for stage {}; there are {}.", stage, stages));
    }
  }
  if (const auto twice = repeated(s.stages)) {
    wrong(fmt::format("names stage {} twice.", *twice));
  }
  for (std::size_t stage = 0; Settings::not_in_npt != nullptr && stage < c.stages.size(); ++stage) {
    if (listed(s.stages, stage) && c.stages[stage].ensemble == Ensemble::npt) {
      wrong(fmt::format("works in stage {}, whose ensemble is \"npt\": {}. Name its stages in `stages`.", stage + 1,
                        Settings::not_in_npt));
    }
  }
  if constexpr (requires { s.wrong(c); }) {
    if (const std::string message = s.wrong(c); !message.empty()) {
      wrong(message);
    }
  }
}

}  // namespace

void declare_target(CaseSchema& element, ActionTarget& target, bool group_required) {
  auto group = element.key("group", target.group);
  if (group_required) {
    group.required().help("name of the [[group]]");
  } else {
    group.default_value("").help("name of the [[group]] that feels it; empty: all atoms");
  }
  element.key("stages", target.stages).default_value({}).at_least(1).help("numbers of its stages, from 1; none: all");
}

void declare_actions(CaseSchema& schema, MdCase& c) {
  declare(schema, c.groups);
  for_each_action_list(c.actions, [&](auto& list) {
    using Settings = typename std::decay_t<decltype(list)>::value_type;
    schema.list(Settings::list, list, [](CaseSchema& element, Settings& s) { s.declare(element); })
        .help(Settings::help);
    schema.check({Settings::list, "group", "stage", "system.periodic"}, [&c, &list](CaseCheck& check) {
      for (std::size_t n = 0; n < list.size(); ++n) {
        check_target(check, c, list[n], n + 1);
        if constexpr (requires { list[n].clash(list[n]); }) {
          for (std::size_t before = 0; before < n; ++before) {
            if (const std::string message = list[n].clash(list[before]); !message.empty()) {
              check.error(Settings::list, fmt::format("number {} {} number {}.", n + 1, message, before + 1));
            }
          }
        }
      }
    });
  });
}

bool Actions::Entry::works_in(std::size_t stage) const { return listed(stages, stage); }

Actions::Actions(const Communicator& comm, const MdCase& settings, const System& system, const CaseSchema& schema)
    : groups_(comm, settings.groups, system, schema, !std::get<std::vector<SpringSettings>>(settings.actions).empty()) {
  for (const StageSettings& stage : settings.stages) {
    langevin_.push_back(stage.ensemble == Ensemble::nvt && stage.thermostat == Thermostat::langevin);
  }
  for (const GroupSettings& group : settings.groups) {
    group_columns_.push_back(group.columns);
  }
  for_each_action_list(settings.actions, [&](const auto& list) {
    using Settings = typename std::decay_t<decltype(list)>::value_type;
    int number = 0;
    for (const Settings& s : list) {
      ++number;
      if constexpr (requires { s.wrong(system.box); }) {
        if (const std::string message = s.wrong(system.box); !message.empty()) {
          throw schema.error(Settings::list, fmt::format("number {} {}", number, message));
        }
      }
      const std::uint32_t mask = s.group.empty() ? 0U : groups_.bit(s.group);
      actions_.push_back({s.make(mask, number), fmt::format("{}_{}", Settings::list, number), s.stages});
    }
  });
  all_ = bath_ = {system.count, system.count, system.count};
  conserved_ = {true, true, true};
  group_force_.resize(groups_.count());
  check_thermostats(comm, schema, settings.stages.size());
}

void Actions::check_thermostats(const Communicator& comm, const CaseSchema& schema, std::size_t stages) const {
  struct Case {
    const Entry *first, *second;  // the same: whether it has anything to hold
    std::size_t stage;
  };
  std::vector<Case> cases;
  std::vector<std::int64_t> counts;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    std::array<std::uint32_t, 3> frozen{};
    std::vector<const Entry*> thermostats;
    for (const Entry& entry : actions_) {
      if (entry.works_in(stage)) {
        for (std::size_t a = 0; a < 3; ++a) {
          frozen[a] |= entry.action->frozen()[a] ? entry.action->mask() : 0U;
        }
        if (entry.action->is_thermostat()) {
          thermostats.push_back(&entry);
        }
      }
    }
    for (std::size_t t = 0; t < thermostats.size(); ++t) {
      for (std::size_t u = t; u < thermostats.size(); ++u) {
        const std::uint32_t first = thermostats[t]->action->mask(), second = thermostats[u]->action->mask();
        std::int64_t& count = counts.emplace_back(0);
        for (const Groups::Member& member : groups_.members()) {
          const bool both = (member.mask & first) != 0 && (member.mask & second) != 0;
          const bool held =
              (member.mask & frozen[0]) != 0 && (member.mask & frozen[1]) != 0 && (member.mask & frozen[2]) != 0;
          count += both && !held ? 1 : 0;
        }
        cases.push_back({thermostats[t], thermostats[u], stage});
      }
    }
  }
  comm.sum(counts);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const auto group = [&](const Entry* entry) { return groups_.name_of(entry->action->mask()); };
    const auto& [first, second, stage] = cases[n];
    if (first != second && counts[n] > 0) {
      throw schema.error("thermostat",
                         fmt::format("is given for the groups \"{}\" and \"{}\", which have {} atom(s) in "
                                     "common in stage {}: an atom can have one thermostat.",
                                     group(first), group(second), counts[n], stage + 1));
    }
    if (first == second && counts[n] == 0) {
      throw schema.error("thermostat", fmt::format("is given for the group \"{}\", whose atoms are all frozen in stage "
                                                   "{}.",
                                                   group(first), stage + 1));
    }
  }
}

bool Actions::has(EnergyTerm term) const {
  return std::any_of(actions_.begin(), actions_.end(),
                     [&](const Entry& entry) { return entry.action->energy() == term; });
}

std::uint32_t Actions::roles(std::uint32_t mask) const {
  std::uint32_t roles = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    roles |= (mask & frozen_[a]) == 0 ? free_component[a] : 0U;
  }
  return roles | (roles != 0 && (mask & thermostats_) == 0 ? Groups::bath : 0U);
}

void Actions::place(Queue& queue, const Atoms& atoms) {
  groups_.place(queue, atoms, [this](std::uint32_t mask) { return roles(mask); });
}

void Actions::select(const ActionView& view, std::size_t stage) {
  stage_ = stage;
  working_.clear();
  frozen_ = {};
  thermostats_ = 0;
  has_noise_ = has_partly_frozen_ = false;
  for (const Entry& entry : actions_) {
    if (!entry.works_in(stage)) {
      continue;
    }
    const Action& action = *entry.action;
    working_.push_back(&entry);
    const std::array<bool, 3> frozen = action.frozen();
    for (std::size_t a = 0; a < 3; ++a) {
      frozen_[a] |= frozen[a] ? action.mask() : 0U;
    }
    const bool any_frozen = frozen[0] || frozen[1] || frozen[2];
    has_partly_frozen_ = has_partly_frozen_ || (any_frozen && !(frozen[0] && frozen[1] && frozen[2]));
    thermostats_ |= action.is_thermostat() ? action.mask() : 0U;
    has_noise_ = has_noise_ || action.has_noise();
  }
  // Atoms of no group are free, and of the bath.
  constexpr std::size_t three = 3;
  std::vector<std::int64_t> counts(three * (groups_.count() + 2), 0);
  for (const Groups::Member& member : groups_.members()) {
    const std::uint32_t role = roles(member.mask);
    for (std::size_t a = 0; a < 3; ++a) {
      const bool free = (role & free_component[a]) != 0;
      counts[a] += free ? 0 : 1;
      counts[three + a] += free && (role & Groups::bath) != 0 ? 0 : 1;
      for (std::size_t g = 0; g < groups_.count(); ++g) {
        counts[three * (g + 2) + a] += free && ((member.mask >> g) & 1U) != 0 ? 1 : 0;
      }
    }
  }
  view.comm.sum(counts);
  of_group_.assign(groups_.count(), {});
  for (std::size_t a = 0; a < 3; ++a) {
    all_[a] = view.system.count - counts[a];
    bath_[a] = view.system.count - counts[three + a];
    for (std::size_t g = 0; g < groups_.count(); ++g) {
      of_group_[g][a] = counts[three * (g + 2) + a];
    }
  }
  conserved_ = {true, true, true};
  each([&](const Action& action) {
    // One that scales the velocities of all that moves leaves a momentum of zero as it is.
    const bool scales_all = action.is_thermostat() && !action.has_noise() && counts_of(action.mask()) == all_;
    const std::array<bool, 3> breaks = action.breaks_momentum();
    for (std::size_t a = 0; a < 3; ++a) {
      conserved_[a] = conserved_[a] && (scales_all || !breaks[a]);
    }
  });
  place(view.queue, view.atoms);
  each([&](Action& action) { action.hold(view); });
}

const Actions::Counts& Actions::counts_of(std::uint32_t mask) const {
  for (std::size_t g = 0; g < groups_.count(); ++g) {
    if (mask == 1U << g) {
      return of_group_[g];
    }
  }
  return all_;
}

double Actions::degrees_of_freedom(const Counts& counts) const {
  std::int64_t sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    // The centre of mass of all that moves has none where its momentum stays what it is.
    sum += counts[a] - (counts == all_ && conserved_[a] ? 1 : 0);
  }
  return static_cast<double>(std::max<std::int64_t>(0, sum));
}

double Actions::temperature_freedom(const Counts& counts) const {
  return langevin_[stage_] ? static_cast<double>(counts[0] + counts[1] + counts[2]) : degrees_of_freedom(counts);
}

void Actions::remove_momentum(const ActionView& view) {
  const double unit = mass_unit(view);
  each([&](Action& action) { action.hold(view); });
  for (std::size_t a = 0; a < 3; ++a) {
    const SlotGroup free = view.group(groups_.any() ? free_component[a] : 0U);
    std::array<FixedSum, 4> momentum = momentum_and_mass(view.queue, free, unit, view.masses.mass, view.type(),
                                                         view.id(), slot_vector(std::as_const(view.atoms.v)));
    sum_over_ranks(view.comm, momentum);
    require_counted(view, momentum);
    if (const double mass = std::sqrt(unit) * momentum[3].value(); mass > 0.0) {
      std::array<double, 3> change{};
      change[a] = -momentum[a].value() / mass;
      shift_velocities(view.queue, free, change, view.id(), slot_vector(view.atoms.v));
    }
  }
}

void Actions::move(const ActionView& view) {
  each([&](Action& action) { action.move(view); });
}

void Actions::add_forces(const ActionView& view, bool totals, ForceTotals& sums) {
  sums_ = ActionSums{};
  each([&](Action& action) { action.add_forces(view, totals, sums, sums_); });
  sums.overlap = sums.overlap || sums_.trouble.has_value();
  for (std::size_t g = 0; totals && g < groups_.count(); ++g) {
    const std::vector<GroupColumn>& columns = group_columns_[g];
    if (std::find(columns.begin(), columns.end(), GroupColumn::force) != columns.end()) {
      group_force_[g] = total_force(view.queue, view.group(1U << g), slot_vector(std::as_const(view.atoms.force)));
    }
  }
  each([&](Action& action) { action.hold(view); });
}

void Actions::noise(const ActionView& view, double dt) {
  each([&](Action& action) { action.noise(view, dt); });
  each([&](Action& action) { action.after_noise(view); });
}

void Actions::end_step(const ActionView& view, double dt) {
  each([&](Action& action) { action.end_step(view, dt, degrees_of_freedom(counts_of(action.mask()))); });
}

double Actions::conserved_part() const {
  double sum = 0.0;
  for (const Entry& entry : actions_) {
    sum += entry.action->conserved_part();
  }
  return sum;
}

std::string Actions::trouble(const Communicator& comm) const {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const std::int64_t mine = sums_.trouble ? sums_.trouble->id : none, first = comm.min(mine);
  if (first == none) {
    return {};
  }
  std::string text = sums_.trouble ? sums_.trouble->text : std::string();
  const bool told = mine == first;
  comm.broadcast(text, comm.first(told));
  return text;
}

std::vector<StateScalar> Actions::scalars() {
  std::vector<StateScalar> scalars;
  for (const Entry& entry : actions_) {
    const std::vector<StateScalar> more = entry.action->scalars(entry.name);
    scalars.insert(scalars.end(), more.begin(), more.end());
  }
  return scalars;
}

void Actions::columns(const ActionView& view, std::vector<HistoryColumn>& row) const {
  const Units& units = view.units;
  for (std::size_t g = 0; g < groups_.count(); ++g) {
    const SlotGroup group = view.group(1U << g);
    const auto v = slot_vector(std::as_const(view.atoms.v));
    const auto add = [&](const std::string& name, const std::string& unit, double value) {
      row.push_back({fmt::format("{}_{}", groups_.name(g), name), unit, value});
    };
    const auto add_vector = [&](const std::string& name, const std::string& unit, std::span<const FixedSum> sums,
                                double factor) {
      for (std::size_t a = 0; a < 3; ++a) {
        add(fmt::format("{}_{}", name, "xyz"[a]), unit, factor * sums[a].value());
      }
    };
    for (const GroupColumn column : group_columns_[g]) {
      if (column == GroupColumn::temperature || column == GroupColumn::kinetic_energy) {
        std::array<FixedSum, 1> twice{twice_kinetic_energy(view.queue, group, view.masses.mass, view.type(), v)};
        sum_over_ranks(view.comm, twice);
        const double dof = temperature_freedom(of_group_[g]);
        if (column == GroupColumn::kinetic_energy) {
          add("kinetic_energy", units.energy, 0.5 * twice[0].value());
        } else {
          add("temperature", units.temperature, dof > 0.0 ? twice[0].value() / (dof * units.boltzmann) : 0.0);
        }
      } else if (column == GroupColumn::momentum) {
        std::array<FixedSum, 4> momentum =
            momentum_and_mass(view.queue, group, mass_unit(view), view.masses.mass, view.type(), view.id(), v);
        sum_over_ranks(view.comm, momentum);
        add_vector("momentum", units.mass.empty() ? "" : units.mass + " " + units.velocity, momentum,
                   std::sqrt(mass_unit(view)) / units.mass_velocity2);
      } else if (column == GroupColumn::centre_of_mass) {
        std::array<FixedSum, 4> sums = weighted_positions(view.queue, group, 1.0 / mass_unit(view), view.masses.mass,
                                                          view.type(), view.id(), view.unwrapped());
        sum_over_ranks(view.comm, sums);
        add_vector("centre_of_mass", units.length, sums, 1.0 / sums[3].value());
      } else {
        std::array<FixedSum, 3> force = group_force_[g];
        sum_over_ranks(view.comm, force);
        add_vector("force", units.force, force, 1.0);
      }
    }
  }
  for (const Entry& entry : actions_) {
    entry.action->columns(view, row);
  }
}

}  // namespace halyard::md
