#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/results/state.hpp"
#include "solvers/run/plan.hpp"

namespace halyard {

/// Step, time and the choice of dt, so that every due time is hit exactly.
///
/// Due times are k * interval by one multiplication, never a sum, and the time is set to them. Which one is next
/// follows from the time alone, and dt from the time, the next due time and the solver's limit: so the step, time and
/// dt in the state list are all that a restart needs to go on with the same bits, also when it adds outputs.
///
/// Variable dt: as soon as the next due time is within `horizon` limits, dt = remaining / ceil(remaining / (0.99
/// limit)), and that dt is kept while it fits. It is never above the limit, above 0.92 of a steady one, and below half
/// only where due times lie closer together than a step or the limit grew.
///
/// Fixed dt: the time is origin + (step - origin step) * dt by one multiplication; the origin is the start, or the
/// restart that brought in this dt. At a due time it is set to that.
///
/// dt prescribed step by step (the solver's stages): a fixed dt whose origin is the step that brought it in; 0 is
/// allowed, time then stands. There are no due times: outputs go by steps.
class Clock {
 public:
  static constexpr int horizon = 16;

  /// What some part of the run wants to happen at k * interval.
  struct Event {
    std::string key;    // the case's name for it, for messages: "output.fields.every_time"
    double interval;    // in the clock's unit of time
    bool once = false;  // at k = 1 only: the end
  };

  /// One step ahead.
  struct Advance {
    double dt = 0.0;
    double reaches = 0.0;    // the time after it
    std::string below_half;  // not empty: dt is below half of the limit, and this says why
    std::string event;       // key of the event it was cut for
  };

  /// `unit` is that of time and dt, for messages and the state.
  Clock(std::optional<double> fixed_dt, std::vector<Event> events, std::string unit = "s");
  /// A clock that is told each dt by prescribe().
  static Clock prescribed(std::string unit = "s");

  std::int64_t step() const { return step_; }
  double time() const { return time_; }
  /// Of the last step; 0 before the first.
  double dt() const { return dt_; }

  /// The step from here under the solver's limit on dt. @throws Error when the limit is not positive, when nothing
  /// limits dt, or when dt is too small to change the time.
  Advance next(double limit) const;
  void take(const Advance& advance);
  /// The dt of the next step, of a prescribed() clock; call it before each next(). The same dt as before goes on from
  /// the same origin. @throws Error where it is negative or not finite.
  void prescribe(double dt);

  /// Whether the present time is k * interval (k = 0 included).
  static bool at_multiple(double time, double interval);
  /// Whether something with this cadence is due at the present step and time.
  bool due(const Cadence& cadence) const { return cadence.due(step_, time_); }

  /// The clock's share of the state list.
  std::vector<StateScalar> scalars();
  /// After a restart has set the scalars: takes up a new fixed dt. @throws Error when the next due times cannot be
  /// reached with it.
  void restored();

 private:
  struct Due {
    double time;
    std::string key;
  };
  Due next_due() const;
  double previous_due() const;
  double steps_to(double remaining, double limit) const;

  std::optional<double> fixed_dt_;
  bool prescribed_ = false;
  std::vector<Event> events_;
  std::string unit_;
  std::int64_t step_ = 0;
  double time_ = 0.0;
  double dt_ = 0.0;
  std::int64_t origin_step_ = 0;  // of the fixed dt
  double origin_time_ = 0.0;
  double origin_dt_ = 0.0;
};

/// The events of a plan: its end and every output that goes by time.
std::vector<Clock::Event> time_events(const Plan& plan);

}  // namespace halyard
