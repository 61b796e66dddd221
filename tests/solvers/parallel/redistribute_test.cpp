#include "solvers/parallel/redistribute.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "solvers/parallel/rank_grid.hpp"
#include "tests/solvers/parallel/mirrored.hpp"

namespace halyard {
namespace {

constexpr double untouched = -77.0;

double value_of(const Index3& cells, std::int64_t i, std::int64_t j, std::int64_t k, int part) {
  return static_cast<double>(2 * (i + cells[0] * (j + cells[1] * k)) + part);
}

/// Memory for a box with gaps behind rows and planes.
struct Array {
  Box box;
  int unit;
  Layout layout;
  test::Mirrored memory;

  Array(Queue& queue, const Box& b, int doubles, int row_gap, int plane_gap) : box(b), unit(doubles) {
    layout.stride_j = std::max<std::int64_t>(b.extent(0), 0) + row_gap;
    layout.stride_k = layout.stride_j * std::max<std::int64_t>(b.extent(1), 0) + plane_gap;
    const std::int64_t count = unit * layout.stride_k * std::max<std::int64_t>(b.extent(2), 0);
    memory = test::Mirrored(queue, static_cast<std::size_t>(count), untouched);
  }
  double& at(std::int64_t i, std::int64_t j, std::int64_t k, int part) {
    return memory.host()[static_cast<std::size_t>(unit * (i + layout.stride_j * j + layout.stride_k * k) + part)];
  }
  template <class F>
  void for_each(F&& act) {
    if (box.empty()) {
      return;
    }
    for (std::int64_t k = 0; k < box.extent(2); ++k) {
      for (std::int64_t j = 0; j < box.extent(1); ++j) {
        for (std::int64_t i = 0; i < box.extent(0); ++i) {
          for (int part = 0; part < unit; ++part) {
            act(at(i, j, k, part), box.begin[0] + i, box.begin[1] + j, box.begin[2] + k, part);
          }
        }
      }
    }
  }
};

void check(const Communicator& world, const Index3& cells, const std::vector<Box>& from, const std::vector<Box>& to,
           int unit, bool lent) {
  const auto rank = static_cast<std::size_t>(world.rank());
  Queue queue(test::device());
  Redistribute redistribute(world, from, to, unit, choose_exchange_path("auto", queue));
  EXPECT_EQ(redistribute.from(), from[rank]);
  EXPECT_EQ(redistribute.to(), to[rank]);
  Array source(queue, from[rank], unit, 2, 5), target(queue, to[rank], unit, 1, 3);
  source.for_each([&](double& value, std::int64_t i, std::int64_t j, std::int64_t k, int part) {
    value = value_of(cells, i, j, k, part);
  });
  source.memory.upload();
  Buffer<double> scratch(queue, lent ? static_cast<std::size_t>(redistribute.scratch_doubles()) : 0, "scratch");
  for (int time = 0; time < 2; ++time) {
    redistribute.execute(queue, source.memory.device(), source.layout, target.memory.device(), target.layout,
                         {scratch.data(), scratch.size()});
    target.memory.download();
    std::int64_t wrong = 0, right = 0;
    target.for_each([&](double& value, std::int64_t i, std::int64_t j, std::int64_t k, int part) {
      (value == value_of(cells, i, j, k, part) ? right : wrong) += 1;
    });
    EXPECT_EQ(wrong, 0);
    std::int64_t kept = 0;  // the gaps
    for (const double value : target.memory.host()) {
      kept += value == untouched ? 1 : 0;
    }
    EXPECT_EQ(kept, static_cast<std::int64_t>(target.memory.host().size()) - right);
    std::fill(target.memory.host().begin(), target.memory.host().end(), untouched);
    target.memory.upload();
  }
}

/// Cuts the box at random planes into `parts` boxes, some of them empty, in a random order.
std::vector<Box> random_boxes(const Box& whole, int parts, std::mt19937& random) {
  std::vector<Box> boxes{whole};
  while (static_cast<int>(boxes.size()) < parts) {
    const std::size_t which = random() % boxes.size();
    const int axis = static_cast<int>(random() % 3);
    Box& lower = boxes[which];
    const auto extent = static_cast<unsigned>(std::max<std::int64_t>(lower.extent(axis), 0));
    Box upper = lower;
    lower.end[axis] = upper.begin[axis] = lower.begin[axis] + static_cast<std::int64_t>(random() % (extent + 1));
    boxes.push_back(upper);
  }
  std::shuffle(boxes.begin(), boxes.end(), random);
  return boxes;
}

TEST(Redistribute, AllPairsOfPencils) {
  const Communicator world;
  for (const Index3 cells : {Index3{7, 11, 13}, Index3{3, 5, 17}, Index3{1, 8, 4}, Index3{2, 2, 2}}) {
    for (int py = 1; py <= world.size(); ++py) {
      if (world.size() % py != 0) {
        continue;
      }
      const Decomposition decomposition(cells, {true, true, true}, {py, world.size() / py}, world.rank());
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          check(world, cells, decomposition.pencils(a), decomposition.pencils(b), 1 + (a + b) % 2, (a + b) % 2 == 0);
        }
      }
    }
  }
}

TEST(Redistribute, RandomBoxes) {
  const Communicator world;
  std::mt19937 random(11);  // the same numbers on every rank
  for (int round = 0; round < 40; ++round) {
    const Index3 cells{1 + static_cast<int>(random() % 9), 1 + static_cast<int>(random() % 9),
                       1 + static_cast<int>(random() % 9)};
    const auto from = random_boxes({{0, 0, 0}, cells}, world.size(), random);
    const auto to = random_boxes({{0, 0, 0}, cells}, world.size(), random);
    check(world, cells, from, to, 1 + round % 2, round % 3 == 0);
  }
}

