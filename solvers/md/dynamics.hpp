#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/ensemble/box_coupling.hpp"
#include "kernels/md/ensemble/kinetic.hpp"
#include "kernels/md/ensemble/langevin.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/force_totals.hpp"
#include "solvers/md/actions.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/force_field.hpp"
#include "solvers/md/id_blocks.hpp"
#include "solvers/md/system.hpp"
#include "solvers/md/units.hpp"
#include "solvers/run/program.hpp"

namespace halyard::md {

/// Puts the atom into the box along its periodic edges. False: it has gone further than can be counted in boxes, or its
/// place is not finite.
bool wrap(const SimulationBox& box, AtomRecord& record);

/// What is known of a state: energies, and on the diagonal and off it (xx, yy, zz, xy, xz, yz) the sums of m v v and
/// r F, in the energy unit.
struct Thermodynamics {
  double potential = 0.0, kinetic = 0.0;
  std::array<double, energy_term_count> energy{};  // by EnergyTerm
  double tail = 0.0;                               // beyond the cutoff, in potential
  std::int64_t densities_outside = 0;              // atoms of embedded-atom potentials beyond their tables
  std::array<double, 6> kinetic_tensor{}, virial{};

  /// The pressure tensor in a box of this volume [energy/volume].
  std::array<double, 6> pressure(double volume) const {
    std::array<double, 6> p{};
    for (std::size_t c = 0; c < 6; ++c) {
      p[c] = (kinetic_tensor[c] + virial[c]) / volume;
    }
    return p;
  }
};

/// The atoms in their box under their forces, and the moves that integrators are made of. All calls are collective and
/// give the same numbers on every rank.
class Dynamics {
 public:
  /// Distributes the atoms, draws velocities, computes the forces.
  Dynamics(Context& context, const MdCase& settings, System system);

  const System& system() const { return system_; }
  const SimulationBox& box() const { return box_; }
  const Units& units() const { return units_; }
  const Atoms& atoms() const { return atoms_; }
  const Domain& domain() const { return domain_; }
  const ForceField& force_field() const { return force_field_; }
  const Actions& actions() const { return actions_; }
  Groups& groups() { return actions_.groups(); }
  /// Whether there is such a part of the potential energy.
  bool has(EnergyTerm term) const { return force_field_.has(term) || actions_.has(term); }
  double degrees_of_freedom() const { return actions_.degrees_of_freedom(); }
  /// Components of velocities that are not frozen.
  double free_components() const { return actions_.free_components(); }
  double thermal_energy(double temperature) const { return units_.boltzmann * temperature; }

  /// Before a step, its number in the run, of a stage counted from 0; progress: the share of it that is done. Where the
  /// stage is another one, what acts on the atoms is, too, and forces are computed anew.
  void begin_step(std::size_t stage, std::int64_t step, double progress);
  /// After a step in which time has passed: thermostats of groups.
  void end_step(double dt);

  void kick(double dt);
  void kick_drift(double dt_kick, double dt_drift);
  void scale_velocities(double factor);
  /// Kick by dt/2, drift by dt/2, friction and noise, drift by dt/2. Returns twice the energy that the atoms took up.
  double langevin_kick_drift(double dt, const LangevinNoise& noise, const RandomStream& stream, std::int64_t step);
  /// The middle of a step of cell rescaling: drift dt/2, stretch the box, drift dt/2.
  void rescale_and_drift(double dt, const std::array<double, 3>& factor);
  void kick_in_changing_box(const std::array<double, 3>& factor, const std::array<double, 3>& weight);
  void drift_in_changing_box(const std::array<double, 3>& factor, const std::array<double, 3>& weight);
  /// The forces at new positions; lists pairs anew where an atom has moved half the skin. With `totals`, energies and
  /// virial are at hand after it.
  void new_forces(bool totals);

