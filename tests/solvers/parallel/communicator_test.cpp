#include "solvers/parallel/communicator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace halyard {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

TEST(Communicator, LargestAndSmallest) {
  const Communicator world;
  const double mine = 1.5 * world.rank() - 2.0, last = 1.5 * (world.size() - 1) - 2.0;
  EXPECT_EQ(world.max(mine), last);
  EXPECT_EQ(world.min(mine), -2.0);
  EXPECT_EQ(world.max(-infinity), -infinity);
  EXPECT_EQ(world.min(infinity), infinity);
  EXPECT_EQ(world.max(std::int64_t{world.rank()} << 40), std::int64_t{world.size() - 1} << 40);
  EXPECT_EQ(world.min(-(std::int64_t{world.rank()} << 40)), -(std::int64_t{world.size() - 1} << 40));

  std::vector<double> many(37);  // more than one message holds
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = (i % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i + 1) * (world.rank() + 1);
  }
  std::vector<double> largest = many, smallest = many;
  world.max(largest);
  world.min(smallest);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const double near = static_cast<double>(i + 1), far = near * world.size();
    EXPECT_EQ(largest[i], i % 2 == 0 ? far : -near);
    EXPECT_EQ(smallest[i], i % 2 == 0 ? near : -far);
  }
}

TEST(Communicator, NanOnAnyRankReachesAll) {
  const Communicator world;
  for (int bad = 0; bad < world.size(); ++bad) {
    std::vector<double> values{1.0, world.rank() == bad ? nan : 2.0, 3.0};
    std::vector<double> lowest = values;
    world.max(values);
    world.min(lowest);
    EXPECT_TRUE(std::isnan(values[1]) && std::isnan(lowest[1]));
    EXPECT_EQ(values[0], 1.0);
    EXPECT_EQ(lowest[2], 3.0);
  }
}

TEST(Communicator, IntegersWrap) {
  const Communicator world;
  EXPECT_EQ(world.sum(world.rank()), std::int64_t{world.size()} * (world.size() - 1) / 2);
  std::uint64_t expected = 0;
  for (int rank = 0; rank < world.size(); ++rank) {
    expected += 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(rank + 1);
  }
  const std::uint64_t mine = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(world.rank() + 1);
  EXPECT_EQ(static_cast<std::uint64_t>(world.sum(static_cast<std::int64_t>(mine))), expected);
}

// The same terms in whatever shares: the bits of one rank that adds them all.
TEST(Communicator, ExactSumsDoNotDependOnRanks) {
  const Communicator world;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-400, 400);
  ExactSum whole[2], mine[2];
  for (int term = 0; term < 5000; ++term) {
    const double value = std::ldexp(mantissa(random), exponent(random));
    const double other = 0.1 * mantissa(random);
    whole[0].add(value);
    whole[1].add(other);
    if (static_cast<int>(random() % static_cast<unsigned>(world.size())) == world.rank()) {
      mine[0].add(value);
      mine[1].add(other);
    }
  }
  // Each rank drew the same share, so every term has one owner.
  world.sum(mine);
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(mine[c].value()), std::bit_cast<std::uint64_t>(whole[c].value()));
  }
  ExactSum cancelled;
  cancelled.add(world.rank() == 0 ? 1e300 : 0.0);
  cancelled.add(world.rank() == world.size() - 1 ? -1e300 : 0.0);
  cancelled.add(1e-300);
  world.sum(cancelled);
  ExactSum expected;
  for (int rank = 0; rank < world.size(); ++rank) {
    expected.add(1e-300);
  }
  EXPECT_EQ(cancelled.value(), expected.value());
  ExactSum bad;
  bad.add(world.rank() == world.size() - 1 ? nan : 1.0);
  world.sum(bad);
  EXPECT_TRUE(std::isnan(bad.value()));
}

TEST(Communicator, AnyAndBroadcast) {
  const Communicator world;
  EXPECT_FALSE(world.any(false));
  EXPECT_TRUE(world.any(world.rank() == world.size() - 1));
  for (int root = 0; root < world.size(); ++root) {
    const bool here = world.rank() == root;
    EXPECT_EQ(world.broadcast(here ? 0.1 : 0.0, root), 0.1);
    EXPECT_EQ(world.broadcast(here ? std::int64_t{1} << 60 : std::int64_t{0}, root), std::int64_t{1} << 60);
    std::string text = here ? std::string("sine\0wave", 9) : std::string("something longer than that");
    world.broadcast(text, root);
    EXPECT_EQ(text, std::string("sine\0wave", 9));
    std::string empty = here ? "" : "x";
    world.broadcast(empty, root);
    EXPECT_TRUE(empty.empty());
    std::vector<double> values(5, here ? 2.5 : 0.0);
    world.broadcast(values, root);
    EXPECT_EQ(values, std::vector<double>(5, 2.5));
  }
}

TEST(Communicator, NodeHoldsAllRanksOfThisTest) {
  const Communicator world;
  const Communicator node = world.node();
  EXPECT_EQ(node.size(), world.size());
  EXPECT_EQ(node.rank(), world.rank());
}

TEST(Communicator, CollectiveErrorNamesTheLowestRank) {
  const Communicator world;
  EXPECT_NO_THROW(throw_collectively(world, std::nullopt));
  const int first = world.size() / 2;
  std::optional<std::string> error;
  if (world.rank() >= first) {
    error = "no file " + std::to_string(world.rank());
  }
  try {
    throw_collectively(world, error, 2);
    FAIL() << "nothing thrown";
  } catch (const CollectiveError& thrown) {
    EXPECT_EQ(thrown.exit_code(), 2);
    const std::string message = "no file " + std::to_string(first);
    EXPECT_EQ(thrown.what(), world.size() == 1 ? message
                                               : "rank " + std::to_string(first) + " of " +
                                                     std::to_string(world.size()) + ": " + message);
  }
  try {
    throw_collectively(world, "the same");
    FAIL() << "nothing thrown";
  } catch (const CollectiveError& thrown) {
    EXPECT_STREQ(thrown.what(), "the same");
  }
}

TEST(Communicator, MpiFailuresThrowItsText) {
  const Communicator world;
  try {
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, world.size(), world.comm());  // returns: the error handler is set
    throw_collectively(world, std::nullopt);
    const Communicator none(MPI_COMM_SELF);
    EXPECT_EQ(none.size(), 1);
    static_cast<void>(none.broadcast(1.0, 1));  // there is no rank 1
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("communicator.cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("nvalid root"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace halyard
