#include <gtest/gtest.h>

#include <stdexcept>

#include "solvers/parallel/communicator.hpp"

using halyard::Communicator;

TEST(Sample, Passes) { EXPECT_EQ(Communicator().sum(1), Communicator().size()); }

TEST(Sample, FailsOnLastRank) {
  const Communicator world;
  EXPECT_NE(world.rank(), world.size() - 1) << "the last rank's own words";
}

TEST(Sample, ThrowsOnRankOne) {
  const Communicator world;
  if (world.rank() == 1) {
    throw std::runtime_error("thrown on purpose");
  }
}

TEST(Sample, LeavesOthersWaiting) {
  const Communicator world;
  ASSERT_NE(world.rank(), 1) << "rank 1 leaves";
  world.barrier();
}
