#include "solvers/md/skin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/md/atoms.hpp"
#include "solvers/md/units.hpp"

namespace halyard::md {

namespace {

/// How far the fastest of some 10^5 atoms, four times as fast as sqrt(kT/m), goes in a step of the hottest stage.
double step_of_the_fastest(const MdCase& settings, const System& system) {
  double temperature = settings.velocity.temperature.value_or(0.0), dt = 0.0;
  for (const StageSettings& stage : settings.stages) {
    temperature = std::max({temperature, stage.temperature.value_or(0.0), stage.temperature_end.value_or(0.0)});
    dt = std::max(dt, stage.ensemble == Ensemble::minimise ? 0.0 : stage.dt);
  }
  double mass = 0.0;
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    mass += system.masses[t] * static_cast<double>(system.atoms_of_type[t]) / static_cast<double>(system.count);
  }
  const Units units = make_units(settings.units, settings.constants);
  return 4.0 * dt * std::sqrt(units.boltzmann * temperature / (mass * units.mass_velocity2));
}

}  // namespace

double best_skin(const MdCase& settings, const System& system, double cutoff, double renewal) {
  const double least = 0.12 * cutoff;
  double widest = HUGE_VAL;
  for (int d = 0; d < 3; ++d) {
    widest = std::min(widest, system.box.width(d) / 8.0 - cutoff);
  }
  if (system.count == 0 || !(widest > least)) {
    return least;
  }
  // An atom meets so many clusters: half the sphere of the list's reach and about half the edge of a cluster more
  // (docs/performance.md).
  const double density = static_cast<double>(system.count) / system.box.volume();
  const double half_edge = 0.49 * std::cbrt(cluster_size / density);
  const double sphere = 2.0 / 3.0 * std::numbers::pi * density / cluster_size;
  const double step = step_of_the_fastest(settings, system);
  const auto cost = [&](double skin) {
    const double r = cutoff + skin + half_edge;
    return sphere * r * r * r + renewal * 2.0 * step / skin;
  };
  double best = least;
  constexpr int choices = 100;
  for (int k = 1; k <= choices; ++k) {
    const double skin = least + (std::min(widest, 1.5 * cutoff) - least) * k / choices;
    best = cost(skin) < cost(best) ? skin : best;
  }
  return best;
}

}  // namespace halyard::md
