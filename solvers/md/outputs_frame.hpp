#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "io/results/particle_frame.hpp"
#include "kernels/md/box.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/md/id_blocks.hpp"

namespace halyard::md {

/// This rank's share of the atoms in the order of their ids, as files and pictures have them.
struct AtomBlock {
  SimulationBox box;
  std::int64_t count = 0, begin = 0, end = 0;  // over all ranks; ids of this rank
  std::vector<std::int64_t> id;                // the user's
  std::vector<std::int32_t> type;              // from 0
  std::vector<double> position;                // 3 an atom, wrapped into the box along its periodic edges
  std::vector<std::int32_t> image;             // 3 an atom: unwrapped = position + image[0] a + image[1] b + image[2] c
  std::vector<double> velocity, force;         // 3 an atom; force only where asked for

  ParticleFrame frame(std::int64_t step, double time) const;
};

/// Collective.
AtomBlock gather_atoms(const Dynamics& dynamics, const IdBlocks& blocks, bool forces);

}  // namespace halyard::md
