#include "kernels/md/ensemble/box_coupling.hpp"

#include <cmath>

#include "kernels/md/math.hpp"

namespace halyard::md {

double sinh_over(double x) {
  if (std::fabs(x) > 0.25) {
    return 0.5 * (math::exp(x) - math::exp(-x)) / x;
  }
  const double x2 = x * x;  // the next term is below 3e-17
  return 1.0 + x2 / 6.0 * (1.0 + x2 / 20.0 * (1.0 + x2 / 42.0 * (1.0 + x2 / 72.0 * (1.0 + x2 / 110.0))));
}

double pressure_work(const std::array<double, 3>& pressure, const std::array<double, 3>& strain, double volume) {
  const double total = strain[0] + (strain[1] + strain[2]);
  // (e^t - 1)/t = e^(t/2) sinh(t/2)/(t/2)
  const double mean_volume = volume * math::exp(0.5 * total) * sinh_over(0.5 * total);
  return mean_volume * (pressure[0] * strain[0] + (pressure[1] * strain[1] + pressure[2] * strain[2]));
}

}  // namespace halyard::md
