#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/force_totals.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/force_field.hpp"
#include "solvers/md/id_blocks.hpp"
#include "solvers/md/system.hpp"
#include "solvers/md/units.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/solver.hpp"

namespace halyard::md {

/// What a row of history.csv tells of the present state.
struct Thermodynamics {
  double potential = 0.0, kinetic = 0.0;
  std::array<double, energy_term_count> energy{};    // by EnergyTerm
  double tail = 0.0;                                 // beyond the cutoff, in potential
  std::array<double, 6> kinetic_tensor{}, virial{};  // xx, yy, zz, xy, xz, yz, in the energy unit
};

/// Classical molecular dynamics: Newton's equations for atoms under pair potentials, in stages (docs/md.md).
class MdSolver : public Solver {
 public:
  /// Distributes the atoms, draws velocities, computes the forces. Collective.
  MdSolver(Context& context, const MdCase& settings, System system);

  void step(double dt) override;
  State state() override;
  void restored() override;
  std::vector<HistoryColumn> history(double dt) override;
  std::int64_t items() const override { return system_.count; }
  std::string item_name() const override { return "atom"; }
  std::string time_unit() const override { return units_.time; }
  void prepare(const StepAhead& ahead) override { totals_wanted_ = ahead.row_due; }
  std::optional<double> prescribed_dt() const override { return stage().dt; }
  bool finished() const override { return step_ >= last_step_; }
  std::optional<std::int64_t> last_step() const override { return last_step_; }

 private:
  const StageSettings& stage() const;
  void draw_initial_velocities();
  /// Wraps the atoms into the box, hands them to their owners, lists pairs.
  void rebuild();
  void list_pairs(std::vector<AtomRecord> records);
  /// True when an atom has moved half the skin since the list was built, or a pair came too close, on any rank.
  bool list_expired();
  void compute_forces();
  void stop_on_overlap();
  Thermodynamics thermodynamics();
  double degrees_of_freedom() const;
  SlotGroup every_atom() const { return {atoms_.owned_slots, {}, 0}; }

  Queue& queue_;
  const Communicator& comm_;
  Log& log_;
  MdCase settings_;
  System system_;
  Units units_;
  ForceField force_field_;
  Buffer<double> mass_, inverse_root_mass_, acceleration_;
  Domain domain_;
  IdBlocks blocks_;
  Atoms atoms_;
  ForceTotals totals_;
  bool totals_wanted_ = false, totals_current_ = false;

  std::int64_t step_ = 0, last_step_ = 0;
  struct Restored {
    std::vector<double> x, v, reference;
    std::vector<std::int64_t> image;
  };
  std::optional<Restored> restored_;  // between set and restored(), by id block
};

/// What the meaning of a checkpoint depends on: the atoms, the units, the potential.
std::string restart_key(const MdCase& settings, const System& system);

/// Memory, rank grid and volume of a case.
Estimate estimate(Context& context, const MdCase& settings, const System& system);

}  // namespace halyard::md
