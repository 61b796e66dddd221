// A program that ends in the way named by its first argument; failure_test.py runs it under mpiexec and looks at what
// is printed, the exit code and the time.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "kernels/device/error.hpp"
#include "solvers/parallel/session.hpp"

namespace {

/// Waits for the other ranks when it is destroyed, as an open parallel file does.
struct WaitsAtItsEnd {
  const halyard::Communicator& comm;
  ~WaitsAtItsEnd() { comm.barrier(); }
};

int act(const std::string& way, halyard::MpiSession& session) {
  const halyard::Communicator& world = session.world();
  const int last = world.size() - 1;
  const WaitsAtItsEnd file{world};
  if (way == "info") {
    std::printf("rank %d of %d: node rank %d of %d, %d thread(s), oversubscribed %d\n", world.rank(), world.size(),
                session.node_rank(), session.node_ranks(), session.threads(), session.oversubscribed() ? 1 : 0);
    return halyard::exit_code::finished;
  }
  if (way == "code") {
    return halyard::exit_code::stopped_early;
  }
  if (way == "one") {
    if (world.rank() == last) {
      throw halyard::Error("the one failure");
    }
    world.barrier();
  }
  if (way == "blocking") {  // the others wait inside MPI, where no test of ours looks
    if (world.rank() == last) {
      throw halyard::Error("the one failure");
    }
    MPI_Barrier(world.comm());
  }
  if (way == "all") {
    throw halyard::Error("the same failure");
  }
  if (way == "collective" || way == "collective_same") {
    std::optional<std::string> error;
    if (way == "collective_same" || world.rank() == last) {
      error = "a shared failure";
    }
    halyard::throw_collectively(world, error, halyard::exit_code::bad_case);
  }
  if (way == "thread") {
#pragma omp parallel num_threads(2)
    {
      if (world.rank() == last) {
        throw halyard::Error("failure in a thread");
      }
    }
    world.barrier();
  }
  if (way == "killed" || way == "killed_by_itself") {
    if (world.rank() == last) {
      raise(SIGKILL);
    }
    world.barrier();
  }
  if (way == "unknown") {
    if (world.rank() == last) {
      throw 42;
    }
    world.barrier();
  }
  return halyard::exit_code::finished;
}

}  // namespace

int main(int argc, char** argv) {
  return halyard::run_guarded(argc, argv, [&](halyard::MpiSession& session) { return act(argv[1], session); });
}
