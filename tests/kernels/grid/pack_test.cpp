#include "kernels/grid/pack.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard {
namespace {

using test::queue;
using test::TestField;

/// A number that tells component and cell.
double label(int c, int i, int j, int k) { return 1000000.0 * c + 10000.0 * (k + 1) + 100.0 * (j + 1) + (i + 1); }

TEST(PackCells, OrderIsComponentThenXThenYThenZ) {
  TestField field({5, 3, 4}, 3);
  field.set(label);
  const View3<const double> components[3] = {field.view(0), field.view(1), field.view(2)};
  std::vector<double> values(5 * 3 * 4 * 3, -1.0);
  pack_cells(queue(), components, field.cells(), values);
  std::size_t at = 0;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 5; ++i) {
        for (int c = 0; c < 3; ++c) {
          EXPECT_EQ(values[at++], label(c, i, j, k));
        }
      }
    }
  }
}

TEST(PackCells, TakesAnyRangeGhostsIncludedAndAnyNumberOfComponents) {
  TestField field({5, 3, 4}, 3);
  field.set(label);
  const Range3 range{-1, 2, 1, 4, 2, 5};
  const View3<const double> two[2] = {field.view(2), field.view(0)};
  std::vector<double> values(3 * 3 * 3 * 2 + 1, -1.0);
  pack_cells(queue(), two, range, std::span(values).first(values.size() - 1));
  std::size_t at = 0;
  test::for_each(range, [&](int i, int j, int k) {
    EXPECT_EQ(values[at++], label(2, i, j, k));
    EXPECT_EQ(values[at++], label(0, i, j, k));
  });
  EXPECT_EQ(values.back(), -1.0);
}

TEST(UnpackCells, RoundTripLeavesEverythingOutsideTheRangeUntouched) {
  TestField from({7, 2, 3}, 1), to({7, 2, 3}, 1);
  from.set_random(1);
  to.set(label);
  for (const Range3& range : {from.cells(), Range3{1, 6, 0, 1, 1, 3}, Range3{0, 0, 0, 2, 0, 3}}) {
    to.set(label);
    const View3<const double> component[1] = {from.view()};
    std::vector<double> values(static_cast<std::size_t>(range.count()));
    pack_cells(queue(), component, range, values);
    unpack_cells(queue(), values, to.view(), range);
    to.download();
    test::for_each(test::with_ghosts(to.cells()), [&](int i, int j, int k) {
      const bool inside =
          i >= range.i0 && i < range.i1 && j >= range.j0 && j < range.j1 && k >= range.k0 && k < range.k1;
      EXPECT_EQ(to(0, i, j, k), inside ? from(0, i, j, k) : label(0, i, j, k));
    });
  }
}

}  // namespace
}  // namespace halyard
