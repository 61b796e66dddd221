#pragma once
#include <cstddef>
#include <string>

#include "kernels/device/queue.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard {

/// How data leaves a device: its own memory handed to MPI, or through pinned buffers on the host.
enum class ExchangePath { direct, staged };

/// What `[parallel] exchange = "auto" | "mpi" | "staged"` comes to. Host memory always goes direct. "auto" on a GPU
/// asks the MPI library whether it takes device pointers and stages where it does not say yes.
/// @throws Error for another word.
ExchangePath choose_exchange_path(const std::string& word, const Queue& queue);

/// Latency and bandwidth of messages of `bytes` between pairs of ranks (0 with 1, 2 with 3, ...) all at once, over the
/// path that an exchange takes; the worst pair counts. Zero with one rank. Collective; about 10 ms.
struct ExchangeSpeed {
  double latency = 0.0;    // [s] one way, 8 bytes
  double bandwidth = 0.0;  // [bytes/s] one way
};
ExchangeSpeed measure_exchange(const Communicator& comm, Queue& queue, ExchangePath path, std::size_t bytes);

}  // namespace halyard
