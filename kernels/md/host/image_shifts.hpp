#pragma once
#include <array>
#include <cstddef>

#include "kernels/md/box.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md::host {

/// The box vector of each image, by image_index(): x_j + shift is where the pair loop sees j; S = -shift.
inline std::array<std::array<double, 3>, image_count> image_shifts(const SimulationBox& box) {
  std::array<std::array<double, 3>, image_count> shifts;
  for (int n = 0; n < image_count; ++n) {
    shifts[static_cast<std::size_t>(n)] = box.lattice_vector(image_of(n));
  }
  return shifts;
}

}  // namespace halyard::md::host
