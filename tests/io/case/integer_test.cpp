#include "io/case/integer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace halyard {
namespace {

TEST(ExactInteger, TakesFloatsThatAreWholeNumbers) {
  EXPECT_EQ(exact_integer("5e2").value, 500);
  EXPECT_EQ(exact_integer("500.0").value, 500);
  EXPECT_EQ(exact_integer("1.50e1").value, 15);
  EXPECT_EQ(exact_integer("-2.5E+1").value, -25);
  EXPECT_EQ(exact_integer("+1_0.0_0e0_1").value, 100);
  EXPECT_EQ(exact_integer("1200e-2").value, 12);
  EXPECT_EQ(exact_integer("0.0").value, 0);
  EXPECT_EQ(exact_integer("-0.0e5").value, 0);
  EXPECT_EQ(exact_integer("0e999999999999").value, 0);
}

TEST(ExactInteger, KeepsAllDigitsOf64Bits) {
  // A double would round these: 2^53 + 1, and the largest and smallest 64-bit integers.
  EXPECT_EQ(exact_integer("9007199254740993.0").value, 9007199254740993);
  EXPECT_EQ(exact_integer("9223372036854775807.0").value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(exact_integer("-9.223372036854775808e18").value, std::numeric_limits<std::int64_t>::min());
}

TEST(ExactInteger, RejectsTheRestWithTheReason) {
  for (const char* literal : {"500.5", "1e-1", "5e-1", "1.23e1", "1e-999999999999"}) {
    EXPECT_FALSE(exact_integer(literal).value) << literal;
    EXPECT_EQ(exact_integer(literal).why_not, "; it is not a whole number") << literal;
  }
  for (const char* literal : {"9223372036854775808.0", "-9223372036854775809.0", "1e19", "1e300", "1e999999999999"}) {
    EXPECT_FALSE(exact_integer(literal).value) << literal;
    EXPECT_EQ(exact_integer(literal).why_not, "; a 64-bit integer cannot hold it") << literal;
  }
  for (const char* literal : {"nan", "-nan", "inf", "-inf"}) EXPECT_FALSE(exact_integer(literal).value) << literal;
}

}  // namespace
}  // namespace halyard
