#include "solvers/md/dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "kernels/device/profile.hpp"
#include "kernels/md/ensemble/minimise.hpp"
#include "kernels/md/ensemble/stretch.hpp"
#include "kernels/md/ensemble/velocities.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "kernels/md/virial.hpp"
#include "solvers/md/fast_atom.hpp"
#include "solvers/md/sums.hpp"
#include "solvers/parallel/session.hpp"

namespace halyard::md {

bool wrap(const SimulationBox& box, AtomRecord& record) {
  // Whole boxes are counted in 32 bits.
  constexpr double farthest = 0x1p20;
  constexpr std::int32_t most_images = 1 << 30;
  const std::array<double, 3> f = box.fraction(record.x);
  std::array<int, 3> n{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.periodic[d]) {
      if (!(std::abs(f[d]) <= farthest)) {
        return false;
      }
      n[d] = static_cast<int>(std::floor(f[d]));
    }
  }
  if (n != std::array<int, 3>{0, 0, 0}) {
    const std::array<double, 3> shift = box.lattice_vector(n);
    for (std::size_t d = 0; d < 3; ++d) {
      record.x[d] -= shift[d];
      record.image[d] += n[d];
    }
  }
  return std::all_of(record.image.begin(), record.image.end(),
                     [](std::int32_t images) { return std::abs(images) <= most_images; });
}

namespace {

// A pruning costs about half as much as one use of the whole list, and saves a quarter of each.
constexpr int least_steps_pruned = 2;

/// of(mass in the units of energy) for each type, in the memory that kernels work in.
Buffer<double> make_masses(Queue& queue, const System& system, const Units& units, double (*of)(double)) {
  std::vector<double> values;
  for (const double mass : system.masses) {
    values.push_back(of(mass * units.mass_velocity2));
  }
  Buffer<double> buffer(queue, values.size(), "masses");
  copy_bytes(queue, buffer.data(), values.data(), values.size() * sizeof(double));
  queue.wait();
  return buffer;
}

}  // namespace

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

Dynamics::Dynamics(Context& context, const MdCase& settings, System system)
    : queue_(context.queue),
      comm_(context.communicator),
      system_(std::move(system)),
      box_(system_.box),
      reference_box_(system_.box),
      start_box_(system_.box),
      units_(make_units(settings.units, settings.constants)),
      force_field_(settings, system_, context.schema),
      mass_(make_masses(queue_, system_, units_, [](double m) { return m; })),
      inverse_root_mass_(make_masses(queue_, system_, units_, [](double m) { return 1.0 / std::sqrt(m); })),
      acceleration_(make_masses(queue_, system_, units_, [](double m) { return 1.0 / m; })),
      domain_(comm_, make_grid(context, box_, force_field_.reach())),
      atoms_(queue_),
      actions_(comm_, settings, system_, context.schema),
      overlaps_allowed_(!settings.stages.empty() && settings.stages.front().ensemble == Ensemble::minimise) {
  std::vector<AtomRecord> records = std::move(system_.records);
  put_into_box(records);
  list_pairs(std::move(records));
  if (actions_.any()) {
    actions_.select(view(), 0);
  }
  if (settings.velocity.temperature || !system_.has_velocities) {
    draw_velocities(settings.velocity.temperature.value_or(0.0), settings.velocity.seed);
  }
  compute_forces(true);
}

void Dynamics::draw_velocities(double temperature, std::int64_t seed) {
  const RandomStream stream(static_cast<std::uint32_t>(seed), RandomPurpose::velocities);
  const SlotVector<double> v = slot_vector(atoms_.v);
  md::draw_velocities(queue_, every_atom(), stream, thermal_energy(temperature), masses().inverse_root_mass, type(),
                      id(), v);
  actions_.remove_momentum(view());
  const double drawn = twice_kinetic(), wanted = degrees_of_freedom() * thermal_energy(temperature);
  if (drawn > 0.0 && wanted > 0.0) {
    scale_velocities(std::sqrt(wanted / drawn));
  }
}

