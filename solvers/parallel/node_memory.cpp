#include "solvers/parallel/node_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

#include "solvers/parallel/mpi_check.hpp"

namespace halyard {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

/// MemAvailable of Linux: free memory and what caches would give back.
std::int64_t available_bytes() {
  std::ifstream info("/proc/meminfo");
  std::string name, unit;
  for (std::int64_t value = 0; info >> name >> value; std::getline(info, unit)) {
    if (name == "MemAvailable:") {
      return value * 1024;
    }
  }
  return unknown;
}

}  // namespace

NodeMemory node_memory(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  HALYARD_MPI_CHECK(MPI_Comm_split_type(comm.comm(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node));
  int ranks = 1;
  HALYARD_MPI_CHECK(MPI_Comm_size(node, &ranks));
  HALYARD_MPI_CHECK(MPI_Comm_free(&node));
  const std::int64_t mine = available_bytes(), share = mine / ranks, least = comm.min(share);
  const auto from = comm.first(share == least);
  return {comm.broadcast(mine, from), static_cast<int>(comm.broadcast(std::int64_t{ranks}, from))};
}

}  // namespace halyard
