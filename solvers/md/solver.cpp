#include "solvers/md/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/log/format.hpp"
#include "kernels/md/ensemble/kinetic.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/ensemble/velocities.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "kernels/md/virial.hpp"
#include "solvers/md/sums.hpp"
#include "solvers/parallel/session.hpp"

namespace halyard::md {

namespace {

constexpr std::array<const char*, 6> tensor_names{"xx", "yy", "zz", "xy", "xz", "yz"};

BrickGrid make_grid(const Context& context, const SimulationBox& box, double reach) {
  const std::array<double, 3> widths{box.width(0), box.width(1), box.width(2)};
  const std::vector<int>& ranks = context.plan.ranks;
  if (ranks.empty()) {
    return choose_brick_grid(widths, reach, context.communicator.size());
  }
  const BrickGrid grid{{ranks[0], ranks[1], ranks[2]}};
  try {
    check_brick_grid(widths, reach, grid, context.communicator.size());
  } catch (const Error& error) {
    throw context.schema.error("parallel.ranks", error.what());
  }
  return grid;
}

/// Puts the atom into the box along its periodic edges.
void wrap(const SimulationBox& box, AtomRecord& record) {
  const std::array<double, 3> f = box.fraction(record.x);
  std::array<int, 3> n{};
  for (std::size_t d = 0; d < 3; ++d) {
    n[d] = box.periodic[d] ? static_cast<int>(std::floor(f[d])) : 0;
  }
  if (n != std::array<int, 3>{0, 0, 0}) {
    const std::array<double, 3> shift = box.lattice_vector(n);
    for (std::size_t d = 0; d < 3; ++d) {
      record.x[d] -= shift[d];
      record.image[d] += n[d];
    }
  }
}

/// A copy of numbers in the memory that kernels work in.
Buffer<double> make_buffer(Queue& queue, const std::vector<double>& values, const std::string& name) {
  Buffer<double> buffer(queue, values.size(), name);
  copy_bytes(queue, buffer.data(), values.data(), values.size() * sizeof(double));
  queue.wait();
  return buffer;
}

std::vector<double> each_mass(const std::vector<double>& masses, double (*of)(double, double), double factor) {
  std::vector<double> result;
  for (const double mass : masses) {
    result.push_back(of(mass, factor));
  }
  return result;
}

}  // namespace

MdSolver::MdSolver(Context& context, const MdCase& settings, System system)
    : queue_(context.queue),
      comm_(context.communicator),
      log_(context.log),
      settings_(settings),
      system_(std::move(system)),
      units_(make_units(settings.units, settings.constants)),
      force_field_(settings, system_, context.schema),
      mass_(make_buffer(queue_,
                        each_mass(
                            system_.masses, [](double m, double mvv) { return m * mvv; }, units_.mass_velocity2),
                        "masses")),
      inverse_root_mass_(make_buffer(
          queue_,
          each_mass(
              system_.masses, [](double m, double mvv) { return 1.0 / std::sqrt(m * mvv); }, units_.mass_velocity2),
          "masses")),
      acceleration_(
          make_buffer(queue_,
                      each_mass(
                          system_.masses, [](double m, double mvv) { return 1.0 / (m * mvv); }, units_.mass_velocity2),
                      "masses")),
      domain_(comm_, make_grid(context, system_.box, force_field_.reach())),
      blocks_(comm_, system_.count),
      atoms_(queue_) {
  for (const StageSettings& stage : settings_.stages) {
    last_step_ += stage.steps;
  }
  std::vector<AtomRecord> records = std::move(system_.records);
  for (AtomRecord& record : records) {
    wrap(system_.box, record);
    record.reference = record.x;
  }
  list_pairs(std::move(records));
  if (settings_.velocity.temperature || !system_.has_velocities) {
    draw_initial_velocities();
  }
  totals_wanted_ = true;
  compute_forces();
}

const StageSettings& MdSolver::stage() const {
  std::int64_t end = 0;
  for (const StageSettings& stage : settings_.stages) {
    end += stage.steps;
    if (step_ < end) {
      return stage;
    }
  }
  return settings_.stages.back();
}

double MdSolver::degrees_of_freedom() const { return std::max(0.0, 3.0 * static_cast<double>(system_.count) - 3.0); }

void MdSolver::draw_initial_velocities() {
  const double temperature = settings_.velocity.temperature.value_or(0.0);
  const RandomStream stream(static_cast<std::uint32_t>(settings_.velocity.seed), RandomPurpose::velocities);
  const SlotGroup all = every_atom();
  const View1<const std::int32_t> type{atoms_.type.data()};
  const View1<const std::int64_t> id{atoms_.id.data()};
  const SlotVector<double> v = slot_vector(atoms_.v);
  draw_velocities(queue_, all, stream, units_.boltzmann * temperature, {inverse_root_mass_.data()}, type, id, v);
  std::array<FixedSum, 4> momentum = momentum_and_mass(queue_, all, {mass_.data()}, type, id, v);
  sum_over_ranks(comm_, momentum);
  const double mass = momentum[3].value();
  if (mass > 0.0) {
    shift_velocities(queue_, all,
                     {-momentum[0].value() / mass, -momentum[1].value() / mass, -momentum[2].value() / mass}, id, v);
  }
  std::array<FixedSum, 1> twice_kinetic{twice_kinetic_energy(queue_, all, {mass_.data()}, type, v)};
  sum_over_ranks(comm_, twice_kinetic);
  const double wanted = degrees_of_freedom() * units_.boltzmann * temperature;
  if (twice_kinetic[0].value() > 0.0 && wanted > 0.0) {
    const double factor = std::sqrt(wanted / twice_kinetic[0].value());
    scale_velocities(queue_, all, {factor, factor, factor}, v);
  }
}

void MdSolver::step(double dt) {
  const SlotVector<double> v = slot_vector(atoms_.v), x = slot_vector(atoms_.x);
  kick_drift(queue_, atoms_.owned_slots, 0.5 * dt, dt, {acceleration_.data()}, {atoms_.type.data()},
             slot_vector(std::as_const(atoms_.force)), v, x);
  if (list_expired()) {
    rebuild();
  } else {
    domain_.update_ghosts(atoms_);
  }
  compute_forces();
  kick(queue_, atoms_.owned_slots, 0.5 * dt, {acceleration_.data()}, {atoms_.type.data()},
       slot_vector(std::as_const(atoms_.force)), slot_vector(atoms_.v));
  ++step_;
}

bool MdSolver::list_expired() {
  const double moved2 =
      max_displacement_squared(queue_, atoms_.owned_slots, {atoms_.id.data()}, slot_vector(std::as_const(atoms_.x)),
                               slot_vector(std::as_const(atoms_.reference)), {});
  std::array<double, 2> worst{moved2, totals_.overlap ? 1.0 : 0.0};
  comm_.max(worst);
  if (worst[1] != 0.0) {
    stop_on_overlap();
  }
  const double skin = force_field_.skin();
  return !(worst[0] <= 0.25 * skin * skin);
}

void MdSolver::rebuild() {
  std::vector<AtomRecord> records = domain_.records(atoms_);
  for (AtomRecord& record : records) {
    wrap(system_.box, record);
    record.reference = record.x;
  }
  list_pairs(std::move(records));
}

void MdSolver::list_pairs(std::vector<AtomRecord> records) {
  const double spacing = column_spacing(static_cast<double>(system_.count), system_.box.volume());
  domain_.distribute(system_.box, force_field_.reach(), spacing, std::move(records), atoms_);
  force_field_.list(atoms_, domain_, system_.box);
}

void MdSolver::compute_forces() {
  totals_ = force_field_.compute(queue_, system_.box, totals_wanted_, domain_, atoms_);
  totals_current_ = totals_wanted_;
}

void MdSolver::stop_on_overlap() {
  throw CollectiveError(
      fmt::format("two atoms have come too close after step {}: their force is beyond {}", step_, force_limit),
      exit_code::failure);
}

Thermodynamics MdSolver::thermodynamics() {
  if (!totals_current_) {
    totals_wanted_ = true;
    compute_forces();
  }
  if (comm_.any(totals_.overlap)) {
    stop_on_overlap();
  }
  const SlotGroup all = every_atom();
  KineticTensor kinetic =
      kinetic_tensor(queue_, all, {mass_.data()}, {atoms_.type.data()}, slot_vector(std::as_const(atoms_.v)));
  sum_over_ranks(comm_, kinetic);

  constexpr std::size_t terms = energy_term_count;
  std::array<Wide, terms + 6 + 3 * host::image_count> sums{};
  std::copy(totals_.energy2.begin(), totals_.energy2.end(), sums.begin());
  const std::array<Wide, 6> products = position_force_sum(queue_, atoms_);
  std::copy(products.begin(), products.end(), sums.begin() + terms);
  for (std::size_t n = 0; n < host::image_count; ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      sums[terms + 6 + 3 * n + d] = totals_.shift_force2[n][d];
    }
  }
  sum_over_ranks(comm_, sums);

