#include "kernels/transform/host/lane_fourier.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/kernels/transform/support.hpp"

namespace halyard::host {
namespace {

using test::LongComplex;

class LaneFourierOf : public testing::TestWithParam<int> {};

TEST_P(LaneFourierOf, MatchesTheDirectSumInBothDirections) {
  const int n = GetParam();
  const LaneFourier fourier(n);
  test::Random random(n);
  std::vector<std::vector<LongComplex>> x(lane_count, std::vector<LongComplex>(n));
  for (const bool inverse : {false, true}) {
    const auto buffer = test::aligned(static_cast<std::size_t>(complex_stride) * n);
    for (int l = 0; l < lane_count; ++l) {
      for (int i = 0; i < n; ++i) {
        const double re = random.next(), im = random.next();
        x[l][i] = inverse ? LongComplex(re, -im) : LongComplex(re, im);
        buffer[complex_stride * fourier.slot()[i] + l] = re;
        buffer[complex_stride * fourier.slot()[i] + lane_count + l] = im;
      }
    }
    fourier.transform(buffer.get(), inverse);
    for (int l = 0; l < lane_count; ++l) {
      const auto expected = test::direct_fourier(x[l]);
      for (int m = 0; m < n; ++m) {
        const double re = buffer[complex_stride * m + l], im = buffer[complex_stride * m + lane_count + l];
        EXPECT_NEAR(re, static_cast<double>(expected[m].real()), test::transform_tolerance(n));
        EXPECT_NEAR(im, static_cast<double>(inverse ? -expected[m].imag() : expected[m].imag()),
                    test::transform_tolerance(n));
      }
    }
  }
}

TEST_P(LaneFourierOf, ALineHasTheSameBitsInEveryLane) {
  const int n = GetParam();
  const LaneFourier fourier(n);
  std::vector<double> reference;
  for (int l = 0; l < lane_count; ++l) {
    const auto buffer = test::aligned(static_cast<std::size_t>(complex_stride) * n);
    test::Random line(5), others(l + 1);
    for (int i = 0; i < n; ++i) {
      for (int other = 0; other < complex_stride; ++other) {
        buffer[complex_stride * fourier.slot()[i] + other] = 1e3 * others.next();
      }
      buffer[complex_stride * fourier.slot()[i] + l] = line.next();
      buffer[complex_stride * fourier.slot()[i] + lane_count + l] = line.next();
    }
    fourier.transform(buffer.get(), false);
    std::vector<double> result;
    for (int m = 0; m < n; ++m) {
      result.push_back(buffer[complex_stride * m + l]);
      result.push_back(buffer[complex_stride * m + lane_count + l]);
    }
    if (l == 0) {
      reference = result;
    }
    EXPECT_EQ(std::memcmp(result.data(), reference.data(), result.size() * sizeof(double)), 0) << "lane " << l;
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, LaneFourierOf,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 16, 17, 20, 25, 32, 34, 36, 48, 49, 64, 90, 97,
                                         125, 128, 210, 221, 256, 263, 500, 512));

TEST(LaneFourier, NamesTheNextFastSize) {
  EXPECT_EQ(next_fast_size(1), 1);
  EXPECT_EQ(next_fast_size(128), 128);
  EXPECT_EQ(next_fast_size(97), 100);
  EXPECT_TRUE(LaneFourier(120).is_fast());
  EXPECT_FALSE(LaneFourier(34).is_fast());
}

}  // namespace
}  // namespace halyard::host
