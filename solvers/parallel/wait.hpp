#pragma once
#include <mpi.h>

#include <span>

namespace halyard {

// MPI_Wait, MPI_Waitall and MPI_Waitany that hand the core on when they have looked in vain for a while. MPI's own spin
// through whole time slices where ranks or other programs share cores (MPICH 4.0.2, 7 ranks on 2 cores: 26 ms an
// allreduce; with these 0.2 ms). All @throw Error with MPI's text.

void wait(MPI_Request& request);
void wait_all(std::span<MPI_Request> requests);
/// The index of a request that has completed, -1 when none is active.
int wait_any(std::span<MPI_Request> requests);

/// More ranks than cores: waits sleep soon, in place of a yield after some time. Set by MpiSession.
void set_waits_sleep(bool sleep);

}  // namespace halyard
