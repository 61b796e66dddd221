#include "solvers/flow/solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/flow/advance.hpp"
#include "kernels/flow/divergence.hpp"
#include "kernels/flow/project.hpp"
#include "kernels/flow/quantities.hpp"
#include "kernels/flow/statistics.hpp"
#include "kernels/grid/pack.hpp"
#include "solvers/flow/initial.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"

namespace halyard::flow {

const std::vector<QuantityName> kQuantityNames = {{"velocity", 3},    {"pressure", 1},   {"vorticity", 3},
                                                  {"q_criterion", 1}, {"divergence", 1}, {"kinetic_energy", 1},
                                                  {"dissipation", 1}};

namespace {

constexpr const char* kAxisNames[3] = {"x", "y", "z"};

Decomposition decompose(const Context& context, const FlowCase& settings) {
  const Index3 cells = settings.cells;
  const int ranks = context.communicator.size();
  RankGrid grid;
  if (context.plan.ranks.empty()) {
    grid = choose_rank_grid(cells, ranks, Field::ghost);
  } else {
    grid = {context.plan.ranks[0], context.plan.ranks[1]};
    try {
      check_rank_grid(cells, grid, ranks, Field::ghost);
    } catch (const Error& error) {
      throw context.schema.error("parallel.ranks", fmt::format("does not fit: {}.", error.what()));
    }
  }
  std::array<bool, 3> periodic{};
  for (int a = 0; a < 3; ++a) {
    periodic[a] = settings.boundary[a].lower.kind == BoundaryKind::periodic;
  }
  return {cells, periodic, grid, context.communicator.rank()};
}

std::array<OwnedEnds, 3> owned_walls(const Decomposition& decomposition, const std::array<Axis, 3>& axes) {
  std::array<OwnedEnds, 3> walls;
  for (int a = 0; a < 3; ++a) {
    if (!decomposition.periodic(a)) {
      walls[a] = {decomposition.at_lower(a), decomposition.at_upper(a), axes[a].gap(-1),
                  axes[a].gap(axes[a].cells() - 1)};
    }
  }
  return walls;
}

GridGeometry describe(const std::array<Axis, 3>& axes) {
  GridGeometry geometry;
  for (int a = 0; a < 3; ++a) {
    geometry.faces[a] = axes[a].faces;
    geometry.uniform[a] = axes[a].uniform;
  }
  return geometry;
}

/// Of the smallest and the largest cell [m].
std::array<double, 2> width_range(const Axis& axis) {
  std::array<double, 2> range{axis.smallest_width(), axis.smallest_width()};
  for (std::size_t i = 0; i + 1 < axis.faces.size(); ++i) {
    range[1] = std::max(range[1], axis.faces[i + 1] - axis.faces[i]);
  }
  return range;
}

/// nu dt (4/dx2 + 4/dy2 + 4/dz2) over the scheme's limit, smallest widths; axes of one cell do not count.
double viscous_number(const std::array<Axis, 3>& axes, double viscosity, double dt) {
  double sum = 0.0;
  for (const Axis& axis : axes) {
    if (axis.cells() > 1) {
      const double dx = axis.smallest_width();
      sum += 4.0 / (dx * dx);
    }
  }
  return viscosity * dt * sum / kRk3ViscousLimit;
}

}  // namespace

FlowSolver::FlowSolver(Context& context, const FlowCase& settings)
    : queue_(context.queue),
      comm_(context.communicator),
      log_(context.log),
      settings_(settings),
      axes_(make_axes(settings, context.schema)),
      decomposition_(decompose(context, settings)),
      geometry_(describe(axes_)),
      metrics_(queue_, axes_, decomposition_.block()),
      walls_(owned_walls(decomposition_, axes_)),
      velocity_(queue_, decomposition_.block().extents(), 3, "velocity"),
      old_velocity_(queue_, decomposition_.block().extents(), 3, "velocity of the stage before"),
      rhs_(queue_, decomposition_.block().extents(), 3, "right-hand side"),
      pressure_(queue_, decomposition_.block().extents(), 1, "pressure"),
      halo_(comm_, decomposition_, queue_, choose_exchange_path(context.plan.exchange, queue_), 3, Field::ghost),
      poisson_(queue_, comm_, decomposition_, axes_, choose_exchange_path(context.plan.exchange, queue_)) {
  for (int a = 0; a < 3; ++a) {
    forced_rate_ += std::abs(settings_.body_force[a]) / axes_[a].smallest_width();
    for (const Boundary* side : {&settings_.boundary[a].lower, &settings_.boundary[a].upper}) {
      double wall = 0.0;
      for (int c = 0; c < 3; ++c) {
        wall += std::abs(side->velocity[c]) / axes_[c].smallest_width();
      }
      wall_rate_ = std::max(wall_rate_, side->kind == BoundaryKind::no_slip ? wall : 0.0);
    }
  }
  const auto scratch_needed = static_cast<std::size_t>(poisson_.scratch_doubles());
  if (scratch_needed > old_velocity_.memory().size()) {
    poisson_scratch_ = Buffer<double>(queue_, scratch_needed, "transposes");
  }
  log_.info("Poisson solver: " + poisson_.description());
  if (const std::string advice = poisson_.size_advice(); !advice.empty()) {
    log_.note(advice);
  }
  log_.info("halo exchange: " + halo_.description());
  set_initial_velocity(context.schema);
}

void FlowSolver::step(double dt) {
  const double force[3] = {settings_.body_force[0], settings_.body_force[1], settings_.body_force[2]};
  bulk_force_ = {};
  update_convective_rate();
  rate_is_current_ = false;
  for (int stage = 0; stage < 3; ++stage) {
    const double dt_stage = kRk3[stage].fraction() * dt;
    std::swap(velocity_, old_velocity_);
    advance(queue_, metrics(), stage, dt, settings_.viscosity, force, old_velocity_.vector(), rhs_.vector(),
            velocity_.vector(), cells());  // u* = u + dt (gamma G + zeta G_old)
    fill_lower_faces();
    try {
      solve_pressure(dt_stage);  // lap(p) = div(u*) / dt_stage
    } catch (const Error&) {
      refuse_runaway(dt);  // says more than that the equation has no solution
      throw;
    }
    fill_pressure();
    const std::array<double, 3> shift = bulk_correction();
    project(queue_, metrics(), dt_stage, {shift[0], shift[1], shift[2]}, pressure_.view(), velocity_.vector(), cells());
    fill_velocity();
    for (int a = 0; a < 3; ++a) {
      bulk_force_[a] += shift[a] / dt;
    }
  }
}

std::span<double> FlowSolver::scratch() {
  return poisson_scratch_.size() > 0 ? std::span(poisson_scratch_.data(), poisson_scratch_.size())
                                     : old_velocity_.memory();
}

void FlowSolver::refuse_runaway(double dt) {
  const double before = convective_rate_;
  update_convective_rate();
  const double limit = kRk3ConvectiveLimit, number = std::max(dt * convective_rate_, dt * before);
  if (!(number <= 4.0 * limit)) {
    throw CollectiveError(
        fmt::format(
            "the velocity grows without bound: CFL {:.3g} within a step of dt = {:.4g} s, where the scheme is stable "
            "up to {:.3g}, viscous number {:.3g} of 1; take a smaller time.dt, or leave it out",
            number, dt, limit, viscous_number(axes_, settings_.viscosity, dt)),
        exit_code::failure);
  }
}

void FlowSolver::solve_pressure(double dt_stage) {
  const double f_scale = (convective_rate_ + dt_stage * forced_rate_) / dt_stage;
  if (queue_.device() == Device::host) {
    // Row by row into the first transform, while the velocity is in cache.
    struct Context {
      const GridMetrics& grid;
      double scale;
      VectorView<const double> u;
      int nx;
    } const context{metrics(), 1.0 / dt_stage, velocity_.vector(), cells().i1};
    const RowSource source{[](const void* opaque, int j, int k, double* row) {
                             const auto& c = *static_cast<const Context*>(opaque);
                             divergence_row(c.grid, c.scale, c.u, c.nx, j, k, row);
                           },
                           &context};
    poisson_.solve(source, pressure_.view(), scratch(), f_scale);
  } else {
    divergence(queue_, metrics(), 1.0 / dt_stage, velocity_.vector(), pressure_.view(), cells());
    poisson_.solve(pressure_.view(), scratch(), f_scale);
  }
}

std::array<double, 3> FlowSolver::bulk_correction() {
  std::array<double, 3> shift{};
  for (int a = 0; a < 3; ++a) {
    if (settings_.bulk_velocity[a]) {
      // The mean of u* is that of u: a periodic pressure gradient has none.
      ExactSum total = momentum(queue_, metrics(), a, velocity_.view(a), cells());
      comm_.sum(total);
      shift[a] = *settings_.bulk_velocity[a] - total.value() / domain_volume();
    }
  }
  return shift;
}

void FlowSolver::fill_lower_faces() {
  const VectorView<double> u = velocity_.vector();
  if (axes_[0].periodic) {
    const View3<double> wrapped[] = {u.x};
    wrap_x(queue_, velocity_.extents(), wrapped, Field::ghost);
  }
  const HaloField fields[] = {{u.y, side::y_lower}, {u.z, side::z_lower}};
  halo_.exchange(fields);
  for (int axis = 0; axis < 3; ++axis) {
    fill_boundary(queue_, axis, settings_.boundary[axis], walls_[axis], u, cells());
  }
}

void FlowSolver::fill_velocity() {
  const VectorView<double> u = velocity_.vector();
  // x first: its ghosts travel with the rows; then the neighbours' rows; walls in y and z last, over all ghosts.
  if (axes_[0].periodic) {
    const View3<double> wrapped[] = {u.x, u.y, u.z};
    wrap_x(queue_, velocity_.extents(), wrapped, Field::ghost);
  }
  fill_boundary(queue_, 0, settings_.boundary[0], walls_[0], u, cells());
  const HaloField fields[] = {{u.x}, {u.y}, {u.z}};
  halo_.exchange(fields);
  fill_boundary(queue_, 1, settings_.boundary[1], walls_[1], u, cells());
  fill_boundary(queue_, 2, settings_.boundary[2], walls_[2], u, cells());
}

void FlowSolver::fill_pressure() {
  const View3<double> p = pressure_.view();
  if (axes_[0].periodic) {
    const View3<double> wrapped[] = {p};
    wrap_x(queue_, pressure_.extents(), wrapped, Field::ghost);
  }
  const HaloField fields[] = {{p, side::y_upper | side::z_upper}};
  halo_.exchange(fields);
  for (int axis = 0; axis < 3; ++axis) {
    fill_zero_gradient(queue_, axis, walls_[axis], p, cells());
  }
}

void FlowSolver::set_initial_velocity(const CaseSchema& schema) {
  const InitialVelocity initial(settings_, axes_);
  const Box block = decomposition_.block();
  std::vector<double> values(static_cast<std::size_t>(block.count()));
  std::array<std::int64_t, 3> spoilt{};
  for (int c = 0; c < 3; ++c) {
    spoilt[c] = initial.fill(c, block, values);
    unpack_cells(queue_, values, velocity_.view(c), cells());
  }
  initial.require_velocity(comm_, schema, spoilt);
  fill_velocity();
  const double before = comm_.max(max_divergence(queue_, metrics(), velocity_.vector(), cells()));
  update_convective_rate();
  solve_pressure(1.0);  // any length of time: only p dt counts
  fill_pressure();
  const std::array<double, 3> shift = bulk_correction();
  project(queue_, metrics(), 1.0, {shift[0], shift[1], shift[2]}, pressure_.view(), velocity_.vector(), cells());
  fill_velocity();
  rate_is_current_ = false;
  set_zero(pressure_);
  const double after = comm_.max(max_divergence(queue_, metrics(), velocity_.vector(), cells()));
  log_.info(fmt::format("initial divergence: max |div u| = {:.3e} 1/s as given, {:.3e} 1/s projected", before, after));
  const double dt = stable_dt();
  log_.info(std::isfinite(dt) ? fmt::format("initial limits: dt = {:.6g} s by CFL {:.3g} and viscous number {:.3g}", dt,
                                            dt * convective_rate_, viscous_number(axes_, settings_.viscosity, dt))
                              : "initial limits: none on dt, the fluid is at rest without viscosity or force");
}

void FlowSolver::set_zero(Field& field) {
  const auto memory = field.memory();
  detail::set_zero(queue_, device_memory(queue_), memory.data(), memory.size_bytes());
}

void FlowSolver::update_convective_rate() {
  if (!rate_is_current_) {
    const double rate = max_convective_rate(queue_, metrics(), velocity_.vector(), cells());
    convective_rate_ = comm_.max(std::max(rate, wall_rate_));
    rate_is_current_ = true;
  }
}

double FlowSolver::stable_dt() {
  update_convective_rate();
  double dt = std::numeric_limits<double>::infinity();
  if (convective_rate_ > 0.0) {
    dt = std::min(dt, settings_.cfl / convective_rate_);
  }
  if (forced_rate_ > 0.0) {
    dt = std::min(dt, std::sqrt(settings_.cfl / forced_rate_));  // what the force adds in dt moves no further either
  }
  if (settings_.viscosity > 0.0) {
    dt = std::min(dt, settings_.viscous_limit / viscous_number(axes_, settings_.viscosity, 1.0));
  }
  return dt;
}

State FlowSolver::state() {
  State state;
  // velocity_ changes place with old_velocity_ in every stage: look it up at each call.
  const auto add = [&](const std::string& name, const std::string& unit, Centring centring, auto view) {
    StateArray array;
    array.name = name;
    array.unit = unit;
    array.centring = centring;
    array.shape = decomposition_.cells();
    array.block = decomposition_.block();
    const auto count = static_cast<std::size_t>(array.block.count());
    array.get = [this, view, count](std::span<std::byte> bytes) {
      const View3<const double> component[] = {view()};
      pack_cells(queue_, component, cells(), {reinterpret_cast<double*>(bytes.data()), count});
    };
    array.set = [this, view, count](std::span<const std::byte> bytes) {
      unpack_cells(queue_, {reinterpret_cast<const double*>(bytes.data()), count}, view(), cells());
    };
    state.arrays.push_back(std::move(array));
  };
  constexpr Centring face[3] = {Centring::face_x, Centring::face_y, Centring::face_z};
  for (int c = 0; c < 3; ++c) {
    add(fmt::format("velocity_{}", kAxisNames[c]), "m/s", face[c], [this, c] { return velocity_.view(c); });
  }
  add("pressure", "m2/s2", Centring::cell, [this] { return pressure_.view(); });
  for (int a = 0; a < 3; ++a) {
    if (settings_.bulk_velocity[a]) {
      state.scalars.push_back({fmt::format("bulk_force_{}", kAxisNames[a]), "m/s2", &bulk_force_[a]});
    }
  }
  return state;
}

void FlowSolver::restored() {
  rate_is_current_ = false;
  fill_velocity();
  fill_pressure();
}

std::vector<Quantity> FlowSolver::quantities() {
  std::vector<Quantity> list;
  // Between steps the right-hand side is free: quantities are computed there.
  const auto add = [&](const std::string& name, const std::string& unit, int components, const std::string& description,
                       auto fill) {
    Quantity quantity{name, unit, description, components, decomposition_.block(), {}};
    quantity.compute = [this, components, fill](std::span<double> values) {
      fill();
      const View3<const double> out[3] = {rhs_.view(0), rhs_.view(1), rhs_.view(2)};
      pack_cells(queue_, std::span(out, components), cells(), values);
    };
    list.push_back(std::move(quantity));
  };
  add("velocity", "m/s", 3, "velocity at cell centres",
      [this] { centred_velocity(queue_, velocity_.vector(), rhs_.vector(), cells()); });
  add("pressure", "m2/s2", 1, "pressure per unit density, zero mean",
      [this] { copy_field(queue_, pressure_.view(), rhs_.view(0), cells()); });
  add("vorticity", "1/s", 3, "curl of the velocity",
      [this] { vorticity(queue_, metrics(), velocity_.vector(), rhs_.vector(), cells()); });
  add("q_criterion", "1/s2", 1, "second invariant of the velocity gradient",
      [this] { q_criterion(queue_, metrics(), velocity_.vector(), rhs_.view(0), cells()); });
  add("divergence", "1/s", 1, "divergence of the velocity",
      [this] { divergence(queue_, metrics(), 1.0, velocity_.vector(), rhs_.view(0), cells()); });
  add("kinetic_energy", "m2/s2", 1, "|u|^2 / 2",
      [this] { kinetic_energy(queue_, velocity_.vector(), rhs_.view(0), cells()); });
  add("dissipation", "m2/s3", 1, "2 nu S_ij S_ij",
      [this] { dissipation(queue_, metrics(), settings_.viscosity, velocity_.vector(), rhs_.view(0), cells()); });
  return list;
}

double FlowSolver::domain_volume() const { return axes_[0].length() * axes_[1].length() * axes_[2].length(); }

std::vector<HistoryColumn> FlowSolver::history(double dt) {
  update_convective_rate();
  OwnedEnds walls[3] = {walls_[0], walls_[1], walls_[2]};
  const VelocityIntegrals mine = velocity_integrals(queue_, metrics(), velocity_.vector(), walls, cells());
  std::vector<ExactSum> sums = {mine.kinetic_energy, mine.strain_squared, mine.enstrophy,
                                mine.momentum[0],    mine.momentum[1],    mine.momentum[2]};
  struct WallColumn {
    std::string name;
    double factor;
  };
  std::vector<WallColumn> wall_columns;
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      const Boundary& side = upper ? settings_.boundary[axis].upper : settings_.boundary[axis].lower;
      if (side.kind != BoundaryKind::no_slip) {
        continue;
      }
      const bool owned = upper ? walls_[axis].upper : walls_[axis].lower;
      for (int c = 0; c < 3; ++c) {
        if (c != axis) {
          sums.push_back(
              owned ? wall_gradient(queue_, metrics(), axis, upper, c, side.velocity[c], velocity_.view(c), cells())
                    : ExactSum());
          const double area = domain_volume() / axes_[axis].length();
          wall_columns.push_back(
              {fmt::format("wall_shear_{}_{}_{}", kAxisNames[axis], upper ? "upper" : "lower", kAxisNames[c]),
               settings_.viscosity / area});
        }
      }
    }
  }
  comm_.sum(sums);
  const double volume = domain_volume();
  std::vector<HistoryColumn> columns = {
      {"cfl", "1", dt * convective_rate_, "CFL"},
      {"kinetic_energy", "m2/s2", sums[0].value() / volume},
      {"dissipation", "m2/s3", 2.0 * settings_.viscosity * sums[1].value() / volume},
      {"enstrophy", "1/s2", sums[2].value() / volume},
      {"max_divergence", "1/s", comm_.max(max_divergence(queue_, metrics(), velocity_.vector(), cells()))},
  };
  for (int a = 0; a < 3; ++a) {
    columns.push_back({fmt::format("bulk_velocity_{}", kAxisNames[a]), "m/s", sums[3 + a].value() / volume});
  }
  for (int a = 0; a < 3; ++a) {
    if (settings_.bulk_velocity[a]) {
      columns.push_back({fmt::format("bulk_force_{}", kAxisNames[a]), "m/s2", bulk_force_[a]});
    }
  }
  for (std::size_t w = 0; w < wall_columns.size(); ++w) {
    columns.push_back({wall_columns[w].name, "m2/s2", wall_columns[w].factor * sums[6 + w].value()});
  }
  return columns;
}

