#pragma once
#include <mpi.h>

#include <span>

namespace halyard {

/// With more ranks than cores MPI's own waits spin through whole time slices (MPICH 4.0.2, 7 ranks on 2 cores: 26 ms an
/// allreduce; 0.2 ms with these waits, which sleep between looks). Set by MpiSession.
void set_waits_sleep(bool sleep);
bool waits_sleep();

/// MPI_Wait, MPI_Waitall and MPI_Waitany. @throws Error with MPI's text.
void wait(MPI_Request& request);
void wait_all(std::span<MPI_Request> requests);
/// The index of a request that has completed, -1 when none is active.
int wait_any(std::span<MPI_Request> requests);

}  // namespace halyard
