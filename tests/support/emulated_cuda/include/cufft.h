#pragma once
// The part of cuFFT that this project uses, on FFTW.
#include <cuda_runtime.h>

using cufftHandle = int;
enum cufftResult {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_NOT_SUPPORTED = 16
};
enum cufftType { CUFFT_Z2Z = 0x69 };
constexpr int CUFFT_FORWARD = -1, CUFFT_INVERSE = 1;
struct cufftDoubleComplex {
  double x, y;
};

cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, std::size_t* work_bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction);
cufftResult cufftDestroy(cufftHandle plan);
