#include "kernels/grid/copy_boxes.hpp"

#include <omp.h>

#include <cstring>

#include "kernels/device/backend.hpp"

namespace halyard {
namespace host {

namespace {

// Waking a team costs a few microseconds, in which one core copies this much.
constexpr std::int64_t doubles_worth_threads = 32768;

/// Rows that follow one another without a gap on both sides become one.
BoxCopy with_long_rows(BoxCopy box) {
  if (box.from_stride_j == box.ni && box.to_stride_j == box.ni) {
    box.ni *= box.nj;
    box.nj = box.nk;
    box.nk = 1;
    box.from_stride_j = box.from_stride_k;
    box.to_stride_j = box.to_stride_k;
  }
  return box;
}

void copy_row(const BoxCopy& box, std::int64_t j, std::int64_t k) {
  std::memcpy(box.to + j * box.to_stride_j + k * box.to_stride_k,
              box.from + j * box.from_stride_j + k * box.from_stride_k,
              static_cast<std::size_t>(box.ni) * sizeof(double));
}

}  // namespace

void copy_boxes(Queue&, std::span<const BoxCopy> boxes) {
  std::int64_t total = 0;
  for (const BoxCopy& box : boxes) {
    total += box.count();
  }
  if (total == 0) {
    return;
  }
  if (total < doubles_worth_threads || omp_get_max_threads() == 1 || omp_in_parallel() != 0) {
    for (const BoxCopy& given : boxes) {
      const BoxCopy box = with_long_rows(given);
      for (std::int64_t k = 0; k < box.nk; ++k) {
        for (std::int64_t j = 0; j < box.nj; ++j) {
          copy_row(box, j, k);
        }
      }
    }
    return;
  }
#pragma omp parallel
  for (const BoxCopy& box : boxes) {
#pragma omp for collapse(2) schedule(static) nowait
    for (std::int64_t k = 0; k < box.nk; ++k) {
      for (std::int64_t j = 0; j < box.nj; ++j) {
        copy_row(box, j, k);
      }
    }
  }
}

}  // namespace host

HALYARD_DISPATCH(void, copy_boxes, (Queue & queue, std::span<const BoxCopy> boxes), (queue, boxes))

}  // namespace halyard
