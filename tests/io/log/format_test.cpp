#include "io/log/format.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace halyard {
namespace {

TEST(DurationText, ChangesUnitWhereTheNumberGrowsLong) {
  EXPECT_EQ(duration_text(0.0), "0.00 s");
  EXPECT_EQ(duration_text(9.994), "9.99 s");
  EXPECT_EQ(duration_text(9.996), "10.0 s");
  EXPECT_EQ(duration_text(59.94), "59.9 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");  // never "60.0 s"
  EXPECT_EQ(duration_text(125.0), "2 min 05 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 00 min");  // never "60 min 00 s"
  EXPECT_EQ(duration_text(11220.0), "3 h 07 min");
  EXPECT_EQ(duration_text(86400.0 * 2 + 4 * 3600.0), "2 d 04 h");
  EXPECT_EQ(duration_text(-2.0), "-2.00 s");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(BytesText, CountsInThousands) {
  EXPECT_EQ(bytes_text(0.0), "0 B");
  EXPECT_EQ(bytes_text(999.0), "999 B");
  EXPECT_EQ(bytes_text(1000.0), "1.00 kB");
  EXPECT_EQ(bytes_text(1.234e6), "1.23 MB");
  EXPECT_EQ(bytes_text(45.64e9), "45.6 GB");
  EXPECT_EQ(bytes_text(999.6e9), "1.00 TB");  // never "1000 GB"
}

TEST(RateText, TakesThePrefixThatFits) {
  EXPECT_EQ(rate_text(5.51e7, "cell"), "55.1 Mcell/s");
  EXPECT_EQ(rate_text(999.0, "atom"), "999 atom/s");
  EXPECT_EQ(rate_text(1.0e12, "cell"), "1.00 Tcell/s");
  EXPECT_EQ(rate_text(0.0, "cell"), "0.00 cell/s");
}

TEST(CountText, GroupsByThree) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(16777216), "16 777 216");
  EXPECT_EQ(count_text(-1000), "-1 000");
  EXPECT_EQ(count_text(-100), "-100");
}

}  // namespace
}  // namespace halyard
