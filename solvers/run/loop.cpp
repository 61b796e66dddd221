#include "solvers/run/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/log/format.hpp"
#include "io/results/health.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"
#include "solvers/run/settings.hpp"
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
      clock_(parts_.plan.time.dt, time_events(parts_.plan)),
      state_(parts_.solver.state()),
      quantities_(parts_.solver.quantities()),
      history_(parts_.communicator.comm(), parts_.folder.history(), 1.0) {
  const std::vector<StateScalar> scalars = clock_.scalars();
  state_.scalars.insert(state_.scalars.end(), scalars.begin(), scalars.end());

  const Plan& plan = parts_.plan;
  const MPI_Comm comm = parts_.communicator.comm();
  collectively(exit_code::bad_case, [&] {
    for (const std::string& name : plan.fields.quantities) {
      field_quantities_.push_back(quantity(name));
    }
    if (!field_quantities_.empty()) {
      fields_ = std::make_unique<FieldWriter>(
          comm, parts_.folder.path(), parts_.solver.grid(), field_quantities_.front().block,
          FieldWriterSettings{.name = parts_.name, .format = plan.fields.format, .precision = plan.fields.precision});
    }
    std::vector<SliceSettings> settings;
    for (const SlicePlan& slice : plan.slices) {
      settings.push_back(slice_settings(slice));
    }
    name_slices(settings);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Quantity& drawn = quantity(settings[i].quantity);
      slices_.push_back(
          {std::make_unique<SlicePicture>(comm, parts_.folder.path(), parts_.solver.grid(), drawn.block, settings[i]),
           &drawn, plan.slices[i].cadence});
    }
  });
  if (!slices_.empty() && !pictures_available()) {
    parts_.log.note(
        "this build draws no pictures (VTK was not found when it was made): [[output.slice]] has no effect");
    slices_.clear();
  }
  collectively(exit_code::failure, [&] {
    checkpoints_ = std::make_unique<CheckpointWriter>(parts_.folder.checkpoints(), plan.checkpoint.keep, comm);
  });
}

const Quantity& Loop::quantity(const std::string& name) const {
  for (const Quantity& candidate : quantities_) {
    if (candidate.name == name) {
      return candidate;
    }
  }
  throw Error("the quantity " + name + " is declared, but the solver does not give it");
}

