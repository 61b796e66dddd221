#pragma once
#include <exception>
#include <optional>
#include <string>

#include "solvers/parallel/communicator.hpp"

namespace halyard {

/// Runs collective work that throws the same Error on every rank where it fails on any (the results' writers do), and
/// turns that into a CollectiveError: the ranks end together, and the message is printed once.
template <class Work>
void collectively(int exit_code, Work&& work) {
  try {
    work();
  } catch (const CollectiveError&) {
    throw;
  } catch (const Error& error) {
    throw CollectiveError(error.what(), exit_code);
  }
}

/// Runs local work on every rank; where it throws on any, every rank throws CollectiveError. The work holds no
/// collective calls, or fails on all ranks alike.
template <class Work>
void on_every_rank(const Communicator& communicator, int exit_code, Work&& work) {
  std::optional<std::string> failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  throw_collectively(communicator, failure, exit_code);
}

}  // namespace halyard
