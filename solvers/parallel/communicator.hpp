#pragma once
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/device/error.hpp"
#include "kernels/device/exact_sum.hpp"

namespace halyard {

/// Owns a duplicate of an MPI communicator. Every call but rank(), size() and comm() is collective, gives every rank
/// the same value and throws Error with MPI's own text when MPI reports a failure.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm = MPI_COMM_WORLD);
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
  /// The ranks that share this node's memory, as a communicator of their own, in the order of rank().
  Communicator node() const;

  /// The largest (smallest) of all ranks' values. NaN on any rank gives NaN on every rank.
  double max(double value) const;
  double min(double value) const;
  /// Element by element, in one message; NaN as above.
  void max(std::span<double> values) const;
  void min(std::span<double> values) const;
  std::int64_t max(std::int64_t value) const;
  std::int64_t min(std::int64_t value) const;
  /// The lowest rank where it holds; size() where it holds on none.
  int first(bool holds) const { return static_cast<int>(min(std::int64_t{holds ? rank() : size()})); }
  /// Wraps modulo 2^64, as a state hash needs it.
  std::int64_t sum(std::int64_t value) const;
  void sum(std::span<std::int64_t> values) const;
  /// Exact and therefore the same bits for any number of ranks; several sums in one message.
  void sum(ExactSum& total) const;
  void sum(std::span<ExactSum> totals) const;
  /// True when the value is true on any rank.
  bool any(bool value) const;

  /// Gives every rank what `root` holds. The spans have the same length on every rank; the string is resized.
  void broadcast(std::span<double> values, int root = 0) const;
  void broadcast(std::span<std::int64_t> values, int root = 0) const;
  void broadcast(std::string& text, int root = 0) const;
  double broadcast(double value, int root = 0) const;
  std::int64_t broadcast(std::int64_t value, int root = 0) const;

  void barrier() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// An error that every rank has thrown together: run_guarded() prints it on rank 0 alone and needs no MPI_Abort.
class CollectiveError : public Error {
 public:
  CollectiveError(const std::string& message, int exit_code) : Error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// Collective. Returns where no rank holds an error; otherwise every rank throws CollectiveError with the message of
/// the lowest rank that holds one ("rank 3 of 8: ..."; without the rank where all ranks hold the same message). For
/// steps that may fail on some ranks only (reading the case, opening a file), so that the others do not wait.
void throw_collectively(const Communicator& comm, const std::optional<std::string>& local_error, int exit_code = 1);

}  // namespace halyard
