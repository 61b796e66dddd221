#include "kernels/device/cuda/runtime.hpp"

#include "kernels/device/cuda/check.cuh"

namespace halyard::cuda {

namespace {
cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }
}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string device_count_failure() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  return status == cudaSuccess ? "the CUDA runtime finds no device" : cudaGetErrorString(status);
}

std::string bind_device(int local_rank) {
  const int device = local_rank % device_count();
  HALYARD_CUDA_CHECK(cudaSetDevice(device));
  cudaDeviceProp properties{};
  HALYARD_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

void* create_stream() {
  cudaStream_t stream = nullptr;
  HALYARD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void destroy_stream(void* stream) noexcept { cudaStreamDestroy(as_stream(stream)); }

void wait_stream(void* stream) { HALYARD_CUDA_CHECK(cudaStreamSynchronize(as_stream(stream))); }

void* allocate(int kind, std::size_t bytes) {
  void* data = nullptr;
  cudaError_t status = cudaErrorInvalidValue;
  switch (kind) {
    case 1:
      status = cudaMallocHost(&data, bytes);
      break;
    case 2:
      status = cudaMalloc(&data, bytes);
      break;
    case 3:
      status = cudaMallocManaged(&data, bytes);
      break;
    default:
      break;
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears it: the caller reports
    return nullptr;
  }
  HALYARD_CUDA_CHECK(status);
  return data;
}

void release(int kind, void* data) noexcept {
  if (kind == 1) {
    cudaFreeHost(data);
  } else {
    cudaFree(data);
  }
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  HALYARD_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

void set_zero(void* stream, void* data, std::size_t bytes) {
  HALYARD_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, as_stream(stream)));
}

void copy(void* stream, void* to, const void* from, std::size_t bytes) {
  HALYARD_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_stream(stream)));
}

double seconds_of_copies(void* stream, void* to, const void* from, std::size_t bytes, int repeats) {
  cudaEvent_t start = nullptr, stop = nullptr;
  HALYARD_CUDA_CHECK(cudaEventCreate(&start));
  HALYARD_CUDA_CHECK(cudaEventCreate(&stop));
  copy(stream, to, from, bytes);
  HALYARD_CUDA_CHECK(cudaEventRecord(start, as_stream(stream)));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    copy(stream, to, from, bytes);
  }
  HALYARD_CUDA_CHECK(cudaEventRecord(stop, as_stream(stream)));
  HALYARD_CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0.0F;
  HALYARD_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace halyard::cuda
