#include "io/hdf5/split_box.hpp"

#include <algorithm>

namespace halyard {

std::vector<Box> split_box(const Box& box, std::int64_t cell_bytes, std::int64_t limit, std::int64_t planes) {
  std::vector<Box> pieces;
  if (box.empty()) return pieces;
  const std::int64_t row_bytes = cell_bytes * box.extent(0);
  const bool whole_rows = row_bytes <= limit;
  const bool whole_planes = row_bytes * box.extent(1) <= limit;
  const std::int64_t step_x = whole_rows ? box.extent(0) : std::max<std::int64_t>(1, limit / cell_bytes);
  const std::int64_t step_y = whole_planes ? box.extent(1) : whole_rows ? limit / row_bytes : 1;
  const std::int64_t step_z = whole_planes ? std::max<std::int64_t>(1, planes) : 1;
  for (std::int64_t k = box.begin[2]; k < box.end[2]; k += step_z) {
    for (std::int64_t j = box.begin[1]; j < box.end[1]; j += step_y) {
      for (std::int64_t i = box.begin[0]; i < box.end[0]; i += step_x) {
        pieces.push_back(
            {{i, j, k},
             {std::min(i + step_x, box.end[0]), std::min(j + step_y, box.end[1]), std::min(k + step_z, box.end[2])}});
      }
    }
  }
  return pieces;
}

std::int64_t planes_per_call(MPI_Comm comm, const Box& box, std::int64_t cell_bytes, std::int64_t limit) {
  std::int64_t plane_bytes = box.empty() ? 1 : cell_bytes * box.extent(0) * box.extent(1);
  MPI_Allreduce(MPI_IN_PLACE, &plane_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
  return std::max<std::int64_t>(1, limit / plane_bytes);
}

}  // namespace halyard
