#include "kernels/device/host/lane_masks.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace halyard::host {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Numbers with all that is special among them, NaN included.
const std::vector<double>& numbers() {
  static const std::vector<double> all = [] {
    std::vector<double> values{0.0, -0.0,     1.0, -1.0,      infinity, -infinity, nan,   0x1p-1074,
                               2.5, 0x1.8p52, 1e3, -0x1p-300, 1e308,    -1e308,    0.499, std::nextafter(2.5, 3.0)};
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> u(-50.0, 50.0);
    while (values.size() < 64) {
      values.push_back(u(random));
    }
    return values;
  }();
  return all;
}

struct Eight {
  double v[lane_count];
  Lanes lanes() const { return load(v); }
};
Eight eight(std::size_t first, std::size_t stride = 1) {
  Eight e;
  for (std::size_t l = 0; l < lane_count; ++l) {
    e.v[l] = numbers()[(first + stride * l) % numbers().size()];
  }
  return e;
}
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// The same bits in all lanes; any NaN for a NaN.
template <class Wanted>
void expect_lanes(Lanes found, Wanted wanted) {
  double lane[lane_count];
  store(lane, found);
  for (int l = 0; l < lane_count; ++l) {
    const double w = wanted(l);
    if (std::isnan(w)) {
      EXPECT_TRUE(std::isnan(lane[l])) << l;
    } else {
      EXPECT_EQ(bits(lane[l]), bits(w)) << l << ": " << lane[l] << " instead of " << w;
    }
  }
}

TEST(LaneMasks, ComparisonsAndTheirCombinations) {
  for (std::size_t i = 0; i < numbers().size(); ++i) {
    for (const std::size_t stride : {1U, 3U, 0U}) {
      const Eight a = eight(i), b = eight(2 * i + 1, stride);
      unsigned wanted = 0;
      for (unsigned l = 0; l < lane_count; ++l) {
        wanted |= static_cast<unsigned>(a.v[l] < b.v[l]) << l;  // false with NaN
      }
      const Mask found = less(a.lanes(), b.lanes());
      EXPECT_EQ(to_bits(found), wanted);
      EXPECT_EQ(any(found), wanted != 0);
      const unsigned other = static_cast<unsigned>(37 * i + 11) & 0xffU;
      EXPECT_EQ(to_bits(both(found, from_bits(other))), wanted & other);
      EXPECT_EQ(to_bits(either(found, from_bits(other))), wanted | other);
    }
  }
  for (unsigned m = 0; m < 256; ++m) {
    EXPECT_EQ(to_bits(from_bits(m)), m);
    EXPECT_EQ(to_bits(from_bits(m | 0xabcd00U)), m);  // eight bits count
  }
}

TEST(LaneMasks, AnyBitOfALane) {
  const std::int32_t values[lane_count] = {0,      1, 0x100, -1, 0x7f000000, static_cast<std::int32_t>(0x80000000U),
                                           0xff00, 3};
  for (const std::int32_t wanted : {0, 1, 0xff, 0xff00, static_cast<std::int32_t>(0xff000000U), -1}) {
    unsigned expected = 0;
    for (unsigned l = 0; l < lane_count; ++l) {
      expected |= static_cast<unsigned>((values[l] & wanted) != 0) << l;
    }
    EXPECT_EQ(to_bits(any_bit(load_index(values), wanted)), expected) << wanted;
  }
}

TEST(LaneMasks, SelectionKeepsBits) {
  for (unsigned m = 0; m < 256; ++m) {
    const Eight a = eight(m), b = eight(m + 17, 5);
    expect_lanes(select(from_bits(m), a.lanes(), b.lanes()),
                 [&](int l) { return ((m >> l) & 1U) != 0 ? a.v[l] : b.v[l]; });
    // Zero, and plus zero, whatever was there.
    expect_lanes(zero_unless(from_bits(m), a.lanes()), [&](int l) { return ((m >> l) & 1U) != 0 ? a.v[l] : 0.0; });
  }
}

