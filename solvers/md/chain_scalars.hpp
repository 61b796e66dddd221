#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "io/results/state.hpp"
#include "kernels/md/ensemble/nose_hoover.hpp"

namespace halyard::md {

/// A Nose-Hoover chain as state: its positions and velocities, by names that start with `name`.
inline std::vector<StateScalar> chain_scalars(const std::string& name, NoseHooverChain& chain) {
  std::vector<StateScalar> scalars;
  for (int k = 0; k < chain.length(); ++k) {
    scalars.push_back({fmt::format("{}_position_{}", name, k + 1), "1", &chain.position[static_cast<std::size_t>(k)]});
    scalars.push_back(
        {fmt::format("{}_velocity_{}", name, k + 1), "1/time", &chain.velocity[static_cast<std::size_t>(k)]});
  }
  return scalars;
}

}  // namespace halyard::md
