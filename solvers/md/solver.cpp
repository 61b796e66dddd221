#include "solvers/md/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "io/results/file.hpp"
#include "solvers/md/outputs.hpp"
#include "solvers/md/stage_lines.hpp"
#include "solvers/md/start_notes.hpp"
#include "solvers/parallel/session.hpp"

namespace halyard::md {

namespace {
constexpr std::array<const char*, 6> tensor_names{"xx", "yy", "zz", "xy", "xz", "yz"};
}  // namespace

MdSolver::MdSolver(Context& context, const MdCase& settings, System system)
    : log_(context.log),
      title_(context.plan.title),
      settings_(settings),
      dynamics_(context, settings, std::move(system)),
      blocks_(context.communicator, dynamics_.system().count) {
  for (const StageSettings& stage : settings_.stages) {
    integrators_.push_back(make_integrator(stage, dynamics_.units()));
    minimises_ = minimises_ || stage.ensemble == Ensemble::minimise;
  }
  if (const std::string trouble = dynamics_.actions().trouble(context.communicator); !trouble.empty()) {
    throw CollectiveError(context.schema.error("wall", "does not suit the start: " + trouble + ".").what(),
                          exit_code::bad_case);
  }
}

std::size_t MdSolver::stage_index() const {
  return std::min(static_cast<std::size_t>(stage_), settings_.stages.size() - 1);
}

std::optional<double> MdSolver::prescribed_dt() const {
  return stage().ensemble == Ensemble::minimise ? 0.0 : stage().dt;
}

std::optional<std::int64_t> MdSolver::last_step() const {
  std::int64_t last = step_ - stage_step_;
  for (std::size_t i = static_cast<std::size_t>(stage_); i < settings_.stages.size(); ++i) {
    last += settings_.stages[i].steps;
  }
  return last;
}

std::vector<std::unique_ptr<Output>> MdSolver::outputs(const OutputPlace& place) {
  const OutputSource source{dynamics_, blocks_, settings_, log_, title_, [this] { return stage_; }};
  std::vector<std::unique_ptr<Output>> outputs = make_outputs(source, place);
  for (std::unique_ptr<Analysis>& analysis : make_analyses(source, place)) {
    analyses_.push_back(analysis.get());
    outputs.push_back(std::move(analysis));
  }
  return outputs;
}

void MdSolver::prepare(const StepAhead& ahead) {
  time_ = ahead.time;
  const bool ends_stage = stage_step_ + 1 >= stage().steps;  // the next stage's drift starts from there
  totals_wanted_ = ahead.row_due || ends_stage ||
                   std::any_of(analyses_.begin(), analyses_.end(),
                               [&](const Analysis* analysis) { return analysis->needs_totals(ahead.step); });
}

double MdSolver::temperature() const {
  const StageSettings& s = stage();
  if (!s.temperature) {
    return 0.0;
  }
  const double end = s.temperature_end.value_or(*s.temperature);
  return *s.temperature + (end - *s.temperature) * (static_cast<double>(stage_step_) / static_cast<double>(s.steps));
}

double MdSolver::conserved(const Thermodynamics& now, std::size_t stage, double temperature) const {
  const Integrator& integrator = *integrators_[stage];
  return integrator.conserves() ? now.potential + now.kinetic + integrator.conserved_part(dynamics_, temperature) +
                                      dynamics_.actions().conserved_part()
                                : std::numeric_limits<double>::quiet_NaN();
}

void MdSolver::step(double dt) {
  if (begun_ != stage_) {
    log_.info(stage_begins(settings_, stage_index(), {.step = step_, .time = time_ - dt, .stage_step = stage_step_}));
    begun_ = stage_;
  }
  dynamics_.begin_step(stage_index(), step_ + 1, static_cast<double>(stage_step_) / static_cast<double>(stage().steps));
  if (stage_step_ == 0) {
    conserved_at_start_ =
        integrator().conserves() ? conserved(dynamics_.thermodynamics(), stage_index(), temperature()) : 0.0;
  }
  integrator().step(dynamics_, dt, step_ + 1, temperature(), totals_wanted_);
  if (stage().ensemble != Ensemble::minimise) {
    dynamics_.end_step(dt);
  }
  if (const auto outside = dynamics_.take_densities_outside()) {
    log_.warning(fmt::format(
        "step {}: the electron density of {} atom(s) is outside the table of F, which goes from 0 to {:.6g}: the "
        "largest "
        "is {:.6g}. F goes on as a straight line there. The column densities_outside of history.csv counts such atoms "
        "from now on",
        step_, outside->atoms, dynamics_.force_field().density_end(), outside->largest));
  }
  ++step_;
  ++stage_step_;
  if (stage_step_ >= stage().steps || integrator().done()) {
    log_.info(stage_ends(settings_, stage_index(), {.step = step_, .time = time_, .stage_step = stage_step_}));
    if (stage().ensemble == Ensemble::minimise) {
      end_minimisation();
      dynamics_.refuse_overlaps(false);
    }
    ++stage_;
    stage_step_ = 0;
    dynamics_.allow_overlaps(stage().ensemble == Ensemble::minimise);
  }
}

void MdSolver::end_minimisation() {
  const double largest = dynamics_.largest_force(), target = *stage().force;
  const std::string& unit = dynamics_.units().force;
  if (largest <= target) {
    log_.info(fmt::format("step {}: minimisation ended after {} steps, largest force component {:.4g} {}", step_,
                          stage_step_, largest, unit));
  } else if (integrator().done()) {
    log_.warning(
        fmt::format("step {}: the minimisation of stage {} is stuck after {} steps: the largest force component is "
                    "{:.4g} {}, above "
                    "its target, force = {} {}, and no move lowers the energy any more; a larger force ends it well",
                    step_, stage_ + 1, stage_step_, largest, unit, target, unit));
  } else {
    log_.warning(fmt::format(
        "step {}: the minimisation of stage {} has not ended within its {} steps: the largest force component is "
        "{:.4g} "
        "{}, above its target, force = {} {}. The run goes on from there; give the stage more steps, a larger dt or "
        "longest_move where the forces still fall (largest_force in history.csv), or a larger force where they do not",
        step_, stage_ + 1, stage_step_, largest, unit, target, unit));
  }
}

std::vector<HistoryColumn> MdSolver::history(double /*dt*/) {
  const Thermodynamics now = dynamics_.thermodynamics();
  const Units& units = dynamics_.units();
  const double volume = dynamics_.box().volume(), atoms = static_cast<double>(items());
  std::array<double, 6> pressure = now.pressure(volume);
  for (double& component : pressure) {
    component *= units.energy_per_volume;
  }
  const double total = now.potential + now.kinetic;
  const std::size_t of = shown_stage();
  const bool ended = of != static_cast<std::size_t>(stage_);
  const double dof = integrators_[of]->degrees_of_freedom(dynamics_);
  const StageSettings& s = settings_.stages[of];
  const double asked = ended ? s.temperature_end.value_or(s.temperature.value_or(0.0)) : temperature();
  const bool begun = stage_ > 0 || stage_step_ > 0;
  const double of_ensemble = conserved(now, of, asked), start = begun ? conserved_at_start_ : of_ensemble;
  std::vector<HistoryColumn> row{
      {"stage", "1", static_cast<double>(of + 1)},
      {"temperature", units.temperature, dof > 0.0 ? 2.0 * now.kinetic / (dof * units.boltzmann) : 0.0, "T"},
      {"pressure", units.pressure, (pressure[0] + pressure[1] + pressure[2]) / 3.0, "P"},
      {"potential_energy", units.energy, now.potential, "U"},
      {"kinetic_energy", units.energy, now.kinetic},
      {"total_energy", units.energy, total, "E"},
      {"conserved_energy", units.energy, of_ensemble},
      {"drift", units.energy + "/atom", (of_ensemble - start) / std::max(atoms, 1.0)},
      {"volume", units.length + "3", volume}};
  for (std::size_t t = 0; t < energy_term_count; ++t) {
    if (dynamics_.has(static_cast<EnergyTerm>(t))) {
      row.push_back({fmt::format("{}_energy", energy_term_names[t]), units.energy, now.energy[t]});
    }
  }
  if (minimises_) {
    row.push_back({"largest_force", units.force, dynamics_.largest_force(),
                   s.ensemble == Ensemble::minimise ? "largest force" : ""});
  }
  if (dynamics_.force_field().has(EnergyTerm::embedding)) {
    row.push_back({"densities_outside", "1", static_cast<double>(now.densities_outside)});
  }
  for (std::size_t c = 0; c < 6; ++c) {
    row.push_back({fmt::format("pressure_{}", tensor_names[c]), units.pressure, pressure[c]});
  }
  dynamics_.action_columns(row);
  return row;
}

State MdSolver::state() {
  State state;
  const auto add = [&](const std::string& name, const std::string& unit, ElementType type, auto collect, auto stash,
                       int components = 3) {
    StateArray array;
    array.name = name;
    array.unit = unit;
    array.centring = Centring::none;
    array.type = type;
    array.components = components;
    array.shape = {blocks_.count(), 1, 1};
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
          const Atoms& atoms = dynamics_.atoms();
          const auto& values = atoms.*member;
          blocks_.collect<double, double>(atoms, {values[0].data(), values[1].data(), values[2].data()},
                                          {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)});
        },
        [stash](Restored& r) -> std::vector<double>& { return r.*stash; });
  };
  const Units& units = dynamics_.units();
  add_vector("position", units.length, &Atoms::x, &Restored::x);
  add_vector("velocity", units.velocity, &Atoms::v, &Restored::v);
  add_vector("list_position", units.length, &Atoms::reference, &Restored::reference);
  add(
      "image", "1", ElementType::int64,
      [this](std::span<std::byte> bytes) {
        const Atoms& atoms = dynamics_.atoms();
        const auto& values = atoms.image;
        blocks_.collect<std::int64_t, std::int32_t>(
            atoms, {values[0].data(), values[1].data(), values[2].data()},
            {reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)});
      },
      [](Restored& r) -> std::vector<std::int64_t>& { return r.image; });
  if (dynamics_.groups().any()) {
    add(
        "groups", "1", ElementType::int64,
        [this](std::span<std::byte> bytes) {
          dynamics_.groups().collect(
              blocks_, {reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)}, {});
        },
        [](Restored& r) -> std::vector<std::int64_t>& { return r.groups; }, 1);
  }
  if (dynamics_.groups().anchors()) {
    add(
        "start_position", units.length, ElementType::float64,
        [this](std::span<std::byte> bytes) {
          dynamics_.groups().collect(blocks_, {},
                                     {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)});
        },
        [](Restored& r) -> std::vector<double>& { return r.anchor; });
  }
  state.scalars = {{"md_stage", "1", &stage_},
                   {"md_stage_step", "1", &stage_step_},
                   {"md_step", "1", &step_},
                   {"md_stage_start_energy", units.energy, &conserved_at_start_}};
  const auto append = [&](const std::vector<StateScalar>& scalars) {
    state.scalars.insert(state.scalars.end(), scalars.begin(), scalars.end());
  };
  append(dynamics_.scalars());
  for (std::size_t i = 0; i < integrators_.size(); ++i) {
    append(integrators_[i]->scalars(fmt::format("stage_{}", i + 1)));
  }
  for (Analysis* analysis : analyses_) {
    analysis->add_state(state);
  }
  return state;
}