void Loop::start(const RestartCandidates& candidates) {
  const Plan& plan = parts_.plan;
  if (candidates.new_run()) {
    parts_.log.info("new run");
  } else {
    collectively(exit_code::failure, [&] {
      const RestartReport report = restore(candidates, state_, parts_.label, parts_.communicator.comm(), buffer_);
      clock_.restored();
      checkpoints_->disregard(report.damaged);  // or it would push out the generation that this run stands on
      for (const std::string& line : report.skipped) {
        parts_.log.warning(line);
      }
      parts_.log.info(report.text());
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
    // run that never stopped.
    const std::int64_t step = clock_.step();
    collectively(exit_code::failure, [&] {
      history_.continue_from(clock_.due(plan.history) ? step : step - 1);
      if (fields_) {
        fields_->continue_from(clock_.due(plan.fields.cadence) ? step : step - 1);
      }
    });
  }
  loop_start_ = checkpoint_wall_ = std::chrono::steady_clock::now();
  check_health();
  if (plan.time.dt) {
    const double limit = parts_.solver.stable_dt();
    if (*plan.time.dt > limit) {
      parts_.log.warning(fmt::format(
          "the fixed time.dt = {} s is beyond the stability limit with its margins for the present state, {:.4g} s",
          *plan.time.dt, limit));
    }
  }
  if (!parts_.folder.continues()) {
    write_due();
  }
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
    const Clock::Advance next = [&] {
      const double limit = limit_dt();
      std::optional<Clock::Advance> found;
      collectively(exit_code::failure, [&] { found = clock_.next(limit); });
      return *found;
    }();
    if (!next.below_half.empty()) {
      parts_.log.note_once("dt below half " + next.event,
                           fmt::format("step {}: dt = {:.4g} s is below half of its limit, as {}", clock_.step() + 1,
                                       next.dt, next.below_half));
    }
    if (look) {
      parts_.solver.relative_change(clock_.time());
    }
    parts_.solver.step(next.dt);
    parts_.queue.wait();
    clock_.take(next);
    if (look) {
      const double change = parts_.solver.relative_change(clock_.time());
      steady_ = change < *time.steady;
      if (steady_) {
        parts_.log.info(fmt::format("steady: relative change {:.3e} per second at step {}, below time.steady = {}",
                                    change, clock_.step(), *time.steady));
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
  const TimePlan& time = parts_.plan.time;
  // Past the end: a restart under a shorter case. At it, but for the last bit: an output time that equals the end.
  if ((time.end && clock_.time() >= *time.end * (1.0 - 1e-12)) || (time.steps && clock_.step() >= *time.steps)) {
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
    const PhaseTimer timer(phases_.history);
    collectively(exit_code::failure, [&] { history_.flush(); });
  }
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
  if (fields_ && !clock_.due(plan.fields.cadence)) {
    write_fields();
  }
  write_slices(true);
  if (plan.checkpoint.at_end) {
    write_checkpoint();
  }
}

void Loop::check_health() {
  if (healthy_step_ == clock_.step()) {
    return;
  }
  const PhaseTimer timer(phases_.health);
  const auto bad = check_finite(state_, &parts_.solver.grid(), parts_.communicator.comm(), buffer_);
  if (bad) {
    std::string text = fmt::format("{} after step {}, t = {} s, dt = {:.4g} s", bad->text(), clock_.step(),
                                   clock_.time(), clock_.dt());
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
  if (fields_ && clock_.due(plan.fields.cadence)) {
    write_fields();
  }
  write_slices(false);
  if (clock_.step() > 0 && clock_.due(plan.checkpoint.cadence)) {
    write_checkpoint();
  }
}

void Loop::write_history() {
  const PhaseTimer timer(phases_.history);
  std::vector<HistoryColumn> row{
      {"step", "1", static_cast<double>(clock_.step())}, {"time", "s", clock_.time()}, {"dt", "s", clock_.dt()}};
  for (HistoryColumn& column : parts_.solver.history(clock_.dt())) {
    if (column.name == "cfl" && std::isfinite(column.value)) {
      cfl_ = column.value;
      cfl_step_ = clock_.step();
    }
    row.push_back(std::move(column));
  }
  const double wall = seconds_since(loop_start_);
  const double steps = static_cast<double>(clock_.step() - row_step_);
  const double rate =
      wall > row_wall_ ? 1e-6 * steps * static_cast<double>(parts_.solver.items()) / (wall - row_wall_) : 0.0;
  row.push_back({"wall_seconds", "s", wall});
  row.push_back({"rate", "M" + parts_.solver.item_name() + "/s", rate});
  row_step_ = clock_.step();
  row_wall_ = wall;
  history_.append(row);
}

void Loop::write_fields() {
  const PhaseTimer timer(phases_.output);
  collectively(exit_code::failure, [&] {
    const WrittenFile file = fields_->write(clock_.step(), clock_.time(), field_quantities_);
    parts_.log.info(fmt::format("step {}: {}, {} in {} ({}/s)", clock_.step(), file.path.filename().string(),
                                bytes_text(static_cast<double>(file.bytes)), duration_text(file.seconds),
                                bytes_text(1e9 * file.gigabytes_per_second())));
  });
}

void Loop::write_slices(bool all) {
  if (slices_.empty()) {
    return;
  }
  const PhaseTimer timer(phases_.output);
  std::map<const Quantity*, std::vector<double>> values;  // a quantity drawn twice is computed once
  for (Slice& slice : slices_) {
    if (all == clock_.due(slice.cadence)) {
      continue;  // at the end: those that were not due just now
    }
    const bool first = !values.contains(slice.quantity);
    std::vector<double>& computed = values[slice.quantity];
    if (first) {
      computed.resize(static_cast<std::size_t>(slice.quantity->components * slice.quantity->block.count()));
      slice.quantity->compute(computed);
    }
    collectively(exit_code::failure,
                 [&] { slice.picture->write(clock_.step(), clock_.time(), *slice.quantity, computed); });
  }
}

void Loop::write_checkpoint() {
  if (checkpoint_step_ == clock_.step()) {
    return;
  }
  check_health();
  const PhaseTimer timer(phases_.checkpoint);
  const auto start = std::chrono::steady_clock::now();
  collectively(exit_code::failure, [&] {
    history_.flush();
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
  double fraction = time.end || time.steps ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  if (time.end) {
    fraction = std::max(fraction, clock_.time() / *time.end);
  }
  if (time.steps && *time.steps > 0) {
    fraction = std::max(fraction, static_cast<double>(clock_.step()) / static_cast<double>(*time.steps));
  }
  parts_.log.progress({.step = clock_.step(),
                       .time = clock_.time(),
                       .dt = clock_.dt(),
                       .cfl = cfl_,
                       .items = static_cast<double>(parts_.solver.items()),
                       .fraction = fraction});
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
