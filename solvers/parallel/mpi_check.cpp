#include "solvers/parallel/mpi_check.hpp"

#include <string>

#include "kernels/device/error.hpp"

namespace halyard {

void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed: " + text);
}

}  // namespace halyard
