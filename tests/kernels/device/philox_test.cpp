#include "kernels/device/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace halyard {
namespace {

/// Random123's known answers (Salmon et al. 2011; Random123 1.14, tests/kat_vectors, "philox4x32 10").
TEST(Philox, PublishedVectors) {
  struct Known {
    std::uint32_t counter[4], key[2], answer[4];
  };
  const Known known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Known& k : known) {
    const auto words =
        Philox4x32::generate({{k.counter[0], k.counter[1], k.counter[2], k.counter[3]}}, k.key[0], k.key[1]);
    for (int w = 0; w < 4; ++w) {
      EXPECT_EQ(words.w[w], k.answer[w]);
    }
  }
}

TEST(Philox, SymmetricUniformStaysInsideTheOpenIntervalAtItsEnds) {
  const std::uint32_t all = 0xffffffffU;
  const double largest = Philox4x32::symmetric_uniform(all, all), smallest = Philox4x32::symmetric_uniform(0, 0);
  EXPECT_LT(largest, 1.0);
  EXPECT_GT(smallest, -1.0);
  EXPECT_EQ(largest, 1.0 - 0x1p-53);  // 53 bits: 2^53 numbers, each 2^-52 from the next
}

TEST(Philox, SymmetricUniformHasTheOppositeOfEachNumber) {
  // Complementing all bits changes the sign, to the last bit, at the ends, about zero and anywhere between.
  for (std::uint32_t n = 0; n < 2000; ++n) {
    const auto words = Philox4x32::generate({{n, 0, 0, 0}}, 1, 2);
    const std::uint32_t high = n == 0 ? 0U : n == 1 ? 0x7fffffffU : words.w[0];
    const std::uint32_t low = n == 0 ? 0U : n == 1 ? 0xffffffffU : words.w[1];
    EXPECT_EQ(Philox4x32::symmetric_uniform(high, low), -Philox4x32::symmetric_uniform(~high, ~low));
  }
}

TEST(Philox, SymmetricUniformHasTheMomentsOfTheUniformDistribution) {
  const int count = 100000;
  double mean = 0.0, square = 0.0;
  for (int n = 0; n < count; ++n) {
    const auto words = Philox4x32::generate({{static_cast<std::uint32_t>(n), 0, 0, 0}}, 7, 9);
    const double x = Philox4x32::symmetric_uniform(words.w[0], words.w[1]);
    mean += x / count;
    square += x * x / count;
  }
  // Five standard deviations: of the mean sqrt(1/3 / count), of the square sqrt(4/45 / count).
  EXPECT_NEAR(mean, 0.0, 5.0 * std::sqrt(1.0 / 3.0 / count));
  EXPECT_NEAR(square, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / count));
}

}  // namespace
}  // namespace halyard
