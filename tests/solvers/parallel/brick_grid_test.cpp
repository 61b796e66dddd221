#include "solvers/parallel/brick_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

TEST(BrickGrid, RanksAndPlacesAreOneToOne) {
  const BrickGrid grid{{3, 2, 4}};
  EXPECT_EQ(grid.ranks(), 24);
  int rank = 0;
  for (int z = 0; z < 4; ++z) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 3; ++x, ++rank) {  // x fastest
        EXPECT_EQ(grid.rank_at({x, y, z}), rank);
        EXPECT_EQ(grid.place(rank), (std::array<int, 3>{x, y, z}));
      }
    }
  }
  EXPECT_EQ(grid.text(), "3 x 2 x 4");
}

TEST(BrickGrid, EveryFractionBelongsToOnePart) {
  const BrickGrid grid{{3, 7, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    const int parts = grid.parts[static_cast<std::size_t>(axis)];
    int last = 0;
    for (int k = 0; k <= 1000; ++k) {
      const int part = grid.part_of(axis, k / 1000.0);
      EXPECT_TRUE(part == last || part == last + 1);
      last = part;
    }
    EXPECT_EQ(last, parts - 1);
    // Outside, for what has moved there or was rounded there: the part at that side.
    for (const double f : {-1e-17, -0.5, -1e300}) {
      EXPECT_EQ(grid.part_of(axis, f), 0);
    }
    for (const double f : {1.0, std::nextafter(1.0, 0.0), 1.5}) {
      EXPECT_EQ(grid.part_of(axis, f), parts - 1);
    }
  }
}

TEST(BrickGrid, TheChoiceHasTheFewestGhosts) {
  EXPECT_EQ(choose_brick_grid({10, 10, 10}, 1.0, 1), (BrickGrid{{1, 1, 1}}));
  // 10 x 7 x 4.5 with ghosts, 7 x 7 x 7 if cut in 2 x 2 x 2: though the surfaces are equal.
  EXPECT_EQ(choose_brick_grid({10, 10, 10}, 1.0, 8), (BrickGrid{{1, 2, 4}}));
  EXPECT_EQ(choose_brick_grid({40, 10, 10}, 1.0, 4), (BrickGrid{{4, 1, 1}}));
  EXPECT_EQ(choose_brick_grid({10, 20, 10}, 1.0, 2), (BrickGrid{{1, 2, 1}}));
  EXPECT_EQ(choose_brick_grid({10, 10, 10}, 1.0, 2), (BrickGrid{{1, 1, 2}}));  // ties: z before y before x
  EXPECT_EQ(choose_brick_grid({10, 10, 10 * (1 - 1e-15)}, 1.0, 2), (BrickGrid{{1, 1, 2}}));
  EXPECT_EQ(choose_brick_grid({7, 3, 3}, 1.0, 7), (BrickGrid{{7, 1, 1}}));
  EXPECT_EQ(choose_brick_grid({3, 3, 3}, 0.0, 13).ranks(), 13);  // no reach: any cut
}

TEST(BrickGrid, NoBrickIsThinnerThanTheReach) {
  // 4 x 1 x 1 would have the least surface, but its bricks would be 2.5 wide.
  const BrickGrid grid = choose_brick_grid({10, 9, 9}, 2.6, 4);
  for (int d = 0; d < 3; ++d) {
    const auto a = static_cast<std::size_t>(d);
    EXPECT_TRUE((grid.parts[a] == 1 || std::array<double, 3>{10, 9, 9}[a] / grid.parts[a] >= 2.6));
  }
  EXPECT_EQ(grid.ranks(), 4);
  // Exactly as wide as the reach is wide enough.
  EXPECT_EQ(choose_brick_grid({10, 1, 1}, 2.5, 4), (BrickGrid{{4, 1, 1}}));
}

std::string message(const std::array<double, 3>& widths, double reach, int ranks) {
  try {
    choose_brick_grid(widths, reach, ranks);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(BrickGrid, TooManyRanksAreRefusedWithTheLargestNumber) {
  EXPECT_EQ(message({10, 6, 6}, 2.8, 13),
            "13 ranks are too many: each must be at least 2.8 wide (cutoff and skin) along every edge that is cut, and "
            "the box is 10 x 6 x 6. The largest number that fits is 12.");
  // Of a prime number that needs one axis: not the next lower number, but the next that can be cut.
  EXPECT_EQ(message({10, 6, 6}, 2.8, 11).find("The largest number that fits is 8.") == std::string::npos, false);
  EXPECT_EQ(message({5, 5, 5}, 2.8, 2).find("The largest number that fits is 1.") == std::string::npos, false);
}

TEST(BrickGrid, AGivenGridIsCheckedWithBothLengths) {
  EXPECT_NO_THROW(check_brick_grid({10, 6, 6}, 2.8, {{3, 2, 1}}, 6));
  const auto message_of = [](const BrickGrid& grid, int ranks) -> std::string {
    try {
      check_brick_grid({10, 6, 6}, 2.8, grid, ranks);
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message_of({{3, 2, 1}}, 5), "is 3 x 2 x 1 = 6 ranks, but 5 are running.");
  EXPECT_EQ(
      message_of({{4, 1, 1}}, 4),
      "is 4 x 1 x 1: bricks of 2.5 x 6 x 6, of which those along cut edges must be at least 2.8 (cutoff and skin) "
      "wide; at most 3 x 2 x 2 fit.");
}

}  // namespace
}  // namespace halyard
