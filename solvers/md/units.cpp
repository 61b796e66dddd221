#include "solvers/md/units.hpp"

namespace halyard::md {

namespace {

// Exact since 2019 (BIPM, The International System of Units, 9th edition).
constexpr double k_boltzmann = 1.380649e-23;       // [J/K]
constexpr double elementary = 1.602176634e-19;     // [C], and 1 eV in J
constexpr double avogadro = 6.02214076e23;         // [1/mol]
constexpr double thermochemical_calorie = 4.184;   // [J]
constexpr double atmosphere = 101325.0;            // [Pa]
constexpr double gram_per_mole = 1e-3 / avogadro;  // [kg]

Units metal(Constants constants) {
  Units u{.length = "A",
          .time = "ps",
          .energy = "eV",
          .mass = "g/mol",
          .temperature = "K",
          .pressure = "bar",
          .velocity = "A/ps",
          .force = "eV/A",
          .density = "g/cm3"};
  if (constants == Constants::lammps) {
    u.boltzmann = 8.617343e-5;
    u.mass_velocity2 = 1.0364269e-4;
    u.energy_per_volume = 1.6021765e6;
  } else {
    u.boltzmann = k_boltzmann / elementary;
    u.mass_velocity2 = gram_per_mole * 1e4 / elementary;
    u.energy_per_volume = elementary * 1e25;
  }
  u.length_si = 1e-10;
  u.time_si = 1e-12;
  u.mass_si = gram_per_mole;
  return u;
}

Units real(Constants constants) {
  Units u{.length = "A",
          .time = "fs",
          .energy = "kcal/mol",
          .mass = "g/mol",
          .temperature = "K",
          .pressure = "atm",
          .velocity = "A/fs",
          .force = "kcal/mol/A",
          .density = "g/cm3"};
  if (constants == Constants::lammps) {
    u.boltzmann = 0.0019872067;
    u.mass_velocity2 = 48.88821291 * 48.88821291;
    u.energy_per_volume = 68568.415;
  } else {
    const double kilocalorie_per_mole = 1e3 * thermochemical_calorie / avogadro;
    u.boltzmann = k_boltzmann / kilocalorie_per_mole;
    u.mass_velocity2 = gram_per_mole * 1e10 / kilocalorie_per_mole;
    u.energy_per_volume = kilocalorie_per_mole / 1e-30 / atmosphere;
  }
  u.length_si = 1e-10;
  u.time_si = 1e-15;
  u.mass_si = gram_per_mole;
  return u;
}

}  // namespace

Units make_units(UnitSystem system, Constants constants) {
  switch (system) {
    case UnitSystem::metal:
      return metal(constants);
    case UnitSystem::real:
      return real(constants);
    default:
      return {.length = "sigma",
              .time = "tau",
              .energy = "epsilon",
              .mass = "m",
              .temperature = "epsilon/k",
              .pressure = "epsilon/sigma3",
              .velocity = "sigma/tau",
              .force = "epsilon/sigma",
              .density = "m/sigma3"};
  }
}

}  // namespace halyard::md
