#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halyard {

/// How often something is done: at the times k * every_time [s], k = 0, 1, 2, ..., which the clock hits exactly, and at
/// the steps k * every_steps. Neither given: never.
struct Cadence {
  std::optional<double> every_time;
  std::optional<std::int64_t> every_steps;
  bool any() const { return every_time.has_value() || every_steps.has_value(); }
};

/// [time]: when the run ends, and how dt is chosen. At least one of end, steps, steady is given.
struct TimePlan {
  std::optional<double> end;          // [s]
  std::optional<std::int64_t> steps;  // number of the last step, counted from the start of the first run
  std::optional<double> dt;           // [s] fixed; absent: the solver's limit
  std::optional<double> steady;       // [1/s] relative change per unit time below which the run ends
  std::int64_t steady_every_steps = 100;
};

/// [output.fields]: snapshots of whole quantities.
struct FieldsPlan {
  enum class Format { vtk, hdf5 };
  enum class Precision { float64, float32 };

  std::vector<std::string> quantities;  // names known to the program
  Cadence cadence;
  Format format = Format::vtk;
  Precision precision = Precision::float64;
};

/// One [[output.slice]]: pictures of a plane.
struct SlicePlan {
  enum class Component { x, y, z, magnitude };

  std::string quantity;
  std::optional<Component> component;  // of vectors; absent: the magnitude
  int axis = 2;                        // normal to the plane
  double position = 0.0;               // [m] along the axis
  Cadence cadence;
  std::optional<std::vector<double>> range;  // {lowest, highest}; absent: from the values
  std::string colors;
};

/// [checkpoint]
struct CheckpointPlan {
  Cadence cadence;
  std::optional<double> every_wall;  // [s] of wall-clock time
  int keep = 2;                      // generations
  bool at_end = true;                // also when the run ends, so that it can be carried on
};

/// What every run has in common, as read from the tables [time], [output], [checkpoint], [health], [parallel] and
/// [log].
struct Plan {
  std::string title;
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
