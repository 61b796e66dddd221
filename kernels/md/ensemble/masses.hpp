#pragma once
#include "kernels/device/view.hpp"

namespace halyard::md {

/// What the operators need of the masses, one value for each type. The factors of LAMMPS' unit systems are in them:
/// mvv2e (from mass velocity^2 to energy) and ftm2v (from force time / mass to velocity), both 1 in lj units.
struct Masses {
  View1<const double> mass;               // m mvv2e: kinetic energy is mass v^2 / 2, in the energy unit of the case
  View1<const double> inverse_root_mass;  // 1/sqrt(mass): the thermal speed is sqrt(kB T) times this
  View1<const double> acceleration;       // ftm2v / m
};

}  // namespace halyard::md