void Dynamics::begin_step(std::size_t stage, std::int64_t step, double progress) {
  step_ = step;
  progress_ = progress;
  if (actions_.any() && stage != actions_.stage()) {
    actions_.select(view(), stage);
    compute_forces(true);
  }
}

void Dynamics::end_step(double dt) { actions_.end_step(view(), dt); }

void Dynamics::kick(double dt) {
  md::kick(queue_, atoms_.owned_slots, dt, masses().acceleration, type(), slot_vector(std::as_const(atoms_.force)),
           slot_vector(atoms_.v));
}

void Dynamics::kick_drift(double dt_kick, double dt_drift) {
  if (actions_.split_drift(false)) {
    kick(dt_kick);
    drift(0.5 * dt_drift);
    actions_.noise(view(), dt_drift);
    drift(0.5 * dt_drift);
    return;
  }
  md::kick_drift(queue_, atoms_.owned_slots, dt_kick, dt_drift, masses().acceleration, type(),
                 slot_vector(std::as_const(atoms_.force)), slot_vector(atoms_.v), slot_vector(atoms_.x));
}

void Dynamics::drift(double dt) {
  md::drift(queue_, atoms_.owned_slots, dt, slot_vector(std::as_const(atoms_.v)), slot_vector(atoms_.x));
}

void Dynamics::scale_velocities(double factor) {
  md::scale_velocities(queue_, every_atom(), {factor, factor, factor}, slot_vector(atoms_.v));
}

double Dynamics::langevin_kick_drift(double dt, const LangevinNoise& noise, const RandomStream& stream,
                                     std::int64_t step) {
  std::array<FixedSum, 1> heat{FixedSum(kinetic_bits)};
  if (actions_.split_drift(true)) {
    kick(0.5 * dt);
    drift(0.5 * dt);
    md::langevin_noise(queue_, actions_.bath(view()), noise, stream, step, masses(), type(), id(),
                       slot_vector(atoms_.v), heat[0]);
    actions_.noise(view(), dt);
    drift(0.5 * dt);
    sum_over_ranks(comm_, heat);
    require_counted(view(), heat);
    return heat[0].value();
  }
  md::langevin_kick_drift(queue_, actions_.bath(view()), dt, noise, stream, step, masses(), type(), id(),
                          slot_vector(std::as_const(atoms_.force)), slot_vector(atoms_.v), slot_vector(atoms_.x),
                          heat[0]);
  sum_over_ranks(comm_, heat);
  require_counted(view(), heat);
  return heat[0].value();
}

AxisMap Dynamics::stretch(const std::array<double, 3>& factor) {
  // About the middle of the box, so that neither side is special.
  const SimulationBox old = box_;
  AxisMap map;
  const std::array<double, 3> middle = old.position({0.5, 0.5, 0.5});
  for (std::size_t a = 0; a < 3; ++a) {
    map.factor[a] = factor[a];
    map.shift[a] = (1.0 - factor[a]) * middle[a];
    box_.length[a] = factor[a] * old.length[a];
    box_.origin[a] = factor[a] * old.origin[a] + map.shift[a];
  }
  box_.xy = factor[0] * old.xy;
  box_.xz = factor[0] * old.xz;
  box_.yz = factor[1] * old.yz;
  check_box();
  return map;
}

void Dynamics::rescale_and_drift(double dt, const std::array<double, 3>& factor) {
  const AxisMap map = stretch(factor);
  md::rescale_and_drift(queue_, atoms_.owned_slots, dt, map, slot_vector(atoms_.v), slot_vector(atoms_.x));
}

void Dynamics::kick_in_changing_box(const std::array<double, 3>& factor, const std::array<double, 3>& weight) {
  md::kick_in_changing_box(queue_, atoms_.owned_slots, factor, weight, masses().acceleration, type(),
                           slot_vector(std::as_const(atoms_.force)), slot_vector(atoms_.v));
}

