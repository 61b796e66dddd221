#include "kernels/md/fixed_point.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/md/for_each_slot.hpp"

namespace halyard::md {
namespace {

constexpr int energy_bits = 32;

TEST(FixedPoint, RoundsToTheNearestIntegerAndTiesToEven) {
  EXPECT_EQ(round_to_fixed(0.0), 0);
  EXPECT_EQ(round_to_fixed(-0.0), 0);
  EXPECT_EQ(round_to_fixed(2.5), 2);
  EXPECT_EQ(round_to_fixed(3.5), 4);
  EXPECT_EQ(round_to_fixed(-2.5), -2);
  EXPECT_EQ(round_to_fixed(-3.5), -4);
  EXPECT_EQ(round_to_fixed(-0.75), -1);
  const double limit = std::nextafter(fixed_limit, 0.0);
  EXPECT_EQ(round_to_fixed(limit), std::llrint(limit));
  EXPECT_EQ(round_to_fixed(-limit), std::llrint(-limit));
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int exponent = -3; exponent <= 51; ++exponent) {
    for (int n = 0; n < 1000; ++n) {
      const double x = std::ldexp(uniform(random), exponent);
      ASSERT_EQ(round_to_fixed(x), std::llrint(x)) << x;
    }
  }
}

TEST(FixedPoint, WhatDoesNotFitIsSeen) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double x : {fixed_limit, -fixed_limit, inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(fits_fixed(x)) << x;
    FixedSum sum(0);
    sum.add_term(1.0);
    sum.add_term(x);
    EXPECT_EQ(sum.spoilt(), 1);
    EXPECT_TRUE(std::isnan(sum.value()));
  }
  EXPECT_TRUE(fits_fixed(std::nextafter(fixed_limit, 0.0)));
}

TEST(FixedSum, TotalsPassFarBeyond64Bits) {
  FixedSum sum(10);
  for (int n = 0; n < 4096; ++n) {
    sum.add(std::numeric_limits<std::int64_t>::max());
  }
  EXPECT_EQ(sum.value(), 0x1p65);  // 2^75 units of 2^-10, less 4096 units: rounded to nearest
  for (int n = 0; n < 4096; ++n) {
    sum.add(-std::numeric_limits<std::int64_t>::max());
  }
  sum.add(-3);
  EXPECT_EQ(sum.value(), -3.0 / 1024.0);
}

TEST(FixedSum, DigitsOfRanksAddUp) {
  std::mt19937_64 random(5);
  FixedSum whole(energy_bits), parts[7];
  for (FixedSum& part : parts) {
    part = FixedSum(energy_bits);
  }
  for (int n = 0; n < 20000; ++n) {
    const auto term = static_cast<std::int64_t>(random()) >> (n % 13);
    whole.add(term);
    parts[n % 7].add(term);
  }
  parts[3].add_spoilt(2);
  std::int64_t digits[FixedSum::size] = {};
  for (const FixedSum& part : parts) {
    const auto d = part.digits();
    for (int c = 0; c < FixedSum::size; ++c) {
      digits[c] += d[static_cast<std::size_t>(c)];
    }
  }
  FixedSum sum = FixedSum::from_digits(digits, energy_bits);
  EXPECT_EQ(sum.spoilt(), 2);
  digits[FixedSum::size - 1] = 0;
  sum = FixedSum::from_digits(digits, energy_bits);
  EXPECT_EQ(sum, whole);
  FixedSum negative(energy_bits);
  negative.add(-1);
  EXPECT_EQ(FixedSum::from_digits(negative.digits(), energy_bits), negative);
}

struct Values {
  static constexpr Cost cost{.bytes = 16, .flops = 2};
  View1<double> a;
  View1<double> visits;
  KERNEL Terms<2> operator()(int slot) const {
    visits(slot) += 1.0;
    return {{a(slot), a(slot) * a(slot)}};
  }
};