  Thermodynamics now;
  const double volume = system_.box.volume();
  for (std::size_t t = 0; t < terms; ++t) {
    now.energy[t] = 0.5 * energy_unit * static_cast<double>(sums[t]);
    now.potential += now.energy[t];
  }
  now.tail = force_field_.tail_energy(volume);
  now.potential += now.tail;
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for (std::size_t c = 0; c < 6; ++c) {
    now.kinetic_tensor[c] = kinetic[c].value();
    now.virial[c] = virial_unit * static_cast<double>(sums[terms + c]);
    for (int n = 0; n < host::image_count; ++n) {
      const std::array<double, 3> shift = system_.box.lattice_vector(host::image_of(n));
      const auto at = terms + 6 + 3 * static_cast<std::size_t>(n) + second[c];
      now.virial[c] -= shift[first[c]] * (0.5 * force_unit * static_cast<double>(sums[at]));
    }
  }
  now.kinetic = 0.5 * (now.kinetic_tensor[0] + now.kinetic_tensor[1] + now.kinetic_tensor[2]);
  return now;
}

std::vector<HistoryColumn> MdSolver::history(double /*dt*/) {
  const Thermodynamics now = thermodynamics();
  const double volume = system_.box.volume(), dof = degrees_of_freedom();
  const double tail_pressure = force_field_.tail_pressure(volume);
  std::array<double, 6> pressure{};
  for (std::size_t c = 0; c < 6; ++c) {
    pressure[c] =
        units_.energy_per_volume * ((now.kinetic_tensor[c] + now.virial[c]) / volume + (c < 3 ? tail_pressure : 0.0));
  }
  std::vector<HistoryColumn> row{
      {"temperature", units_.temperature, dof > 0.0 ? 2.0 * now.kinetic / (dof * units_.boltzmann) : 0.0},
      {"pressure", units_.pressure, (pressure[0] + pressure[1] + pressure[2]) / 3.0},
      {"potential_energy", units_.energy, now.potential},
      {"kinetic_energy", units_.energy, now.kinetic},
      {"total_energy", units_.energy, now.potential + now.kinetic},
      {"volume", units_.length + "3", volume}};
  for (std::size_t t = 0; t < energy_term_count; ++t) {
    if (force_field_.has(static_cast<EnergyTerm>(t))) {
      row.push_back({fmt::format("{}_energy", energy_term_names[t]), units_.energy, now.energy[t]});
    }
  }
  for (std::size_t c = 0; c < 6; ++c) {
    row.push_back({fmt::format("pressure_{}", tensor_names[c]), units_.pressure, pressure[c]});
  }
  return row;
}