void Dynamics::drift_in_changing_box(const std::array<double, 3>& factor, const std::array<double, 3>& weight) {
  const AxisMap map = stretch(factor);
  md::drift_in_changing_box(queue_, atoms_.owned_slots, map, weight, slot_vector(std::as_const(atoms_.v)),
                            slot_vector(atoms_.x));
}

void Dynamics::new_forces(bool totals) {
  actions_.move(view());
  const ListState list = list_state();
  if (list == ListState::expired) {
    rebuild();
  } else {
    domain_.update_ghosts(atoms_);
    ++steps_since_pruning_;
    if (list == ListState::to_be_pruned) {
      steps_since_pruning_ < least_steps_pruned ? force_field_.take_whole_list() : prune_list();
    }
  }
  compute_forces(totals);
}

void Dynamics::put_into_box(std::vector<AtomRecord>& records) {
  std::int64_t outside = system_.count;
  std::string where;
  const auto stop_at = [&](const AtomRecord& record, const std::string& what) {
    if (record.id < outside) {
      outside = record.id;
      where = fmt::format("atom {} {}: it is at ({}, {}, {}) {} with the velocity ({}, {}, {}) {}, in step {}",
                          system_.user_id(record.id), what, record.x[0], record.x[1], record.x[2], units_.length,
                          record.v[0], record.v[1], record.v[2], units_.velocity, step_);
    }
  };
  for (AtomRecord& record : records) {
    const bool counted = wrap(box_, record);
    record.reference = record.x;
    const std::array<double, 3> f = box_.fraction(record.x);
    for (std::size_t d = 0; d < 3; ++d) {
      if (!box_.periodic[d] && !(f[d] >= 0.0 && f[d] <= 1.0)) {
        stop_at(record,
                fmt::format("has left the box, which does not repeat along {} (a shorter dt may help)", "xyz"[d]));
      }
    }
    if (!counted) {
      stop_at(record, "has gone further than can be counted in boxes (a shorter dt may help)");
    }
  }
  const std::int64_t first = comm_.min(outside);
  if (first < system_.count) {
    const int from = comm_.first(first == outside);
    comm_.broadcast(where, from);
    throw CollectiveError(where, exit_code::failure);
  }
}

Dynamics::ListState Dynamics::list_state() {
  const FormerPositions at_listing{slot_vector(std::as_const(atoms_.reference)), change_of_box(reference_box_, box_)};
  const FormerPositions at_pruning = force_field_.pruned() ? force_field_.at_pruning(box_) : at_listing;
  const std::array<double, 2> moved2 = max_displacements_squared(
      queue_, atoms_.owned_slots, id(), slot_vector(std::as_const(atoms_.x)), {at_listing, at_pruning});
  std::array<double, 4> worst{moved2[0], moved2[1], totals_.overlap ? 1.0 : 0.0,
                              totals_.densities_outside > 0 ? 1.0 : 0.0};
  comm_.max(worst);
  if (overlap_is_fatal(worst[2] != 0.0)) {
    stop_on_overlap();
  }
  if (worst[3] != 0.0 && !densities_told_) {
    densities_told_ = true;
    densities_outside_ = {comm_.sum(totals_.densities_outside), comm_.max(totals_.largest_density)};
  }
  const auto within = [](double move2, double spare) { return spare > 0.0 && move2 <= spare * spare; };
  if (!within(worst[0], spare_move(force_field_.list_reach(), force_field_.cutoff(), at_listing.map))) {
    return ListState::expired;
  }
  return force_field_.pruned() && !within(worst[1], force_field_.spare_since_pruning(box_)) ? ListState::to_be_pruned
                                                                                            : ListState::valid;
}

void Dynamics::rebuild() {
  reference_box_ = box_;
  std::vector<AtomRecord> records = domain_.records(atoms_);
  put_into_box(records);
  list_pairs(std::move(records));
}

