#include "solvers/run/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/error.hpp"

namespace halyard {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Two due times this close (relative) are one: 3 * 0.1 and 1 * 0.3 differ in the last bit, and nobody means such a
// step. A product of two rounded numbers is off by some 1e-16; anything between that and a real step would do.
constexpr double same_time = 1e-12;

bool same(double a, double b) { return std::abs(a - b) <= same_time * std::max(std::abs(a), std::abs(b)); }

/// The smallest k >= 0 with k * interval later than time. An interval that drowns in the rounding of the time has none.
double next_multiple(double time, double interval, const std::string& unit) {
  if (interval < 1e3 * same_time * time) {
    throw Error(
        fmt::format("an output interval or end time of {0} {3} is too small to be told apart at t = {1} {3}; it must "
                    "be at least {2:.3g} {3} there",
                    interval, time, 1e3 * same_time * time, unit));
  }
  double k = std::max(0.0, std::floor(time / interval) - 1.0);
  while (k * interval <= time || same(k * interval, time)) {
    k += 1.0;
  }
  return k;
}

// The spread dt keeps this far below the limit, so that neither rounding nor a limit that sinks a little asks for one
// more step on the way: with one or two steps to go that would halve dt.
constexpr double spread_margin = 0.99;

}  // namespace

bool Cadence::due(std::int64_t step, double time) const {
  const std::int64_t every = every_steps.value_or(0);
  return (every > 0 && step % every == 0) || (every_time && Clock::at_multiple(time, *every_time));
}

Clock::Clock(std::optional<double> fixed_dt, std::vector<Event> events, std::string unit)
    : fixed_dt_(fixed_dt), events_(std::move(events)), unit_(std::move(unit)), origin_dt_(fixed_dt.value_or(0.0)) {}

Clock Clock::prescribed(std::string unit) {
  Clock clock({}, {}, std::move(unit));
  clock.prescribed_ = true;
  return clock;
}

Clock::Due Clock::next_due() const {
  Due due{infinity, ""};
  for (const Event& event : events_) {
    const double k = next_multiple(time_, event.interval, unit_);
    if (event.once && k > 1.0) {
      continue;
    }
    const double at = (event.once ? 1.0 : k) * event.interval;
    if (at < due.time) {
      due = {at, event.key};
    }
  }
  return due;
}

double Clock::previous_due() const {
  double previous = 0.0;
  for (const Event& event : events_) {
    if (!event.once) {
      previous = std::max(previous, (next_multiple(time_, event.interval, unit_) - 1.0) * event.interval);
    }
  }
  return previous;
}

double Clock::steps_to(double remaining, double limit) const {
  if (remaining <= limit) {
    return 1.0;
  }
  // The dt of the spreading under way, while it keeps half of that margin.
  const double same_dt = std::round(remaining / dt_);
  if (std::abs(remaining / same_dt - dt_) <= 1e-9 * dt_ && dt_ <= 0.5 * (1.0 + spread_margin) * limit &&
      dt_ >= 0.8 * limit) {
    return same_dt;
  }
  return std::ceil(remaining / (spread_margin * limit));
}

