#include "kernels/device/parallel_for.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/device/exact_sum.hpp"

namespace halyard::host {
namespace {

/// Runs the body with one thread, with two and with three, an odd share of the rows.
template <class Body>
void for_thread_counts(Body&& body) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    body(threads);
  }
  omp_set_num_threads(before);
}

const Range3 ranges[] = {{0, 1, 0, 1, 0, 1},   {0, 17, 0, 3, 0, 5},  {-1, 8, -2, 2, 3, 7},  {5, 12, 0, 1, 0, 1},
                         {0, 1, 0, 13, 0, 11}, {0, 64, 2, 3, 0, 29}, {-3, 100, 0, 7, -1, 0}};
const Range3 empty_ranges[] = {{0, 0, 0, 4, 0, 4}, {0, 4, 3, 3, 0, 4}, {0, 4, 0, 4, 2, 2}, {4, 0, 0, 4, 0, 4}, {}};

struct CountVisits {
  static constexpr Cost cost{.bytes = 16, .flops = 1};
  View3<double> visits;
  KERNEL void operator()(int i, int j, int k) const { visits(i, j, k) += 1.0; }
};

TEST(ParallelFor, VisitsEveryCellOnceAndNoOther) {
  Queue queue;
  for_thread_counts([&](int threads) {
    for (const Range3& range : ranges) {
      constexpr int low = -4, high = 105, n = high - low;
      std::vector<double> memory(static_cast<std::size_t>(n) * 40 * 40, 0.0);
      const View3<double> visits{memory.data() - low + n * 4 + std::int64_t{n} * 40 * 4, n, std::int64_t{n} * 40};
      parallel_for(queue, range, CountVisits{visits});
      double total = 0.0;
      for (const double value : memory) {
        total += value;
      }
      EXPECT_EQ(total, static_cast<double>(range.count()));
      for (int k = range.k0; k < range.k1; ++k) {
        for (int j = range.j0; j < range.j1; ++j) {
          for (int i = range.i0; i < range.i1; ++i) {
            ASSERT_EQ(visits(i, j, k), 1.0) << i << " " << j << " " << k << " threads " << threads;
          }
        }
      }
    }
    for (const Range3& range : empty_ranges) {
      EXPECT_EQ(range.count(), 0);
      parallel_for(queue, range, CountVisits{{nullptr, 0, 0}});  // would write through a null pointer
    }
  });
}

struct Axpy {
  static constexpr Cost cost{.bytes = 24, .flops = 2};
  double a;
  const double *x, *y;
  double* z;
  KERNEL void operator()(int i, int, int) const { z[i] = a * x[i] + y[i]; }
};

// -ffp-contract=off: a fused multiply-add in the vector body and none in the remainder (or the other way round) would
// show.
TEST(ParallelFor, VectorBodyAndRemainderGiveTheSameBits) {
  Queue queue;
  constexpr int n = 37;
  std::vector<double> x(n), y(n), z(n);
  for (int start = 0; start < 12; ++start) {
    for (int i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(i)] = 1.0 / 3.0;
      y[static_cast<std::size_t>(i)] = -0.1;
    }
    parallel_for(queue, {start, n, 0, 1, 0, 1}, Axpy{0.3, x.data(), y.data(), z.data()});
    volatile double product = 0.3 * x[0];  // rounded here
    for (int i = start; i < n; ++i) {
      EXPECT_EQ(z[static_cast<std::size_t>(i)], product + y[0]);
    }
  }
}

/// A wave with rounding errors of its own in every cell; its rows sum to different values in different orders.
KERNEL double wave(int i, int j, int k) {
  const double x = 0.37 * i - 1.91 * j + 2.77 * k;
  return x * x * x / (1.0 + x * x) + 1e-3 * i;
}

struct Wave {
  static constexpr Cost cost{.bytes = 0, .flops = 8};
  KERNEL Terms<2> operator()(int i, int j, int k) const {
    const double value = wave(i, j, k);
    return {{value, value * value}};
  }
};

// The sum as its documentation has it: eight partial sums along a row, added in a fixed tree, rows exactly.
TEST(ReduceSum, SameBitsForAnyThreadsAndSplitIntoBlocks) {
  Queue queue;
  for (const Range3& range : ranges) {
    ExactSum expected[2];
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        double partial[2][8] = {};
        for (int i = range.i0; i < range.i1; ++i) {
          const double value = wave(i, j, k);
          partial[0][(i - range.i0) % 8] += value;
          partial[1][(i - range.i0) % 8] += value * value;
        }
        for (int c = 0; c < 2; ++c) {
          const double* p = partial[c];
          expected[c].add(((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7])));
        }
      }
    }
    for_thread_counts([&](int threads) {
      ExactSum whole[2];
      reduce_sum(queue, range, Wave{}, whole);
      for (int c = 0; c < 2; ++c) {
        EXPECT_EQ(whole[c].digits(), expected[c].digits()) << "threads " << threads;
      }
      // Split along j and k as ranks would.
      ExactSum parts[2];
      const int jm = (range.j0 + range.j1) / 2, km = range.k0 + (range.k1 - range.k0) / 3;
      for (const Range3& part : {Range3{range.i0, range.i1, range.j0, jm, range.k0, range.k1},
                                 Range3{range.i0, range.i1, jm, range.j1, range.k0, km},
                                 Range3{range.i0, range.i1, jm, range.j1, km, range.k1}}) {
        reduce_sum(queue, part, Wave{}, parts);
      }
      for (int c = 0; c < 2; ++c) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(parts[c].value()), std::bit_cast<std::uint64_t>(expected[c].value()));
      }
    });
  }
  ExactSum nothing[2];
  for (const Range3& range : empty_ranges) {
    reduce_sum(queue, range, Wave{}, nothing);
  }
  EXPECT_EQ(nothing[0].value(), 0.0);
}

