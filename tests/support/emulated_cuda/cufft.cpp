// cuFFT on FFTW: plans of one dimension, double precision, complex to complex.
#include <cufft.h>
#include <fftw3.h>

#include <map>
#include <memory>

#include "tests/support/emulated_cuda/machine.hpp"

namespace {

using namespace halyard::emulated;

struct Transform {
  // By direction and by whether the result goes to the input's place: FFTW plans differ.
  fftw_plan plan[2][2] = {};
  void* work = nullptr;  // as much device memory as cuFFT takes for lengths that need most
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  ~Transform() {
    for (auto& pair : plan) {
      for (fftw_plan each : pair) {
        fftw_destroy_plan(each);
      }
    }
  }
};

struct Plan {
  std::shared_ptr<Transform> transform;
  cudaStream_t stream = nullptr;
};

std::map<cufftHandle, Plan>& plans() {
  static auto* instance = new std::map<cufftHandle, Plan>;
  return *instance;
}

}  // namespace

cufftResult cufftCreate(cufftHandle* plan) {
  count_call("cufftCreate");
  static cufftHandle last = 0;
  *plan = ++last;  // never the same again: a stale one is found out
  plans()[*plan] = {};
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, std::size_t* work_bytes) {
  count_call("cufftMakePlanMany");
  const auto found = plans().find(plan);
  if (found == plans().end() || found->second.transform != nullptr) {
    return CUFFT_INVALID_PLAN;
  }
  if (rank != 1 || type != CUFFT_Z2Z || inembed == nullptr || onembed == nullptr) {
    return CUFFT_NOT_SUPPORTED;
  }
  if (n[0] < 1 || batch < 1) {
    return CUFFT_INVALID_VALUE;
  }
  const auto transform = std::make_shared<Transform>();
  *work_bytes = std::size_t{16} * static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(batch);
  if (cudaMalloc(&transform->work, *work_bytes) != cudaSuccess) {
    cudaGetLastError();
    return CUFFT_ALLOC_FAILED;
  }
  // With FFTW_ESTIMATE and FFTW_UNALIGNED the arrays are only looked at for whether they are one.
  static fftw_complex first[1], second[1];
  for (const int inverse : {0, 1}) {
    for (const int in_place : {0, 1}) {
      transform->plan[inverse][in_place] = fftw_plan_many_dft(
          1, n, batch, first, inembed, istride, idist, in_place != 0 ? first : second, onembed, ostride, odist,
          inverse != 0 ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
    }
  }
  found->second.transform = transform;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  count_call("cufftSetStream");
  const auto found = plans().find(plan);
  if (found == plans().end()) {
    return CUFFT_INVALID_PLAN;
  }
  found->second.stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  count_call("cufftExecZ2Z");
  const auto found = plans().find(plan);
  if (found == plans().end() || found->second.transform == nullptr) {
    return CUFFT_INVALID_PLAN;
  }
  for (const void* data : {in, out}) {
    const Allocation* const a = find(data);
    if (a == nullptr || a->kind == Kind::pinned) {
      fail("cufftExecZ2Z is given memory of the host");
    }
    if (reinterpret_cast<std::uintptr_t>(data) % sizeof(cufftDoubleComplex) != 0) {
      fail("cufftExecZ2Z is given complex numbers that do not lie at a multiple of 16 bytes");
    }
  }
  enqueue(found->second.stream, "cufftExecZ2Z", [transform = found->second.transform, in, out, direction] {
    fftw_execute_dft(transform->plan[direction == CUFFT_INVERSE ? 1 : 0][in == out ? 1 : 0],
                     reinterpret_cast<fftw_complex*>(in), reinterpret_cast<fftw_complex*>(out));
  });
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  count_call("cufftDestroy");
  const auto found = plans().find(plan);
  if (found == plans().end()) {
    return CUFFT_INVALID_PLAN;
  }
  if (found->second.transform != nullptr) {
    cudaFree(found->second.transform->work);
  }
  plans().erase(found);
  return CUFFT_SUCCESS;
}
