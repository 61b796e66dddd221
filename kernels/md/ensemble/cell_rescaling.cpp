#include "kernels/md/ensemble/cell_rescaling.hpp"

#include <cmath>
#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

CellRescaling::CellRescaling(BoxCoupling coupling, const std::array<double, 3>& pressure, double compressibility,
                             double tau)
    : groups_(box_groups(coupling)), pressure_(pressure), mobility_(compressibility / (3.0 * tau)) {
  if (!(tau > 0.0) || !(compressibility > 0.0)) {
    throw Error("Stochastic cell rescaling needs a time constant and a compressibility above 0; found " +
                std::to_string(tau) + " and " + std::to_string(compressibility) + ".");
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < a; ++b) {
      if (groups_.of_axis[a] == groups_.of_axis[b] && pressure[a] != pressure[b]) {
        throw Error("Axes of the box that are coupled need one pressure; found " + std::to_string(pressure[b]) +
                    " and " + std::to_string(pressure[a]) + ".");
      }
    }
  }
}

CellRescaling::Move CellRescaling::move_of(int group, const BoxLoad& load) const {
  double drive = 0.0;  // sum over the axes of (P - P0) V + kB T/2
  for (int a = 0; a < 3; ++a) {
    if (groups_.of_axis[a] == group) {
      drive += load.pressure_volume(a) - pressure_[a] * load.volume + 0.5 * thermal_energy_;
    }
  }
  const double rate = mobility_ * time_ / load.volume;
  return {rate * drive, std::sqrt(2.0 * groups_.size[group] * thermal_energy_ * rate)};
}

std::array<double, 3> CellRescaling::begin(const BoxLoad& load, double time, double thermal_energy,
                                           RandomSequence& random) {
  time_ = time;
  thermal_energy_ = thermal_energy;
  volume_ = load.volume;
  double sum = 0.0;
  for (int g = 0; g < groups_.count; ++g) {
    const Move move = move_of(g, load);
    normal_[g] = random.normal();
    y_[g] = move.drift + move.width * normal_[g];
    sum += y_[g];
    if (!(std::fabs(y_[g]) < 0.25)) {
      throw Error("Stochastic cell rescaling would change the volume by a fraction of " + std::to_string(y_[g]) +
                  " in one step; it needs a longer time constant or a smaller step.");
    }
  }
  growth_ = 2.0 * math::log(1.0 + 0.5 * sum);
  const double strain_of_y = sum == 0.0 ? 1.0 : growth_ / sum;
  std::array<double, 3> factor{};
  for (int a = 0; a < 3; ++a) {
    const int g = groups_.of_axis[a];
    strain_[a] = y_[g] * strain_of_y / groups_.size[g];
    factor[a] = math::exp(strain_[a]);
  }
  return factor;
}

void CellRescaling::end(const BoxLoad& load) {
  // Of the reverse step, y is -y sqrt(V/V'). The logarithm of the ratio of the two probability densities of the
  // strains: the Gaussians' exponents, and growth/2 from widths and Jacobians; -growth is the measure (edges, not
  // strains).
  const double shrink = math::exp(-0.5 * growth_);
  double change = pressure_work(pressure_, strain_, volume_) - 0.5 * thermal_energy_ * growth_;
  for (int g = 0; g < groups_.count; ++g) {
    const Move back = move_of(g, load);
    const double reverse = (-y_[g] * shrink - back.drift) / back.width;
    change += 0.5 * thermal_energy_ * (reverse - normal_[g]) * (reverse + normal_[g]);
  }
  work += change;
}

}  // namespace halyard::md