void MdSolver::restored() {
  // Types are those of the case; all else comes from the checkpoint.
  std::vector<AtomRecord> records = dynamics_.give_up(blocks_);
  for (AtomRecord& record : records) {
    const std::size_t at = 3 * static_cast<std::size_t>(record.id - blocks_.begin());
    for (std::size_t d = 0; d < 3; ++d) {
      record.x[d] = restored_->x[at + d];
      record.v[d] = restored_->v[at + d];
      record.reference[d] = restored_->reference[at + d];
      record.image[d] = static_cast<std::int32_t>(restored_->image[at + d]);
    }
  }
  dynamics_.groups().restore(blocks_, restored_->groups, restored_->anchor);
  restored_.reset();
  go_on_in_last_stage();
  dynamics_.allow_overlaps(stage().ensemble == Ensemble::minimise);
  dynamics_.restore(std::move(records), shown_stage());
}

void MdSolver::go_on_in_last_stage() {
  const auto stages = settings_.stages.size();
  if (static_cast<std::size_t>(stage_) < stages) {
    if (stage_step_ >= stage().steps) {
      throw CollectiveError(
          fmt::format("stage {} has {} steps, but the checkpoint comes from its step {}; a stage that has "
                      "begun must not become shorter than that",
                      stage_ + 1, stage().steps, stage_step_),
          exit_code::bad_case);
    }
    return;
  }
  std::int64_t all = 0;
  bool known = true;  // how many steps the stages have taken
  for (const StageSettings& s : settings_.stages) {
    all += s.steps;
    known = known && s.ensemble != Ensemble::minimise;
  }
  const std::int64_t left = all - step_;
  if (known && left > 0 && left < settings_.stages.back().steps) {
    stage_ = static_cast<std::int64_t>(stages) - 1;
    stage_step_ = settings_.stages.back().steps - left;
    log_.note(
        fmt::format("all stages had ended at step {}; the last one is longer now and goes on to step {}", step_, all));
  } else {
    log_.note(
        fmt::format("all {} stage(s) have ended at step {}: nothing is left to run. A [[stage]] added at the end goes "
                    "on from here{}",
                    stages, step_, known ? ", or a last one with more steps" : ""));
  }
}