TEST(Redistribute, AllOnOneRankAndBack) {
  const Communicator world;
  const Index3 cells{5, 6, 7};
  const Decomposition decomposition(cells, {false, false, false}, {1, world.size()}, world.rank());
  std::vector<Box> gathered(static_cast<std::size_t>(world.size()));
  gathered.back() = decomposition.global();
  check(world, cells, decomposition.blocks(), gathered, 1, true);
  check(world, cells, gathered, decomposition.blocks(), 2, false);
}

// A field moved in two lots of planes while the other lot is worked on.
TEST(Redistribute, LotsOfPlanesUnderWay) {
  const Communicator world;
  const Index3 cells{6, 2 * world.size() + 1, 8};
  const Decomposition decomposition(cells, {false, false, false}, {world.size(), 1}, world.rank());
  const auto rank = static_cast<std::size_t>(world.rank());
  const auto from = decomposition.pencils(0), to = decomposition.pencils(1);
  Queue queue(test::device());
  Array source(queue, from[rank], 1, 0, 0), target(queue, to[rank], 1, 0, 0);
  source.for_each([&](double& value, std::int64_t i, std::int64_t j, std::int64_t k, int part) {
    value = value_of(cells, i, j, k, part);
  });
  source.memory.upload();
  std::vector<Redistribute> lots;
  for (const std::int64_t begin : {0, 3}) {
    const Box planes{{0, 0, begin}, {cells[0], cells[1], begin == 0 ? 3 : cells[2]}};
    std::vector<Box> part_from, part_to;
    for (std::size_t r = 0; r < from.size(); ++r) {
      part_from.push_back(intersection(from[r], planes));
      part_to.push_back(intersection(to[r], planes));
    }
    lots.emplace_back(world, part_from, part_to, 1, choose_exchange_path("auto", queue));
  }
  std::size_t lot = 0;
  for (const std::int64_t begin : {0, 3}) {
    lots[lot++].start(queue, source.memory.device() + begin * source.layout.stride_k, source.layout,
                      target.memory.device() + begin * target.layout.stride_k, target.layout);
  }
  std::fill(source.memory.host().begin(), source.memory.host().end(), 0.0);
  source.memory.upload();  // it is free after start()
  lots[1].finish();
  lots[0].finish();
  target.memory.download();
  target.for_each([&](double& value, std::int64_t i, std::int64_t j, std::int64_t k, int part) {
    EXPECT_EQ(value, value_of(cells, i, j, k, part));
  });
}

TEST(Redistribute, KnowsWhenNothingMoves) {
  const Communicator world;
  const Decomposition decomposition({6, 9, 14}, {false, false, false}, {1, world.size()}, world.rank());
  EXPECT_TRUE(
      Redistribute(world, decomposition.blocks(), decomposition.pencils(1), 1).is_identity());  // y is not split
  EXPECT_EQ(Redistribute(world, decomposition.blocks(), decomposition.pencils(1), 1).scratch_doubles(), 0);
  EXPECT_EQ(Redistribute(world, decomposition.blocks(), decomposition.pencils(2), 1).is_identity(), world.size() == 1);
}

TEST(Redistribute, TakesNoMemoryOnceRunning) {
  const Communicator world;
  const Index3 cells{16, 14, 21};
  const Decomposition decomposition(cells, {false, false, false}, {world.size(), 1}, world.rank());
  Queue queue(test::device());
  Redistribute redistribute(world, decomposition.blocks(), decomposition.pencils(1), 2,
                            choose_exchange_path("auto", queue));
  Array source(queue, redistribute.from(), 2, 0, 0), target(queue, redistribute.to(), 2, 0, 0);
  const auto run = [&] {
    redistribute.execute(queue, source.memory.device(), source.layout, target.memory.device(), target.layout);
  };
  run();
  const PoolStatistics before = pool_statistics();
  run();
  run();
  EXPECT_EQ(pool_statistics().requests, before.requests);
}

TEST(Redistribute, RefusesBoxesThatDoNotTile) {
  const Communicator world;
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<Box> whole(ranks), less(ranks), twice(ranks);
  whole[0] = {{0, 0, 0}, {4, 4, 4}};
  less[0] = {{0, 0, 0}, {4, 4, 3}};
  EXPECT_THROW(Redistribute(world, whole, less, 1), Error);
  EXPECT_THROW(Redistribute(world, less, whole, 1), Error);
  EXPECT_THROW(Redistribute(world, std::vector<Box>(ranks + 1), whole, 1), Error);
  if (ranks > 1) {
    twice[0] = {{0, 0, 0}, {4, 4, 3}};
    twice[1] = {{0, 0, 2}, {4, 4, 3}};  // a plane twice, another missing: the count alone would be right
    try {
      Redistribute(world, whole, twice, 1);
      FAIL() << "nothing thrown";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("share cells"), std::string::npos) << error.what();
    }
  }
  Queue queue;
  const Decomposition decomposition({6, 9, 14}, {false, false, false}, {world.size(), 1}, world.rank());
  Redistribute redistribute(world, decomposition.blocks(), decomposition.pencils(1), 1);
  if (redistribute.scratch_doubles() > 1) {
    double little = 0.0;
    EXPECT_THROW(redistribute.execute(queue, &little, {}, &little, {}, {&little, 1}), Error);
  }
}

}  // namespace
}  // namespace halyard
