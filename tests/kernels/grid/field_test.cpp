#include "kernels/grid/field.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard {
namespace {

using test::queue;
using test::TestField;

const std::vector<Index3> kExtents = {{1, 1, 1}, {5, 1, 3}, {6, 2, 1}, {7, 3, 2}, {8, 2, 2}, {17, 4, 3}};

TEST(Field, EveryElementWithGhostsHasItsOwnPlaceInsideTheMemory) {
  for (const Index3& n : kExtents) {
    Field field(queue(), n, 3, "test");
    EXPECT_EQ(field.extents(), n);
    EXPECT_EQ(field.components(), 3);
    std::set<const double*> places;
    for (int c = 0; c < 3; ++c) {
      const View3<double> view = field.view(c);
      test::for_each(test::with_ghosts(field.cells()), [&](int i, int j, int k) {
        const double* const at = view.data + i + j * view.stride_j + k * view.stride_k;
        EXPECT_GE(at, field.memory().data());
        EXPECT_LT(at, field.memory().data() + field.memory().size());
        EXPECT_TRUE(places.insert(at).second) << "two elements share a place";
      });
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(3 * (n[0] + 2) * (n[1] + 2) * (n[2] + 2)));
  }
}

TEST(Field, RowsStartAtCacheLines) {
  for (const Index3& n : kExtents) {
    Field field(queue(), n, 2, "test");
    for (int c = 0; c < 2; ++c) {
      for (int k = -1; k <= n[2]; ++k) {
        for (int j = -1; j <= n[1]; ++j) {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field.view(c).row(j, k)) % 64, 0U);
        }
      }
    }
  }
}

TEST(Field, IsZeroAtFirstEvenInMemoryUsedBefore) {
  const Index3 n{9, 4, 3};
  {
    TestField(n, 3).set([](int, int, int, int) { return 7.0; });
  }  // goes back to the pool
  TestField field(n, 3);
  field.download();
  for (int c = 0; c < 3; ++c) {
    test::for_each(test::with_ghosts(field.cells()), [&](int i, int j, int k) { EXPECT_EQ(field(c, i, j, k), 0.0); });
  }
}

TEST(Field, MemoryIsWhatElementsSays) {
  for (const Index3& n : kExtents) {
    Field field(queue(), n, 3, "test");
    EXPECT_EQ(field.memory().size(), static_cast<std::size_t>(3 * Field::elements(n)));
    // At most 8 doubles of padding a row (pitch) and 8 before the first.
    EXPECT_LT(Field::elements(n), (n[0] + 2 + 8) * (n[1] + 2) * (n[2] + 2) + 8);
  }
  // Counted in 64 bits: 2000^3 cells are more than 2^32.
  EXPECT_EQ(Field::elements({2000, 2000, 2000}), std::int64_t{2008} * 2002 * 2002 + 8);
}

TEST(Field, VectorNamesTheThreeComponentsAndConstViewsTheSame) {
  Field field(queue(), {5, 4, 3}, 3, "test");
  const Field& constant = field;
  EXPECT_EQ(field.vector().x.data, field.view(0).data);
  EXPECT_EQ(field.vector().y.data, field.view(1).data);
  EXPECT_EQ(field.vector().z.data, field.view(2).data);
  EXPECT_EQ(constant.vector().y.data, field.view(1).data);
  EXPECT_EQ(constant.view(2).data, field.view(2).data);
  EXPECT_EQ(constant.view(2).stride_j, field.view(2).stride_j);
  EXPECT_EQ(constant.view(2).stride_k, field.view(2).stride_k);
  const Range3 cells = field.cells();
  EXPECT_EQ(cells.i0, 0);
  EXPECT_EQ(cells.i1, 5);
  EXPECT_EQ(cells.j0, 0);
  EXPECT_EQ(cells.j1, 4);
  EXPECT_EQ(cells.k0, 0);
  EXPECT_EQ(cells.k1, 3);
}

}  // namespace
}  // namespace halyard
