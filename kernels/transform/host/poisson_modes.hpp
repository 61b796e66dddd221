#pragma once
#include "kernels/transform/poisson_modes.hpp"

namespace halyard::host {

/// The passes with eight lines side by side in SIMD lanes, blocks of lines spread over OpenMP threads.
std::unique_ptr<PoissonModes> create_poisson_modes(Queue& queue, const std::array<PoissonAxis, 3>& axes,
                                                   int solve_axis);

}  // namespace halyard::host
