#include "kernels/transform/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halyard {

std::vector<double> second_difference_eigenvalues(Basis basis, std::int64_t n, double dx) {
  std::vector<double> result(static_cast<std::size_t>(n));
  for (std::int64_t m = 0; m < n; ++m) {
    const long double angle =
        basis == Basis::fourier
            ? std::numbers::pi_v<long double> * static_cast<long double>(std::min(m, n - m)) /
                  static_cast<long double>(n)
            : std::numbers::pi_v<long double> * static_cast<long double>(m) / (2.0L * static_cast<long double>(n));
    const long double root = 2.0L * std::sin(angle) / static_cast<long double>(dx);
    result[m] = m == 0 ? 0.0 : static_cast<double>(-root * root);
  }
  return result;
}

std::int64_t RowModes::mode_of(std::int64_t d) const {
  if (!complex_) {
    return d < nx_ ? d : 0;
  }
  const std::int64_t block = d / (2 * block_modes);
  const std::int64_t place = d - 2 * block_modes * block;
  const int w = width(block);
  if (d == w && block == 0 && nx_ % 2 == 0) {
    return nx_ / 2;
  }
  return block_modes * block + place % w;
}

}  // namespace halyard