Clock::Advance Clock::next(double limit) const {
  if (!(limit > 0.0)) {
    throw Error(fmt::format("the limit on dt is {0} {3} after step {1}, t = {2} {3}: the state allows no step", limit,
                            step_, time_, unit_));
  }
  const Due due = next_due();
  Advance advance;
  if (fixed_dt_) {
    advance.dt = *fixed_dt_;
    advance.reaches = origin_time_ + static_cast<double>(step_ + 1 - origin_step_) * *fixed_dt_;
    // Multiples to 1e-9 are checked, so that a due time is either this step's or at least another dt away.
    if (std::abs(advance.reaches - due.time) <= 0.25 * *fixed_dt_) {
      advance.reaches = due.time;
      advance.event = due.key;
    }
  } else {
    const double remaining = due.time - time_;
    if (std::isinf(limit) && std::isinf(remaining)) {
      throw Error("nothing limits dt: give time.dt, time.end or an output interval");
    }
    if (remaining <= horizon * limit) {
      const double steps = steps_to(remaining, limit);
      advance.dt = remaining / steps;
      advance.reaches = steps == 1.0 ? due.time : time_ + advance.dt;
      advance.event = due.key;
      if (advance.dt < 0.5 * limit) {
        advance.below_half = due.time - previous_due() < limit
                                 ? fmt::format("{} and another due time lie closer together than one step", due.key)
                                 : fmt::format("the limit on dt grew within the last step before {}", due.key);
      }
    } else {
      advance.dt = limit;
      advance.reaches = time_ + limit;
    }
  }
  if (!(advance.reaches > time_) && !(prescribed_ && advance.dt == 0.0)) {
    throw Error(fmt::format("dt = {0} {3} is too small to advance t = {1} {3} after step {2}", advance.dt, time_, step_,
                            unit_));
  }
  return advance;
}

void Clock::prescribe(double dt) {
  if (!(dt >= 0.0) || std::isinf(dt)) {
    throw Error(fmt::format("the dt prescribed for step {} is {} {}; it must be finite and not negative", step_ + 1, dt,
                            unit_));
  }
  fixed_dt_ = dt;
  if (dt != origin_dt_) {
    origin_dt_ = dt;
    origin_step_ = step_;
    origin_time_ = time_;
  }
}

void Clock::take(const Advance& advance) {
  ++step_;
  time_ = advance.reaches;
  dt_ = advance.dt;
}

bool Clock::at_multiple(double time, double interval) { return same(std::round(time / interval) * interval, time); }

std::vector<StateScalar> Clock::scalars() {
  return {{"step", "1", &step_},
          {"time", unit_, &time_},
          {"dt", unit_, &dt_},
          {"fixed_dt", unit_, &origin_dt_},
          {"fixed_dt_first_step", "1", &origin_step_},
          {"fixed_dt_first_time", unit_, &origin_time_}};
}

void Clock::restored() {
  if (prescribed_) {
    return;  // prescribe() compares with what was restored
  }
  if (fixed_dt_.value_or(0.0) != origin_dt_) {
    origin_dt_ = fixed_dt_.value_or(0.0);
    origin_step_ = step_;
    origin_time_ = time_;
  }
  if (!fixed_dt_) {
    return;
  }
  for (const Event& event : events_) {
    const double k = next_multiple(time_, event.interval, unit_);
    if (event.once && k > 1.0) {
      continue;
    }
    const double steps = (k * event.interval - time_) / *fixed_dt_;
    // The intervals are multiples of dt to 1e-9 only, which adds up.
    if (std::abs(steps - std::round(steps)) > 1e-9 * std::max(1e3, k * event.interval / *fixed_dt_)) {
      throw Error(
          fmt::format("time.dt = {0} {6} does not lead from the restart's t = {1} {6} to {2} = {3} {6} (that is {4} "
                      "steps); choose a dt that divides {5} {6}",
                      *fixed_dt_, time_, event.key, k * event.interval, steps, k * event.interval - time_, unit_));
    }
  }
}

std::vector<Clock::Event> time_events(const Plan& plan) {
  std::vector<Clock::Event> events;
  const auto add = [&](const std::string& key, const std::optional<double>& interval, bool once = false) {
    if (interval) {
      events.push_back({key, *interval, once});
    }
  };
  add("time.end", plan.time.end, true);
  if (!plan.fields.quantities.empty()) {
    add("output.fields.every_time", plan.fields.cadence.every_time);
  }
  for (const SlicePlan& slice : plan.slices) {
    add("output.slice.every_time", slice.cadence.every_time);
  }
  add("output.history.every_time", plan.history.every_time);
  add("checkpoint.every_time", plan.checkpoint.cadence.every_time);
  return events;
}

}  // namespace halyard
