#pragma once
#include "kernels/device/exact_sum.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/flow/boundary.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

/// Integrals over this rank's part of the domain; add the ranks' ExactSums for the whole.
struct VelocityIntegrals {
  ExactSum momentum[3];     // int u, int v, int w dV [m4/s]
  ExactSum kinetic_energy;  // int |u|^2 / 2 dV [m5/s2]
  ExactSum strain_squared;  // int S_ij S_ij dV [m3/s2]; dissipation = 2 nu times this
  ExactSum enstrophy;       // int |omega|^2 / 2 dV [m3/s2]
};

/// Momentum and kinetic energy from the faces, strain and vorticity where they live on the staggered grid: normal
/// strains at centres, shear strains and vorticity on edges, wall edges with half their volume. Needs all ghosts of u.
/// `walls[a]`: the non-periodic ends of axis a that this rank owns (edges on a lower wall belong to the rank beside
/// it).
VelocityIntegrals velocity_integrals(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u,
                                     const OwnedEnds (&walls)[3], const Range3& cells);

/// int u_c dV over this rank's faces [m4/s].
ExactSum momentum(Queue& queue, const GridMetrics& grid, int component, const View3<const double>& u,
                  const Range3& cells);

/// max over cells of |u|/dx + |v|/dy + |w|/dz [1/s], with the larger of the two faces of each component;
/// infinite where a velocity is not finite.
double max_convective_rate(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u,
                           const Range3& cells);

/// Integral over the wall, at one end of `axis`, of the velocity gradient d u_c/dn into the fluid [m2/s]:
/// (first value inside - wall velocity) / (half a cell). Multiply by nu and divide by the wall's area for the shear
/// stress per unit density. Only on ranks that own the end.
ExactSum wall_gradient(Queue& queue, const GridMetrics& grid, int axis, bool upper, int component, double wall_velocity,
                       const View3<const double>& u, const Range3& cells);

/// max |a - b| over the cells.
double max_difference(Queue& queue, const View3<const double>& a, const View3<const double>& b, const Range3& cells);
/// max |a| over the cells.
double max_magnitude(Queue& queue, const View3<const double>& a, const Range3& cells);
/// b = a over the cells.
void copy_field(Queue& queue, const View3<const double>& a, const View3<double>& b, const Range3& cells);

}  // namespace halyard::flow
