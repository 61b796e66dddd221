#pragma once
#include <mpi.h>

#include <string>

namespace halyard {

/// Throws halyard::Error on every rank of `comm` where any rank has a failure (a non-empty text): the text of the
/// lowest such rank. Collective; returns where no rank has one.
void throw_together(MPI_Comm comm, const std::string& failure);

}  // namespace halyard
