#pragma once
#include "kernels/md/normal_random.hpp"

namespace halyard::md {

/// Stochastic velocity rescaling (Bussi, Donadio & Parrinello 2007, J. Chem. Phys. 126, 014101), the exact propagator
/// of its equation (A7): the kinetic energy relaxes to its canonical distribution with time constant tau, also in steps
/// of any length. tau = 0 draws the kinetic energy anew each time.
///
/// `heat`, the state, is the energy that the thermostat has given: potential + kinetic energy - heat is conserved.
struct VelocityRescaling {
  double tau;
  double heat = 0.0;

  /// The factor for all velocities after `time`. kinetic: their kinetic energy; dof: degrees of freedom;
  /// thermal_energy: kB T. Rarely negative, as the propagator wants it.
  /// @throws Error when the kinetic energy is 0 or not finite: nothing can be scaled to a temperature.
  double advance(double time, double kinetic, double dof, double thermal_energy, RandomSequence& random);
};

}  // namespace halyard::md
