#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/results/quantity.hpp"
#include "io/results/state.hpp"

namespace halyard {

/// What the outer loop needs of a solver, and nothing else. Every call is collective over the ranks and gives the same
/// numbers on each.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  /// Advances the state by dt [s].
  virtual void step(double dt) = 0;
  /// The largest dt [s] that the present state allows under the case's limits.
  virtual double stable_dt() = 0;
  /// The arrays and scalars that a restart needs. After a restart has set them, restored() is called once.
  virtual State state() = 0;
  virtual void restored() = 0;
  /// What can be written or drawn by name.
  virtual std::vector<Quantity> quantities() = 0;
  /// The solver's own columns of the time series for the present state (the loop adds step, time, dt, wall clock,
  /// rate).
  virtual std::vector<HistoryColumn> history(double dt) = 0;
  /// Relative change of the state per unit time [1/s] since the last call (infinite at the first); for the steady stop.
  virtual double relative_change(double time) = 0;
  /// The grid that quantities and cell-centred state live on.
  virtual const GridGeometry& grid() const = 0;
  /// Work items of one step (cells, atoms) over all ranks, and what the rate counts: "Mcell/s".
  virtual std::int64_t items() const = 0;
  virtual std::string item_name() const = 0;
};

}  // namespace halyard
