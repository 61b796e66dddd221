#include "kernels/device/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace halyard {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double infinity = Limits::infinity();

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) {
    sum.add(term);
  }
  return sum.value();
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Exact where all terms lie within 113 - 53 - log2(count) binary orders of one another; the cast rounds correctly.
double sum_in_quad(const std::vector<double>& terms) {
  __float128 sum = 0;
  for (const double term : terms) {
    sum += term;
  }
  return static_cast<double>(sum);
}

/// Exact for any terms but for overflow on the way, rounded once: Shewchuk 1997, Discrete Comput. Geom. 18, 305, with
/// the tie rule of Python's math.fsum. It shares nothing with the accumulator under test.
double sum_by_expansion(const std::vector<double>& terms) {
  std::vector<double> parts;  // no two overlap, growing
  for (double x : terms) {
    std::size_t kept = 0;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) {
        std::swap(x, y);
      }
      const double high = x + y, low = y - (high - x);
      if (low != 0.0) {
        parts[kept++] = low;
      }
      x = high;
    }
    parts.resize(kept);
    parts.push_back(x);
  }
  if (parts.empty()) {
    return 0.0;
  }
  double high = parts.back(), low = 0.0;
  std::size_t n = parts.size() - 1;
  while (n > 0) {
    const double x = high, y = parts[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0.0) {
      break;
    }
  }
  if (n > 0 && ((low < 0.0 && parts[n - 1] < 0.0) || (low > 0.0 && parts[n - 1] > 0.0))) {
    const double twice = low * 2.0, next = high + twice;
    if (twice == next - high) {
      high = next;
    }
  }
  return high;
}

std::vector<double> random_terms(int count, int exponents, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-exponents, exponents);
  std::vector<double> terms;
  for (int i = 0; i < count; ++i) {
    terms.push_back(std::ldexp(mantissa(random), exponent(random)));
  }
  return terms;
}

TEST(ExactSum, OneTermIsItself) {
  for (const double term :
       {0.0, 1.0, -1.0, 0.1, -1e300, Limits::max(), -Limits::max(), Limits::min(), Limits::denorm_min(),
        -Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min() - Limits::denorm_min(), 4294967296.0,
        4294967295.0, 1.0 + Limits::epsilon()}) {
    EXPECT_EQ(bits(sum_of({term})), bits(term)) << term;
    EXPECT_EQ(bits(sum_of({term, term, -term})), bits(term)) << term;
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) {  // every digit, every offset in it
    for (const double mantissa : {1.0, 1.0 + Limits::epsilon(), 2.0 - Limits::epsilon()}) {
      const double term = std::ldexp(mantissa, exponent);
      EXPECT_EQ(bits(sum_of({term})), bits(term)) << term;
      EXPECT_EQ(bits(sum_of({-term})), bits(-term)) << term;
    }
  }
  EXPECT_EQ(bits(ExactSum().value()), bits(0.0));
  EXPECT_EQ(bits(sum_of({-0.0})), bits(0.0));
  EXPECT_EQ(bits(sum_of({1.5, -1.5})), bits(0.0));
}

TEST(ExactSum, AgreesWithQuadruplePrecision) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    // 53 + 2 * 24 + 10 bits < 113: the reference is exact.
    const auto terms = random_terms(1 + static_cast<int>(seed * 7 % 1000), 24, seed);
    EXPECT_EQ(bits(sum_of(terms)), bits(sum_in_quad(terms)));
  }
}

TEST(ExactSum, AgreesWithExpansionsOverAllExponents) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    auto terms = random_terms(300, seed % 2 == 0 ? 1000 : 60, seed);
    if (seed % 3 == 0) {  // nearly all of it cancels
      const auto count = terms.size();
      for (std::size_t i = 1; i < count; ++i) {
        terms.push_back(-terms[i]);
      }
      terms.push_back(std::ldexp(1.0, -1060));
    }
    EXPECT_EQ(bits(sum_of(terms)), bits(sum_by_expansion(terms)));
  }
}

TEST(ExactSum, AgreesWithIntegers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    __int128 reference = 0;
    ExactSum sum;
    for (int i = 0; i < 200; ++i) {
      const auto whole = static_cast<std::int64_t>(random() >> 11) * ((random() & 1) != 0 ? 1 : -1);
      const int shift = static_cast<int>(random() % 60);
      reference += static_cast<__int128>(whole) * (static_cast<__int128>(1) << shift);
      sum.add(std::ldexp(static_cast<double>(whole), shift));
    }
    EXPECT_EQ(sum.value(), static_cast<double>(reference));  // the conversion rounds to nearest, ties to even
  }
}

