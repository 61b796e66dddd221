#include "kernels/device/host/lanes.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/transform/support.hpp"

namespace halyard::host {
namespace {

TEST(Lanes, ArithmeticIsThatOfEachNumberAlone) {
  test::Random random(1);
  double a[8], b[8], c[8], out[8];
  for (int l = 0; l < 8; ++l) {
    a[l] = random.next();
    b[l] = random.next();
    c[l] = random.next();
  }
  const auto expect = [&](Lanes result, auto reference) {
    store(out, result);
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(out[l], reference(a[l], b[l], c[l]));
    }
  };
  const Lanes x = load(a), y = load(b), z = load(c);
  expect(x + y, [](double p, double q, double) { return p + q; });
  expect(x - y, [](double p, double q, double) { return p - q; });
  expect(x * y, [](double p, double q, double) { return p * q; });
  expect(x / y, [](double p, double q, double) { return p / q; });
  expect(fma(x, y, z), [](double p, double q, double r) { return std::fma(p, q, r); });
  expect(fms(x, y, z), [](double p, double q, double r) { return std::fma(p, q, -r); });
  expect(fnma(x, y, z), [](double p, double q, double r) { return std::fma(-p, q, r); });
  expect(all(2.5), [](double, double, double) { return 2.5; });
}

TEST(Lanes, PartsTouchOnlyTheirElements) {
  for (int count = 0; count <= 8; ++count) {
    double from[9], to[9];
    for (int l = 0; l < 9; ++l) {
      from[l] = l + 1.0;
      to[l] = -1.0;
    }
    const Lanes x = load_first(from, count);
    double lanes[8];
    store(lanes, x);
    store_first(to, count, x);
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(lanes[l], l < count ? from[l] : 0.0);
      EXPECT_EQ(to[l], l < count ? from[l] : -1.0);
    }
  }
}

TEST(Lanes, ColumnsAreTransposed) {
  double matrix[8][11], back[8][11];
  const double* rows[8];
  double* back_rows[8];
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 11; ++c) {
      matrix[r][c] = 100.0 * r + c;
      back[r][c] = -1.0;
    }
    rows[r] = matrix[r] + 2;
    back_rows[r] = back[r] + 2;
  }
  Lanes column[8];
  load_columns(rows, column);
  for (int c = 0; c < 8; ++c) {
    double lanes[8];
    store(lanes, column[c]);
    for (int r = 0; r < 8; ++r) {
      EXPECT_EQ(lanes[r], matrix[r][c + 2]);
    }
  }
  store_columns(back_rows, column);
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 11; ++c) {
      EXPECT_EQ(back[r][c], c >= 2 && c < 10 ? matrix[r][c] : -1.0);
    }
  }
}

}  // namespace
}  // namespace halyard::host