State MdSolver::state() {
  State state;
  const auto add = [&](const std::string& name, const std::string& unit, ElementType type, auto collect, auto stash) {
    StateArray array;
    array.name = name;
    array.unit = unit;
    array.centring = Centring::none;
    array.type = type;
    array.components = 3;
    array.shape = {system_.count, 1, 1};
    array.block = {{blocks_.begin(), 0, 0}, {blocks_.end(), 1, 1}};
    array.get = [this, collect, stash](std::span<std::byte> bytes) {
      if (restored_) {
        const auto& values = stash(*restored_);
        std::memcpy(bytes.data(), values.data(), bytes.size());
      } else {
        collect(bytes);
      }
    };
    array.set = [this, stash](std::span<const std::byte> bytes) {
      if (!restored_) {
        restored_.emplace();
      }
      auto& values = stash(*restored_);
      values.resize(bytes.size() / sizeof(values[0]));
      std::memcpy(values.data(), bytes.data(), bytes.size());
    };
    state.arrays.push_back(std::move(array));
  };
  const auto add_vector = [&](const std::string& name, const std::string& unit,
                              std::array<Buffer<double>, 3> Atoms::*member, std::vector<double> Restored::*stash) {
    add(
        name, unit, ElementType::float64,
        [this, member](std::span<std::byte> bytes) {
          const auto& values = atoms_.*member;
          blocks_.collect<double, double>(atoms_, {values[0].data(), values[1].data(), values[2].data()},
                                          {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)});
        },
        [stash](Restored& r) -> std::vector<double>& { return r.*stash; });
  };
  add_vector("position", units_.length, &Atoms::x, &Restored::x);
  add_vector("velocity", units_.velocity, &Atoms::v, &Restored::v);
  add_vector("list_position", units_.length, &Atoms::reference, &Restored::reference);
  add(
      "image", "1", ElementType::int64,
      [this](std::span<std::byte> bytes) {
        const auto& values = atoms_.image;
        blocks_.collect<std::int64_t, std::int32_t>(
            atoms_, {values[0].data(), values[1].data(), values[2].data()},
            {reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)});
      },
      [](Restored& r) -> std::vector<std::int64_t>& { return r.image; });
  state.scalars.push_back({"md_step", "1", &step_});
  return state;
}

