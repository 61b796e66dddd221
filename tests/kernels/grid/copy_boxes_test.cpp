#include "kernels/grid/copy_boxes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/grid/wrap_x.hpp"
#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard::test {
namespace {

/// Copies boxes of these extents out of padded memory into memory with other gaps, then looks at every double of both.
void check(const std::vector<Index3>& extents, int from_gap, int to_gap) {
  std::vector<std::int64_t> from_at, to_at;
  std::int64_t from_size = 0, to_size = 0;
  std::vector<BoxCopy> boxes;
  for (const Index3& n : extents) {
    BoxCopy box;
    box.ni = n[0];
    box.nj = n[1];
    box.nk = n[2];
    box.from_stride_j = n[0] + from_gap;
    box.from_stride_k = box.from_stride_j * n[1] + 2 * from_gap;
    box.to_stride_j = n[0] + to_gap;
    box.to_stride_k = box.to_stride_j * n[1] + 3 * to_gap;
    from_at.push_back(from_size);
    to_at.push_back(to_size);
    from_size += box.from_stride_k * n[2];
    to_size += box.to_stride_k * n[2];
    boxes.push_back(box);
  }
  std::vector<double> source(static_cast<std::size_t>(from_size)), expected(static_cast<std::size_t>(to_size), 0.0);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = 1.0 + static_cast<double>(i);
  }
  Buffer<double> from(queue(), source.size(), "from"), to(queue(), expected.size(), "to");
  copy_bytes(queue(), from.data(), source.data(), from.bytes());
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    BoxCopy& box = boxes[b];
    box.from = from.data() + from_at[b];
    box.to = to.data() + to_at[b];
    for (std::int64_t k = 0; k < box.nk; ++k) {
      for (std::int64_t j = 0; j < box.nj; ++j) {
        for (std::int64_t i = 0; i < box.ni; ++i) {
          expected[static_cast<std::size_t>(to_at[b] + i + j * box.to_stride_j + k * box.to_stride_k)] =
              source[static_cast<std::size_t>(from_at[b] + i + j * box.from_stride_j + k * box.from_stride_k)];
        }
      }
    }
  }
  copy_boxes(queue(), boxes);
  std::vector<double> result(expected.size());
  copy_bytes(queue(), result.data(), to.data(), to.bytes());
  queue().wait();
  EXPECT_EQ(result, expected);  // the gaps are as they were, zero
}

TEST(CopyBoxes, EveryNumberGoesToItsPlaceAndNoOther) {
  for (const int from_gap : {0, 3}) {
    for (const int to_gap : {0, 2}) {
      check({{5, 7, 3}}, from_gap, to_gap);
      check({{1, 1, 1}, {130, 2, 3}, {2, 130, 1}, {3, 1, 40}}, from_gap, to_gap);
      check({{0, 4, 4}, {4, 0, 4}, {4, 4, 0}, {6, 5, 4}}, from_gap, to_gap);
      check({{70, 60, 50}, {9, 8, 7}}, from_gap, to_gap);  // large enough for several threads
      check({}, from_gap, to_gap);
      check(std::vector<Index3>(61, Index3{3, 2, 2}), from_gap, to_gap);  // more boxes than one launch takes
    }
  }
  check({{1, 300000, 1}}, 1, 2);  // more rows than a launch has blocks
}

TEST(WrapX, GhostsComeFromTheOtherEnd) {
  for (const int width : {1, 2, 3}) {
    for (const int nx : {1, 2, 5, 17}) {
      const Index3 n{nx, 3, 2};
      const std::int64_t pitch = nx + 2 * width, rows = 6;
      std::vector<double> values(static_cast<std::size_t>(2 * pitch * rows), -1.0);
      for (std::int64_t at = 0; at < static_cast<std::int64_t>(values.size()); ++at) {
        if (const std::int64_t i = at % pitch - width; i >= 0 && i < nx) {
          values[static_cast<std::size_t>(at)] = static_cast<double>(at);
        }
      }
      Buffer<double> memory(queue(), values.size(), "values");
      copy_bytes(queue(), memory.data(), values.data(), memory.bytes());
      const View3<double> fields[] = {{memory.data() + width, pitch, 3 * pitch},
                                      {memory.data() + width + pitch * rows, pitch, 3 * pitch}};
      wrap_x(queue(), n, fields, width);
      copy_bytes(queue(), values.data(), memory.data(), memory.bytes());
      queue().wait();
      for (std::int64_t row = 0; row < 2 * rows; ++row) {
        for (int i = -width; i < nx + width; ++i) {
          const int owner = ((i % nx) + nx) % nx;
          EXPECT_EQ(values[static_cast<std::size_t>(row * pitch + width + i)],
                    static_cast<double>(row * pitch + width + owner));
        }
      }
    }
  }
}

}  // namespace
}  // namespace halyard::test
