#pragma once
#include <string>

namespace halyard::md {

enum class UnitSystem { lj, metal, real };
enum class Constants { si2019, lammps };

/// A unit system as LAMMPS has it (docs.lammps.org/units.html), its factors from the SI's defining constants (2019) or
/// with the digits that LAMMPS has, for comparisons beyond their seventh digit.
struct Units {
  std::string length, time, energy, mass, temperature, pressure, velocity, force, density;  // names; "" for lj's
  double boltzmann = 1.0;                                                                   // [energy/temperature]
  double mass_velocity2 = 1.0;     // mass velocity^2 in the energy unit
  double energy_per_volume = 1.0;  // energy/length^3 in the pressure unit
  // For people: one unit in SI; 0 where there is none (lj).
  double length_si = 0.0, time_si = 0.0, mass_si = 0.0;
};

Units make_units(UnitSystem system, Constants constants);

}  // namespace halyard::md
