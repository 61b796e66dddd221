#pragma once

// One operator source, two devices. A file listed under SOURCES of halyard_kernels() is compiled by g++ into the
// namespace `host` and, in a CUDA build, by nvcc into the namespace `cuda`, so that the two never share a symbol:
//
//   namespace halyard::flow {
//   namespace HALYARD_BACKEND {
//   struct Scale { ... KERNEL void operator()(int i, int j, int k) const { ... } };
//   void scale(Queue& queue, double factor, View3<double> a) { parallel_for(queue, range, Scale{factor, a}); }
//   }
//   HALYARD_DISPATCH(void, scale, (Queue & queue, double factor, View3<double> a), (queue, factor, a))
//   }
//
// HALYARD_DISPATCH defines halyard::flow::scale once, in the g++ object, which calls the one that the queue's device
// needs.

#ifdef __CUDACC__
#define HALYARD_BACKEND cuda
#define KERNEL __host__ __device__ __forceinline__
#define HALYARD_DISPATCH(result, name, parameters, arguments)
#else
#define HALYARD_BACKEND host
#define KERNEL inline __attribute__((always_inline))
#ifdef HALYARD_CUDA
#define HALYARD_DISPATCH(result, name, parameters, arguments) \
  namespace cuda {                                            \
  result name parameters;                                     \
  }                                                           \
  result name parameters {                                    \
    if (queue.device() == Device::cuda) {                     \
      return cuda::name arguments;                            \
    }                                                         \
    return host::name arguments;                              \
  }
#else
#define HALYARD_DISPATCH(result, name, parameters, arguments) \
  result name parameters { return host::name arguments; }
#endif
#endif
