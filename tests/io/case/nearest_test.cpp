#include "io/case/nearest.hpp"

#include <gtest/gtest.h>

namespace halyard {
namespace {

TEST(Nearest, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("viscosty", "viscosity"), 1);  // one letter inserted
  EXPECT_EQ(edit_distance("lenght", "length"), 1);       // neighbours swapped
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);      // Levenshtein's example
  EXPECT_EQ(edit_distance("CFL", "cfl"), 0);             // case does not count
  EXPECT_EQ(edit_distance("sitting", "kitten"), edit_distance("kitten", "sitting"));
}

TEST(Nearest, FindsTheNearestOrNothing) {
  const std::vector<std::string> names = {"cells", "length", "viscosity"};
  EXPECT_EQ(nearest("cell", names), "cells");
  EXPECT_EQ(nearest("lenght", names), "length");
  EXPECT_EQ(nearest("pressure", names), "");
  EXPECT_EQ(nearest("x", {"y"}), "");   // every letter differs
  EXPECT_EQ(nearest("nu", {"u"}), "");  // half of them
  EXPECT_EQ(nearest("cf", {"cfl"}), "cfl");
  EXPECT_EQ(nearest("abd", {"abc", "abe"}), "abc");
  EXPECT_EQ(nearest("abc", {}), "");
}

}  // namespace
}  // namespace halyard
