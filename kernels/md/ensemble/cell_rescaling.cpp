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
  double excess = 0.0;  // sum over the axes of (P - P0) V
  for (int a = 0; a < 3; ++a) {
    if (groups_.of_axis[a] == group) {
      excess += load.pressure_volume(a) - pressure_[a] * load.volume;
    }
  }
  const double rate = mobility_ * time_ / load.volume;
  return {rate * excess, std::sqrt(2.0 * groups_.size[group] * thermal_energy_ * rate)};
}

std::array<double, 3> CellRescaling::begin(const BoxLoad& load, double time, double thermal_energy,
                                           RandomSequence& random) {
  time_ = time;
  thermal_energy_ = thermal_energy;
  volume_ = load.volume;
  std::array<double, 3> factor{};
  for (int g = 0; g < groups_.count; ++g) {
    const Move move = move_of(g, load);
    normal_[g] = random.normal();
    width_[g] = move.width;
    strain_[g] = move.drift + move.width * normal_[g];
    if (!(std::fabs(strain_[g]) < 0.25)) {
      throw Error("Stochastic cell rescaling would change the box by the factor exp(" + std::to_string(strain_[g]) +
                  ") in one step; a longer time constant or a smaller step is needed.");
    }
  }
  for (int a = 0; a < 3; ++a) {
    const int g = groups_.of_axis[a];
    factor[a] = math::exp(strain_[g] / groups_.size[g]);
  }
  return factor;
}

void CellRescaling::end(const BoxLoad& load) {
  std::array<double, 3> strain{};
  for (int a = 0; a < 3; ++a) {
    const int g = groups_.of_axis[a];
    strain[a] = strain_[g] / groups_.size[g];
  }
  const double growth = strain[0] + (strain[1] + strain[2]);
  // -kB T log of the measure of the strains: the edges' own measure is V times it.
  double change = pressure_work(pressure_, strain, volume_) - thermal_energy_ * growth;
  for (int g = 0; g < groups_.count; ++g) {
    const Move back = move_of(g, load);
    const double reverse = (-strain_[g] - back.drift) / back.width;
    change +=
        thermal_energy_ * (0.5 * (reverse * reverse - normal_[g] * normal_[g]) + math::log(back.width / width_[g]));
  }
  work += change;
}

}  // namespace halyard::md