double FlowSolver::relative_change(double time) {
  const bool first = reference_velocity_.components() == 0;
  double change = 0.0, largest = 0.0;
  if (first) {
    reference_velocity_ = Field(queue_, velocity_.extents(), 3, "velocity at the last steady check");
  } else {
    for (int c = 0; c < 3; ++c) {
      change = std::max(change, max_difference(queue_, velocity_.view(c), reference_velocity_.view(c), cells()));
      largest = std::max(largest, max_magnitude(queue_, velocity_.view(c), cells()));
    }
  }
  for (int c = 0; c < 3; ++c) {
    copy_field(queue_, velocity_.view(c), reference_velocity_.view(c), cells());
  }
  change = comm_.max(change);
  largest = comm_.max(largest);
  const double elapsed = time - reference_time_;
  reference_time_ = time;
  if (first || elapsed <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  return largest > 0.0 ? change / (largest * elapsed) : 0.0;
}

std::string restart_key(const FlowCase& settings, const CaseSchema& schema) {
  std::string key = schema.lines({"domain.cells", "domain.length", "domain.origin", "boundary", "fluid", "drive"});
  const std::array<Axis, 3> axes = make_axes(settings, schema);
  for (int a = 0; a < 3; ++a) {
    // The faces enter as a 64-bit FNV-1a of their bits, whatever file or stretching they come from.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const double face : axes[a].faces) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &face, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3U;
    }
    key += fmt::format("hash of the faces along {} = {:016x}\n", kAxisNames[a], hash);
  }
  return key;
}