  double twice_kinetic();
  /// What the stage's thermostat holds: all atoms but frozen ones and groups with a thermostat of their own.
  double bath_twice_kinetic();
  double bath_degrees_of_freedom() const { return actions_.bath_degrees_of_freedom(); }
  void scale_bath(double factor);
  std::array<double, 6> kinetic_tensor();
  /// Energies and virial of the present forces: computed anew where new_forces() was not asked for totals.
  Thermodynamics thermodynamics();
  /// Of history.csv, after thermodynamics(): of groups and walls.
  void action_columns(std::vector<HistoryColumn>& row) { actions_.columns(view(), row); }
  /// For barostats: the diagonals.
  BoxLoad load();

  /// Of a minimisation: pairs that are too near for their potential are then taken apart, not refused.
  void allow_overlaps(bool allowed) { overlaps_allowed_ = allowed; }
  /// @throws CollectiveError naming two atoms that are too near; with `equal` only where they are at the same place.
  void refuse_overlaps(bool equal);
  /// The first atoms whose electron density was outside its table: how many at once, the largest density. Told once.
  struct DensitiesOutside {
    std::int64_t atoms = 0;
    double largest = 0.0;
  };
  std::optional<DensitiesOutside> take_densities_outside() { return std::exchange(densities_outside_, std::nullopt); }

  std::array<double, 3> minimiser_sums();
  double largest_speed();
  double largest_force();  // component
  void step_back(double time);
  void steer(double dt, double keep, double steer);
  void drift(double dt);
  void stop_atoms();

  /// The box: origin, edges, tilts as state; likewise the box that list positions refer to.
  std::vector<StateScalar> scalars();
  /// Hands all atoms, and what belongs to them, to the ranks of their ids; restore() must follow.
  std::vector<AtomRecord> give_up(const IdBlocks& blocks);
  /// Takes up atoms in the middle of a list's life, and of a stage, counted from 0.
  void restore(std::vector<AtomRecord> records, std::size_t stage);

 private:
  void draw_velocities(double temperature, std::int64_t seed);
  double twice_kinetic(const SlotGroup& group);
  enum class ListState { valid, to_be_pruned, expired };
  ListState list_state();
  void rebuild();
  void prune_list();
  /// Wraps along periodic edges. @throws CollectiveError where an atom has left the box along another.
  void put_into_box(std::vector<AtomRecord>& records);
  void list_pairs(std::vector<AtomRecord> records);
  void compute_forces(bool totals);
  /// A pair is too near, and that is not allowed, or a bonded term is broken. Collective.
  bool overlap_is_fatal(bool overlap) const;
  [[noreturn]] void stop_on_overlap();
  void check_box();
  AxisMap stretch(const std::array<double, 3>& factor);
  ActionView view() {
    return {queue_, comm_, system_, units_, box_, start_box_, atoms_, masses(), actions_.groups(), step_, progress_};
  }
  SlotGroup every_atom() const { return {atoms_.owned_slots, {}, 0}; }
  Masses masses() const { return {{mass_.data()}, {inverse_root_mass_.data()}, {acceleration_.data()}}; }
  View1<const std::int32_t> type() const { return {atoms_.type.data()}; }
  View1<const std::int64_t> id() const { return {atoms_.id.data()}; }

  Queue& queue_;
  const Communicator& comm_;
  System system_;
  SimulationBox box_, reference_box_, start_box_;  // now, when the list was built, and at the start of the run
  Units units_;
  ForceField force_field_;
  Buffer<double> mass_, inverse_root_mass_, acceleration_;
  Domain domain_;
  Atoms atoms_;
  Actions actions_;
  std::int64_t step_ = 0;
  int steps_since_pruning_ = 0;
  double progress_ = 0.0;
  ForceTotals totals_;
  std::array<Wide, 6> inner_products_{};  // position_force_sum() before actions, with the totals
  bool totals_current_ = false;
  bool overlaps_allowed_ = false;
  bool densities_told_ = false;
  std::optional<DensitiesOutside> densities_outside_;
};

/// The rank grid of a case. @throws Error at parallel.ranks.
BrickGrid make_grid(const Context& context, const SimulationBox& box, double reach);

}  // namespace halyard::md
