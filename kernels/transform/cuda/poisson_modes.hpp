#pragma once
#include "kernels/transform/poisson_modes.hpp"

namespace halyard::cuda {

/// The passes with cuFFT and kernels through parallel_for; defined in builds with CUDA.
std::unique_ptr<PoissonModes> create_poisson_modes(Queue& queue, const std::array<PoissonAxis, 3>& axes,
                                                   int solve_axis);

}  // namespace halyard::cuda
