#pragma once
#include <cstdint>
#include <span>

#include "kernels/device/queue.hpp"

namespace halyard {

/// A box of numbers that lies in two places: ni numbers without gaps in each of nj x nk rows, rows and planes at the
/// given distances (in doubles) on either side.
struct BoxCopy {
  const double* from = nullptr;
  double* to = nullptr;
  std::int64_t from_stride_j = 0, from_stride_k = 0;
  std::int64_t to_stride_j = 0, to_stride_k = 0;
  std::int64_t ni = 0, nj = 0, nk = 0;

  std::int64_t count() const { return ni * nj * nk; }
};

/// Copies every box, in no particular order: no box may write what another reads or writes. Packs and unpacks messages
/// of halo exchanges and transposes. Host: rows by memcpy, by several threads where that pays. CUDA: one launch for up
/// to 24 boxes.
void copy_boxes(Queue& queue, std::span<const BoxCopy> boxes);

}  // namespace halyard
