#pragma once

namespace halyard::bench {

/// Time of a diffusion stencil through parallel_for over the time of the same loop nest written by hand with OpenMP,
/// the median of alternating runs: the price of the execution layer (owed: at most 1.05).
double loop_ratio();

}  // namespace halyard::bench