TEST(LaneMasks, RootsFloorsAndExtremesAreThoseOfNumbers) {
  for (std::size_t i = 0; i < numbers().size(); ++i) {
    const Eight a = eight(i), b = eight(3 * i + 2, 5);
    expect_lanes(square_root(a.lanes()), [&](int l) { return std::sqrt(a.v[l]); });
    expect_lanes(round_down(a.lanes()), [&](int l) { return std::floor(a.v[l]); });
    // As a < b ? a : b, so the second where a NaN is among them.
    expect_lanes(smaller(a.lanes(), b.lanes()), [&](int l) { return a.v[l] < b.v[l] ? a.v[l] : b.v[l]; });
    expect_lanes(larger(a.lanes(), b.lanes()), [&](int l) { return a.v[l] > b.v[l] ? a.v[l] : b.v[l]; });
  }
  expect_lanes(constant<Lanes>(0.1), [](int) { return 0.1; });
}

TEST(LaneMasks, IndicesAndTables) {
  std::vector<double> table(1000);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = std::sqrt(static_cast<double>(i));
  }
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    double x[lane_count];
    std::int32_t n[lane_count], out[lane_count];
    for (int l = 0; l < lane_count; ++l) {
      n[l] = static_cast<std::int32_t>(random() % 300);
      x[l] = n[l] + 0.999;
    }
    expect_lanes(gather(table.data(), load_index(n)), [&](int l) { return table[static_cast<std::size_t>(n[l])]; });
    expect_lanes(gather(table.data() + 7, to_index(load(x)) * all_index(3) + all_index(2)),
                 [&](int l) { return table[static_cast<std::size_t>(3 * n[l] + 9)]; });
    store_index(out, load_index(n) + all_index(-400));
    for (int l = 0; l < lane_count; ++l) {
      EXPECT_EQ(out[l], n[l] - 400);
    }
  }
}

TEST(LaneMasks, CompressedLanesAreInOrderAndNothingBehindEightIsWritten) {
  for (unsigned m = 0; m < 256; ++m) {
    const Eight a = eight(m, 3);
    std::int32_t n[lane_count], ints[lane_count + 1];
    double doubles[lane_count + 1];
    for (int l = 0; l < lane_count; ++l) {
      n[l] = 100 + l;
    }
    doubles[lane_count] = -7.0;
    ints[lane_count] = -7;
    const int count = compress_store(doubles, from_bits(m), a.lanes());
    EXPECT_EQ(compress_store(ints, from_bits(m), load_index(n)), count);
    int at = 0;
    for (int l = 0; l < lane_count; ++l) {
      if (((m >> l) & 1U) != 0) {
        EXPECT_EQ(bits(doubles[at]), bits(a.v[l]));
        EXPECT_EQ(ints[at], n[l]);
        ++at;
      }
    }
    EXPECT_EQ(count, at);
    EXPECT_EQ(doubles[lane_count], -7.0);
    EXPECT_EQ(ints[lane_count], -7);
  }
}

TEST(LaneMasks, WholeNumbersWrapAround) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t a[lane_count] = {0, 1, -1, most, least, 0x7fffffff, -5, 1LL << 40};
  const std::int64_t b[lane_count] = {3, most, most, 1, -1, 1, -1LL << 62, 1LL << 62};
  const auto wrapped = [](std::int64_t x, std::int64_t y, int sign) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) +
                                     static_cast<std::uint64_t>(sign) * static_cast<std::uint64_t>(y));
  };
  std::int64_t sum[lane_count], difference[lane_count], same[lane_count];
  store(sum, load(a) + load(b));
  store(difference, load(a) - load(b));
  store(same, all_int(least));
  for (int l = 0; l < lane_count; ++l) {
    EXPECT_EQ(sum[l], wrapped(a[l], b[l], 1));
    EXPECT_EQ(difference[l], wrapped(a[l], b[l], -1));
    EXPECT_EQ(same[l], least);
  }
  for (std::size_t i = 0; i < numbers().size(); ++i) {
    const Eight e = eight(i);
    store(same, bits_of(e.lanes()));
    for (int l = 0; l < lane_count; ++l) {
      EXPECT_EQ(static_cast<std::uint64_t>(same[l]), bits(e.v[l]));
    }
  }
}

}  // namespace
}  // namespace halyard::host
