#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/results/quantity.hpp"
#include "io/results/state.hpp"
#include "solvers/run/output.hpp"

namespace halyard {

/// The step that comes next.
struct StepAhead {
  std::int64_t step = 0;  // its number, from 1
  double dt = 0.0;        // in the solver's unit of time; 0: no time passes
  double time = 0.0;      // at its end
  bool row_due = false;   // history() is called at its end
};

/// What the outer loop needs of a solver, and nothing else. Every call is collective over the ranks and gives the same
/// numbers on each. What has a body here is for some solvers only.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  /// Advances the state by dt.
  virtual void step(double dt) = 0;
  /// The arrays and scalars that a restart needs. After a restart has set them, restored() is called once; between,
  /// what was set is read back and hashed, in the order of the list.
  virtual State state() = 0;
  virtual void restored() = 0;
  /// The solver's own columns of the time series for the present state (the loop adds step, time, dt, wall clock,
  /// rate).
  virtual std::vector<HistoryColumn> history(double dt) = 0;
  /// Work items of one step (cells, atoms; may be 0) over all ranks, and what the rate counts: "Mcell/s".
  virtual std::int64_t items() const = 0;
  virtual std::string item_name() const = 0;
  /// Of all times and dt here, in the history and in messages.
  virtual std::string time_unit() const { return "s"; }

  /// Called before each step(), for a solver that computes some columns (energies, virials) only in steps that need
  /// them. A hint: history() is right without it, if dearer, as at the start of a run, and at an end that only the
  /// step itself brings about (steady, finished()).
  virtual void prepare(const StepAhead& /*ahead*/) {}

  // For Schedule::by_case.

  /// The largest dt that the present state allows under the case's limits.
  virtual double stable_dt() { return std::numeric_limits<double>::infinity(); }
  /// Relative change of the state per unit time since the last call (infinite at the first); for the steady stop.
  virtual double relative_change(double /*time*/) { return std::numeric_limits<double>::infinity(); }

  // For Schedule::by_solver: stages, each with its fixed dt. Answers follow from the case and what state() lists.

  /// Of the next step: the dt of the present stage. 0: no time passes, as in a minimisation.
  virtual std::optional<double> prescribed_dt() const { return {}; }
  /// Whether the schedule is done.
  virtual bool finished() const { return false; }
  /// The number of the schedule's last step, or the most that it can be; nothing where unknown. For progress.
  virtual std::optional<std::int64_t> last_step() const { return {}; }

  // For solvers on a grid.

  /// The grid that quantities and cell-centred state live on.
  virtual const GridGeometry* grid() const { return nullptr; }
  /// What [output.fields] and [[output.slice]] can write or draw by name: those of Program::quantities.
  virtual std::vector<Quantity> quantities() { return {}; }

  /// The solver's own outputs, in the order in which they are written. Called once, before state().
  virtual std::vector<std::unique_ptr<Output>> outputs(const OutputPlace& /*place*/) { return {}; }
};

}  // namespace halyard
