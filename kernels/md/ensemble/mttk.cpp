#include "kernels/md/ensemble/mttk.hpp"

#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

namespace {
/// A sum shared by the degrees of freedom; of none, nothing.
double per_freedom(double sum, double dof) { return dof > 0.0 ? sum / dof : 0.0; }
}  // namespace

MttkBarostat::MttkBarostat(BoxCoupling coupling, const std::array<double, 3>& pressure, double tau, int chain_length)
    : chains{NoseHooverChain(chain_length, tau), NoseHooverChain(chain_length, tau),
             NoseHooverChain(chain_length, tau)},
      groups_(box_groups(coupling)),
      pressure_(pressure),
      tau_(tau) {
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < a; ++b) {
      if (groups_.of_axis[a] == groups_.of_axis[b] && pressure[a] != pressure[b]) {
        throw Error("Axes of the box that are coupled need one pressure; found " + std::to_string(pressure[b]) +
                    " and " + std::to_string(pressure[a]) + ".");
      }
    }
  }
}

double MttkBarostat::mass(int group, double dof, double thermal_energy) const {
  return groups_.size[group] * (dof + 3.0) / 3.0 * thermal_energy * tau_ * tau_;
}

double MttkBarostat::rate_sum() const {
  double sum = 0.0;
  for (int g = 0; g < groups_.count; ++g) {
    sum += groups_.size[g] * rate[g];
  }
  return sum;
}

void MttkBarostat::advance_chains(double time, double dof, double thermal_energy) {
  for (int g = 0; g < groups_.count; ++g) {
    const double twice_kinetic = mass(g, dof, thermal_energy) * rate[g] * rate[g];
    rate[g] *= chains[g].advance(time, twice_kinetic, 1.0, thermal_energy);
  }
}

void MttkBarostat::advance_rates(const BoxLoad& load, double time, double dof, double thermal_energy) {
  std::array<double, 3> force{};
  for (int a = 0; a < 3; ++a) {
    force[groups_.of_axis[a]] +=
        load.pressure_volume(a) - pressure_[a] * load.volume + per_freedom(load.twice_kinetic(), dof);
  }
  for (int g = 0; g < groups_.count; ++g) {
    rate[g] += time * force[g] / mass(g, dof, thermal_energy);
  }
}

double MttkBarostat::half_step_begin(const BoxLoad& load, double dt, double dof, double thermal_energy,
                                     NoseHooverChain& thermostat) {
  advance_chains(0.5 * dt, dof, thermal_energy);
  const double scale = thermostat.advance(0.5 * dt, load.twice_kinetic(), dof, thermal_energy);
  BoxLoad scaled = load;
  for (double& k : scaled.kinetic) {
    k *= scale * scale;
  }
  advance_rates(scaled, 0.5 * dt, dof, thermal_energy);
  return scale;
}

double MttkBarostat::half_step_end(const BoxLoad& load, double dt, double dof, double thermal_energy,
                                   NoseHooverChain& thermostat) {
  advance_rates(load, 0.5 * dt, dof, thermal_energy);
  const double scale = thermostat.advance(0.5 * dt, load.twice_kinetic(), dof, thermal_energy);
  advance_chains(0.5 * dt, dof, thermal_energy);
  return scale;
}

MttkBarostat::Map MttkBarostat::kick(double dt, double dof) const {
  Map map{};
  const double common = per_freedom(rate_sum(), dof);
  for (int a = 0; a < 3; ++a) {
    const double s = 0.25 * dt * (rate[groups_.of_axis[a]] + common);
    const double half = math::exp(-s);
    map.factor[a] = half * half;
    map.weight[a] = 0.5 * dt * half * sinh_over(s);
  }
  return map;
}

MttkBarostat::Map MttkBarostat::drift(double dt) const {
  Map map{};
  for (int a = 0; a < 3; ++a) {
    const double s = 0.5 * dt * rate[groups_.of_axis[a]];
    const double half = math::exp(s);
    map.factor[a] = half * half;
    map.weight[a] = dt * half * sinh_over(s);
  }
  return map;
}

void MttkBarostat::add_work(double dt, double volume) {
  std::array<double, 3> strain{};
  for (int a = 0; a < 3; ++a) {
    strain[a] = dt * rate[groups_.of_axis[a]];
  }
  work += pressure_work(pressure_, strain, volume);
}

double MttkBarostat::energy(double dof, double thermal_energy) const {
  double sum = work;
  for (int g = 0; g < groups_.count; ++g) {
    sum += 0.5 * mass(g, dof, thermal_energy) * rate[g] * rate[g] + chains[g].energy(1.0, thermal_energy);
  }
  return sum;
}

}  // namespace halyard::md
