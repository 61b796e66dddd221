#include "kernels/flow/boundary.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/flow/flow_fixture.hpp"

namespace halyard::flow {
namespace {

using test::queue;
using test::TestField;

const std::vector<Index3> kExtents = {{5, 4, 3}, {2, 3, 4}, {3, 2, 2}, {1, 3, 2}, {4, 1, 2}, {3, 5, 1}};

struct Sides {
  const char* name;
  OwnedEnds ends;
};
const Sides kSides[] = {
    {"none", {false, false}}, {"lower", {true, false}}, {"upper", {false, true}}, {"both", {true, true}}};

/// What fill_boundary should leave at (c, i, j, k), from the field before, all ghosts of other axes included.
double expected_velocity(TestField& before, int n, int axis, const BoundaryPair& boundary, const OwnedEnds& ends, int c,
                         std::array<int, 3> at) {
  const auto value = [&](int index) {
    at[axis] = index;
    return before(c, at[0], at[1], at[2]);
  };
  const int here = at[axis];
  if (c == axis) {
    const bool on_lower = ends.lower && here == -1, on_upper = ends.upper && here == n - 1;
    if (on_lower || on_upper) {
      return 0.0;
    }
    if (ends.upper && here == n) {
      return ends.lower && n - 2 == -1 ? 0.0 : -value(n - 2);
    }
    return value(here);
  }
  const Boundary* side = ends.lower && here == -1  ? &boundary.lower
                         : ends.upper && here == n ? &boundary.upper
                                                   : nullptr;
  if (side == nullptr) {
    return value(here);
  }
  const double inside = value(here == -1 ? 0 : n - 1);
  return side->kind == BoundaryKind::free_slip ? inside : 2.0 * side->velocity[c] - inside;
}

TEST(FillBoundary, EveryKindOnEveryAxisAndSide) {
  const Boundary kinds[] = {{BoundaryKind::no_slip, {0.0, 0.0, 0.0}},
                            {BoundaryKind::no_slip, {0.5, -0.25, 2.0}},  // moving; its normal component must not count
                            {BoundaryKind::free_slip, {0.0, 0.0, 0.0}},
                            {BoundaryKind::free_slip, {3.0, 3.0, 3.0}}};  // free slip knows no wall velocity
  for (const Index3& extents : kExtents) {
    for (int axis = 0; axis < 3; ++axis) {
      const int n = static_cast<int>(extents[axis]);
      for (const Boundary& lower : kinds) {
        for (const Boundary& upper : kinds) {
          for (const Sides& sides : kSides) {
            TestField before(extents, 3), u(extents, 3);
            before.set_random(1);
            u.set_random(1);
            const BoundaryPair boundary{lower, upper};
            fill_boundary(queue(), axis, boundary, sides.ends, u.vector(), u.cells());
            u.download();
            int wrong = 0;
            for (int c = 0; c < 3; ++c) {
              test::for_each(test::with_ghosts(u.cells()), [&](int i, int j, int k) {
                // Bit for bit: 2 u - v has one rounding, in whatever form.
                wrong += u(c, i, j, k) != expected_velocity(before, n, axis, boundary, sides.ends, c, {i, j, k});
              });
            }
            EXPECT_EQ(wrong, 0) << "axis " << axis << ", n " << n << ", ends " << sides.name;
          }
        }
      }
    }
  }
}

TEST(FillBoundary, WallVelocityIsMetHalfwayBetweenGhostAndInside) {
  TestField u({3, 4, 5}, 3);
  u.set_random(6);
  const Boundary lid{BoundaryKind::no_slip, {1.0, 0.0, -0.5}};
  fill_boundary(queue(), 1, {lid, lid}, {true, true}, u.vector(), u.cells());
  u.download();
  for (int k = -1; k <= 5; ++k) {
    for (int i = -1; i <= 3; ++i) {
      for (const int c : {0, 2}) {
        // The ghost (up to 3 in size) was rounded once.
        EXPECT_NEAR(0.5 * (u(c, i, -1, k) + u(c, i, 0, k)), lid.velocity[c], 2.0 * test::epsilon);
        EXPECT_NEAR(0.5 * (u(c, i, 4, k) + u(c, i, 3, k)), lid.velocity[c], 2.0 * test::epsilon);
      }
      EXPECT_EQ(u(1, i, -1, k), 0.0);
      EXPECT_EQ(u(1, i, 3, k), 0.0);
    }
  }
}

TEST(FillBoundary, AxesInTurnFillEdgesAndCorners) {
  // Axis by axis, each over the ghosts of the others: at last no ghost of a box with six walls is left as it was, and
  // each edge follows from the cell inside by both mirror rules.
  const double untouched = 1e300;
  TestField u({3, 4, 2}, 3);
  const Range3 cells = u.cells();
  u.set([&](int c, int i, int j, int k) {
    const bool owned = i >= 0 && j >= 0 && k >= 0 && i < cells.i1 && j < cells.j1 && k < cells.k1;
    return owned ? 1.0 + c + 0.1 * i + 0.01 * j + 0.001 * k : untouched;
  });
  const Boundary still{BoundaryKind::no_slip, {0.0, 0.0, 0.0}}, slip{BoundaryKind::free_slip, {0.0, 0.0, 0.0}};
  const Boundary lid{BoundaryKind::no_slip, {4.0, 0.0, 0.0}};
  fill_boundary(queue(), 0, {still, slip}, {true, true}, u.vector(), cells);
  fill_boundary(queue(), 1, {still, lid}, {true, true}, u.vector(), cells);
  fill_boundary(queue(), 2, {slip, slip}, {true, true}, u.vector(), cells);
  u.download();
  for (int c = 0; c < 3; ++c) {
    test::for_each(test::with_ghosts(cells), [&](int i, int j, int k) { EXPECT_LT(std::abs(u(c, i, j, k)), 20.0); });
  }
  EXPECT_EQ(u(2, -1, -1, 0), u(2, 0, 0, 0));       // no slip twice: minus minus
  EXPECT_EQ(u(2, 3, -1, 0), -u(2, 2, 0, 0));       // free slip, then no slip
  EXPECT_EQ(u(2, 3, 4, -1), 0.0);                  // w on the lower z wall
  EXPECT_EQ(u(0, -1, 4, 0), 8.0);                  // u on the x wall is 0: 2 x 4 - 0 beyond the lid
  EXPECT_EQ(u(0, 0, 4, -1), 8.0 - u(0, 0, 3, 0));  // lid, then free slip
  EXPECT_EQ(u(1, -1, 1, 2), -u(1, 0, 1, 1));
}

TEST(FillZeroGradient, EveryAxisAndSide) {
  for (const Index3& extents : kExtents) {
    for (int axis = 0; axis < 3; ++axis) {
      const int n = static_cast<int>(extents[axis]);
      for (const Sides& sides : kSides) {
        TestField before(extents, 1), field(extents, 1);
        before.set_random(2);
        field.set_random(2);
        fill_zero_gradient(queue(), axis, sides.ends, field.view(), field.cells());
        field.download();
        test::for_each(test::with_ghosts(field.cells()), [&](int i, int j, int k) {
          int from[3] = {i, j, k};
          if (sides.ends.lower && from[axis] == -1) {
            from[axis] = 0;
          } else if (sides.ends.upper && from[axis] == n) {
            from[axis] = n - 1;
          }
          EXPECT_EQ(field(0, i, j, k), before(0, from[0], from[1], from[2]))
              << "axis " << axis << ", ends " << sides.name;
        });
      }
    }
  }
}

}  // namespace
}  // namespace halyard::flow