void MdSolver::restored() {
  // Types are those of the case; all else comes from the checkpoint.
  std::vector<std::vector<AtomRecord>> to_rank(static_cast<std::size_t>(comm_.size()));
  for (const AtomRecord& record : domain_.records(atoms_)) {
    to_rank[static_cast<std::size_t>(blocks_.rank_of(record.id))].push_back(record);
  }
  std::vector<AtomRecord> records = exchange_records(comm_, to_rank).records;
  for (AtomRecord& record : records) {
    const std::size_t at = 3 * static_cast<std::size_t>(record.id - blocks_.begin());
    for (std::size_t d = 0; d < 3; ++d) {
      record.x[d] = restored_->x[at + d];
      record.v[d] = restored_->v[at + d];
      record.reference[d] = restored_->reference[at + d];
      record.image[d] = static_cast<std::int32_t>(restored_->image[at + d]);
    }
  }
  restored_.reset();
  list_pairs(std::move(records));
  totals_wanted_ = true;
  compute_forces();
}

std::string restart_key(const MdCase& settings, const System& system) {
  std::string key =
      fmt::format("atoms = {}\nunits = {}\nconstants = {}\ndata file = {:016x}\n", system.count,
                  static_cast<int>(settings.units), static_cast<int>(settings.constants), system.fingerprint);
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    key += fmt::format("mass of type {} = {}\n", t + 1, system.masses[t]);
  }
  key += fmt::format("periodic = {} {} {}\n", system.box.periodic[0], system.box.periodic[1], system.box.periodic[2]);
  key += fmt::format("pair potential = {}, cutoff {}, mixing {}\n", settings.pair.potential, settings.pair.cutoff,
                     static_cast<int>(settings.pair.mixing));
  for (const PairCoefficients& pair : settings.pair.coefficients) {
    key += fmt::format("pair {} {} =", pair.types[0], pair.types[1]);
    for (const auto& [name, value] : pair.inputs) {
      key += value ? fmt::format(" {} {}", name, *value) : "";
    }
    key += pair.cutoff ? fmt::format(" cutoff {}\n", *pair.cutoff) : "\n";
  }
  return key;
}

Estimate estimate(Context& context, const MdCase& settings, const System& system) {
  const ForceField force_field(settings, system, context.schema);
  const double reach = force_field.reach(), cutoff = force_field.cutoff();
  for (int d = 0; d < 3; ++d) {
    const double width = system.box.width(d);
    if (system.box.periodic[d] && width < 2.0 * cutoff) {
      throw context.schema.error(
          "pair.cutoff",
          fmt::format("makes a cutoff of {:.6g}, but the box is only {:.6g} wide along {}: a periodic box "
                      "must be at least two cutoffs wide.",
                      cutoff, width, "xyz"[d]));
    }
  }
  const BrickGrid grid = make_grid(context, system.box, reach);
  Estimate result;
  const double ranks = grid.ranks();
  double brick = 1.0, with_ghosts = 1.0;
  for (int d = 0; d < 3; ++d) {
    const double edge = system.box.width(d) / grid.parts[d];
    brick *= edge;
    with_ghosts *= grid.parts[d] > 1 ? edge + 2.0 * reach : edge;
  }
  const double owned = static_cast<double>(system.count) / ranks;
  const double slots = 1.05 * owned * (brick > 0.0 ? with_ghosts / brick : 1.0);
  const double density = static_cast<double>(system.count) / system.box.volume();
  // Clusters of eight within reach of a cluster of four, half of them listed: as measured for liquids.
  const double entries = owned / host::rows * (10.0 + 0.5 * density * reach * reach * reach);
  result.memory = {{"atoms", static_cast<std::int64_t>(slots * (12 * 8 + 3 * 4 + 8 + 4))},
                   {"pair list", static_cast<std::int64_t>(entries * 4)},
                   {"lists being built", static_cast<std::int64_t>(owned * (2 * sizeof(AtomRecord) + 64))}};
  result.rank_grid =
      fmt::format("{} bricks of {:.4g} x {:.4g} x {:.4g} {}", grid.text(), system.box.width(0) / grid.parts[0],
                  system.box.width(1) / grid.parts[1], system.box.width(2) / grid.parts[2],
                  make_units(settings.units, settings.constants).length);
  result.exchange = "host memory, direct";
  result.items = system.count;
  result.checkpoint_bytes = system.count * 12 * 8;
  std::int64_t last = 0;
  for (const StageSettings& stage : settings.stages) {
    last += stage.steps;
  }
  result.last_step = last;
  return result;
}

}  // namespace halyard::md