void Dynamics::list_pairs(std::vector<AtomRecord> records) {
  static KernelRecord& record = kernel_record("DistributeAtoms", {.bytes = 0, .flops = 0});
  const double spacing = column_spacing(static_cast<double>(system_.count), reference_box_.volume());
  {
    const KernelTimer timer(record, static_cast<std::int64_t>(records.size()));
    const std::vector<int> owner = domain_.owners(reference_box_, records);
    force_field_.follow(domain_, records, owner);
    actions_.follow(comm_, records, owner);
    domain_.distribute(reference_box_, force_field_.reach(), spacing, std::move(records), owner, atoms_);
  }
  force_field_.list(atoms_, domain_, reference_box_);
  actions_.place(queue_, atoms_);
  prune_list();
}

void Dynamics::prune_list() {
  if (force_field_.pruned_reach() < force_field_.list_reach()) {
    force_field_.prune(queue_, box_, atoms_);
  }
  steps_since_pruning_ = 0;
}

std::vector<AtomRecord> Dynamics::give_up(const IdBlocks& blocks) {
  const std::vector<AtomRecord> records = domain_.records(atoms_);
  std::vector<int> owner;
  for (const AtomRecord& record : records) {
    owner.push_back(blocks.rank_of(record.id));
  }
  force_field_.follow(domain_, records, owner);
  actions_.follow(comm_, records, owner);
  return blocks.to_blocks(records);
}

void Dynamics::restore(std::vector<AtomRecord> records, std::size_t stage) {
  list_pairs(std::move(records));
  if (actions_.any()) {
    actions_.select(view(), stage);
  }
  compute_forces(true);
}

void Dynamics::compute_forces(bool totals) {
  totals_ = force_field_.compute(queue_, box_, totals, overlaps_allowed_, domain_, atoms_);
  if (actions_.any()) {
    if (totals) {
      inner_products_ = position_force_sum(queue_, atoms_);
    }
    actions_.add_forces(view(), totals, totals_);
  }
  totals_current_ = totals;
}

void Dynamics::check_box() {
  for (int d = 0; d < 3; ++d) {
    const double width = box_.width(d);
    if (box_.periodic[static_cast<std::size_t>(d)] && !(width >= 2.0 * force_field_.cutoff())) {
      throw CollectiveError(fmt::format("the box has shrunk to {:.6g} along {}, below two cutoffs of {:.6g}", width,
                                        "xyz"[d], force_field_.cutoff()),
                            exit_code::failure);
    }
    if (box_.periodic[static_cast<std::size_t>(d)] && width < force_field_.list_reach()) {
      throw CollectiveError(fmt::format("the box has shrunk to {:.6g} along {}, below cutoff and skin of {:.6g}", width,
                                        "xyz"[d], force_field_.list_reach()),
                            exit_code::failure);
    }
    if (domain_.grid().parts[static_cast<std::size_t>(d)] > 1 &&
        width / domain_.grid().parts[static_cast<std::size_t>(d)] < force_field_.reach()) {
      throw CollectiveError(
          fmt::format("the box has shrunk to {:.6g} along {}, which is cut in {}: a rank's part is now "
                      "thinner than cutoff and skin, {:.6g}; go on with fewer ranks",
                      width, "xyz"[d], domain_.grid().parts[static_cast<std::size_t>(d)], force_field_.reach()),
          exit_code::failure);
    }
  }
}

bool Dynamics::overlap_is_fatal(bool overlap) const {
  return overlap &&
         !(overlaps_allowed_ && force_field_.broken_term(domain_).empty() && actions_.trouble(comm_).empty());
}

void Dynamics::refuse_overlaps(bool equal) {
  if (comm_.any(totals_.overlap) && !(equal && comm_.min(force_field_.closest_pair(atoms_, box_).share) > 0.0)) {
    stop_on_overlap();
  }
}

