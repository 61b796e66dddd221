#include "kernels/transform/eigenvalues.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace halyard {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Eigenvalues, AreThoseOfTheSecondDifference) {
  for (const std::int64_t n : {1, 2, 5, 16, 97}) {
    const double dx = 0.37;
    for (const Basis basis : {Basis::fourier, Basis::cosine}) {
      const auto lambda = second_difference_eigenvalues(basis, n, dx);
      ASSERT_EQ(lambda.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(lambda[0], 0.0);
      for (std::int64_t m = 0; m < n; ++m) {
        // The mode in cell i, its neighbours by periodicity or by reflection.
        const auto mode = [&](std::int64_t i) {
          if (basis == Basis::fourier) {
            return std::cos(2.0 * pi * static_cast<double>(m * ((i + n) % n)) / static_cast<double>(n) + 0.3);
          }
          const std::int64_t inside = i < 0 ? 0 : i >= n ? n - 1 : i;
          return std::cos(pi * static_cast<double>(m) * (static_cast<double>(inside) + 0.5) / static_cast<double>(n));
        };
        for (std::int64_t i = 0; i < n; ++i) {
          const double difference = (mode(i + 1) - 2.0 * mode(i) + mode(i - 1)) / (dx * dx);
          // Round-off of the differences of numbers up to 1 and of the angles (up to 2 pi n) in `mode`.
          EXPECT_NEAR(difference, lambda[m] * mode(i), 4e-15 * static_cast<double>(n) / (dx * dx)) << n << ' ' << m;
        }
      }
    }
  }
}

TEST(Eigenvalues, FourierModesMAndNMinusMAreTheSameBits) {
  for (std::int64_t n = 2; n < 400; ++n) {
    const auto lambda = second_difference_eigenvalues(Basis::fourier, n, 0.1);
    for (std::int64_t m = 1; m < n; ++m) {
      EXPECT_EQ(lambda[m], lambda[n - m]) << n << ' ' << m;
    }
  }
}

TEST(RowModes, EveryModeHasItsPlaces) {
  for (const std::int64_t n : {1, 2, 5, 15, 16, 17, 34, 97, 128}) {
    const RowModes complex(n, true), real(n, false);
    EXPECT_EQ(complex.doubles(), n % 2 == 0 ? n : n + 1);
    EXPECT_EQ(real.doubles(), n % 2 == 0 ? n : n + 1);
    std::vector<int> seen(static_cast<std::size_t>(n / 2 + 1), 0);
    for (std::int64_t d = 0; d < complex.doubles(); ++d) {
      ++seen.at(complex.mode_of(d));
    }
    for (std::int64_t m = 0; m <= n / 2; ++m) {
      // A real and an imaginary part, but for the two real modes of an even length (which share a complex number).
      const bool lonely = n % 2 == 0 && (m == 0 || m == n / 2);
      EXPECT_EQ(seen[m], lonely ? 1 : 2) << n << ' ' << m;
    }
    for (std::int64_t d = 0; d < n; ++d) {
      EXPECT_EQ(real.mode_of(d), d);
    }
    std::int64_t modes = 0;
    for (std::int64_t b = 0; b < complex.blocks(); ++b) {
      modes += complex.width(b);
    }
    EXPECT_EQ(modes, complex.modes());
    EXPECT_EQ(complex.pairs(0), n % 2 == 0);
    EXPECT_TRUE(real.pairs(0));
  }
}

}  // namespace
}  // namespace halyard
