#include "kernels/transform/host/line_transform.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/kernels/transform/support.hpp"

namespace halyard::host {
namespace {

using test::LongComplex;

class LineTransformOf : public testing::TestWithParam<std::tuple<Basis, bool, int>> {};

TEST_P(LineTransformOf, MatchesTheDirectSumAndComesBack) {
  const Basis basis = std::get<0>(GetParam());
  const bool pairs = std::get<1>(GetParam());
  const int n = std::get<2>(GetParam());
  const LineTransform transform(basis, n);
  const auto work = test::aligned(LineTransform::work_doubles(n));
  const auto cells = test::aligned(static_cast<std::size_t>(complex_stride) * n);
  const auto modes = test::aligned(static_cast<std::size_t>(complex_stride) * n);
  test::Random random(n);
  for (int i = 0; i < complex_stride * n; ++i) {
    cells[i] = random.next();
  }
  transform.load_cells(work.get(), [&](int i) { return load_complex(cells.get(), i); });
  const auto put = [&](int m, ComplexLanes x) { store_complex(modes.get(), m, x); };
  pairs ? transform.unload_modes<true>(work.get(), put) : transform.unload_modes<false>(work.get(), put);
  for (int l = 0; l < lane_count; ++l) {
    // Pairs are two real lines; else one complex line.
    std::vector<LongComplex> a(n), b(n);
    for (int i = 0; i < n; ++i) {
      const double re = cells[complex_stride * i + l], im = cells[complex_stride * i + lane_count + l];
      a[i] = pairs ? LongComplex(re, 0.0) : LongComplex(re, im);
      b[i] = im;
    }
    a = basis == Basis::fourier ? test::direct_fourier(a) : test::direct_cosine(a);
    b = basis == Basis::fourier ? test::direct_fourier(b) : test::direct_cosine(b);
    for (int m = 0; m < n; ++m) {
      LongComplex expected = a[m];
      if (pairs) {
        const bool imaginary = basis == Basis::fourier && 2 * m > n;
        expected = imaginary ? LongComplex(a[n - m].imag(), b[n - m].imag()) : LongComplex(a[m].real(), b[m].real());
      }
      EXPECT_NEAR(modes[complex_stride * m + l], static_cast<double>(expected.real()), test::transform_tolerance(n));
      EXPECT_NEAR(modes[complex_stride * m + lane_count + l], static_cast<double>(expected.imag()),
                  test::transform_tolerance(n));
    }
  }
  const auto get = [&](int m) { return load_complex(modes.get(), m); };
  pairs ? transform.load_modes<true>(work.get(), get) : transform.load_modes<false>(work.get(), get);
  transform.unload_cells(work.get(), [&](int i, ComplexLanes x) {
    alignas(64) double back[complex_stride];
    store_complex(back, 0, x);
    for (int l = 0; l < complex_stride; ++l) {
      // Two transforms, and modes up to sqrt(n).
      EXPECT_NEAR(back[l], n * cells[complex_stride * i + l], 2.0 * std::sqrt(n) * test::transform_tolerance(n));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Lengths, LineTransformOf,
                         testing::Combine(testing::Values(Basis::fourier, Basis::cosine), testing::Bool(),
                                          testing::Values(1, 2, 3, 4, 5, 8, 16, 17, 34, 60, 64, 97, 128)));

}  // namespace
}  // namespace halyard::host
