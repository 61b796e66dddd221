#include "kernels/md/atoms.hpp"

namespace halyard::md {

void Atoms::reserve(int slots_wanted) {
  if (slots_wanted <= capacity_) {
    return;
  }
  // A tenth more than asked for: the count of ghosts wanders from list to list.
  capacity_ = (slots_wanted + slots_wanted / 10 + cluster_size) / cluster_size * cluster_size;
  const auto size = static_cast<std::size_t>(capacity_);
  for (int d = 0; d < 3; ++d) {
    x[d] = Buffer<double>(queue_, size, "positions");
    v[d] = Buffer<double>(queue_, size, "velocities");
    force[d] = Buffer<std::int64_t>(queue_, size, "forces");
    reference[d] = Buffer<double>(queue_, size, "reference positions");
    image[d] = Buffer<std::int32_t>(queue_, size, "image flags");
  }
  id = Buffer<std::int64_t>(queue_, size, "atom ids");
  type = Buffer<std::int32_t>(queue_, size, "atom types");
}

}  // namespace halyard::md