std::string restart_key(const CaseSchema& schema, const MdCase& settings, const System& system) {
  std::string key = fmt::format("atoms = {}\n", system.count) + schema.lines({"units", "constants", "system.periodic"});
  if (settings.system.source == Source::data) {
    key += fmt::format("contents of system.data = {:016x}\n", system.fingerprint);
  }
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    key += fmt::format("type.{}.mass = {}\n", t + 1, system.masses[t]);
  }
  std::vector<std::string> paths{
      "pair.potential",    "pair.cutoff",       "pair.mixing",     "pair.elements", "pair.file_format",
      "pair.coefficients", "pair.inner_cutoff", "pair.special_lj", "bonded",        "group"};
  for (const auto& [name, on] :
       {std::pair{"rdf", settings.analysis.rdf.on()}, std::pair{"msd", settings.analysis.msd.on()},
        std::pair{"vacf", settings.analysis.vacf.on()}, std::pair{"pressure_acf", settings.analysis.pressure_acf.on()},
        std::pair{"density_profile", settings.analysis.density_profile.on()}}) {
    if (on) {
      paths.push_back(std::string("analysis.") + name);
    }
  }
  key += schema.lines(paths, {"group.columns"});
  for (std::size_t n = 0; n < settings.pair.files.size(); ++n) {
    key += fmt::format("contents of pair.files, no. {} = {:016x}\n", n + 1,
                       fingerprint_of(read_file(settings.pair.files[n])));
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
    // Pairs are looked for in the box and the next one.
    if (system.box.periodic[d] && width < force_field.list_reach()) {
      throw context.schema.error(
          "neighbour.skin",
          fmt::format("makes lists of pairs up to {:.6g} apart (cutoff and skin), but the box is only "
                      "{:.6g} wide along {}: lists must not reach further than a periodic box is wide.",
                      force_field.list_reach(), width, "xyz"[d]));
    }
  }
  const std::string length = make_units(settings.units, settings.constants).length;
  const BrickGrid grid = make_grid(context, system.box, reach);
  check_analyses(settings, system, context.schema);
  const Actions actions(context.communicator, settings, system, context.schema);
  for (const std::string& line : unit_lines(settings, system)) {
    context.log.info(line);
  }
  const double skin = force_field.list_reach() - cutoff, near_skin = force_field.pruned_reach() - cutoff;
  context.log.info(fmt::format(
      "pairs: cutoff {:.6g} {}, skin {:.6g} {}{}{}", cutoff, length, skin, length, settings.skin ? "" : " (chosen)",
      near_skin < skin ? fmt::format(", pruned to {:.4g} {} between renewals", near_skin, length) : ""));
  for (std::size_t i = 0; i < settings.stages.size(); ++i) {
    const double move = settings.stages[i].longest_move.value_or(0.0);
    for (int d = 0; d < 3; ++d) {
      if (move > system.box.width(d)) {
        throw context.schema.error("stage", fmt::format("number {} has a longest_move of {:.6g}, but the box is only "
                                                        "{:.6g} wide along {}.",
                                                        i + 1, move, system.box.width(d), "xyz"[d]));
      }
    }
  }
  for (const std::string& note : force_field.notes()) {
    context.log.note(note);
  }
  for (const std::string& note :
       sanity_notes(settings, system, {.cutoff = force_field.cutoff(), .stiffest_bond = force_field.stiffest_bond()})) {
    context.log.note(note);
  }
  Estimate result;
  const double ranks = grid.ranks();
  const BrickVolumes volumes =
      brick_volumes({system.box.width(0), system.box.width(1), system.box.width(2)}, reach, grid);
  const double owned = static_cast<double>(system.count) / ranks;
  const double slots = 1.05 * owned * (volumes.brick > 0.0 ? volumes.with_ghosts / volumes.brick : 1.0);
  const double density = static_cast<double>(system.count) / system.box.volume();
  // Clusters of eight within reach of an atom, half of them listed: as measured for liquids.
  const auto entries = [&](double within) { return owned * (3.0 + 0.4 * density * within * within * within); };
  result.memory = {{"atoms", static_cast<std::int64_t>(slots * (12 * 8 + 3 * 4 + 8 + 4))},
                   {"pair list", static_cast<std::int64_t>(entries(force_field.list_reach()) * 4)},
                   {"pruned pair list",
                    static_cast<std::int64_t>(entries(force_field.pruned_reach()) * 4 + slots * 3 * sizeof(double))},
                   {"lists being built", static_cast<std::int64_t>(owned * (2 * sizeof(AtomRecord) + 64))}};
  if (actions.groups().any()) {
    const auto of_slot = static_cast<double>(sizeof(std::uint32_t) + (actions.groups().anchors() ? 24 : 0));
    result.memory.push_back(
        {"groups", static_cast<std::int64_t>(slots * of_slot + 2.0 * owned * sizeof(Groups::Member))});
  }
  if (const std::int64_t bytes = analysis_bytes(settings, static_cast<std::int64_t>(owned)); bytes > 0) {
    result.memory.push_back({"analyses", bytes});
  }
  result.rank_grid =
      fmt::format("{} bricks of {:.4g} x {:.4g} x {:.4g} {}", grid.text(), system.box.width(0) / grid.parts[0],
                  system.box.width(1) / grid.parts[1], system.box.width(2) / grid.parts[2], length);
  result.exchange = "host memory, direct";
  result.items = system.count;
  const std::int64_t numbers = 12 + (actions.groups().any() ? 1 : 0) + (actions.groups().anchors() ? 3 : 0);
  result.checkpoint_bytes = system.count * numbers * 8;
  std::int64_t last = 0;
  for (const StageSettings& stage : settings.stages) {
    last += stage.steps;
  }
  result.last_step = last;
  if (const auto asked = context.plan.time.steps; asked && *asked > last) {
    context.log.note(
        fmt::format("the stages end at step {}: the {} steps that are asked for change nothing", last, *asked));
  }
  const StageSettings& first = settings.stages.front();
  const bool scales = (first.ensemble == Ensemble::nvt && first.thermostat == Thermostat::velocity_rescaling) ||
                      (first.ensemble == Ensemble::npt && first.barostat == Barostat::cell_rescaling);
  if (scales && system.count > 1 && !settings.velocity.temperature && !system.has_velocities) {
    throw context.schema.error("velocity.temperature",
                               "is not given and the atoms have no velocities, which the thermostat of stage 1 would "
                               "scale. Give a temperature, or take the thermostat \"langevin\".");
  }
  const bool known = std::none_of(settings.stages.begin(), settings.stages.end(),
                                  [](const StageSettings& s) { return s.ensemble == Ensemble::minimise; });
  const std::int64_t cut = context.plan.time.steps.value_or(last);
  result.outputs =
      output_volumes(settings, system.count, known ? std::optional<std::int64_t>(std::min(last, cut)) : std::nullopt);
  return result;
}

}  // namespace halyard::md
