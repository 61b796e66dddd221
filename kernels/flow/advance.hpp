#pragma once
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

/// One stage of the low-storage third-order Runge-Kutta scheme of Wray (Le & Moin 1991, J. Comput. Phys. 92, 369).
struct Rk3Stage {
  double gamma, zeta;
  double fraction() const { return gamma + zeta; }  // of the step that the stage advances
};
inline constexpr Rk3Stage kRk3[3] = {{8.0 / 15.0, 0.0}, {5.0 / 12.0, -17.0 / 60.0}, {3.0 / 4.0, -5.0 / 12.0}};
/// Limits of the scheme on the imaginary and the negative real axis: max of dt |convective| and dt |viscous|
/// eigenvalue.
inline constexpr double kRk3ConvectiveLimit = 1.7320508075688772, kRk3ViscousLimit = 2.5127453266183286;

/// Runge-Kutta stage without the pressure gradient:
///   G = -div(u u) + nu lap(u) + f,   u_new = u + dt (gamma G + zeta G_old),   rhs = G.
/// Staggered finite volumes (Harlow & Welch 1965, Phys. Fluids 8, 2182); u, v, w on the +x, +y, +z face of cell
/// (i,j,k). Convective fluxes are the mean of the mass fluxes of the two half cells times the plain mean of the
/// convected velocity, so that the discrete convection is skew-symmetric, conserves momentum and energy on stretched
/// grids too (Verstappen & Veldman 2003, J. Comput. Phys. 187, 343).
///
/// Needs all ghosts of u but the eight corners; leaves those of u_new stale. Computes every face of the owned
/// cells: what it leaves on wall faces is put right by fill_boundary. `rhs` holds G of the stage before on entry
/// (not read in the first stage), G of this stage on return (not written in the last). The pressure gradient may be
/// left out because diffusion is explicit: the projection finds the whole pressure.
void advance(Queue& queue, const GridMetrics& grid, int stage, double dt, double viscosity, const double (&force)[3],
             const VectorView<const double>& u, const VectorView<double>& rhs, const VectorView<double>& u_new,
             const Range3& cells);

}  // namespace halyard::flow