void Dynamics::stop_on_overlap() {
  if (const std::string trouble = actions_.trouble(comm_); !trouble.empty()) {
    throw CollectiveError(trouble, exit_code::failure);
  }
  if (const std::string broken = force_field_.broken_term(domain_); !broken.empty()) {
    throw CollectiveError("the " + broken + " is stretched or bent beyond what its potential allows",
                          exit_code::failure);
  }
  domain_.update_ghosts(atoms_);  // atoms may have moved on since
  const host::ClosestPair mine = force_field_.closest_pair(atoms_, box_);
  const double share = comm_.min(mine.share);
  std::string who = "two atoms";
  if (std::isfinite(share)) {
    // Of all ranks that know a pair as close, the smallest ids.
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::int64_t first = comm_.min(mine.share == share ? mine.ids[0] : none);
    const bool known = mine.share == share && mine.ids[0] == first;
    const std::int64_t second = comm_.min(known ? mine.ids[1] : none);
    const double r2 = comm_.min(known && mine.ids[1] == second ? mine.r2 : HUGE_VAL);
    who = fmt::format("atoms {} and {}, {:.6g} {} apart,", system_.user_id(first), system_.user_id(second),
                      std::sqrt(r2), units_.length);
  }
  if (overlaps_allowed_) {
    throw CollectiveError(share == 0.0 ? fmt::format("{} are at the same place, where no force takes them apart", who)
                                       : fmt::format("{} are still too close at the end of the minimisation; more "
                                                     "steps, or a larger longest_move, may take them apart",
                                                     who),
                          exit_code::failure);
  }
  throw CollectiveError(fmt::format("{} have come so close that their force is beyond {} {}; a smaller dt, or a stage "
                                    "with ensemble = \"minimise\" before, may help",
                                    who, force_limit, units_.force),
                        exit_code::failure);
}

double Dynamics::twice_kinetic(const SlotGroup& group) { return md::twice_kinetic(view(), group); }

double Dynamics::twice_kinetic() { return twice_kinetic(every_atom()); }

double Dynamics::bath_twice_kinetic() { return twice_kinetic(actions_.bath(view())); }

void Dynamics::scale_bath(double factor) {
  md::scale_velocities(queue_, actions_.bath(view()), {factor, factor, factor}, slot_vector(atoms_.v));
}

std::array<double, 6> Dynamics::kinetic_tensor() {
  KineticTensor sums =
      md::kinetic_tensor(queue_, every_atom(), masses().mass, type(), slot_vector(std::as_const(atoms_.v)));
  sum_over_ranks(comm_, sums);
  require_counted(view(), sums);
  std::array<double, 6> tensor{};
  for (std::size_t c = 0; c < 6; ++c) {
    tensor[c] = sums[c].value();
  }
  return tensor;
}

Thermodynamics Dynamics::thermodynamics() {
  if (!totals_current_) {
    compute_forces(true);
  }
  if (overlap_is_fatal(comm_.any(totals_.overlap))) {
    stop_on_overlap();
  }
  constexpr std::size_t terms = energy_term_count;
  constexpr std::size_t images = 3 * host::image_count;
  std::array<Wide, terms + 6 + images + 6 + 1> sums{};
  sums.back() = totals_.densities_outside;
  std::copy(totals_.energy2.begin(), totals_.energy2.end(), sums.begin());
  // Forces of actions have a virial of their own, or none; frozen atoms count as others do.
  const std::array<Wide, 6> products = actions_.any() ? inner_products_ : position_force_sum(queue_, atoms_);
  std::copy(products.begin(), products.end(), sums.begin() + terms);
  for (std::size_t n = 0; n < host::image_count; ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      sums[terms + 6 + 3 * n + d] = totals_.shift_force2[n][d];
    }
  }
  for (std::size_t c = 0; c < 6; ++c) {
    sums[terms + 6 + images + c] = actions_.virial()[c].units();
  }
  sum_over_ranks(comm_, sums);

  Thermodynamics now;
  for (std::size_t t = 0; t < terms; ++t) {
    now.energy[t] = 0.5 * energy_unit * static_cast<double>(sums[t]);
    now.potential += now.energy[t];
  }
  now.densities_outside = static_cast<std::int64_t>(sums.back());
  now.tail = force_field_.tail_energy(box_.volume());
  now.potential += now.tail;
  now.kinetic_tensor = kinetic_tensor();
  now.kinetic = 0.5 * (now.kinetic_tensor[0] + now.kinetic_tensor[1] + now.kinetic_tensor[2]);
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for (std::size_t c = 0; c < 6; ++c) {
    now.virial[c] = virial_unit * static_cast<double>(sums[terms + c]);
    // A pair over a side counts under its image, or the opposite image, or half under each, as the ranks happen to
    // lie: only the difference of the two is the same on any number of ranks.
    for (int n = 0; n < host::image_count / 2; ++n) {
      const int opposite = host::image_count - 1 - n;
      const std::array<double, 3> shift = box_.lattice_vector(host::image_of(n));
      const auto sum_of = [&](int image) { return sums[terms + 6 + 3 * static_cast<std::size_t>(image) + second[c]]; };
      now.virial[c] -= shift[first[c]] * (0.5 * force_unit * static_cast<double>(sum_of(n) - sum_of(opposite)));
    }
    now.virial[c] += energy_unit * static_cast<double>(sums[terms + 6 + images + c]);
    now.virial[c] += c < 3 ? force_field_.tail_pressure(box_.volume()) * box_.volume() : 0.0;
  }
  return now;
}

