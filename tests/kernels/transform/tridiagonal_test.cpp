#include "kernels/transform/tridiagonal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/transform/host/tridiagonal_lanes.hpp"
#include "tests/kernels/transform/support.hpp"

namespace halyard {
namespace {

/// Widths that grow to `ratio` times the smallest towards the middle.
Tridiagonal stretched(int n, double ratio, bool periodic) {
  Tridiagonal matrix;
  matrix.periodic = periodic;
  for (int i = 0; i < n; ++i) {
    const double s = std::sin(3.14159 * (i + 0.5) / n);
    matrix.width.push_back(0.01 * (1.0 + (ratio - 1.0) * s * s));
  }
  for (int face = 0; face <= n; ++face) {
    const bool wall = !periodic && (face == 0 || face == n);
    matrix.coupling.push_back(wall ? 0.0 : 2.0 / (matrix.width[(face + n - 1) % n] + matrix.width[face % n]));
  }
  return matrix;
}

/// Row i of the operator applied to phi, and the size of its terms.
std::array<double, 2> apply(const Tridiagonal& a, double lambda, const std::vector<double>& phi, int i) {
  const int n = a.size();
  const double up = a.coupling[i + 1] * (phi[(i + 1) % n] - phi[i]);
  const double down = a.coupling[i] * (phi[i] - phi[(i + n - 1) % n]);
  double largest = 0.0;
  for (const double value : phi) {
    largest = std::max(largest, std::abs(value));
  }
  return {(up - down) / a.width[i] + lambda * phi[i],
          largest * ((a.coupling[i] + a.coupling[i + 1]) / a.width[i] + std::abs(lambda))};
}

constexpr double eps = 2.3e-16;

template <int columns, int sides>
void check_lanes(const Tridiagonal& matrix) {
  using namespace host;
  const int n = matrix.size();
  const auto work = test::aligned(tridiagonal_work(n, columns, sides));
  const auto data = test::aligned(static_cast<std::size_t>(n) * columns * sides * lane_count);
  const auto at = [&](int i, int c, int s) { return data.get() + ((i * columns + c) * sides + s) * lane_count; };
  test::Random random(n + columns);
  std::vector<double> f(static_cast<std::size_t>(n) * columns * sides * lane_count);
  for (std::size_t i = 0; i < f.size(); ++i) {
    data[i] = f[i] = random.next();
  }
  alignas(64) double value[columns][lane_count];
  Lanes lambda[columns];
  for (int c = 0; c < columns; ++c) {
    for (int l = 0; l < lane_count; ++l) {
      // From nearly singular to far below the other terms.
      value[c][l] = -std::pow(10.0, l - 3) * (1.0 + c);
    }
    lambda[c] = load(value[c]);
  }
  constexpr double scale = 0.5;
  tridiagonal_solve<columns, sides>(
      matrix, lambda, scale, work.get(), [&](int i, int c, int s) { return load(at(i, c, s)); },
      [&](int i, int c, int s, Lanes x) { store(at(i, c, s), x); });
  for (int c = 0; c < columns; ++c) {
    for (int s = 0; s < sides; ++s) {
      for (int l = 0; l < lane_count; ++l) {
        std::vector<double> phi(n);
        for (int i = 0; i < n; ++i) {
          phi[i] = at(i, c, s)[l];
        }
        for (int i = 0; i < n; ++i) {
          const auto [result, size] = apply(matrix, value[c][l], phi, i);
          // Thomas on a diagonally dominant matrix is backward stable: a few eps of the terms of a row (Higham
          // 2002, 9.6).
          EXPECT_NEAR(result, scale * f[((i * columns + c) * sides + s) * lane_count + l], 8.0 * eps * size)
              << "n " << n << " row " << i << " lambda " << value[c][l];
        }
      }
    }
  }
}

TEST(Tridiagonal, SolvesEverySystemOfEveryLane) {
  for (const bool periodic : {false, true}) {
    for (const double ratio : {1.0, 50.0}) {
      for (const int n : {2, 3, 5, 17, 128}) {
        const Tridiagonal matrix = stretched(n, ratio, periodic);
        check_lanes<1, 1>(matrix);
        check_lanes<4, 2>(matrix);
        check_lanes<2, 1>(matrix);
      }
    }
  }
}

TEST(Tridiagonal, SingularCaseHasZeroMeanAndIgnoresTheMeanOfF) {
  for (const bool periodic : {false, true}) {
    for (const int n : {1, 2, 3, 5, 17, 128}) {
      const Tridiagonal matrix = stretched(n, 50.0, periodic);
      test::Random random(n);
      std::vector<double> f(n), phi(n);
      double mean = 0.0, length = 0.0;
      for (int i = 0; i < n; ++i) {
        phi[i] = f[i] = random.next();
        mean += matrix.width[i] * f[i];
        length += matrix.width[i];
      }
      mean /= length;
      solve_singular(matrix, phi);
      double moment = 0.0, largest = 0.0;
      for (int i = 0; i < n; ++i) {
        moment += matrix.width[i] * phi[i];
        largest = std::max(largest, std::abs(phi[i]));
        const auto [result, size] = apply(matrix, 0.0, phi, i);
        // phi and the mean of f are rounded to doubles.
        EXPECT_NEAR(result, f[i] - mean, 4.0 * eps * (size + 1.0)) << "n " << n << " row " << i;
      }
      EXPECT_NEAR(moment, 0.0, 4.0 * eps * largest * length);
    }
  }
}

}  // namespace
}  // namespace halyard
