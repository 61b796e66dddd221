#pragma once
// The part of the CUDA runtime API that this project uses, for device sources compiled by the host's compiler (preset
// cuda-emulated; docs/gpu.md). Names, meanings and error codes are those of NVIDIA's "CUDA Runtime API" reference; what
// is stricter or other than there is said where it is implemented. A call that is missing here does not compile: add it
// with what a GPU demands of its caller.
#include <cstddef>
#include <memory>
#include <tuple>
#include <typeinfo>

#define __global__
#define __host__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3() = default;
  constexpr dim3(unsigned nx, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
};

// Of the thread that runs.
extern dim3 gridDim, blockDim, blockIdx, threadIdx;

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
constexpr unsigned cudaStreamNonBlocking = 1;

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

struct cudaDeviceProp {
  char name[256];
  int major, minor;
  std::size_t totalGlobalMem;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);

cudaError_t cudaMalloc(void** data, std::size_t bytes);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaMallocManaged(void** data, std::size_t bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);
cudaError_t cudaEventDestroy(cudaEvent_t event);

namespace halyard::emulated {

/// Work of a kernel: `thread(arguments)` once for each thread, which finds its place in blockIdx and threadIdx.
struct Grid {
  dim3 grid, block;
  void (*thread)(const void* arguments);
  std::shared_ptr<const void> arguments;
};
void enqueue(cudaStream_t stream, const Grid& grid, const std::type_info& kernel, std::size_t argument_bytes);
/// Fails where the argument holds the address of memory that no device can reach.
void check_argument(const std::type_info& kernel, const void* argument, std::size_t bytes);

/// What `kernel<<<grid, block, 0, stream>>>(arguments...)` does.
template <class... P>
void launch(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(P...), P... arguments) {
  struct Call {
    void (*kernel)(P...);
    std::tuple<P...> arguments;
  };
  const auto call = std::make_shared<Call>(Call{kernel, {arguments...}});
  const auto check = [&](auto&... argument) {
    (__builtin_clear_padding(&argument), ...);  // so that every word says something
    (check_argument(typeid(kernel), &argument, sizeof argument), ...);
  };
  std::apply(check, call->arguments);
  const auto thread = [](const void* opaque) {
    const Call& c = *static_cast<const Call*>(opaque);
    std::apply(c.kernel, c.arguments);
  };
  enqueue(stream, {grid, block, thread, call}, typeid(kernel), (sizeof(P) + ...));
}

// What lanes of a warp tell one another: each waits until all lanes of the mask have come.
unsigned long long shuffle_down(unsigned mask, unsigned long long bits, unsigned distance);
unsigned ballot(unsigned mask, bool vote);

}  // namespace halyard::emulated

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  static_assert(sizeof(T) <= sizeof(unsigned long long));
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = halyard::emulated::shuffle_down(mask, bits, distance);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned __ballot_sync(unsigned mask, bool vote) { return halyard::emulated::ballot(mask, vote); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
/// Threads run one at a time: an addition is atomic by itself.
inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  const unsigned long long before = *at;
  *at = before + value;
  return before;
}
