#include "solvers/md/start_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "solvers/md/units.hpp"

namespace halyard::md {

namespace {

double volume_of(const System& system) { return system.box.volume(); }

double total_mass(const System& system) {
  double mass = 0.0;
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    mass += system.masses[t] * static_cast<double>(system.atoms_of_type[t]);
  }
  return mass;
}

/// Of the types that there are atoms of; infinite without atoms.
double smallest_mass(const System& system) {
  double mass = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    mass = system.atoms_of_type[t] > 0 ? std::min(mass, system.masses[t]) : mass;
  }
  return mass;
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  bool any() const { return most >= least; }
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string text(double factor) const {
    return least == most ? fmt::format("{:.6g}", factor * least)
                         : fmt::format("{:.6g} to {:.6g}", factor * least, factor * most);
  }
};

/// All temperatures that the case asks for.
Range temperatures(const MdCase& settings) {
  Range range;
  if (settings.velocity.temperature) {
    range.add(*settings.velocity.temperature);
  }
  for (const StageSettings& stage : settings.stages) {
    for (const std::optional<double>& t : {stage.temperature, stage.temperature_end}) {
      if (t) {
        range.add(*t);
      }
    }
  }
  return range;
}

const char* name_of(UnitSystem units) {
  return units == UnitSystem::metal ? "metal" : units == UnitSystem::real ? "real" : "lj";
}

/// A time step beyond which nobody goes with atoms as light as these, whatever their temperature.
double absurd_dt(UnitSystem units, double mass) {
  switch (units) {
    case UnitSystem::metal:
      return 0.02;  // ps
    case UnitSystem::real:
      return 5.0 * std::max(1.0, std::sqrt(mass / 12.0));  // fs; carbon, and heavier atoms that swing more slowly
    default:
      return 0.05;  // tau
  }
}

/// Why this dt is too long, or nothing.
std::string dt_trouble(double dt, const MdCase& settings, const System& system, const SanityScales& scales,
                       const Units& u) {
  const double mass = smallest_mass(system);
  if (!std::isfinite(mass)) {
    return "";
  }
  if (scales.stiffest_bond > 0.0) {
    // Velocity Verlet is unstable from a third of a period on, and far from right before.
    const double period = 2.0 * std::numbers::pi * std::sqrt(mass * u.mass_velocity2 / scales.stiffest_bond);
    if (dt > period / 8.0) {
      return fmt::format("more than an eighth of the period of the stiffest bond with the lightest atom, {:.4g} {}",
                         period, u.time);
    }
  }
  const double spacing = std::cbrt(volume_of(system) / static_cast<double>(system.count));
  const double room = std::min(spacing, scales.cutoff);
  const Range asked = temperatures(settings);
  const double hottest = asked.any() ? asked.most : 0.0;
  const double way = dt * std::sqrt(u.boltzmann * hottest / (mass * u.mass_velocity2));
  if (way > 0.03 * room) {
    return fmt::format(
        "so long that at {:.6g} {} the lightest atoms (mass {:.6g} {}) move {:.3g} {} in one step, with "
        "{:.3g} {} between atoms",
        hottest, u.temperature, mass, u.mass, way, u.length, spacing, u.length);
  }
  if (const double limit = absurd_dt(settings.units, mass); dt > limit) {
    return fmt::format("more than {:.3g} {}, which is already long in units {} for atoms of {:.6g} {}", limit, u.time,
                       name_of(settings.units), mass, u.mass);
  }
  return "";
}

/// Why this dt is too short, or nothing: a hundredth of what nobody goes beyond, with atoms that hardly move in it.
std::string short_dt_trouble(double dt, const MdCase& settings, const System& system, const SanityScales& scales,
                             const Units& u) {
  const double mass = smallest_mass(system);
  if (!std::isfinite(mass)) {
    return "";
  }
  double limit = absurd_dt(settings.units, mass);
  if (scales.stiffest_bond > 0.0) {
    limit = std::min(limit, 2.0 * std::numbers::pi * std::sqrt(mass * u.mass_velocity2 / scales.stiffest_bond) / 8.0);
  }
  const double spacing = std::cbrt(volume_of(system) / static_cast<double>(system.count));
  const double room = std::min(spacing, scales.cutoff);
  const Range asked = temperatures(settings);
  const double hottest = asked.any() ? asked.most : 0.0;
  const double way = dt * std::sqrt(u.boltzmann * hottest / (mass * u.mass_velocity2));
  if (!(dt < 0.01 * limit && way < 1e-4 * room)) {
    return "";
  }
  return fmt::format(
      "so short that the run takes many times the steps that it needs: less than a hundredth of {:.3g} {}, and at "
      "{:.6g} {} the lightest atoms (mass {:.6g} {}) move {:.2g} {} in a step, with {:.3g} {} between atoms",
      limit, u.time, hottest, u.temperature, mass, u.mass, way, u.length, spacing, u.length);
}

std::optional<std::string> short_dt_note(const MdCase& settings, const System& system, const SanityScales& scales,
                                         const Units& u) {
  for (std::size_t i = 0; i < settings.stages.size(); ++i) {
    const double dt = settings.stages[i].dt;
    const std::string trouble =
        settings.stages[i].ensemble == Ensemble::minimise ? "" : short_dt_trouble(dt, settings, system, scales, u);
    if (!trouble.empty()) {
      return fmt::format("dt = {} {} of stage {} is {}: is it meant in these units?", dt, u.time, i + 1, trouble);
    }
  }
  return std::nullopt;
}

