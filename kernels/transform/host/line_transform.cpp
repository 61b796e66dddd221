#include "kernels/transform/host/line_transform.hpp"

#include <cmath>
#include <numbers>

namespace halyard::host {

LineTransform::LineTransform(Basis basis, int n) : basis_(basis), n_(n), fourier_(n), cell_place_(n), result_place_(n) {
  for (int i = 0; i < n; ++i) {
    // Makhoul's order for the cosine transform: even cells ascending, then odd ones descending.
    result_place_[i] = basis == Basis::fourier ? i : i % 2 == 0 ? i / 2 : n - 1 - i / 2;
    cell_place_[i] = fourier_.slot()[result_place_[i]];
  }
  for (int m = 0; m < n; ++m) {
    const long double angle =
        -std::numbers::pi_v<long double> * static_cast<long double>(m) / (2.0L * static_cast<long double>(n));
    quarter_.push_back(static_cast<double>(std::cos(angle)));
    quarter_.push_back(static_cast<double>(std::sin(angle)));
  }
}

}  // namespace halyard::host
