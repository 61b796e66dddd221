#pragma once
// What tests say to the emulated device and ask of it (docs/gpu.md).
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace halyard::emulated {

/// Read from HALYARD_EMULATED_CUDA at the start, "seed=3,devices=2,memory=65536,fail=5,mpi=device"; a test may change
/// them between two calls.
struct Settings {
  /// The order of blocks, threads and independent streams. seed % 3 also says when work runs: 0 as late as possible (at
  /// a synchronisation), 1 as early as possible (when it is given), 2 anything between.
  std::uint64_t seed = 0;
  int devices = 1;                            // 0: as on a machine without a GPU
  std::size_t memory = std::size_t{1} << 30;  // bytes of each device
  std::int64_t failing_allocation = 0;        // the n-th cudaMalloc from now on finds no memory; 0: none
  bool mpi_takes_device_pointers = false;
};
Settings& settings();
/// Starts the random order anew from settings().seed, and the count of allocations for failing_allocation.
void restart();

/// Calls by name ("cudaMalloc", "MPI_Isend", "kernel"), and "host waits", "bytes to device", "bytes to host", "bytes
/// on device", since the start or reset_counts().
const std::map<std::string, std::int64_t>& counts();
std::int64_t count(const std::string& name);
void reset_counts();

}  // namespace halyard::emulated
