#pragma once
// Every launch of the project goes through this function: the one place that tells a GPU from the emulated device of
// the tests (docs/gpu.md), for which the same sources are compiled by the host's compiler.
#include <cuda_runtime.h>

#include <type_traits>

#include "kernels/device/cuda/check.cuh"
#include "kernels/device/queue.hpp"

namespace halyard::cuda {

/// Starts `kernel` with these arguments in the order of the queue and returns at once.
template <class... Parameter, class... Argument>
void launch(Queue& queue, dim3 grid, dim3 block, void (*kernel)(Parameter...), const Argument&... argument) {
  static_assert((std::is_trivially_copyable_v<Parameter> && ...), "a kernel's arguments are copied byte by byte");
  const auto stream = static_cast<cudaStream_t>(queue.stream());
#ifdef HALYARD_EMULATED_CUDA
  emulated::launch(stream, grid, block, kernel, static_cast<Parameter>(argument)...);
#else
  // clang-format off
  kernel<<<grid, block, 0, stream>>>(argument...);
  // clang-format on
#endif
  HALYARD_CUDA_CHECK(cudaGetLastError());
}

}  // namespace halyard::cuda