TEST(SumOverSlots, SameBitsForAnyOrderThreadsAndSplit) {
  Queue queue;
  constexpr int slots = 8 * 256 + 72;  // the last row is not full
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> a(slots);
  for (double& x : a) {
    x = 100.0 * normal(random);
  }
  FixedSum expected[2] = {FixedSum(30), FixedSum(20)};
  for (const double x : a) {
    expected[0].add_term(x);
    expected[1].add_term(x * x);
  }
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    for (const int cut : {0, 8, 256, 1000, slots}) {
      std::shuffle(a.begin(), a.end(), random);
      std::vector<double> visits(slots, 0.0);
      FixedSum total[2] = {FixedSum(30), FixedSum(20)};
      host::sum_over_slots(queue, cut, Values{{a.data()}, {visits.data()}}, total);
      host::sum_over_slots(queue, slots - cut, Values{{a.data() + cut}, {visits.data() + cut}}, total);
      EXPECT_EQ(total[0], expected[0]);
      EXPECT_EQ(total[1], expected[1]);
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1.0), slots);
    }
  }
  omp_set_num_threads(before);
}

TEST(SumOverSlots, TermsThatDoNotFitAreCountedAndLeftOut) {
  Queue queue;
  std::vector<double> a(300, 1.0), visits(300, 0.0);
  a[7] = std::numeric_limits<double>::quiet_NaN();
  a[255] = 0x1p31;  // its square is too large at 2^20, the number itself is not at 2^10
  a[299] = -std::numeric_limits<double>::infinity();
  FixedSum total[2] = {FixedSum(10), FixedSum(20)};
  host::sum_over_slots(queue, 300, Values{{a.data()}, {visits.data()}}, total);
  EXPECT_EQ(total[0].spoilt(), 2);
  EXPECT_EQ(total[1].spoilt(), 3);
  EXPECT_TRUE(std::isnan(total[0].value()));
}

struct Value {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View1<double> a;
  KERNEL double operator()(int slot) const { return a(slot); }
};

struct ValueAndNegative {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View1<double> a;
  KERNEL Terms<2> operator()(int slot) const { return {{a(slot), -a(slot)}}; }
};

TEST(MaxOverSlots, FindsTheLargestOfEachTerm) {
  Queue queue;
  std::vector<double> a(600, 1.0);
  a[599] = 9.0;
  for (const int at : {0, 255, 256, 511, 512, 598}) {
    a[static_cast<std::size_t>(at)] = 5.0;
    a[static_cast<std::size_t>(598 - at)] = -7.0;
    double largest[2] = {-3.0, -3.0};
    host::max_over_slots(queue, 599, ValueAndNegative{{a.data()}}, largest);
    EXPECT_EQ(largest[0], 5.0) << at;
    EXPECT_EQ(largest[1], 7.0) << at;
    a[static_cast<std::size_t>(at)] = a[static_cast<std::size_t>(598 - at)] = 1.0;
  }
  double floors[2] = {2.0, -3.0};
  host::max_over_slots(queue, 599, ValueAndNegative{{a.data()}}, floors);
  EXPECT_EQ(floors[0], 2.0);
  EXPECT_EQ(floors[1], -1.0);
}

TEST(MaxOverSlots, FindsTheLargestAnywhereAndNothingBeyond) {
  Queue queue;
  std::vector<double> a(600, -1.0);
  a[599] = 9.0;
  for (const int at : {0, 255, 256, 511, 512, 598}) {
    a[static_cast<std::size_t>(at)] = 5.0;
    EXPECT_EQ(host::max_over_slots(queue, 599, Value{{a.data()}}, -3.0), 5.0) << at;
    a[static_cast<std::size_t>(at)] = -1.0;
  }
  EXPECT_EQ(host::max_over_slots(queue, 599, Value{{a.data()}}, -3.0), -1.0);
  EXPECT_EQ(host::max_over_slots(queue, 0, Value{{a.data()}}, -3.0), -3.0);
}

}  // namespace
}  // namespace halyard::md