Estimate estimate(Context& context, const FlowCase& settings) {
  const Decomposition decomposition = decompose(context, settings);
  std::array<Axis, 3> axes;
  // Reads a file of faces, which may fail on one rank alone.
  on_every_rank(context.communicator, exit_code::bad_case, [&] { axes = make_axes(settings, context.schema); });
  const Index3 largest = decomposition.block(0).extents();  // part 0 is never smaller than another
  const std::int64_t field = 8 * Field::elements(largest);
  for (std::size_t i = 0; i < context.plan.slices.size(); ++i) {
    const SlicePlan& slice = context.plan.slices[i];
    const auto& faces = axes[static_cast<int>(slice.axis)].faces;
    if (slice.position < faces.front() || slice.position > faces.back()) {
      throw context.schema.error(
          "output.slice", fmt::format("no. {}: position is {} m, outside the box, which reaches from {} m to {} m.",
                                      i + 1, slice.position, faces.front(), faces.back()));
    }
  }
  if (context.plan.time.dt && (context.schema.given("time.cfl") || context.schema.given("time.viscous_limit"))) {
    context.log.note("dt is fixed by time.dt: time.cfl and time.viscous_limit only decide when to warn at the start");
  }
  if (context.plan.time.dt && viscous_number(axes, settings.viscosity, *context.plan.time.dt) > 1.0) {
    context.log.warning(fmt::format("the fixed time.dt = {} s is {:.2f} times the viscous stability limit of this grid",
                                    *context.plan.time.dt,
                                    viscous_number(axes, settings.viscosity, *context.plan.time.dt)));
  }
  const InitialVelocity initial(settings, axes);
  std::array<std::int64_t, 3> spoilt{};
  for (int c = 0; c < 3; ++c) {
    spoilt[c] = initial.fill(c, decomposition.block(), {});
  }
  initial.require_velocity(context.communicator, context.schema, spoilt);
  Estimate estimate;
  estimate.memory = {{"velocity", 3 * field},
                     {"velocity of the stage before", 3 * field},
                     {"right-hand side", 3 * field},
                     {"pressure", field}};
  if (context.plan.time.steady) {
    estimate.memory.push_back({"velocity at the last steady check", 3 * field});
  }
  estimate.rank_grid = fmt::format("{} x {} along y, z; largest block {} x {} x {} cells", decomposition.grid().py,
                                   decomposition.grid().pz, largest[0], largest[1], largest[2]);
  estimate.exchange = choose_exchange_path(context.plan.exchange, context.queue) == ExchangePath::direct
                          ? "direct"
                          : "staged through pinned host memory";
  for (int a = 0; a < 3; ++a) {
    const auto widths = width_range(axes[a]);
    estimate.remarks.push_back(
        axes[a].uniform ? fmt::format("cells along {}: {} of {:.6g} m", kAxisNames[a], axes[a].cells(), widths[0])
                        : fmt::format("cells along {}: {}, from {:.6g} m to {:.6g} m", kAxisNames[a], axes[a].cells(),
                                      widths[0], widths[1]));
  }
  estimate.cells = settings.cells;
  estimate.items = settings.cells[0] * settings.cells[1] * settings.cells[2];
  estimate.checkpoint_bytes = 4 * 8 * estimate.items;
  return estimate;
}

}  // namespace halyard::flow
