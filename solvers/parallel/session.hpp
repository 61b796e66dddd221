#pragma once
#include <functional>
#include <memory>
#include <string>

#include "solvers/parallel/communicator.hpp"

namespace halyard {

/// What a program's exit code means (docs/clusters.md).
namespace exit_code {
constexpr int finished = 0;
constexpr int failure = 1;
constexpr int bad_case = 2;        // command line or case file
constexpr int stopped_early = 75;  // EX_TEMPFAIL: signal or time limit; a checkpoint is there, start again
}  // namespace exit_code

/// MPI from start to end (MPI_Init_thread, MPI_Finalize), once a program. Between them a thread watches that the other
/// processes of this node live, so that none waits for a dead one.
class MpiSession {
 public:
  /// @throws Error when this process is alone though its launcher started several: launcher and MPI library do not
  /// match. The message names both.
  MpiSession(int* argc, char*** argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  const Communicator& world() const;
  int node_rank() const;   // this rank among the ranks of its node
  int node_ranks() const;  // ranks on this node
  int nodes() const;
  /// OpenMP threads for this rank: OMP_NUM_THREADS where set, else this process's share of the cores it may run on (a
  /// core that k ranks of the node may use counts 1/k), at least 1. Already set with omp_set_num_threads.
  int threads() const;
  /// More ranks than cores on this node: waits hand the core on (see docs/clusters.md).
  bool oversubscribed() const;
  /// The MPI library's name and version, one line.
  const std::string& library() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The body of main(): starts MPI, calls `body` and returns its exit code. An exception on any rank is printed once
/// ("halyard-flow: rank 2 of 8: ..."), not once a rank, and ends every rank within 10 seconds with a non-zero exit
/// code: a CollectiveError by returning its exit code on every rank, anything else by MPI_Abort with
/// exit_code::failure.
int run_guarded(int argc, char** argv, const std::function<int(MpiSession&)>& body);

}  // namespace halyard
