#include "kernels/md/ensemble/velocity_rescaling.hpp"

#include <cmath>
#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

double VelocityRescaling::advance(double time, double kinetic, double dof, double thermal_energy,
                                  RandomSequence& random) {
  if (!std::isfinite(kinetic)) {
    throw Error("Stochastic velocity rescaling found the kinetic energy " + std::to_string(kinetic) +
                ": the atoms have become too fast for the time step; a smaller dt may help.");
  }
  if (!(kinetic > 0.0)) {
    throw Error("Stochastic velocity rescaling found the kinetic energy " + std::to_string(kinetic) +
                "; it must be above 0: give the atoms velocities first.");
  }
  const double c = tau > 0.0 ? math::exp(-time / tau) : 0.0;
  const double share = 0.5 * thermal_energy;  // canonical mean of one degree of freedom
  const double first = random.normal();
  const double others = random.sum_of_squares(dof - 1.0);
  const double root = std::sqrt(c * kinetic), noise = std::sqrt((1.0 - c) * share);
  const double along = root + noise * first;  // the component along the old velocities: gives the sign
  const double fresh = along * along + noise * noise * others;
  heat += fresh - kinetic;
  const double factor = std::sqrt(fresh / kinetic);
  return along < 0.0 ? -factor : factor;
}

}  // namespace halyard::md
