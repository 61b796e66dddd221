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

Skins choose_skins(const MdCase& settings, const System& system, double cutoff, const ListCosts& costs) {
  constexpr int choices = 100;
  const double least = settings.skin.value_or(0.12 * cutoff);
  double widest = settings.skin.value_or(1.5 * cutoff);
  for (int d = 0; d < 3 && !settings.skin; ++d) {
    widest = std::min(widest, system.box.width(d) / 8.0 - cutoff);
  }
  widest = std::max(widest, least);
  // An atom meets so many clusters: half the sphere of the list's reach and about half the edge of a cluster more
  // (docs/performance.md).
  const double density = static_cast<double>(std::max<std::int64_t>(system.count, 1)) / system.box.volume();
  const double half_edge = 0.49 * std::cbrt(cluster_size / density);
  const double sphere = 2.0 / 3.0 * std::numbers::pi * density / cluster_size;
  const auto clusters = [&](double skin) {
    const double r = cutoff + skin + half_edge;
    return sphere * r * r * r;
  };
  const double step = system.count > 0 ? step_of_the_fastest(settings, system) : 0.0;
  if (!(step > 0.0)) {
    return {least, 0.3 * least};
  }
  const auto times_per_step = [&](double skin) { return 2.0 * step / skin; };
  const auto cost = [&](double list, double near) {
    const double pruning = near < list ? costs.pruning * clusters(list) * times_per_step(near) : 0.0;
    return clusters(near) + pruning + (costs.renewal + costs.search * clusters(list)) * times_per_step(list);
  };
  Skins best{least, least};
  for (int k = 0; k <= choices; ++k) {
    const double list = least + (widest - least) * k / choices;
    for (int l = 1; l <= choices; ++l) {
      const double near = list * l / choices;
      best = cost(list, near) < cost(best.list, best.near) ? Skins{list, near} : best;
    }
  }
  return best;
}

}  // namespace halyard::md
