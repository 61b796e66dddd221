#pragma once
#include <span>

#include "kernels/md/fixed_point.hpp"
#include "kernels/md/virial.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// Adds whole numbers over the ranks; the same on every rank. Collective; one message.
void sum_over_ranks(const Communicator& comm, std::span<Wide> totals);
void sum_over_ranks(const Communicator& comm, std::span<FixedSum> totals);

}  // namespace halyard::md
