// The loops, buffers and copies of whichever device is under test: the host, or what HALYARD_TEST_DEVICE=cuda asks for.
#include "tests/kernels/device/loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/profile.hpp"

namespace halyard::test {
namespace {

Device device() {
  const char* const word = std::getenv("HALYARD_TEST_DEVICE");
  return word != nullptr && std::string(word) == "cuda" ? Device::cuda : Device::host;
}

/// An array of exactly the range's cells on the device, and its copy on the host.
struct Array {
  Queue& queue;
  Range3 range;
  Buffer<double> memory;
  std::vector<double> host;
  std::int64_t ni, plane;

  Array(Queue& q, const Range3& r)
      : queue(q),
        range(r),
        memory(q, static_cast<std::size_t>(r.count()), "test"),
        host(memory.size(), 0.0),
        ni(r.i1 - r.i0),
        plane(ni * (r.j1 - r.j0)) {}
  std::int64_t at(int i, int j, int k) const { return (i - range.i0) + ni * (j - range.j0) + plane * (k - range.k0); }
  View3<double> view() { return {memory.data() - (range.i0 + ni * range.j0 + plane * range.k0), ni, plane}; }
  void upload() { copy_bytes(queue, memory.data(), host.data(), memory.bytes()); }
  void download() {
    copy_bytes(queue, host.data(), memory.data(), memory.bytes());
    queue.wait();
  }
};

const Range3 ranges[] = {{0, 1, 0, 1, 0, 1},   {0, 17, 0, 3, 0, 5},    {-1, 8, -2, 2, 3, 7}, {0, 1, 0, 13, 0, 11},
                         {0, 64, 2, 3, 0, 29}, {-3, 100, 0, 7, -1, 0}, {0, 129, 0, 1, 0, 1}};
constexpr Range3 more_planes_than_a_grid_has_blocks{0, 1, 0, 1, 0, 65600};

TEST(Loops, VisitEveryCellOnceAndNoOther) {
  Queue queue(device());
  for (const Range3& range : ranges) {
    Array a(queue, range);
    add_one(queue, range, a.view());
    Range3 inside = range;
    inside.i0 += range.i1 - range.i0 > 1 ? 1 : 0;
    add_one(queue, inside, a.view());
    a.download();
    for (int k = range.k0; k < range.k1; ++k) {
      for (int j = range.j0; j < range.j1; ++j) {
        for (int i = range.i0; i < range.i1; ++i) {
          ASSERT_EQ(a.host[static_cast<std::size_t>(a.at(i, j, k))], i < inside.i0 ? 1.0 : 2.0);
        }
      }
    }
  }
  Array tall(queue, more_planes_than_a_grid_has_blocks);
  add_one(queue, tall.range, tall.view());
  tall.download();
  EXPECT_EQ(tall.host, std::vector<double>(tall.host.size(), 1.0));
  add_one(queue, {0, 0, 0, 4, 0, 4}, {});  // would write through a null pointer
  add_one(queue, {0, 4, 0, 4, 2, 2}, {});
  queue.wait();
}

TEST(Loops, LaterKernelsOfASweepSeeWhatEarlierOnesWrote) {
  Queue queue(device());
  const Range3 range{0, 37, 0, 5, 0, 3};
  Array a(queue, range), b(queue, range);
  for (std::size_t n = 0; n < a.host.size(); ++n) {
    a.host[n] = static_cast<double>(n);
    b.host[n] = 1.0;
  }
  a.upload();
  b.upload();
  two_kernels(queue, range, a.view(), b.view());
  b.download();
  for (std::size_t n = 0; n < a.host.size(); ++n) {
    ASSERT_EQ(b.host[n], 2.0 * static_cast<double>(n) + 1001.0);
  }
}

TEST(Loops, SumsAreWithinTheRoundingOfRows) {
  Queue queue(device());
  for (const Range3& range : ranges) {
    Array a(queue, range);
    long double expected[2] = {}, size[2] = {};
    for (std::size_t n = 0; n < a.host.size(); ++n) {
      const double value = std::sin(1.7 * static_cast<double>(n)) + 1e-3;
      a.host[n] = value;
      expected[0] += value;
      expected[1] += static_cast<long double>(value * value);
      size[0] += std::fabs(value);
      size[1] += static_cast<long double>(value * value);
    }
    a.upload();
    ExactSum total[2], again[2];
    sums(queue, range, a.view(), total);
    sums(queue, range, a.view(), again);
    for (int c = 0; c < 2; ++c) {
      // A row of n numbers takes at most n additions; rows are added exactly.
      const double bound = 1.2e-16 * static_cast<double>(range.i1 - range.i0) * static_cast<double>(size[c]);
      EXPECT_NEAR(total[c].value(), static_cast<double>(expected[c]), bound);
      EXPECT_EQ(total[c].digits(), again[c].digits());
    }
  }
}

TEST(Loops, LargestAndCountFindWhatIsThereWhereverItIs) {
  Queue queue(device());
  const Range3 range{0, 37, 0, 4, 0, 3};
  Array a(queue, range);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < a.host.size(); at += 7) {  // every column, every row
    std::fill(a.host.begin(), a.host.end(), -5.0);
    a.host[at] = -1.5;
    a.host[(at + 50) % a.host.size()] = nan;
    a.upload();
    EXPECT_EQ(largest(queue, range, a.view(), -10.0), -1.5);
    EXPECT_EQ(largest(queue, range, a.view(), -1.0), -1.0);  // the floor
    EXPECT_EQ(count_not_finite(queue, range, a.view()), 1);
    a.host[at] = infinity;
    a.upload();
    EXPECT_EQ(largest(queue, range, a.view(), -10.0), infinity);
    EXPECT_EQ(count_not_finite(queue, range, a.view()), 2);
  }
  EXPECT_EQ(largest(queue, {0, 0, 0, 4, 0, 4}, a.view(), -2.0), -2.0);
  EXPECT_EQ(count_not_finite(queue, {0, 4, 0, 0, 0, 4}, a.view()), 0);
  std::fill(a.host.begin(), a.host.end(), -0.0);
  a.upload();
  EXPECT_FALSE(std::signbit(largest(queue, range, a.view(), -1.0)));  // zero has one sign
}

TEST(Buffers, AreZeroAndCopiesKeepTheOrderOfTheQueue) {
  Queue queue(device());
  constexpr int n = 1000;
  const Range3 range{0, n, 0, 1, 0, 1};
  for (int time = 0; time < 2; ++time) {  // the second is given the memory of the first
    Array a(queue, range);
    a.host.assign(n, 7.0);
    a.download();
    EXPECT_EQ(a.host, std::vector<double>(n, 0.0));
    a.host.assign(n, 7.0);
    a.upload();
    a.host.assign(n, -1.0);  // what was read from the host is what it was then
    add_one(queue, range, a.view());
    Buffer<double> other(queue, n, "other");
    Buffer<double> pinned(queue, n, "pinned", device() == Device::host ? MemoryKind::host : MemoryKind::pinned);
    copy_bytes(queue, other.data(), a.memory.data(), other.bytes());
    add_one(queue, range, a.view());
    copy_bytes(queue, pinned.data(), other.data(), other.bytes());
    a.download();
    EXPECT_EQ(a.host, std::vector<double>(n, 9.0));
    EXPECT_EQ(std::vector<double>(pinned.data(), pinned.data() + n), std::vector<double>(n, 8.0));
  }
}

TEST(Profile, MeasuresABandwidth) {
  Queue queue(device());
  const double bandwidth = measure_copy_bandwidth(queue);
  EXPECT_GT(bandwidth, 1e8);
  EXPECT_LT(bandwidth, 1e14);
}

}  // namespace
}  // namespace halyard::test