BoxLoad Dynamics::load() {
  const Thermodynamics now = thermodynamics();
  return {{now.kinetic_tensor[0], now.kinetic_tensor[1], now.kinetic_tensor[2]},
          {now.virial[0], now.virial[1], now.virial[2]},
          box_.volume()};
}

std::array<double, 3> Dynamics::minimiser_sums() {
  const auto force = slot_vector(std::as_const(atoms_.force));
  const auto v = slot_vector(std::as_const(atoms_.v));
  const double largest_force = comm_.max(max_force_component(queue_, atoms_.owned_slots, force));
  MinimiserSums sums = md::minimiser_sums(queue_, atoms_.owned_slots, largest_force,
                                          comm_.max(max_speed(queue_, atoms_.owned_slots, v)), force, v);
  sum_over_ranks(comm_, sums.sum);
  return sums.values();
}

double Dynamics::largest_speed() {
  return comm_.max(max_speed(queue_, atoms_.owned_slots, slot_vector(std::as_const(atoms_.v))));
}

double Dynamics::largest_force() {
  return comm_.max(max_force_component(queue_, atoms_.owned_slots, slot_vector(std::as_const(atoms_.force))));
}

void Dynamics::step_back(double time) {
  md::step_back(queue_, atoms_.owned_slots, time, slot_vector(atoms_.v), slot_vector(atoms_.x));
}

void Dynamics::steer(double dt, double keep, double steer) {
  md::steer(queue_, atoms_.owned_slots, dt, keep, steer, masses().acceleration, type(),
            slot_vector(std::as_const(atoms_.force)), slot_vector(atoms_.v));
}

void Dynamics::stop_atoms() { scale_velocities(0.0); }

std::vector<StateScalar> Dynamics::scalars() {
  std::vector<StateScalar> scalars;
  const auto add = [&](const std::string& name, SimulationBox& box) {
    for (std::size_t d = 0; d < 3; ++d) {
      scalars.push_back({fmt::format("{}_origin_{}", name, "xyz"[d]), units_.length, &box.origin[d]});
      scalars.push_back({fmt::format("{}_length_{}", name, "xyz"[d]), units_.length, &box.length[d]});
    }
    scalars.push_back({name + "_tilt_xy", units_.length, &box.xy});
    scalars.push_back({name + "_tilt_xz", units_.length, &box.xz});
    scalars.push_back({name + "_tilt_yz", units_.length, &box.yz});
  };
  add("box", box_);
  add("list_box", reference_box_);
  if (actions_.groups().anchors()) {
    add("start_box", start_box_);
  }
  for (const StateScalar& scalar : actions_.scalars()) {
    scalars.push_back(scalar);
  }
  return scalars;
}

}  // namespace halyard::md
