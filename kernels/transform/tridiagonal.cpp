#include "kernels/transform/tridiagonal.hpp"

namespace halyard {

void solve_singular(const Tridiagonal& matrix, std::span<double> f) {
  const int n = matrix.size();
  long double length = 0.0L, total = 0.0L;
  for (int i = 0; i < n; ++i) {
    length += matrix.width[i];
    total += static_cast<long double>(matrix.width[i]) * f[i];
  }
  const long double mean = total / length;
  // Flux through face i + 1 = flux through face 0 + sum of width f; the one through face 0 vanishes at a wall and else
  // follows from phi coming back to itself: sum over the faces 1 ... n of flux / coupling = 0.
  long double first_flux = 0.0L;
  if (matrix.periodic) {
    long double flux = 0.0L, rise = 0.0L, distance = 0.0L;
    for (int i = 0; i < n; ++i) {
      flux += matrix.width[i] * (f[i] - mean);
      rise += flux / matrix.coupling[i + 1];
      distance += 1.0L / matrix.coupling[i + 1];
    }
    first_flux = -rise / distance;
  }
  std::vector<long double> phi(static_cast<std::size_t>(n));
  long double flux = first_flux, moment = 0.0L;
  for (int i = 0; i + 1 < n; ++i) {
    flux += matrix.width[i] * (f[i] - mean);
    phi[i + 1] = phi[i] + flux / matrix.coupling[i + 1];
    moment += matrix.width[i + 1] * phi[i + 1];
  }
  for (int i = 0; i < n; ++i) {
    f[i] = static_cast<double>(phi[i] - moment / length);
  }
}

}  // namespace halyard
