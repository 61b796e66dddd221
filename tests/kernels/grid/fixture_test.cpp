// The helpers that the tests of kernels/grid and kernels/flow lean on.
#include <gtest/gtest.h>

#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard::test {
namespace {

TEST(Fixture, PlacesGoOnBeyondBothEnds) {
  const Axis walls{.faces = {1.0, 1.5, 2.5, 4.5}, .periodic = false, .uniform = false};
  Axis ring = walls;
  ring.periodic = true;
  const Grid grid({walls, ring, uniform_axis(2, 1.0, true)}, {{0, 0, 0}, {3, 3, 2}});
  EXPECT_EQ(grid.face(0, -1), 1.0);
  EXPECT_EQ(grid.face(0, 2), 4.5);
  EXPECT_EQ(grid.face(0, 3), 6.5);
  EXPECT_EQ(grid.centre(0, -1), 0.75);
  EXPECT_EQ(grid.centre(0, 3), 5.5);
  EXPECT_EQ(grid.face(1, 3), 5.0);
  EXPECT_EQ(grid.centre(1, -1), 0.0);
  EXPECT_EQ(grid.centre(1, 3), 4.75);
  EXPECT_EQ(grid.gap(1, -1), 1.25);
  EXPECT_EQ(grid.place(0, 0, 0, 0), (Point{1.5, 1.25, 0.25}));
  EXPECT_EQ(grid.place(2, 1, 0, 0), (Point{2.0, 1.25, 0.5}));
  EXPECT_EQ(grid.volume(0, 0, 1, 0), 0.75 * 1.0 * 0.5);
  EXPECT_EQ(grid.volume(Grid::centre_of_cell, 2, 1, 0), 2.0 * 1.0 * 0.5);
  const Grid part({walls, ring, uniform_axis(2, 1.0, true)}, {{0, 1, 0}, {3, 2, 2}});
  EXPECT_EQ(part.face(1, 0), 2.5);
  EXPECT_EQ(part.width(1, 1), 2.0);
}

TEST(Fixture, AxesSpanTheirLengthAndAscend) {
  for (const Axis& axis : {uniform_axis(7, 3.0, true), tanh_axis(7, 3.0, false), sine_axis(7, 3.0)}) {
    EXPECT_NEAR(axis.length(), 3.0, 4.0 * epsilon);
    for (std::int64_t i = 0; i < 7; ++i) {
      EXPECT_LT(axis.faces[i], axis.faces[i + 1]);
    }
  }
  EXPECT_LT(tanh_axis(7, 3.0, false).width(0), tanh_axis(7, 3.0, false).width(3));
}

TEST(Fixture, WrapTakesGhostsFromTheOtherEndWithEdgesAndCorners) {
  TestField field({3, 1, 2}, 1);
  field.set([](int, int i, int j, int k) { return 100.0 * i + 10.0 * j + k; });
  field.wrap(0).wrap(1).wrap(2);
  EXPECT_EQ(field(0, -1, 0, 0), 200.0);
  EXPECT_EQ(field(0, 3, 1, -1), 1.0);
  EXPECT_EQ(field(0, 1, -1, 2), 100.0);
}

}  // namespace
}  // namespace halyard::test