TEST(ExactSum, RoundsToNearestTiesToEven) {
  const double ulp = Limits::epsilon(), half = ulp / 2, tiny = Limits::denorm_min();
  EXPECT_EQ(sum_of({1.0, half}), 1.0);
  EXPECT_EQ(sum_of({1.0, half, tiny}), 1.0 + ulp);
  EXPECT_EQ(sum_of({1.0, half, -tiny}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, half}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0 + ulp, half, -tiny}), 1.0 + ulp);
  EXPECT_EQ(sum_of({-1.0, -half, -tiny}), -1.0 - ulp);
  EXPECT_EQ(sum_of({2.0, -half, tiny}), 2.0);  // half an ulp of the numbers below 2: a tie but for the tiny
  EXPECT_EQ(sum_of({2.0 - ulp, half}), 2.0);   // carries into the next binade
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum_of({1e300, tiny, -1e300}), tiny);
  EXPECT_EQ(sum_of({Limits::min(), -tiny}), Limits::min() - tiny);  // subnormal results are exact
}

TEST(ExactSum, OverflowsOnlyAtTheEnd) {
  const double most = Limits::max();
  EXPECT_EQ(sum_of({most, most, -most}), most);
  EXPECT_EQ(sum_of({most, most}), infinity);
  EXPECT_EQ(sum_of({-most, -most}), -infinity);
  const double half_ulp = std::ldexp(1.0, 970);   // of the largest number
  EXPECT_EQ(sum_of({most, half_ulp}), infinity);  // a tie goes to the even neighbour, which is 2^1024
  EXPECT_EQ(sum_of({most, std::nextafter(half_ulp, 0.0)}), most);
  ExactSum many;
  for (int i = 0; i < 100000; ++i) {
    many.add(most);
  }
  EXPECT_EQ(many.value(), infinity);
  for (int i = 0; i < 99999; ++i) {
    many.add(-most);
  }
  EXPECT_EQ(many.value(), most);
}

TEST(ExactSum, NonFiniteTermsGiveNan) {
  for (const double bad : {Limits::quiet_NaN(), infinity, -infinity}) {
    EXPECT_TRUE(std::isnan(sum_of({1.0, bad, 2.0})));
    ExactSum left, right;
    left.add(1.0);
    right.add(bad);
    left.add(right);
    EXPECT_TRUE(std::isnan(left.value()));
    EXPECT_TRUE(std::isnan(ExactSum::from_digits(left.digits()).value()));
  }
}

TEST(ExactSum, AnyOrderAndAnyGroupingGivesTheSameBits) {
  auto terms = random_terms(2000, 300, 5);
  for (std::size_t i = 0; i < 500; ++i) {
    terms.push_back(-terms[i]);
  }
  const double expected = sum_of(terms);
  const auto expected_digits = [&] {
    ExactSum sum;
    for (const double term : terms) {
      sum.add(term);
    }
    return sum.digits();
  }();
  std::mt19937 random(9);
  for (int round = 0; round < 30; ++round) {
    std::shuffle(terms.begin(), terms.end(), random);
    // As ranks do: shares of random length, summed as integers.
    std::array<std::int64_t, ExactSum::size> digits{};
    ExactSum merged;
    for (std::size_t at = 0; at < terms.size();) {
      const std::size_t end = std::min(terms.size(), at + 1 + random() % 700);
      ExactSum share;
      for (; at < end; ++at) {
        share.add(terms[at]);
      }
      const auto own = share.digits();
      for (std::size_t d = 0; d < own.size(); ++d) {
        digits[d] += own[d];
      }
      merged.add(share);
    }
    EXPECT_EQ(bits(merged.value()), bits(expected));
    EXPECT_EQ(bits(ExactSum::from_digits(digits).value()), bits(expected));
    EXPECT_EQ(merged.digits(), expected_digits);
  }
}

TEST(ExactSum, DigitsLeaveRoomForManyRanks) {
  for (const double term : {0.1, -0.1, Limits::max(), -Limits::max(), -Limits::denorm_min()}) {
    ExactSum sum;
    for (int i = 0; i < 1000; ++i) {
      sum.add(term);
    }
    const auto digits = sum.digits();
    for (int d = 0; d + 1 < ExactSum::digit_count; ++d) {
      EXPECT_GE(digits[static_cast<std::size_t>(d)], 0);
      EXPECT_LT(digits[static_cast<std::size_t>(d)], std::int64_t{1} << 32);
    }
    // As many ranks as the documentation allows, all with these digits.
    auto all = digits;
    for (auto& digit : all) {
      digit *= std::int64_t{1} << 30;
    }
    EXPECT_EQ(ExactSum::from_digits(all).value(), std::ldexp(sum.value(), 30));
  }
}

// Far more terms than the 2^31 that would overflow a digit without carries: by merges that double.
TEST(ExactSum, MergesCarry) {
  const double term = std::ldexp(1.0, 53) - 1.0;
  ExactSum sum;
  constexpr std::int64_t additions = 1 << 22;
  for (std::int64_t i = 0; i < additions; ++i) {
    sum.add(term);
  }
  for (int doubling = 0; doubling < 40; ++doubling) {
    const ExactSum copy = sum;
    sum.add(copy);
  }
  EXPECT_EQ(sum.value(), std::ldexp(term, 62));  // 2^22 2^40 terms
}

}  // namespace
}  // namespace halyard
