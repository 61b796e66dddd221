#pragma once
#include <typeinfo>

#include "kernels/device/profile.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

// Loops over a range of cells. Included by operator sources only (they are compiled once per device).
#ifdef __CUDACC__
#include "kernels/device/cuda/parallel_for.cuh"
#else
#include "kernels/device/host/parallel_for.hpp"
#endif

namespace halyard {
// Operators call the loops of the device they are compiled for without naming it.
using HALYARD_BACKEND::count_if;
using HALYARD_BACKEND::parallel_for;
using HALYARD_BACKEND::reduce_max;
using HALYARD_BACKEND::reduce_sum;
}  // namespace halyard
