#pragma once
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

/// Makes the velocity divergence-free: u = u* - dt grad(phi) + shift  (Chorin 1968, Math. Comput. 22, 745).
/// phi is pressure / density [m2/s2] at cell centres; needs its ghosts on the upper sides. `shift` [m/s] is the uniform
/// correction of the bulk velocity, zero along axes with walls. Ghosts of u are stale on return.
void project(Queue& queue, const GridMetrics& grid, double dt, const double (&shift)[3], const View3<const double>& phi,
             const VectorView<double>& u, const Range3& cells);

}  // namespace halyard::flow
