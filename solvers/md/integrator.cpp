#include "solvers/md/integrator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/md/ensemble/cell_rescaling.hpp"
#include "kernels/md/ensemble/fire.hpp"
#include "kernels/md/ensemble/mttk.hpp"
#include "kernels/md/ensemble/nose_hoover.hpp"
#include "kernels/md/ensemble/velocity_rescaling.hpp"
#include "solvers/md/chain_scalars.hpp"

namespace halyard::md {

namespace {

/// One step of stochastic velocity rescaling; nothing where there is nothing to thermostat.
void rescale(Dynamics& atoms, VelocityRescaling& rescaling, double dt, double thermal_energy, RandomSequence& random) {
  const double dof = atoms.bath_degrees_of_freedom();
  if (dof > 0.0) {
    atoms.scale_bath(rescaling.advance(dt, 0.5 * atoms.bath_twice_kinetic(), dof, thermal_energy, random));
  }
}

/// Constant energy: velocity Verlet.
class NewtonIntegrator : public Integrator {
 public:
  void step(Dynamics& atoms, double dt, std::int64_t, double, bool totals) override {
    atoms.kick_drift(0.5 * dt, dt);
    atoms.new_forces(totals);
    atoms.kick(0.5 * dt);
  }
};

/// Friction and noise, BAOAB.
class LangevinIntegrator : public Integrator {
 public:
  explicit LangevinIntegrator(const StageSettings& stage)
      : friction_(1.0 / *stage.temperature_time),
        stream_(static_cast<std::uint32_t>(stage.seed), RandomPurpose::langevin) {}

  void step(Dynamics& atoms, double dt, std::int64_t step, double temperature, bool totals) override {
    const LangevinNoise noise(friction_, dt, atoms.thermal_energy(temperature));
    heat_ += 0.5 * atoms.langevin_kick_drift(dt, noise, stream_, step);
    atoms.new_forces(totals);
    atoms.kick(0.5 * dt);
  }
  double conserved_part(const Dynamics&, double) const override { return -heat_; }
  /// Noise and friction act on each atom alone, so that the momentum fluctuates too.
  double degrees_of_freedom(const Dynamics& atoms) const override { return atoms.free_components(); }
  std::vector<StateScalar> scalars(const std::string& stage) override { return {{stage + "_heat", "energy", &heat_}}; }

 private:
  double friction_;
  RandomStream stream_;
  double heat_ = 0.0;  // that the atoms took up
};

/// Nose-Hoover chain about velocity Verlet.
class NoseHooverIntegrator : public Integrator {
 public:
  explicit NoseHooverIntegrator(const StageSettings& stage) : chain_(stage.chain_length, *stage.temperature_time) {}

  void step(Dynamics& atoms, double dt, std::int64_t, double temperature, bool totals) override {
    half_step(atoms, dt, temperature);
    atoms.kick_drift(0.5 * dt, dt);
    atoms.new_forces(totals);
    atoms.kick(0.5 * dt);
    half_step(atoms, dt, temperature);
  }
  double conserved_part(const Dynamics& atoms, double temperature) const override {
    return chain_.energy(atoms.bath_degrees_of_freedom(), atoms.thermal_energy(temperature));
  }
  std::vector<StateScalar> scalars(const std::string& stage) override {
    return chain_scalars(stage + "_chain", chain_);
  }

 private:
  void half_step(Dynamics& atoms, double dt, double temperature) {
    atoms.scale_bath(chain_.advance(0.5 * dt, atoms.bath_twice_kinetic(), atoms.bath_degrees_of_freedom(),
                                    atoms.thermal_energy(temperature)));
  }

  NoseHooverChain chain_;
};

/// Velocity Verlet, then stochastic rescaling of the velocities.
class VelocityRescalingIntegrator : public Integrator {
 public:
  explicit VelocityRescalingIntegrator(const StageSettings& stage)
      : rescaling_{*stage.temperature_time},
        stream_(static_cast<std::uint32_t>(stage.seed), RandomPurpose::velocity_rescale) {}