struct Value {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View3<const double> values;
  KERNEL double operator()(int i, int j, int k) const { return values(i, j, k); }
};

TEST(ReduceMax, FindsTheOneLargestWhereverItIs) {
  Queue queue;
  const Range3 range{0, 19, 0, 4, 0, 3};
  std::vector<double> memory(static_cast<std::size_t>(range.count()), -5.0);
  const View3<const double> values{memory.data(), 19, 19 * 4};
  for_thread_counts([&](int) {
    for (std::size_t at = 0; at < memory.size(); at += 7) {  // every column once, every row
      memory[at] = -1.5;
      EXPECT_EQ(reduce_max(queue, range, Value{values}, -10.0), -1.5);
      memory[at] = -5.0;
    }
    EXPECT_EQ(reduce_max(queue, range, Value{values}, -10.0), -5.0);
    EXPECT_EQ(reduce_max(queue, range, Value{values}, -2.0), -2.0);  // the floor
    for (const Range3& empty : empty_ranges) {
      EXPECT_EQ(reduce_max(queue, empty, Value{values}, -2.0), -2.0);
    }
    memory[7] = std::numeric_limits<double>::quiet_NaN();
    memory[70] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(reduce_max(queue, range, Value{values}, -10.0), -5.0);
    memory[7] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(reduce_max(queue, range, Value{values}, -10.0), std::numeric_limits<double>::infinity());
    memory[7] = memory[70] = -5.0;
  });
}

// Which of two zeros comes first depends on the thread that finds it: the result has one sign.
TEST(ReduceMax, ZeroHasOneSign) {
  Queue queue;
  const Range3 range{0, 5, 0, 4, 0, 3};
  std::vector<double> memory(static_cast<std::size_t>(range.count()), -0.0);
  const View3<const double> values{memory.data(), 5, 20};
  for_thread_counts([&](int) {
    EXPECT_FALSE(std::signbit(reduce_max(queue, range, Value{values}, -1.0)));
    memory[33] = 0.0;
    EXPECT_FALSE(std::signbit(reduce_max(queue, range, Value{values}, -1.0)));
    memory[33] = -0.0;
  });
}

struct NotFinite {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View3<const double> values;
  KERNEL bool operator()(int i, int j, int k) const {
    return !(std::fabs(values(i, j, k)) <= std::numeric_limits<double>::max());
  }
};

TEST(CountIf, CountsEachCellOnce) {
  Queue queue;
  const Range3 range{0, 19, 0, 4, 0, 3};
  std::vector<double> memory(static_cast<std::size_t>(range.count()), 1.0);
  const View3<const double> values{memory.data(), 19, 19 * 4};
  for_thread_counts([&](int) {
    EXPECT_EQ(count_if(queue, range, NotFinite{values}), 0);
    std::int64_t bad = 0;
    for (std::size_t at = 0; at < memory.size(); at += 11) {
      memory[at] = at % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
      EXPECT_EQ(count_if(queue, range, NotFinite{values}), ++bad);
    }
    for (const Range3& empty : empty_ranges) {
      EXPECT_EQ(count_if(queue, empty, NotFinite{values}), 0);
    }
    std::fill(memory.begin(), memory.end(), 1.0);
  });
}

struct Nothing {
  static constexpr Cost cost{.bytes = 8, .flops = 3};
  KERNEL void operator()(int, int, int) const {}
};

template <class T>
struct InTemplate {
  struct Inner {};
};

TEST(Profile, CountsCallsAndCellsUnderTheStructsName) {
  Queue queue;
  parallel_for(queue, {0, 3, 0, 5, 0, 7}, Nothing{});
  reset_kernel_records();
  parallel_for(queue, {0, 3, 0, 5, 0, 7}, Nothing{});
  parallel_for(queue, {0, 3, 0, 5, 0, 0}, Nothing{});
  int found = 0;
  for (const KernelRecord& record : kernel_records()) {
    if (record.name == "Nothing") {
      ++found;
      EXPECT_EQ(record.calls, 2);
      EXPECT_EQ(record.items, 105);
      EXPECT_EQ(record.cost.bytes, 8);
      EXPECT_GE(record.seconds, 0.0);
    }
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(kernel_name(typeid(Nothing).name()), "Nothing");
  EXPECT_EQ(kernel_name(typeid(InTemplate<std::vector<int>>).name()), "InTemplate");
  EXPECT_EQ(kernel_name(typeid(InTemplate<std::vector<int>>::Inner).name()), "Inner");
  KernelRecord& first = kernel_record("made by hand", {.bytes = 1, .flops = 0});
  for (int i = 0; i < 1000; ++i) {
    kernel_record("another " + std::to_string(i), {});
  }
  EXPECT_EQ(&kernel_record("made by hand", {}), &first);  // records stay where they are
}

}  // namespace
}  // namespace halyard::host