std::optional<std::string> dt_note(const MdCase& settings, const System& system, const SanityScales& scales,
                                   const Units& u) {
  std::size_t worst = settings.stages.size();
  int more = -1;
  for (std::size_t i = 0; i < settings.stages.size(); ++i) {
    const StageSettings& stage = settings.stages[i];
    if (stage.ensemble == Ensemble::minimise || dt_trouble(stage.dt, settings, system, scales, u).empty()) {
      continue;
    }
    worst = worst == settings.stages.size() || stage.dt > settings.stages[worst].dt ? i : worst;
    ++more;
  }
  if (worst == settings.stages.size()) {
    return std::nullopt;
  }
  const double dt = settings.stages[worst].dt;
  return fmt::format("dt = {} {} of stage {} is {}{}", dt, u.time, worst + 1,
                     dt_trouble(dt, settings, system, scales, u),
                     more > 0 ? fmt::format("; likewise of {} more", more) : "");
}

std::optional<std::string> density_note(const MdCase& settings, const System& system, const SanityScales& scales,
                                        const Units& u) {
  if (system.count < 2) {
    return std::nullopt;
  }
  const double number = static_cast<double>(system.count) / volume_of(system);
  // In reach of an atom, were the density uniform.
  const double neighbours = number * 4.0 / 3.0 * std::numbers::pi * std::pow(scales.cutoff, 3);
  const double spacing = 1.0 / std::cbrt(number);
  if (neighbours < 0.01) {
    return fmt::format(
        "the density, {:.4g} atoms per {}3, is nearly that of a vacuum: an atom has {:.2g} others within "
        "the cutoff on average, {:.4g} {} apart",
        number, u.length, neighbours, spacing, u.length);
  }
  if (u.length_si > 0.0) {
    const double si = total_mass(system) * u.mass_si / (volume_of(system) * std::pow(u.length_si, 3));
    constexpr double heaviest = 30e3;  // kg/m3; osmium has 22.6e3
    if (si > heaviest) {
      return fmt::format("the density, {:.4g} g/cm3, is above that of any metal: atoms {:.3g} {} apart overlap",
                         1e-3 * si, spacing, u.length);
    }
    return std::nullopt;
  }
  // In units of sigma, where the potential has one.
  double sigma = std::numeric_limits<double>::infinity();
  for (const PairCoefficients& pair : settings.pair.coefficients) {
    if (const auto found = pair.inputs.find("sigma"); found != pair.inputs.end() && found->second) {
      sigma = std::min(sigma, *found->second);
    }
  }
  const double reduced = number * (std::isfinite(sigma) ? sigma * sigma * sigma : 1.0);
  if (reduced > 2.0) {  // closest packing is then 0.89 sigma apart
    return fmt::format("the density, {:.4g} atoms per sigma3, is beyond that of any crystal: atoms overlap", reduced);
  }
  return std::nullopt;
}

std::optional<std::string> temperature_note(const MdCase& settings, const Units& u) {
  const Range asked = temperatures(settings);
  const double absurd = settings.units == UnitSystem::lj ? 100.0 : 20'000.0;
  if (asked.any() && asked.most > absurd) {
    return fmt::format("a temperature of {:.6g} {} is asked for, above {:.6g}: is it meant in these units?", asked.most,
                       u.temperature, absurd);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> unit_lines(const MdCase& settings, const System& system) {
  const Units u = make_units(settings.units, settings.constants);
  if (u.length_si == 0.0) {
    return {
        fmt::format("units lj: reduced, of sigma, epsilon, m and tau = sigma sqrt(m/epsilon); k = 1, nothing is in "
                    "SI; {:.6g} atoms/sigma3",
                    system.count > 0 ? static_cast<double>(system.count) / volume_of(system) : 0.0)};
  }
  const double energy_si = u.mass_si * std::pow(u.length_si / u.time_si, 2) / u.mass_velocity2;
  const double volume = volume_of(system) * std::pow(u.length_si, 3);
  const std::array<double, 3>& edges = system.box.length;
  Range dt;
  for (const StageSettings& stage : settings.stages) {
    if (stage.ensemble != Ensemble::minimise) {
      dt.add(stage.dt);
    }
  }
  std::vector<std::string> lines{
      fmt::format("units {}, constants {}: k = {} {}/{}; 1 {} ({})2 = {} {}; 1 {}/{}3 = {} {}", name_of(settings.units),
                  settings.constants == Constants::si2019 ? "si2019" : "lammps", u.boltzmann, u.energy, u.temperature,
                  u.mass, u.velocity, u.mass_velocity2, u.energy, u.energy, u.length, u.energy_per_volume, u.pressure),
      fmt::format("in SI: 1 {} = {} m, 1 {} = {} s, 1 {} = {} kg, 1 {} = {:.10g} J", u.length, u.length_si, u.time,
                  u.time_si, u.mass, u.mass_si, u.energy, energy_si),
      fmt::format("in SI: box {:.6g} x {:.6g} x {:.6g} m, density {:.6g} kg/m3", edges[0] * u.length_si,
                  edges[1] * u.length_si, edges[2] * u.length_si, total_mass(system) * u.mass_si / volume)};
  if (dt.any()) {
    lines.back() += fmt::format(", dt {} s", dt.text(u.time_si));
  }
  if (const Range asked = temperatures(settings); asked.any()) {
    lines.back() +=
        fmt::format(", temperature {} K (k T = {} J)", asked.text(1.0), asked.text(u.boltzmann * energy_si));
  }
  return lines;
}

std::vector<std::string> sanity_notes(const MdCase& settings, const System& system, const SanityScales& scales) {
  const Units u = make_units(settings.units, settings.constants);
  std::vector<std::string> notes;
  for (std::optional<std::string>& note :
       std::array{dt_note(settings, system, scales, u), short_dt_note(settings, system, scales, u),
                  density_note(settings, system, scales, u), temperature_note(settings, u)}) {
    if (note) {
      notes.push_back(*std::move(note));
    }
  }
  return notes;
}

}  // namespace halyard::md
