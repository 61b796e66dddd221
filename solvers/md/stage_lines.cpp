#include "solvers/md/stage_lines.hpp"

#include <fmt/format.h>

#include "solvers/md/units.hpp"

namespace halyard::md {

namespace {

std::string moment_text(const StageMoment& now, const Units& u) {
  return fmt::format("step {}, t = {:.9g} {}", now.step, now.time, u.time);
}

const char* name_of(Thermostat thermostat) {
  switch (thermostat) {
    case Thermostat::langevin:
      return "langevin";
    case Thermostat::velocity_rescaling:
      return "velocity_rescaling";
    default:
      return "nose_hoover";
  }
}

const char* name_of(BoxCoupling coupling) {
  switch (coupling) {
    case BoxCoupling::semi_isotropic:
      return "semi_isotropic";
    case BoxCoupling::anisotropic:
      return "anisotropic";
    default:
      return "isotropic";
  }
}

}  // namespace

std::string stage_name(const MdCase& settings, std::size_t stage) {
  const std::string& name = settings.stages[stage].name;
  return fmt::format("stage {} of {}{}", stage + 1, settings.stages.size(), name.empty() ? "" : " (" + name + ")");
}

std::string ensemble_text(const MdCase& settings, std::size_t stage) {
  const StageSettings& s = settings.stages[stage];
  const Units u = make_units(settings.units, settings.constants);
  const auto held = [&] {
    const double start = s.temperature.value_or(0.0), end = s.temperature_end.value_or(start);
    return fmt::format("{} {}, time constant {} {}",
                       start == end ? fmt::format("{}", start) : fmt::format("{} to {}", start, end), u.temperature,
                       s.temperature_time.value_or(0.0), u.time);
  };
  switch (s.ensemble) {
    case Ensemble::nvt:
      return fmt::format("nvt, {}, {}", name_of(s.thermostat), held());
    case Ensemble::npt:
      return fmt::format("npt, {}, {}, {}; {} {}, time constant {} {}",
                         s.barostat == Barostat::mttk ? "mttk" : "cell_rescaling", name_of(s.coupling), held(),
                         s.pressure.value_or(0.0), u.pressure, s.pressure_time.value_or(0.0), u.time);
    case Ensemble::minimise:
      return fmt::format("minimise, to forces of {} {}", s.force.value_or(0.0), u.force);
    default:
      return "nve";
  }
}

std::string stage_begins(const MdCase& settings, std::size_t stage, const StageMoment& now) {
  const StageSettings& s = settings.stages[stage];
  const Units u = make_units(settings.units, settings.constants);
  const std::string begins =
      now.stage_step == 0 ? "begins" : fmt::format("goes on after {} of its {} steps", now.stage_step, s.steps);
  const std::int64_t left = s.steps - now.stage_step;
  const std::string length = s.ensemble == Ensemble::minimise
                                 ? fmt::format("at most {} steps", left)
                                 : fmt::format("{} steps of {} {}, to t = {:.9g} {}", left, s.dt, u.time,
                                               now.time + static_cast<double>(left) * s.dt, u.time);
  return fmt::format("{}: {} {}: {}; {}", moment_text(now, u), stage_name(settings, stage), begins,
                     ensemble_text(settings, stage), length);
}

std::string stage_ends(const MdCase& settings, std::size_t stage, const StageMoment& now) {
  const Units u = make_units(settings.units, settings.constants);
  return fmt::format("{}: {} ends after {} steps", moment_text(now, u), stage_name(settings, stage), now.stage_step);
}

}  // namespace halyard::md
