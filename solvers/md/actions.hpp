#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "solvers/md/action.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/groups.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// The walls of a case, its groups and what it does with them. Without any of these nothing here costs anything.
class Actions {
 public:
  /// Picks the members of the groups by `system.records`. Collective.
  /// @throws Error at a table that does not fit the system: an empty group, a wall that is not upright, two
  ///   thermostats for one atom, a thermostat for atoms that are all frozen.
  Actions(const Communicator& comm, const MdCase& settings, const System& system, const CaseSchema& schema);

  bool any() const { return !actions_.empty() || groups_.any(); }
  const Groups& groups() const { return groups_; }
  Groups& groups() { return groups_; }
  /// Whether the case has something with this energy, in any stage.
  bool has(EnergyTerm term) const;

  void follow(const Communicator& comm, std::span<const AtomRecord> records, std::span<const int> owner) {
    groups_.follow(comm, records, owner);
  }
  /// After atoms have got their slots.
  void place(Queue& queue, const Atoms& atoms);
  /// Sets what works in a stage, from 0, and stops what is frozen there. Collective. Forces are to be computed anew.
  void select(const ActionView& view, std::size_t stage);
  std::size_t stage() const { return stage_; }

  /// All atoms, but those that are frozen and those with a thermostat of their own.
  SlotGroup bath(const ActionView& view) const { return view.group(groups_.any() ? Groups::bath : 0); }
  double bath_degrees_of_freedom() const { return degrees_of_freedom(bath_); }
  double degrees_of_freedom() const { return degrees_of_freedom(all_); }
  double free_components() const { return static_cast<double>(all_[0] + all_[1] + all_[2]); }

  /// Takes away what the atoms that are not frozen have of momentum, and stops those that are.
  void remove_momentum(const ActionView& view);
  void move(const ActionView& view);
  /// Adds to forces, and with `totals` to energies; then holds what is frozen.
  void add_forces(const ActionView& view, bool totals, ForceTotals& sums);
  /// Whether a step must stop in the middle for noise(): of groups, or, `of_stage`, when the stage's thermostat makes
  /// it.
  bool split_drift(bool of_stage) const { return has_noise_ || (of_stage && has_partly_frozen_); }
  void noise(const ActionView& view, double dt);
  void end_step(const ActionView& view, double dt);

  /// Of this rank, with the last totals.
  const std::array<FixedSum, 6>& virial() const { return sums_.virial; }
  double conserved_part() const;
  /// What an action could not cope with, on any rank; else empty. Collective.
  std::string trouble(const Communicator& comm) const;
  std::vector<StateScalar> scalars();
  /// Of history.csv; the last forces were computed with totals. Collective.
  void columns(const ActionView& view, std::vector<HistoryColumn>& row) const;

 private:
  using Counts = std::array<std::int64_t, 3>;  // of components along x, y, z that are not frozen

  struct Entry {
    std::unique_ptr<Action> action;
    std::string name;  // "spring_1"
    std::vector<std::int64_t> stages;
    bool works_in(std::size_t stage) const;
  };
  std::uint32_t roles(std::uint32_t mask) const;
  double degrees_of_freedom(const Counts& counts) const;
  const Counts& counts_of(std::uint32_t mask) const;
  double temperature_freedom(const Counts& counts) const;
  void check_thermostats(const Communicator& comm, const CaseSchema& schema, std::size_t stages) const;
  template <class Use>
  void each(Use use) {
    for (const Entry* entry : working_) {
      use(*entry->action);
    }
  }

  Groups groups_;
  std::vector<std::vector<GroupColumn>> group_columns_;
  std::vector<Entry> actions_;
  std::vector<bool> langevin_;  // of the stages: whether noise moves the centre of mass

  // In the present stage:
  std::size_t stage_ = 0;
  std::vector<const Entry*> working_;
  std::array<std::uint32_t, 3> frozen_{};  // groups whose component is
  std::uint32_t thermostats_ = 0;          // groups with one
  bool has_noise_ = false, has_partly_frozen_ = false;
  std::array<bool, 3> conserved_{};  // momentum
  Counts all_{}, bath_{};
  std::vector<Counts> of_group_;

  ActionSums sums_;
  std::vector<std::array<FixedSum, 3>> group_force_;
};

/// Declares all tables of actions, and what must hold between them and the rest of the case.
void declare_actions(CaseSchema& schema, MdCase& c);

}  // namespace halyard::md
