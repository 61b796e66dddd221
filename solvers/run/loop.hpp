#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/log/log.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/history.hpp"
#include "io/results/run_folder.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/run/clock.hpp"
#include "solvers/run/report.hpp"
#include "solvers/run/solver.hpp"

namespace halyard {

/// The outer loop that all solvers share: limit dt, step, advance the clock, check health, write what is due.
///
/// At a step's end, in this order: health, history row, outputs in the order of their list, checkpoint. At the run's
/// end the checkpoint comes before the outputs, and where something cannot be written the state is saved before the run
/// ends: a restart writes what is due at its first step once more. What happens depends on step and time alone, but for
/// wall-clock checkpoints, which change nothing in the state.
class Loop {
 public:
  struct Parts {
    const Communicator& communicator;
    Queue& queue;
    Log& log;
    const Plan& plan;
    Solver& solver;
    std::vector<std::unique_ptr<Output>> outputs;
    const RunFolder& folder;
    CheckpointLabel label;
  };

  /// Collective, as all that follows.
  Loop(Parts parts, Phases& phases);

  /// The start of a new run, or the newest whole checkpoint. @throws CollectiveError.
  void start(const RestartCandidates& candidates);

  /// From the start to the end; what the summary says under `end`: "finished", "steady", "signal".
  /// @throws CollectiveError where the state is not finite, naming field, cell or atom, position, step and CFL, or
  /// where a result cannot be written.
  std::string run();

  const Clock& clock() const { return clock_; }
  std::int64_t first_step() const { return first_step_; }
  /// Work items per second of this start, outputs included; and of the steps alone.
  double rate() const;
  double step_rate() const;
  std::uint64_t hash();

 private:
  double limit_dt();
  Clock::Advance next_advance();
  bool is_end(std::int64_t step, double time) const;
  void advance();
  std::int64_t agree_on_interruption();
  std::optional<std::string> reached_end() const;
  void finish();

  void check_health();
  void write_due();
  std::vector<HistoryColumn> history_row();  // wall clock and rate left open
  void write_history();
  void write_output(Output& output, bool at_end);
  void flush();
  /// Where writing fails, remembers why and goes on. Errors come alike on every rank.
  void attempt(const std::function<void()>& write);
  /// Where an attempt failed: saves the state, then throws.
  void end_where_unwritten();
  void write_checkpoint();
  /// The checkpoint alone, though an output may not be flushed.
  void save();
  void show_progress();

  Parts parts_;
  Phases& phases_;
  std::string unit_;  // of time
  Clock clock_;
  State state_;
  StateBuffer buffer_;
  HistoryWriter history_;
  std::unique_ptr<CheckpointWriter> checkpoints_;

  std::vector<std::string> unwritten_;  // why
  std::int64_t first_step_ = 0;
  std::int64_t healthy_step_ = -1;
  std::int64_t checkpoint_step_ = -1;
  std::chrono::steady_clock::time_point loop_start_, checkpoint_wall_;
  double loop_seconds_ = 0.0;
  bool steady_ = false;
  double cfl_ = std::numeric_limits<double>::quiet_NaN();  // of the last history row
  std::int64_t cfl_step_ = 0;
  std::vector<ProgressNumber> shown_;  // of that row, in the progress line
  std::int64_t row_step_ = 0;
  double row_wall_ = 0.0;
};

}  // namespace halyard
