#pragma once
#include <cuda_runtime.h>

#include <string>

#include "kernels/device/error.hpp"

namespace halyard::cuda {

/// Throws file, line and the runtime's own text when a CUDA call failed.
inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess) {
    throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call +
                " failed: " + cudaGetErrorString(status));
  }
}

}  // namespace halyard::cuda

#define HALYARD_CUDA_CHECK(call) ::halyard::cuda::check((call), #call, __FILE__, __LINE__)
