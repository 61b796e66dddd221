#include "io/hdf5/split_box.hpp"

#include <gtest/gtest.h>

namespace halyard {
namespace {

/// Position of a cell among the cells of a box stored x fastest.
std::int64_t place(const Box& box, std::int64_t i, std::int64_t j, std::int64_t k) {
  return (i - box.begin[0]) + box.extent(0) * ((j - box.begin[1]) + box.extent(1) * (k - box.begin[2]));
}

TEST(SplitBox, PiecesAreTheBoxInTheOrderOfMemoryAndBelowTheLimit) {
  const Box box{{2, 1, 3}, {9, 6, 8}};
  for (const std::int64_t limit : {1, 8, 24, 56, 57, 112, 280, 281, 560, 100000}) {
    const std::vector<Box> pieces = split_box(box, 8, limit, std::max<std::int64_t>(1, limit / (8 * 7 * 5)));
    std::int64_t next = 0;
    for (const Box& piece : pieces) {
      EXPECT_LE(piece.count() * 8, std::max<std::int64_t>(8, limit));
      for (std::int64_t k = piece.begin[2]; k < piece.end[2]; ++k) {
        for (std::int64_t j = piece.begin[1]; j < piece.end[1]; ++j) {
          for (std::int64_t i = piece.begin[0]; i < piece.end[0]; ++i) ASSERT_EQ(place(box, i, j, k), next++);
        }
      }
    }
    EXPECT_EQ(next, box.count()) << "limit " << limit;
  }
}

TEST(SplitBox, LargeBoxesNeedMoreThan32Bits) {
  const Box box{{0, 0, 0}, {3000, 2000, 1500}};  // 72 GB of doubles
  const std::int64_t limit = std::int64_t{512} << 20, planes = planes_per_call(MPI_COMM_SELF, box, 8, limit);
  EXPECT_EQ(planes, 11);  // 11 * 48 MB < 512 MiB < 12 * 48 MB
  const std::vector<Box> pieces = split_box(box, 8, limit, planes);
  EXPECT_EQ(pieces.size(), 137u);  // 1500 / 11, rounded up
  std::int64_t cells = 0;
  for (const Box& piece : pieces) cells += piece.count();
  EXPECT_EQ(cells, 9'000'000'000);
}

TEST(SplitBox, NothingOfAnEmptyBox) { EXPECT_TRUE(split_box({{3, 0, 0}, {3, 5, 5}}, 8, 100, 1).empty()); }

}  // namespace
}  // namespace halyard
