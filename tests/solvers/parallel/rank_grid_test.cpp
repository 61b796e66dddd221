#include "solvers/parallel/rank_grid.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RankGrid, LeastHaloSurface) {
  // By hand, per cell along x: 1 x n slabs receive 2 ny, py x pz pencils 2 (ny / py + nz / pz).
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 1), (RankGrid{1, 1}));
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 2), (RankGrid{1, 2}));
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 4), (RankGrid{1, 4}));  // 128 either way: z is split first
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 6), (RankGrid{2, 3}));  // 64 + 44 < 128
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 7), (RankGrid{1, 7}));
  EXPECT_EQ(choose_rank_grid({64, 64, 64}, 16), (RankGrid{4, 4}));
  EXPECT_EQ(choose_rank_grid({8, 100, 10}, 2), (RankGrid{2, 1}));  // 20 < 200
  EXPECT_EQ(choose_rank_grid({8, 100, 1}, 6), (RankGrid{6, 1}));   // one cell along z cannot be split
  EXPECT_EQ(choose_rank_grid({8, 1, 100}, 6), (RankGrid{1, 6}));
}

TEST(RankGrid, NeverThinnerThanTheHalo) {
  for (int ny = 1; ny <= 9; ++ny) {
    for (int nz = 1; nz <= 9; ++nz) {
      for (int ranks = 1; ranks <= 20; ++ranks) {
        for (int halo = 1; halo <= 3; ++halo) {
          RankGrid grid;
          try {
            grid = choose_rank_grid({4, ny, nz}, ranks, halo);
          } catch (const Error&) {
            for (int py = 1; py <= ranks; ++py) {  // there is none indeed
              EXPECT_FALSE(ranks % py == 0 && (py == 1 || ny / py >= halo) &&
                           (ranks / py == 1 || nz / (ranks / py) >= halo));
            }
            EXPECT_LT(largest_rank_count({4, ny, nz}, ranks, halo), ranks);
            continue;
          }
          EXPECT_EQ(grid.ranks(), ranks);
          EXPECT_NO_THROW(check_rank_grid({4, ny, nz}, grid, ranks, halo));
          EXPECT_EQ(largest_rank_count({4, ny, nz}, ranks, halo), ranks);
        }
      }
    }
  }
}

TEST(RankGrid, RefusalsNameWhatIsAllowed) {
  EXPECT_EQ(
      message_of([] {
        choose_rank_grid({16, 5, 5}, 7, 1);
      }),
      "7 ranks are too many for 16 x 5 x 5 cells: in every rank grid a block would be thinner than its halo of 1; the "
      "largest number of ranks up to 7 that fits is 6 (rank grid py x pz = 2 x 3)");
  EXPECT_EQ(
      message_of([] {
        choose_rank_grid({16, 1, 1}, 2, 1);
      }),
      "2 ranks are too many for 16 x 1 x 1 cells: in every rank grid a block would be thinner than its halo of 1; the "
      "largest number of ranks up to 2 that fits is 1 (rank grid py x pz = 1 x 1)");
  EXPECT_EQ(
      message_of([] {
        check_rank_grid({16, 9, 8}, {2, 5}, 10, 2);
      }),
      "the rank grid py x pz = 2 x 5 cuts 16 x 9 x 8 cells into blocks thinner than their halo of 2; the largest grid "
      "allowed is py x pz = 4 x 4");
  EXPECT_EQ(message_of([] {
              check_rank_grid({16, 9, 8}, {2, 3}, 4, 1);
            }),
            "the rank grid py x pz = 2 x 3 is not made of the 4 ranks of this run");
  EXPECT_NE(message_of([] { check_rank_grid({16, 9, 8}, {-2, -2}, 4, 1); }), "");
  EXPECT_EQ(message_of([] {
              check_rank_grid({16, 1, 8}, {1, 4}, 4, 2);
            }),
            "");  // an axis in one part: any number of cells
}

TEST(Decomposition, BlocksAndPencilsTileTheDomain) {
  const Index3 cells{7, 11, 5};
  for (const RankGrid grid : {RankGrid{1, 1}, RankGrid{1, 3}, RankGrid{2, 3}, RankGrid{7, 1}, RankGrid{5, 4}}) {
    const Decomposition first(cells, {true, false, true}, grid, 0);
    EXPECT_EQ(first.ranks(), grid.ranks());
    for (int axis = 0; axis < 3; ++axis) {
      const auto pencils = first.pencils(axis);
      ASSERT_EQ(pencils.size(), static_cast<std::size_t>(grid.ranks()));
      std::int64_t total = 0;
      for (std::size_t a = 0; a < pencils.size(); ++a) {
        total += pencils[a].count();
        EXPECT_TRUE(pencils[a].empty() || pencils[a].extent(axis) == cells[axis]);
        for (std::size_t b = 0; b < a; ++b) {
          EXPECT_TRUE(intersection(pencils[a], pencils[b]).empty());
        }
      }
      EXPECT_EQ(total, cells[0] * cells[1] * cells[2]);
    }
    for (std::int64_t k = 0; k < cells[2]; ++k) {
      for (std::int64_t j = 0; j < cells[1]; ++j) {
        const Box block = first.block(first.owner(j, k));
        EXPECT_TRUE(block.begin[1] <= j && j < block.end[1] && block.begin[2] <= k && k < block.end[2]);
      }
    }
  }
}

TEST(Decomposition, NeighboursAndEnds) {
  // 3 x 2 ranks: rank = cz * 3 + cy.
  const Decomposition middle({8, 9, 8}, {true, false, true}, {3, 2}, 1);
  EXPECT_EQ(middle.cy(), 1);
  EXPECT_EQ(middle.cz(), 0);
  EXPECT_EQ(middle.neighbour(-1, 0), 0);
  EXPECT_EQ(middle.neighbour(1, 0), 2);
  EXPECT_EQ(middle.neighbour(0, 1), 4);
  EXPECT_EQ(middle.neighbour(0, -1), 4);  // periodic
  EXPECT_EQ(middle.neighbour(-1, -1), 3);
  EXPECT_FALSE(middle.at_lower(1));
  EXPECT_TRUE(middle.at_lower(2));
  EXPECT_FALSE(middle.at_upper(2));
  EXPECT_TRUE(middle.at_lower(0) && middle.at_upper(0));
  const Decomposition corner({8, 9, 8}, {true, false, true}, {3, 2}, 5);
  EXPECT_EQ(corner.neighbour(1, 0), -1);  // not periodic
  EXPECT_EQ(corner.neighbour(1, 1), -1);
  EXPECT_EQ(corner.neighbour(-1, 1), 1);
  const Decomposition alone({8, 9, 8}, {true, true, false}, {1, 1}, 0);
  EXPECT_EQ(alone.neighbour(1, 0), 0);
  EXPECT_EQ(alone.neighbour(0, 1), -1);
}

}  // namespace
}  // namespace halyard
