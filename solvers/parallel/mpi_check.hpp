#pragma once
#include <mpi.h>

namespace halyard {

/// Throws Error with file, line, the call and the MPI library's own text when `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call, const char* file, int line);

}  // namespace halyard

#define HALYARD_MPI_CHECK(call) ::halyard::check_mpi((call), #call, __FILE__, __LINE__)
