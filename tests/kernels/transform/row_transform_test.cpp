#include "kernels/transform/host/row_transform.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/kernels/transform/support.hpp"

namespace halyard::host {
namespace {

using test::LongComplex;

class RowTransformOf : public testing::TestWithParam<std::tuple<Basis, int>> {};

TEST_P(RowTransformOf, MatchesTheDirectSumAndComesBack) {
  const auto [basis, n] = GetParam();
  const RowTransform transform(basis, n);
  const RowModes& layout = transform.modes();
  const auto size = static_cast<int>(layout.doubles());
  const auto work = test::aligned(transform.work_doubles()), work2 = test::aligned(transform.work_doubles());
  const int pitch = n + 10;
  std::vector<double> in(static_cast<std::size_t>(8 * pitch), -7.0), out(in);
  std::vector<std::vector<LongComplex>> x(8, std::vector<LongComplex>(n));
  const double* rows[8];
  double* modes[8];
  test::Random random(n);
  for (int r = 0; r < 8; ++r) {
    rows[r] = in.data() + r * pitch;
    modes[r] = out.data() + r * pitch;
    for (int i = 0; i < n; ++i) {
      in[r * pitch + i] = random.next();
      x[r][i] = in[r * pitch + i];
    }
  }
  alignas(64) double sums[8];
  store(sums, transform.forward(rows, modes, work.get(), work2.get()));
  for (int r = 0; r < 8; ++r) {
    const auto expected = basis == Basis::fourier ? test::direct_fourier(x[r]) : test::direct_cosine(x[r]);
    EXPECT_NEAR(sums[r], static_cast<double>(expected[0].real()), test::transform_tolerance(n));
    for (int d = 0; d < size; ++d) {
      const std::int64_t m = layout.mode_of(d);
      double value = static_cast<double>(expected[m].real());
      if (basis == Basis::fourier) {
        const int block = d / 16;
        const bool imaginary = d - 16 * block >= layout.width(block) && !(n % 2 == 0 && m == n / 2);
        value = static_cast<double>(imaginary ? expected[m].imag() : expected[m].real());
      } else if (d >= n) {
        value = 0.0;
      }
      EXPECT_NEAR(modes[r][d], value, test::transform_tolerance(n)) << "row " << r << " place " << d;
    }
    for (int d = size; d < pitch; ++d) {
      EXPECT_EQ(modes[r][d], -7.0) << "beyond the modes";
    }
  }
  const double* back_from[8];
  for (int r = 0; r < 8; ++r) {
    back_from[r] = modes[r];
  }
  transform.backward(back_from, modes, work.get(), work2.get());
  for (int r = 0; r < 8; ++r) {
    for (int i = 0; i < n; ++i) {
      // Two transforms, and modes up to sqrt(n).
      EXPECT_NEAR(modes[r][i], n * in[r * pitch + i], 2.0 * std::sqrt(n) * test::transform_tolerance(n));
    }
  }
}

TEST_P(RowTransformOf, ARowHasTheSameBitsInEveryLane) {
  const auto [basis, n] = GetParam();
  const RowTransform transform(basis, n);
  const auto work = test::aligned(transform.work_doubles()), work2 = test::aligned(transform.work_doubles());
  std::vector<double> row(n), reference;
  test::Random random(3);
  for (double& value : row) {
    value = random.next();
  }
  for (int lane = 0; lane < 8; ++lane) {
    std::vector<std::vector<double>> cells(8, std::vector<double>(n + 2));
    const double* rows[8];
    double* modes[8];
    for (int r = 0; r < 8; ++r) {
      for (int i = 0; i < n; ++i) {
        cells[r][i] = r == lane ? row[i] : 100.0 * random.next();
      }
      rows[r] = modes[r] = cells[r].data();
    }
    transform.forward(rows, modes, work.get(), work2.get());
    transform.backward(rows, modes, work.get(), work2.get());
    cells[lane].resize(n);
    if (lane == 0) {
      reference = cells[0];
    }
    EXPECT_EQ(cells[lane], reference);
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, RowTransformOf,
                         testing::Combine(testing::Values(Basis::fourier, Basis::cosine),
                                          testing::Values(1, 2, 3, 4, 5, 6, 8, 9, 16, 17, 30, 34, 64, 97, 98, 128)));

}  // namespace
}  // namespace halyard::host
