#include "kernels/md/ensemble/fire.hpp"

#include <cmath>

namespace halyard::md {

Fire::Decision Fire::decide(const FireSettings& settings, double force_velocity, double velocity2, double force2) {
  Decision decision;
  if (force_velocity > 0.0) {
    decision.keep = 1.0 - alpha;
    decision.steer = force2 > 0.0 ? alpha * std::sqrt(velocity2 / force2) : 0.0;
    uphill = 0.0;
    downhill += 1.0;
    if (downhill > settings.delay) {
      const double grown = dt * settings.grow, largest = settings.dt * settings.largest_dt_factor;
      dt = grown < largest ? grown : largest;
      alpha *= settings.fade;
    }
  } else if (steps > 0.0) {  // the first step has no velocity yet
    downhill = 0.0;
    uphill += 1.0;
    decision.stuck = uphill > settings.longest_uphill;
    if (steps >= settings.delay) {
      const double shrunk = dt * settings.shrink;
      if (shrunk >= settings.dt * settings.smallest_dt_factor) {
        dt = shrunk;
      }
      alpha = settings.alpha;
    }
    decision.back = last_move;
  }
  steps += 1.0;
  return decision;
}

double Fire::limit(const FireSettings& settings, double largest_speed) {
  last_move = largest_speed * dt > settings.longest_move ? settings.longest_move / largest_speed : dt;
  return last_move;
}

}  // namespace halyard::md
