#include "solvers/run/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/log/format.hpp"
#include "io/results/file.hpp"
#include "io/results/health.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"
#include "solvers/run/signals.hpp"

namespace halyard {

namespace {
double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
}  // namespace

Loop::Loop(Parts parts, Phases& phases)
    : parts_(std::move(parts)),
      phases_(phases),
      unit_(parts_.solver.time_unit()),
      clock_(parts_.plan.schedule == Schedule::by_solver ? Clock::prescribed(unit_)
                                                         : Clock(parts_.plan.time.dt, time_events(parts_.plan), unit_)),
      state_(parts_.solver.state()),
      history_(parts_.communicator.comm(), parts_.folder.history(), 1.0) {
  const std::vector<StateScalar> scalars = clock_.scalars();
  state_.scalars.insert(state_.scalars.end(), scalars.begin(), scalars.end());
  collectively(exit_code::failure, [&] {
    checkpoints_ = std::make_unique<CheckpointWriter>(parts_.folder.checkpoints(), parts_.plan.checkpoint.keep,
                                                      parts_.communicator.comm());
  });
}

void Loop::start(const RestartCandidates& candidates) {
  const Plan& plan = parts_.plan;
  if (candidates.new_run()) {
    parts_.log.info("new run");
  } else {
    collectively(exit_code::bad_case, [&] { require_same_state(candidates, state_, parts_.communicator.comm()); });
    collectively(exit_code::bad_case, [&] {
      const RestartReport report = restore(candidates, state_, parts_.label, parts_.communicator.comm(), buffer_);
      clock_.restored();
      checkpoints_->disregard(report.damaged);  // or it would push out the generation that this run stands on
      // Those that find_restart() passed over have been told.
      for (std::size_t i = candidates.skipped.size(); i < report.skipped.size(); ++i) {
        parts_.log.warning(report.skipped[i]);
      }
      parts_.log.info(report.text(unit_));
      if (report.case_text != parts_.label.case_text) {
        parts_.log.note("the case is not the one that wrote the checkpoint, which is kept in " +
                        report.from.file.string() + " (/case)");
      }
    });
    parts_.solver.restored();
    checkpoint_step_ = parts_.folder.continues() ? clock_.step() : -1;
  }
  first_step_ = row_step_ = clock_.step();
  if (parts_.folder.continues()) {
    // What an earlier end wrote off schedule (the last row, the last snapshot) goes, so that the series is that of a
    // run that never stopped. What is due at this step is written again below: it may have failed.
    const std::int64_t step = clock_.step();
    collectively(exit_code::failure, [&] {
      history_.continue_from(clock_.due(plan.history) ? step : step - 1);
      for (const auto& output : parts_.outputs) {
        output->continue_from(step - 1);
      }
    });
    const std::vector<HistoryColumn> row = history_row();
    on_every_rank(parts_.communicator, exit_code::bad_case, [&] { history_.require_columns(row); });
  }
  loop_start_ = checkpoint_wall_ = std::chrono::steady_clock::now();
  check_health();
  if (plan.time.dt) {
    const double limit = parts_.solver.stable_dt();
    if (*plan.time.dt > limit) {
      parts_.log.warning(fmt::format(
          "the fixed time.dt = {0} {2} is beyond the stability limit with its margins for the present state, {1:.4g} "
          "{2}",
          *plan.time.dt, limit, unit_));
    }
  }
  write_due();
}

Clock::Advance Loop::next_advance() {
  const bool by_solver = parts_.plan.schedule == Schedule::by_solver;
  const double limit = by_solver ? std::numeric_limits<double>::infinity() : limit_dt();
  const std::optional<double> prescribed = by_solver ? parts_.solver.prescribed_dt() : std::nullopt;
  std::optional<Clock::Advance> found;
  collectively(exit_code::failure, [&] {
    if (by_solver) {
      if (!prescribed) {
        throw Error("the solver is to say its dt, and says none");
      }
      clock_.prescribe(*prescribed);
    }
    found = clock_.next(limit);
  });
  return *found;
}

/// Whether the case says that the run ends there. Past the end: a restart under a shorter case. At it, but for the last
/// bit: an output time that equals the end.
bool Loop::is_end(std::int64_t step, double time) const {
  const TimePlan& plan = parts_.plan.time;
  return (plan.end && time >= *plan.end * (1.0 - 1e-12)) || (plan.steps && step >= *plan.steps);
}

double Loop::limit_dt() {
  if (parts_.plan.time.dt) {
    return std::numeric_limits<double>::infinity();
  }
  const double limit = parts_.solver.stable_dt();
  if (!(limit > 0.0)) {
    healthy_step_ = -1;
    check_health();  // names the cell, where there is one
  }
  return limit;
}

void Loop::advance() {
  const TimePlan& time = parts_.plan.time;
  // Both looks at the state lie within one step: no checkpoint comes between, and a restart sees the same change.
  const bool look = time.steady && (clock_.step() + 1) % time.steady_every_steps == 0;
  {
    const PhaseTimer timer(phases_.step);
    const Clock::Advance next = next_advance();
    if (!next.below_half.empty()) {
      parts_.log.note_once("dt below half " + next.event,
                           fmt::format("step {}: dt = {:.4g} {} is below half of its limit, as {}", clock_.step() + 1,
                                       next.dt, unit_, next.below_half));
    }
    if (look) {
      parts_.solver.relative_change(clock_.time());
    }
    const std::int64_t step = clock_.step() + 1;
    const bool row_due =
        parts_.plan.history.due(step, next.reaches) || is_end(step, next.reaches) || step == parts_.solver.last_step();
    parts_.solver.prepare({.step = step, .dt = next.dt, .time = next.reaches, .row_due = row_due});
    parts_.solver.step(next.dt);
    parts_.queue.wait();
    clock_.take(next);
    if (look) {
      const double change = parts_.solver.relative_change(clock_.time());
      steady_ = change < *time.steady;
      if (steady_) {
        parts_.log.info(fmt::format("steady: relative change {:.3e} per {} at step {}, below time.steady = {}", change,
                                    unit_ == "s" ? "second" : unit_, clock_.step(), *time.steady));
      }
    }
  }
  if (clock_.step() % parts_.plan.health_every_steps == 0) {
    check_health();
  }
  write_due();
}

std::int64_t Loop::agree_on_interruption() {
  // One number for both: 2 * signal, plus 1 where rank 0's clock asks for a checkpoint. A signal comes first.
  const double every = parts_.plan.checkpoint.every_wall;
  const bool wall = parts_.communicator.rank() == 0 && every > 0.0 && seconds_since(checkpoint_wall_) >= every;
  return parts_.communicator.max(std::int64_t{2 * SignalWatch::received() + (wall ? 1 : 0)});
}

std::optional<std::string> Loop::reached_end() const {
  if (is_end(clock_.step(), clock_.time()) || parts_.solver.finished()) {
    return "finished";
  }
  return steady_ ? std::optional<std::string>("steady") : std::nullopt;
}

std::string Loop::run() {
  std::string end;
  while (end.empty()) {
    const std::int64_t interruption = agree_on_interruption();
    if (const int signal = static_cast<int>(interruption / 2); signal != 0) {
      parts_.log.info(
          fmt::format("{}: stopping after step {} with a checkpoint", SignalWatch::name(signal), clock_.step()));
      write_checkpoint();
      end = "signal";
    } else if (const auto reached = reached_end()) {
      finish();
      end = *reached;
    } else {
      if (interruption != 0) {
        write_checkpoint();
      }
      advance();
      show_progress();
    }
  }
  {
    const PhaseTimer timer(phases_.output);
    flush();
  }
  end_where_unwritten();
  parts_.log.end_progress();
  loop_seconds_ = seconds_since(loop_start_);
  return end;
}

void Loop::finish() {
  const Plan& plan = parts_.plan;
  check_health();
  if (!clock_.due(plan.history)) {
    write_history();
  }
  if (plan.checkpoint.at_end) {
    save();  // before what may take long, or fail
  }
  for (const auto& output : parts_.outputs) {
    write_output(*output, true);
  }
  end_where_unwritten();
}

void Loop::check_health() {
  if (healthy_step_ == clock_.step()) {
    return;
  }
  const PhaseTimer timer(phases_.health);
  const auto bad = check_finite(state_, parts_.solver.grid(), parts_.communicator.comm(), buffer_);
  if (bad) {
    std::string text = fmt::format("{0} after step {1}, t = {2} {4}, dt = {3:.4g} {4}", bad->text(), clock_.step(),
                                   clock_.time(), clock_.dt(), unit_);
    if (std::isfinite(cfl_)) {
      text += fmt::format(", CFL = {:.4g} at step {}", cfl_, cfl_step_);
    }
    if (!checkpoints_->generations().empty()) {
      text += fmt::format("; the newest checkpoint is of step {}", checkpoints_->generations().front().step);
    }
    throw CollectiveError(text, exit_code::failure);
  }
  healthy_step_ = clock_.step();
}

void Loop::write_due() {
  const Plan& plan = parts_.plan;
  if (clock_.due(plan.history)) {
    write_history();
  }
  for (const auto& output : parts_.outputs) {
    if (output->due(clock_.step(), clock_.time())) {
      write_output(*output, false);
    }
  }
  end_where_unwritten();
  if (clock_.step() > 0 && clock_.due(plan.checkpoint.cadence)) {
    write_checkpoint();
  }
}

std::vector<HistoryColumn> Loop::history_row() {
  std::vector<HistoryColumn> row{
      {"step", "1", static_cast<double>(clock_.step())}, {"time", unit_, clock_.time()}, {"dt", unit_, clock_.dt()}};
  for (HistoryColumn& column : parts_.solver.history(clock_.dt())) {
    row.push_back(std::move(column));
  }
  row.push_back({"wall_seconds", "s", 0.0});
  row.push_back({"rate", "M" + parts_.solver.item_name() + "/s", 0.0});
  return row;
}

void Loop::write_history() {
  const PhaseTimer timer(phases_.history);
  std::vector<HistoryColumn> row = history_row();
  shown_.clear();
  for (const HistoryColumn& column : row) {
    if (!column.label.empty()) {
      shown_.push_back({column.label, column.value, column.unit});
    }
    if (column.name == "cfl" && std::isfinite(column.value)) {
      cfl_ = column.value;
      cfl_step_ = clock_.step();
    }
  }
  const double wall = seconds_since(loop_start_);
  const double steps = static_cast<double>(clock_.step() - row_step_);
  row[row.size() - 2].value = wall;
  row.back().value =
      wall > row_wall_ ? 1e-6 * steps * static_cast<double>(parts_.solver.items()) / (wall - row_wall_) : 0.0;
  row_step_ = clock_.step();
  row_wall_ = wall;
  attempt([&] { all_ranks(parts_.communicator.comm(), [&] { history_.append(row); }); });
}

void Loop::write_output(Output& output, bool at_end) {
  const PhaseTimer timer(phases_.output);
  attempt([&] {
    const std::int64_t step = clock_.step();
    const std::string said = at_end ? output.write_at_end(step, clock_.time()) : output.write(step, clock_.time());
    if (!said.empty()) {
      parts_.log.info(fmt::format("step {}: {}", step, said));
    }
  });
}

void Loop::flush() {
  attempt([&] { all_ranks(parts_.communicator.comm(), [&] { history_.flush(); }); });
  for (const auto& output : parts_.outputs) {
    attempt([&] { output->flush(); });
  }
}

void Loop::attempt(const std::function<void()>& write) {
  try {
    write();
  } catch (const CollectiveError&) {
    throw;  // the solver's own: its state is not worth keeping
  } catch (const Error& error) {
    unwritten_.emplace_back(error.what());
  }
}

void Loop::end_where_unwritten() {
  if (unwritten_.empty()) {
    return;
  }
  std::string outcome;
  if (clock_.step() != first_step_) {
    try {
      save();
      outcome = fmt::format("the state of step {} is saved, and the same command goes on from there", clock_.step());
    } catch (const CollectiveError& error) {
      outcome = fmt::format("the state of step {} could not be saved either: {}", clock_.step(), error.what());
    }
  }
  std::string text;
  for (const std::string& what : std::exchange(unwritten_, {})) {
    text += (text.empty() ? "" : "\n") + what;
  }
  throw CollectiveError(text + (outcome.empty() ? "" : "\n" + outcome), exit_code::failure);
}

void Loop::write_checkpoint() {
  save();
  end_where_unwritten();
}

void Loop::save() {
  if (checkpoint_step_ == clock_.step()) {
    return;
  }
  check_health();
  const PhaseTimer timer(phases_.checkpoint);
  const auto start = std::chrono::steady_clock::now();
  flush();
  collectively(exit_code::failure, [&] {
    const Generation generation = checkpoints_->write(clock_.step(), clock_.time(), state_, parts_.label, buffer_);
    const double seconds = seconds_since(start);
    parts_.log.info(fmt::format("step {}: checkpoint {}, {} in {}", clock_.step(), generation.file.filename().string(),
                                bytes_text(static_cast<double>(generation.bytes)), duration_text(seconds)));
  });
  checkpoint_step_ = clock_.step();
  checkpoint_wall_ = std::chrono::steady_clock::now();
}

void Loop::show_progress() {
  const TimePlan& time = parts_.plan.time;
  const std::optional<std::int64_t> own_end = parts_.solver.last_step();
  double fraction = time.end || time.steps || own_end ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  if (time.end) {
    fraction = std::max(fraction, clock_.time() / *time.end);
  }
  for (const std::optional<std::int64_t>& last : {time.steps, own_end}) {
    if (last && *last > 0) {
      fraction = std::max(fraction, static_cast<double>(clock_.step()) / static_cast<double>(*last));
    }
  }
  parts_.log.progress({.step = clock_.step(),
                       .time = clock_.time(),
                       .dt = clock_.dt(),
                       .items = static_cast<double>(parts_.solver.items()),
                       .fraction = fraction,
                       .numbers = shown_,
                       .numbers_step = row_step_});
}

double Loop::rate() const {
  const double steps = static_cast<double>(clock_.step() - first_step_);
  return loop_seconds_ > 0.0 ? steps * static_cast<double>(parts_.solver.items()) / loop_seconds_ : 0.0;
}

double Loop::step_rate() const {
  const double steps = static_cast<double>(clock_.step() - first_step_);
  return phases_.step > 0.0 ? steps * static_cast<double>(parts_.solver.items()) / phases_.step : 0.0;
}

std::uint64_t Loop::hash() { return state_hash(state_, parts_.communicator.comm(), buffer_); }

}  // namespace halyard
