#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/md/analysis.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/md/id_blocks.hpp"
#include "solvers/md/integrator.hpp"
#include "solvers/md/system.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/solver.hpp"

namespace halyard::md {

/// Classical molecular dynamics: Newton's equations for atoms, in stages (docs/md.md).
class MdSolver : public Solver {
 public:
  /// Collective, as all that follows.
  MdSolver(Context& context, const MdCase& settings, System system);

  void step(double dt) override;
  State state() override;
  void restored() override;
  std::vector<HistoryColumn> history(double dt) override;
  std::int64_t items() const override { return dynamics_.system().count; }
  std::string item_name() const override { return "atom"; }
  std::string time_unit() const override { return dynamics_.units().time; }
  void prepare(const StepAhead& ahead) override;
  std::optional<double> prescribed_dt() const override;
  bool finished() const override { return stage_ >= static_cast<std::int64_t>(settings_.stages.size()); }
  std::optional<std::int64_t> last_step() const override;
  std::vector<std::unique_ptr<Output>> outputs(const OutputPlace& place) override;

 private:
  /// Of the present stage; past the end: of the last one.
  std::size_t stage_index() const;
  const StageSettings& stage() const { return settings_.stages[stage_index()]; }
  Integrator& integrator() const { return *integrators_[stage_index()]; }
  /// The stage that the present numbers are of: just after its last step still that one.
  std::size_t shown_stage() const {
    return static_cast<std::size_t>(stage_step_ == 0 && stage_ > 0 ? stage_ - 1 : stage_);
  }
  /// That is asked for at the present step of the stage.
  double temperature() const;
  /// The conserved quantity of a stage in the present state; NaN where there is none.
  double conserved(const Thermodynamics& now, std::size_t stage, double temperature) const;

  /// Tells how a minimisation ended.
  void end_minimisation();

  Log& log_;
  std::string title_;
  MdCase settings_;
  Dynamics dynamics_;
  IdBlocks blocks_;
  std::vector<std::unique_ptr<Integrator>> integrators_;  // of the stages
  std::vector<Analysis*> analyses_;                       // owned by whoever asked for outputs()
  bool totals_wanted_ = false;
  double time_ = 0.0;                    // at the end of the next step, or of the last one
  std::optional<std::int64_t> begun_{};  // the stage whose begin the log has told
  bool minimises_ = false;               // in any stage

  std::int64_t stage_ = 0;           // the present one
  std::int64_t stage_step_ = 0;      // steps done of it
  std::int64_t step_ = 0;            // steps done in all
  double conserved_at_start_ = 0.0;  // of the stage of the last step [energy]; 0 of a minimisation

  /// After a restart from the end of all stages: into the last one where it has become longer. Else says that nothing
  /// is left.
  void go_on_in_last_stage();

  struct Restored {
    std::vector<double> x, v, reference, anchor;
    std::vector<std::int64_t> image, groups;
  };
  std::optional<Restored> restored_;  // between set and restored(), by id block
};

/// What the meaning of a checkpoint depends on: the atoms, the units, the potential, groups, analyses; named as in the
/// case.
std::string restart_key(const CaseSchema& schema, const MdCase& settings, const System& system);

/// Memory, rank grid and volume of a case.
Estimate estimate(Context& context, const MdCase& settings, const System& system);

}  // namespace halyard::md
