#include "kernels/grid/box.hpp"

#include <gtest/gtest.h>

namespace halyard {
namespace {

TEST(Box, ExtentsAndCountAreSixtyFourBit) {
  const Box box{{-3, 0, 5}, {99997, 100003, 100006}};
  EXPECT_EQ(box.extent(0), 100000);
  EXPECT_EQ(box.extents(), (Index3{100000, 100003, 100001}));
  EXPECT_EQ(box.count(), std::int64_t{100000} * 100003 * 100001);  // 1e15: beyond 32 bits
  EXPECT_FALSE(box.empty());
}

TEST(Box, EmptyOnAnyAxisHasNoCells) {
  EXPECT_TRUE(Box{}.empty());
  for (int axis = 0; axis < 3; ++axis) {
    Box box{{1, 1, 1}, {4, 5, 6}};
    box.end[axis] = 1;
    EXPECT_TRUE(box.empty());
    EXPECT_EQ(box.count(), 0);
    box.end[axis] = -3;  // upside down: two such axes must not make a positive count
    box.end[(axis + 1) % 3] = -2;
    EXPECT_TRUE(box.empty());
    EXPECT_EQ(box.count(), 0);
  }
}

TEST(Box, IntersectionIsWhatBothHold) {
  const Box a{{0, 0, 0}, {10, 7, 5}}, b{{3, -2, 4}, {12, 4, 9}};
  EXPECT_EQ(intersection(a, b), (Box{{3, 0, 4}, {10, 4, 5}}));
  EXPECT_EQ(intersection(b, a), intersection(a, b));
  EXPECT_EQ(intersection(a, a), a);
  // Cell by cell, against membership.
  const auto inside = [](const Box& box, const Index3& c) {
    for (int d = 0; d < 3; ++d) {
      if (c[d] < box.begin[d] || c[d] >= box.end[d]) {
        return false;
      }
    }
    return true;
  };
  for (std::int64_t z = -3; z < 11; ++z) {
    for (std::int64_t y = -3; y < 9; ++y) {
      for (std::int64_t x = -1; x < 14; ++x) {
        EXPECT_EQ(inside(intersection(a, b), {x, y, z}), inside(a, {x, y, z}) && inside(b, {x, y, z}));
      }
    }
  }
}

TEST(Box, IntersectionOfBoxesApartOrTouchingIsEmptyAndWellFormed) {
  const Box a{{0, 0, 0}, {4, 4, 4}};
  for (int axis = 0; axis < 3; ++axis) {
    for (const std::int64_t begin : {4, 9}) {
      Box b = a;
      b.begin[axis] = begin;
      b.end[axis] = begin + 2;
      const Box common = intersection(a, b);
      EXPECT_TRUE(common.empty());
      EXPECT_EQ(common.extent(axis), 0);
    }
  }
}

TEST(EvenPart, PartsCoverOnceAndDifferByOneAtMost) {
  for (const std::int64_t n : {0, 1, 2, 5, 7, 16, 97, 100}) {
    for (const std::int64_t parts : {1, 2, 3, 4, 6, 7}) {
      std::int64_t next = 0;
      for (std::int64_t p = 0; p < parts; ++p) {
        const auto [begin, end] = even_part(n, parts, p);
        EXPECT_EQ(begin, next) << n << " in " << parts << ", part " << p;
        EXPECT_EQ(end - begin, n / parts + (p < n % parts ? 1 : 0));
        next = end;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(EvenPart, HoldsBeyondThirtyTwoBits) {
  const std::int64_t n = (std::int64_t{1} << 40) + 3;
  EXPECT_EQ(even_part(n, 7, 6)[1], n);
  EXPECT_EQ(even_part(n, 7, 3)[0], even_part(n, 7, 2)[1]);
}

}  // namespace
}  // namespace halyard
