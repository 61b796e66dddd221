#pragma once
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

// What is drawn and written, at cell centres, from the velocity on faces. Every function needs all ghosts of u with the
// edges and writes the owned cells of its output. The velocity gradient at a centre takes the normal derivatives from
// the two faces and the others as the mean of the four edges around it.

/// The mean of the two faces of each component [m/s].
void centred_velocity(Queue& queue, const VectorView<const double>& u, const VectorView<double>& out,
                      const Range3& cells);
/// omega = curl u [1/s].
void vorticity(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const VectorView<double>& out,
               const Range3& cells);
/// Q = (|Omega|^2 - |S|^2) / 2 = -(du_i/dx_j du_j/dx_i) / 2 [1/s2] (Hunt, Wray & Moin 1988, CTR-S88, 193).
void q_criterion(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const View3<double>& out,
                 const Range3& cells);
/// 2 nu S_ij S_ij [m2/s3].
void dissipation(Queue& queue, const GridMetrics& grid, double viscosity, const VectorView<const double>& u,
                 const View3<double>& out, const Range3& cells);
/// |u|^2 / 2 [m2/s2], the mean over the two faces of each component.
void kinetic_energy(Queue& queue, const VectorView<const double>& u, const View3<double>& out, const Range3& cells);

}  // namespace halyard::flow
