#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/results/field_writer.hpp"
#include "io/results/slice_picture.hpp"

namespace halyard {

/// Who decides on dt and the end: the tables of the case that all programs share ([time]), or the solver, whose case
/// lists stages with a dt and a number of steps each.
enum class Schedule { by_case, by_solver };

/// How often something is done: at the times k * every_time [s], k = 0, 1, 2, ..., which the clock hits exactly, and at
/// the steps k * every_steps. Neither given (or 0 steps): never. Under Schedule::by_solver by steps alone.
struct Cadence {
  std::optional<double> every_time;
  std::optional<std::int64_t> every_steps;
  bool any() const { return every_time.has_value() || every_steps.value_or(0) > 0; }
  bool due(std::int64_t step, double time) const;
};

/// No run has more steps: history.csv keeps them as doubles.
constexpr std::int64_t most_steps = std::int64_t{1} << 53;

/// [time]: when the run ends, and how dt is chosen. At least one of end, steps, steady is given; under
/// Schedule::by_solver there is steps alone, which cuts the solver's schedule.
struct TimePlan {
  std::optional<double> end;          // [s]
  std::optional<std::int64_t> steps;  // number of the last step, counted from the start of the first run
  std::optional<double> dt;           // [s] fixed; absent: the solver's limit
  std::optional<double> steady;       // [1/s] relative change per unit time below which the run ends
  std::int64_t steady_every_steps = 100;
};

/// [output.fields]: snapshots of whole quantities. When quantities are named, there is always one at the run's end.
struct FieldsPlan {
  std::vector<std::string> quantities;  // names known to the program
  Cadence cadence;
  FieldFormat format = FieldFormat::vtk;
  FieldPrecision precision = FieldPrecision::float64;
};

/// One [[output.slice]]: pictures of a plane; always one at the run's end.
struct SlicePlan {
  enum class Axis { x, y, z };

  std::string quantity;
  std::optional<SliceComponent> component;  // of a vector; absent: the magnitude
  Axis axis = Axis::z;                      // normal to the plane
  double position = 0.0;                    // [m] along the axis
  std::optional<std::array<double, 2>> range;
  std::string colors = "auto";
  int pixels = 1000;
  Cadence cadence;
};

/// [checkpoint]
struct CheckpointPlan {
  Cadence cadence;
  double every_wall = 1800.0;  // [s] of wall-clock time; 0: never
  int keep = 2;                // generations
  bool at_end = true;          // also when the run ends, so that it can be carried on
};

/// What every run has in common: the tables [time], [output], [checkpoint], [health], [parallel] and [log] of the case.
struct Plan {
  std::string program;
  std::string title;
  Schedule schedule = Schedule::by_case;
  TimePlan time;
  FieldsPlan fields;
  std::vector<SlicePlan> slices;
  Cadence history;
  CheckpointPlan checkpoint;
  std::int64_t health_every_steps = 100;
  std::vector<int> ranks;         // the rank grid; empty: chosen by the program
  std::string exchange = "auto";  // "auto", "mpi", "staged": how halos travel
  double log_every_seconds = 10.0;
};

}  // namespace halyard