  void step(Dynamics& atoms, double dt, std::int64_t step, double temperature, bool totals) override {
    atoms.kick_drift(0.5 * dt, dt);
    atoms.new_forces(totals);
    atoms.kick(0.5 * dt);
    RandomSequence random(stream_, step);
    rescale(atoms, rescaling_, dt, atoms.thermal_energy(temperature), random);
  }
  double conserved_part(const Dynamics&, double) const override { return -rescaling_.heat; }
  std::vector<StateScalar> scalars(const std::string& stage) override {
    return {{stage + "_heat", "energy", &rescaling_.heat}};
  }

 private:
  VelocityRescaling rescaling_;
  RandomStream stream_;
};

/// Stochastic cell rescaling with stochastic velocity rescaling: constant pressure and temperature.
class CellRescalingIntegrator : public Integrator {
 public:
  CellRescalingIntegrator(const StageSettings& stage, const Units& units)
      : rescaling_{*stage.temperature_time},
        cell_(stage.coupling, pressure_of(stage, units), *stage.compressibility * units.energy_per_volume,
              *stage.pressure_time),
        velocities_(static_cast<std::uint32_t>(stage.seed), RandomPurpose::velocity_rescale),
        box_(static_cast<std::uint32_t>(stage.seed), RandomPurpose::cell_rescale) {}

  void step(Dynamics& atoms, double dt, std::int64_t step, double temperature, bool) override {
    RandomSequence of_box(box_, step), of_velocities(velocities_, step);
    const double thermal_energy = atoms.thermal_energy(temperature);
    const std::array<double, 3> factor = cell_.begin(atoms.load(), dt, thermal_energy, of_box);
    atoms.kick(0.5 * dt);
    atoms.rescale_and_drift(dt, factor);
    atoms.new_forces(true);
    atoms.kick(0.5 * dt);
    cell_.end(atoms.load());
    rescale(atoms, rescaling_, dt, thermal_energy, of_velocities);
  }
  double conserved_part(const Dynamics&, double) const override { return cell_.work - rescaling_.heat; }
  std::vector<StateScalar> scalars(const std::string& stage) override {
    return {{stage + "_heat", "energy", &rescaling_.heat}, {stage + "_work", "energy", &cell_.work}};
  }

  static std::array<double, 3> pressure_of(const StageSettings& stage, const Units& units) {
    const double p = *stage.pressure / units.energy_per_volume;
    return {p, p, p};
  }

 private:
  VelocityRescaling rescaling_;
  CellRescaling cell_;
  RandomStream velocities_, box_;
};

/// Martyna-Tobias-Klein barostat with Nose-Hoover chains: constant pressure and temperature.
class MttkIntegrator : public Integrator {
 public:
  MttkIntegrator(const StageSettings& stage, const Units& units)
      : chain_(stage.chain_length, *stage.temperature_time),
        barostat_(stage.coupling, CellRescalingIntegrator::pressure_of(stage, units), *stage.pressure_time,
                  stage.chain_length) {}

