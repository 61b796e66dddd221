#pragma once
#include <array>
#include <memory>
#include <vector>

#include "kernels/flow/boundary.hpp"
#include "kernels/grid/field.hpp"
#include "kernels/grid/metrics.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/flow/poisson.hpp"
#include "solvers/parallel/halo_exchange.hpp"
#include "solvers/parallel/rank_grid.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/solver.hpp"

namespace halyard::flow {

/// The names that [output] may ask for.
extern const std::vector<QuantityName> kQuantityNames;

/// Incompressible Navier-Stokes by direct numerical simulation:
///   du/dt + div(u u) = -grad(p) + nu lap(u) + f,   div(u) = 0,
/// staggered second-order finite volumes, three-stage Runge-Kutta with a projection in each stage (docs/flow.md).
class FlowSolver : public Solver {
 public:
  /// Sets the initial velocity and makes it divergence-free. Collective.
  FlowSolver(Context& context, const FlowCase& settings);

  void step(double dt) override;
  double stable_dt() override;
  State state() override;
  void restored() override;
  std::vector<Quantity> quantities() override;
  std::vector<HistoryColumn> history(double dt) override;
  double relative_change(double time) override;
  const GridGeometry* grid() const override { return &geometry_; }
  std::int64_t items() const override { return settings_.cells[0] * settings_.cells[1] * settings_.cells[2]; }
  std::string item_name() const override { return "cell"; }

 private:
  void set_initial_velocity(const CaseSchema& schema);
  /// Fills what the divergence reads: the velocities on the lower faces of the first cells, and those on walls.
  void fill_lower_faces();
  /// Fills all ghosts of the velocity: periodic images and neighbours, then walls.
  void fill_velocity();
  /// Fills the ghosts of the pressure on the upper sides.
  void fill_pressure();
  /// Velocity that the projection must add so that the bulk velocities asked for hold.
  std::array<double, 3> bulk_correction();
  /// lap(pressure) = div(velocity) / dt_stage; needs fill_lower_faces().
  void solve_pressure(double dt_stage);
  std::span<double> scratch();
  void update_convective_rate();
  /// After a failed solve, on every rank. @throws CollectiveError where the cause is a dt beyond stability.
  void refuse_runaway(double dt);
  void set_zero(Field& field);
  double domain_volume() const;
  const GridMetrics& metrics() const { return metrics_.view(); }
  Range3 cells() const { return velocity_.cells(); }

  Queue& queue_;
  const Communicator& comm_;
  Log& log_;
  FlowCase settings_;
  std::array<Axis, 3> axes_;
  Decomposition decomposition_;
  GridGeometry geometry_;
  Metrics metrics_;
  std::array<OwnedEnds, 3> walls_;  // non-periodic ends of this rank's block
  Field velocity_, old_velocity_;   // [m/s] on faces; the old one is scratch between its uses
  Field rhs_;                       // [m/s2] of the stage before; scratch between steps
  Field pressure_;                  // [m2/s2] per unit density, at centres, zero mean
  HaloExchange halo_;
  PoissonSolver poisson_;
  Buffer<double> poisson_scratch_;  // only for blocks so small that old_velocity_ is not enough
  // [1/s] max |u|/dx + |v|/dy + |w|/dz, of the present velocity where rate_is_current_, else of the latest step's
  // start.
  double convective_rate_ = 0.0;
  bool rate_is_current_ = false;
  double wall_rate_ = 0.0;              // [1/s] the same of moving walls: they drag the fluid before the field knows
  double forced_rate_ = 0.0;            // [1/s2] |f_x|/dx + ... of the body force
  std::array<double, 3> bulk_force_{};  // [m/s2] mean over the latest step
  Field reference_velocity_;            // for relative_change, once asked for
  double reference_time_ = 0.0;
};

/// What the meaning of a checkpoint depends on: grid, boundaries, fluid, drive.
std::string restart_key(const FlowCase& settings, const CaseSchema& schema);

/// Memory, rank grid and volume of a case, for --check. Looks at what the initial formulas give, too. Collective.
/// @throws Error on every rank, with the key's position, for a rank grid, a file of faces, a slice or a formula that
/// does not fit.
Estimate estimate(Context& context, const FlowCase& settings);

}  // namespace halyard::flow
