#include "solvers/parallel/exchange_path.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>

#include "kernels/device/buffer.hpp"
#include "kernels/device/error.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard {

namespace {

/// Looked up by name: MPI libraries with MPICH's binary interface need not have it.
bool mpi_takes_device_pointers() {
  using Query = int (*)();
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query != nullptr && query() != 0;
}

/// One way, half of a ping-pong between the ranks 2 m and 2 m + 1; the staging copies count.
double seconds_one_way(const Communicator& comm, Queue& queue, ExchangePath path, std::size_t bytes, int repeats) {
  const int partner = comm.rank() ^ 1;
  if (partner >= comm.size()) {
    return 0.0;
  }
  const bool staged = path == ExchangePath::staged;
  Buffer<char> field(queue, bytes, "exchange test");
  Buffer<char> stage;
  if (staged) {
    stage = Buffer<char>(queue, bytes, "exchange test", MemoryKind::pinned);
  }
  char* message = staged ? stage.data() : field.data();
  const int count = static_cast<int>(bytes);
  const auto send = [&] {
    if (staged) {
      copy_bytes(queue, message, field.data(), bytes);
    }
    queue.wait();
    MPI_Request request = MPI_REQUEST_NULL;
    HALYARD_MPI_CHECK(MPI_Isend(message, count, MPI_BYTE, partner, 0, comm.comm(), &request));
    wait(request);
  };
  const auto receive = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    HALYARD_MPI_CHECK(MPI_Irecv(message, count, MPI_BYTE, partner, 0, comm.comm(), &request));
    wait(request);
    if (staged) {
      copy_bytes(queue, field.data(), message, bytes);
      queue.wait();
    }
  };
  const bool first = comm.rank() < partner;
  const auto round = [&] {
    if (first) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  };
  round();  // the first touches buffers and sets up the connection
  const auto start = std::chrono::steady_clock::now();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    round();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / (2.0 * repeats);
}

}  // namespace

ExchangePath choose_exchange_path(const std::string& word, const Queue& queue) {
  if (word != "auto" && word != "mpi" && word != "staged") {
    throw Error("parallel.exchange = \"" + word + "\": allowed are \"auto\", \"mpi\", \"staged\"");
  }
  if (queue.device() == Device::host) {
    return ExchangePath::direct;
  }
  return word == "mpi" || (word == "auto" && mpi_takes_device_pointers()) ? ExchangePath::direct : ExchangePath::staged;
}

ExchangeSpeed measure_exchange(const Communicator& comm, Queue& queue, ExchangePath path, std::size_t bytes) {
  if (comm.size() == 1) {
    return {};
  }
  const std::size_t sent = std::clamp<std::size_t>(bytes, 1, std::size_t{1} << 30);
  comm.barrier();
  const double latency = comm.max(seconds_one_way(comm, queue, path, 8, 100));
  const double seconds = comm.max(seconds_one_way(comm, queue, path, sent, 20));
  return {.latency = latency, .bandwidth = static_cast<double>(sent) / seconds};
}

}  // namespace halyard