  void step(Dynamics& atoms, double dt, std::int64_t, double temperature, bool) override {
    const double dof = atoms.degrees_of_freedom(), thermal_energy = atoms.thermal_energy(temperature);
    atoms.scale_velocities(barostat_.half_step_begin(atoms.load(), dt, dof, thermal_energy, chain_));
    const MttkBarostat::Map kick = barostat_.kick(dt, dof), drift = barostat_.drift(dt);
    barostat_.add_work(dt, atoms.box().volume());
    atoms.kick_in_changing_box(kick.factor, kick.weight);
    atoms.drift_in_changing_box(drift.factor, drift.weight);
    atoms.new_forces(true);
    atoms.kick_in_changing_box(kick.factor, kick.weight);
    atoms.scale_velocities(barostat_.half_step_end(atoms.load(), dt, dof, thermal_energy, chain_));
  }
  double conserved_part(const Dynamics& atoms, double temperature) const override {
    const double dof = atoms.degrees_of_freedom(), thermal_energy = atoms.thermal_energy(temperature);
    return barostat_.energy(dof, thermal_energy) + chain_.energy(dof, thermal_energy);
  }
  std::vector<StateScalar> scalars(const std::string& stage) override {
    std::vector<StateScalar> scalars = chain_scalars(stage + "_chain", chain_);
    scalars.push_back({stage + "_box_work", "energy", &barostat_.work});
    for (int g = 0; g < barostat_.groups(); ++g) {
      const auto at = static_cast<std::size_t>(g);
      scalars.push_back({fmt::format("{}_box_rate_{}", stage, g + 1), "1/time", &barostat_.rate[at]});
      for (StateScalar& scalar : chain_scalars(fmt::format("{}_box_chain_{}", stage, g + 1), barostat_.chains[at])) {
        scalars.push_back(std::move(scalar));
      }
    }
    return scalars;
  }

 private:
  NoseHooverChain chain_;
  MttkBarostat barostat_;
};

/// Steepest way to a minimum of the potential energy: FIRE. Velocities are its own; the atoms end at rest.
class Minimiser : public Integrator {
 public:
  explicit Minimiser(const StageSettings& stage)
      : settings_{.dt = stage.dt, .longest_move = *stage.longest_move}, fire_(settings_), target_(*stage.force) {}

  void step(Dynamics& atoms, double, std::int64_t, double, bool totals) override {
    if (started_ == 0) {
      atoms.refuse_overlaps(true);
      atoms.stop_atoms();
      started_ = 1;
    }
    const std::array<double, 3> sums = atoms.minimiser_sums();
    const Fire::Decision decision = fire_.decide(settings_, sums[0], sums[1], sums[2]);
    if (decision.back > 0.0) {
      atoms.step_back(decision.back);
    }
    atoms.steer(fire_.dt, decision.keep, decision.steer);
    atoms.drift(fire_.limit(settings_, atoms.largest_speed()));
    atoms.new_forces(totals);
    converged_ = atoms.largest_force() <= target_ || decision.stuck ? 1 : 0;
    if (converged_ != 0) {
      atoms.stop_atoms();
    }
  }
  bool done() const override { return converged_ != 0; }
  bool conserves() const override { return false; }
  std::vector<StateScalar> scalars(const std::string& stage) override {
    return {{stage + "_dt", "time", &fire_.dt},
            {stage + "_alpha", "1", &fire_.alpha},
            {stage + "_last_move", "time", &fire_.last_move},
            {stage + "_downhill", "1", &fire_.downhill},
            {stage + "_uphill", "1", &fire_.uphill},
            {stage + "_steps", "1", &fire_.steps},
            {stage + "_started", "1", &started_},
            {stage + "_converged", "1", &converged_}};
  }

 private:
  FireSettings settings_;
  Fire fire_;
  double target_;
  std::int64_t started_ = 0, converged_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_integrator(const StageSettings& stage, const Units& units) {
  switch (stage.ensemble) {
    case Ensemble::minimise:
      return std::make_unique<Minimiser>(stage);
    case Ensemble::npt:
      if (stage.barostat == Barostat::mttk) {
        return std::make_unique<MttkIntegrator>(stage, units);
      }
      return std::make_unique<CellRescalingIntegrator>(stage, units);
    case Ensemble::nvt:
      switch (stage.thermostat) {
        case Thermostat::langevin:
          return std::make_unique<LangevinIntegrator>(stage);
        case Thermostat::velocity_rescaling:
          return std::make_unique<VelocityRescalingIntegrator>(stage);
        default:
          return std::make_unique<NoseHooverIntegrator>(stage);
      }
    default:
      return std::make_unique<NewtonIntegrator>();
  }
}

}  // namespace halyard::md
