#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/results/quantity.hpp"
#include "io/results/state.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/external/unwrapped.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/force_totals.hpp"
#include "solvers/md/groups.hpp"
#include "solvers/md/system.hpp"
#include "solvers/md/units.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// What an action sees of this rank's atoms.
struct ActionView {
  Queue& queue;
  const Communicator& comm;
  const System& system;
  const Units& units;
  const SimulationBox &box, &start_box;  // now, and at the start of the run
  Atoms& atoms;
  Masses masses;
  const Groups& groups;
  std::int64_t step = 0;  // its number in the run
  double progress = 0.0;  // share of the stage that is done before it

  /// The owned atoms of the groups in the mask; 0: all.
  SlotGroup group(std::uint32_t mask) const {
    return mask == 0 ? SlotGroup{atoms.owned_slots, {}, 0} : SlotGroup{atoms.owned_slots, groups.bits(), mask};
  }
  View1<const std::int32_t> type() const { return {atoms.type.data()}; }
  View1<const std::int64_t> id() const { return {atoms.id.data()}; }
  Unwrapped unwrapped() const {
    const Atoms& read = atoms;
    return {box, slot_vector(read.x), slot_vector(read.image)};
  }
};

/// An atom that an action cannot cope with: the run ends with this message.
struct ActionTrouble {
  std::int64_t id = 0;
  std::string text;
};

/// What forces of actions add up to, of this rank.
struct ActionSums {
  std::array<FixedSum, 6> virial{FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34), FixedSum(34)};
  std::optional<ActionTrouble> trouble;  // of the smallest id

  void add(ActionTrouble found) {
    if (!trouble || found.id < trouble->id) {
      trouble = std::move(found);
    }
  }
};

/// Something that acts on atoms from outside of pairs and bonds: a wall, or what a case does with a group
/// (action_case.hpp).
///
/// All hooks do nothing unless overridden, are called on every rank, and only in stages that the action works in, but
/// for columns(): the rows of a run are alike.
class Action {
 public:
  explicit Action(std::uint32_t mask) : mask_(mask) {}
  Action(const Action&) = delete;
  Action& operator=(const Action&) = delete;
  virtual ~Action() = default;

  /// The bits of its group; 0: all atoms.
  std::uint32_t mask() const { return mask_; }

  /// The energy that it has.
  virtual std::optional<EnergyTerm> energy() const { return {}; }
  /// Along which axes the momentum of all atoms together is not conserved.
  virtual std::array<bool, 3> breaks_momentum() const { return {false, false, false}; }
  /// Which components of its atoms' velocities are zero.
  virtual std::array<bool, 3> frozen() const { return {false, false, false}; }
  virtual bool is_thermostat() const { return false; }
  /// Whether noise() does something.
  virtual bool has_noise() const { return false; }

  /// After the positions have moved, before ghosts and forces.
  virtual void move(const ActionView&) {}
  /// Adds to the forces, and with `totals` to energies and virial.
  virtual void add_forces(const ActionView&, bool /*totals*/, ForceTotals&, ActionSums&) {}
  /// When all forces are there, and when velocities are new.
  virtual void hold(const ActionView&) {}
  /// In the middle of a step: friction and noise of the length dt; then, for all actions, after all noise.
  virtual void noise(const ActionView&, double /*dt*/) {}
  virtual void after_noise(const ActionView&) {}
  /// After a step of the length dt. dof: the degrees of freedom of its group.
  virtual void end_step(const ActionView&, double /*dt*/, double /*dof*/) {}

  /// With kinetic and potential energy this is conserved.
  virtual double conserved_part() const { return 0.0; }
  /// What a restart needs; the name begins with `name`.
  virtual std::vector<StateScalar> scalars(const std::string& /*name*/) { return {}; }
  /// Of history.csv; after forces with totals. Collective.
  virtual void columns(const ActionView&, std::vector<HistoryColumn>&) const {}

 private:
  std::uint32_t mask_;
};

}  // namespace halyard::md
