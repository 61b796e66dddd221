#include "kernels/md/ensemble/nose_hoover.hpp"

#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

namespace {
// Suzuki (1991), J. Math. Phys. 32, 400; Yoshida (1990), Phys. Lett. A 150, 262.
constexpr double one[] = {1.0};
constexpr double w3 = 1.3512071919596576340;  // 1/(2 - 2^(1/3))
constexpr double three[] = {w3, 1.0 - 2.0 * w3, w3};
constexpr double w5 = 0.41449077179437573714;  // 1/(4 - 4^(1/3))
constexpr double five[] = {w5, w5, 1.0 - 4.0 * w5, w5, w5};
}  // namespace

NoseHooverChain::NoseHooverChain(int length, double tau, int weights, int subcycles)
    : length_(length), tau_(tau), weights_(weights), subcycles_(subcycles) {
  if (length < 1 || length > longest) {
    throw Error("A Nose-Hoover chain has 1 to " + std::to_string(longest) + " thermostats; found " +
                std::to_string(length) + ".");
  }
  if (weights != 1 && weights != 3 && weights != 5) {
    throw Error("The Suzuki-Yoshida splitting of a Nose-Hoover chain has 1, 3 or 5 weights; found " +
                std::to_string(weights) + ".");
  }
  if (subcycles < 1) {
    throw Error("A Nose-Hoover chain needs at least 1 subcycle; found " + std::to_string(subcycles) + ".");
  }
  if (!(tau > 0.0)) {
    throw Error("The time constant of a Nose-Hoover chain must be above 0; found " + std::to_string(tau) + ".");
  }
}

double NoseHooverChain::advance(double time, double twice_kinetic, double dof, double thermal_energy) {
  if (!(dof > 0.0)) {
    return 1.0;  // nothing is there to be thermostatted
  }
  const double unit = thermal_energy * tau_ * tau_;  // Q_k for k > 1
  const auto mass = [&](int k) { return k == 0 ? dof * unit : unit; };
  double scale = 1.0;
  const auto force = [&](int k) {  // G_k / Q_k
    const double drive = k == 0 ? scale * scale * twice_kinetic - dof * thermal_energy
                                : mass(k - 1) * velocity[k - 1] * velocity[k - 1] - thermal_energy;
    return drive / mass(k);
  };
  const double* weight = weights_ == 1 ? one : weights_ == 3 ? three : five;
  for (int cycle = 0; cycle < subcycles_; ++cycle) {
    for (int w = 0; w < weights_; ++w) {
      const double delta = weight[w] * time / subcycles_;
      const auto kick = [&](int k) {
        const double damp = k + 1 < length_ ? math::exp(-0.25 * delta * velocity[k + 1]) : 1.0;
        velocity[k] = (velocity[k] * damp + 0.5 * delta * force(k)) * damp;
      };
      for (int k = length_ - 1; k >= 0; --k) {
        kick(k);
      }
      scale *= math::exp(-delta * velocity[0]);
      for (int k = 0; k < length_; ++k) {
        position[k] += delta * velocity[k];
      }
      for (int k = 0; k < length_; ++k) {
        kick(k);
      }
    }
  }
  return scale;
}

double NoseHooverChain::energy(double dof, double thermal_energy) const {
  const double unit = thermal_energy * tau_ * tau_;
  double sum = 0.0;
  for (int k = 0; k < length_; ++k) {
    const double share = k == 0 ? dof : 1.0;
    sum += share * (0.5 * unit * velocity[k] * velocity[k] + thermal_energy * position[k]);
  }
  return sum;
}

}  // namespace halyard::md
