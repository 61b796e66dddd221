#include "kernels/grid/copy_boxes.hpp"

#include <algorithm>

#include "kernels/device/parallel_for.hpp"

namespace halyard::cuda {

/// Box k of the batch, row j of that box (all its planes), number i of that row.
struct CopyBoxes {
  static constexpr Cost cost{.bytes = 16, .flops = 0};
  static constexpr int capacity = 24;  // kernel arguments hold 4 KiB
  BoxCopy box[capacity];
  KERNEL void operator()(int i, int row, int b) const {
    const BoxCopy& copy = box[b];
    const std::int64_t k = row / copy.nj, j = row - k * copy.nj;
    if (i < copy.ni && k < copy.nk) {
      copy.to[i + j * copy.to_stride_j + k * copy.to_stride_k] =
          copy.from[i + j * copy.from_stride_j + k * copy.from_stride_k];
    }
  }
};

void copy_boxes(Queue& queue, std::span<const BoxCopy> boxes) {
  while (!boxes.empty()) {
    const std::size_t count = std::min<std::size_t>(boxes.size(), CopyBoxes::capacity);
    CopyBoxes batch{};
    std::int64_t longest = 0, most_rows = 0;
    for (std::size_t b = 0; b < count; ++b) {
      batch.box[b] = boxes[b];
      if (boxes[b].count() > 0) {
        longest = std::max(longest, boxes[b].ni);
        most_rows = std::max(most_rows, boxes[b].nj * boxes[b].nk);
      } else {
        batch.box[b].nj = 1;  // divided by
        batch.box[b].nk = 0;
      }
    }
    parallel_for(queue, {0, static_cast<int>(longest), 0, static_cast<int>(most_rows), 0, static_cast<int>(count)},
                 batch);
    boxes = boxes.subspan(count);
  }
}

}  // namespace halyard::cuda
