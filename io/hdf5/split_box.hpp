#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "kernels/grid/box.hpp"

namespace halyard {

/// Cuts a box into pieces of at most `limit` bytes (one cell at least), each contiguous where the box is stored x
/// fastest, in that order: `planes` whole z planes where these fit, else rows, else parts of rows.
std::vector<Box> split_box(const Box& box, std::int64_t cell_bytes, std::int64_t limit, std::int64_t planes);

/// How many z planes every rank puts into one collective call so that none goes above `limit` bytes; at least 1. The
/// same number on all ranks keeps the file range of each call free of holes, which MPI-IO would have to read.
/// Collective.
std::int64_t planes_per_call(MPI_Comm comm, const Box& box, std::int64_t cell_bytes, std::int64_t limit);

}  // namespace halyard
