#pragma once
#include <cstdint>

#include "solvers/parallel/communicator.hpp"

namespace halyard {

/// Memory of the node with the least for each of its ranks.
struct NodeMemory {
  std::int64_t available = 0;  // bytes that processes can still take there without swapping
  int ranks = 1;               // of this communicator there
};

/// Collective; the same on every rank. Nothing where the system does not say (available is then the largest number).
NodeMemory node_memory(const Communicator& comm);

}  // namespace halyard
