#include "solvers/md/action_thermostat.hpp"

#include <utility>

#include "kernels/md/ensemble/langevin.hpp"
#include "kernels/md/ensemble/nose_hoover.hpp"
#include "kernels/md/ensemble/velocities.hpp"
#include "kernels/md/ensemble/velocity_rescaling.hpp"
#include "solvers/md/action.hpp"
#include "solvers/md/chain_scalars.hpp"
#include "solvers/md/fast_atom.hpp"
#include "solvers/md/sums.hpp"

namespace halyard::md {

namespace {

class GroupThermostat : public Action {
 public:
  GroupThermostat(std::uint32_t mask, const GroupThermostatSettings& settings) : Action(mask), settings_(settings) {}

  /// The group gives and takes momentum.
  std::array<bool, 3> breaks_momentum() const override { return {true, true, true}; }
  bool is_thermostat() const override { return true; }
  double conserved_part() const override { return -heat_; }
  std::vector<StateScalar> scalars(const std::string& name) override { return {{name + "_heat", "energy", &heat_}}; }

 protected:
  double thermal_energy(const ActionView& view) const {
    const double from = settings_.temperature, to = settings_.temperature_end.value_or(from);
    return view.units.boltzmann * (from + (to - from) * view.progress);
  }

  GroupThermostatSettings settings_;
  double heat_ = 0.0;  // that the atoms took up
};

/// Friction and noise in the middle of a step, BAOAB.
class GroupLangevin : public GroupThermostat {
 public:
  using GroupThermostat::GroupThermostat;

  bool has_noise() const override { return true; }
  void noise(const ActionView& view, double dt) override {
    const LangevinNoise noise(1.0 / settings_.temperature_time, dt, thermal_energy(view));
    // Numbers belong to atoms, and no atom has two thermostats.
    const RandomStream stream(static_cast<std::uint32_t>(settings_.seed), RandomPurpose::langevin);
    std::array<FixedSum, 1> heat{FixedSum(kinetic_bits)};
    langevin_noise(view.queue, view.group(mask()), noise, stream, view.step, view.masses, view.type(), view.id(),
                   slot_vector(view.atoms.v), heat[0]);
    sum_over_ranks(view.comm, heat);
    require_counted(view, heat);
    heat_ += 0.5 * heat[0].value();
  }
};

/// A Nose-Hoover chain after a step: by a whole step at once, which is the half steps of two neighbouring steps
/// together.
class GroupNoseHoover : public GroupThermostat {
 public:
  GroupNoseHoover(std::uint32_t mask, const GroupThermostatSettings& settings)
      : GroupThermostat(mask, settings), chain_(settings.chain_length, settings.temperature_time) {}

  void end_step(const ActionView& view, double dt, double dof) override {
    if (!(dof > 0.0)) {
      return;
    }
    const double thermal = thermal_energy(view);
    const double factor = chain_.advance(dt, twice_kinetic(view, view.group(mask())), dof, thermal);
    scale_velocities(view.queue, view.group(mask()), {factor, factor, factor}, slot_vector(view.atoms.v));
    heat_ = -chain_.energy(dof, thermal);
  }
  std::vector<StateScalar> scalars(const std::string& name) override {
    std::vector<StateScalar> scalars = GroupThermostat::scalars(name);
    const std::vector<StateScalar> chain = chain_scalars(name + "_chain", chain_);
    scalars.insert(scalars.end(), chain.begin(), chain.end());
    return scalars;
  }

 private:
  NoseHooverChain chain_;
};

/// Stochastic velocity rescaling after a step.
class GroupRescaling : public GroupThermostat {
 public:
  GroupRescaling(std::uint32_t mask, const GroupThermostatSettings& settings, int number)
      : GroupThermostat(mask, settings), number_(number) {}

  void end_step(const ActionView& view, double dt, double dof) override {
    // Item 0 is the stage's thermostat.
    RandomSequence random(RandomStream(static_cast<std::uint32_t>(settings_.seed), RandomPurpose::velocity_rescale),
                          view.step, number_);
    VelocityRescaling rescaling{settings_.temperature_time, heat_};
    const double factor =
        rescaling.advance(dt, 0.5 * twice_kinetic(view, view.group(mask())), dof, thermal_energy(view), random);
    heat_ = rescaling.heat;
    scale_velocities(view.queue, view.group(mask()), {factor, factor, factor}, slot_vector(view.atoms.v));
  }

 private:
  int number_;
};

}  // namespace

void GroupThermostatSettings::declare(CaseSchema& element) {
  declare_target(element, *this, true);
  element.key("kind", kind)
      .default_value(GroupThermostatKind::velocity_rescaling)
      .choices(
          {{"langevin", GroupThermostatKind::langevin, "friction and noise, BAOAB"},
           {"velocity_rescaling", GroupThermostatKind::velocity_rescaling, "stochastic velocity rescaling (Bussi)"},
           {"nose_hoover", GroupThermostatKind::nose_hoover, "Nose-Hoover chain"}})
      .help("how the temperature is held");
  element.key("temperature", temperature).required().above(0.0).unit("temperature").help("at the start of each stage");
  element.key("temperature_end", temperature_end)
      .above(0.0)
      .unit("temperature")
      .help("at the end of each of its stages, reached linearly; absent: constant");
  element.key("temperature_time", temperature_time)
      .required()
      .above(0.0)
      .unit("time")
      .help("time constant: of a Langevin one, 1 / friction");
  const auto chain = [this] { return kind == GroupThermostatKind::nose_hoover; };
  element.key("seed", seed)
      .default_value(1)
      .at_least(0)
      .at_most(0xffffffffLL)
      .active_when([chain] { return !chain(); }, "kind is \"nose_hoover\", which draws no random numbers")
      .help("of its random numbers");
  element.key("chain_length", chain_length)
      .default_value(3)
      .at_least(1)
      .at_most(10)
      .active_when(chain, "kind is not \"nose_hoover\"")
      .help("thermostats in a Nose-Hoover chain");
}

std::unique_ptr<Action> GroupThermostatSettings::make(std::uint32_t mask, int number) const {
  if (kind == GroupThermostatKind::langevin) {
    return std::make_unique<GroupLangevin>(mask, *this);
  }
  if (kind == GroupThermostatKind::nose_hoover) {
    return std::make_unique<GroupNoseHoover>(mask, *this);
  }
  return std::make_unique<GroupRescaling>(mask, *this, number);
}

}  // namespace halyard::md
