#include "kernels/flow/advance.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

/// The flux of a momentum component through one face of its control volume, per unit area:
/// mean mass flux times mean velocity, less the viscous stress.
KERNEL double flux(double carrier, double behind, double ahead, double nu_inv_gap) {
  return carrier * (0.5 * (behind + ahead)) - nu_inv_gap * (ahead - behind);
}

template <bool first, bool last>
struct RungeKuttaUpdate {
  double dt_gamma, dt_zeta;

  KERNEL void operator()(double g, double u, double& rhs, double& u_new) const {
    if constexpr (first) {
      u_new = u + dt_gamma * g;
    } else {
      u_new = u + (dt_gamma * g + dt_zeta * rhs);
    }
    if constexpr (!last) {
      rhs = g;
    }
  }
};

constexpr double bytes_per_cell(bool first, bool last) {
  return 8.0 * (3 + 3 + (first ? 0 : 3) + (last ? 0 : 3));  // u in, u_new out, rhs in, rhs out
}

template <bool first, bool last>
struct AdvanceU {
  static constexpr Cost cost{.bytes = bytes_per_cell(first, last) / 3.0, .flops = 64};
  AxisMetrics x, y, z;
  double nu, force;
  RungeKuttaUpdate<first, last> update;
  View3<const double> u, v, w;
  View3<double> rhs, u_new;

  KERNEL void operator()(int i, int j, int k) const {
    const double low = x.weight_low(i), high = x.weight_high(i);
    const double here = u(i, j, k);
    const double east = flux(0.5 * (here + u(i + 1, j, k)), here, u(i + 1, j, k), nu * x.inv_width(i + 1));
    const double west = flux(0.5 * (u(i - 1, j, k) + here), u(i - 1, j, k), here, nu * x.inv_width(i));
    const double north = flux(low * v(i, j, k) + high * v(i + 1, j, k), here, u(i, j + 1, k), nu * y.inv_gap(j));
    const double south =
        flux(low * v(i, j - 1, k) + high * v(i + 1, j - 1, k), u(i, j - 1, k), here, nu * y.inv_gap(j - 1));
    const double top = flux(low * w(i, j, k) + high * w(i + 1, j, k), here, u(i, j, k + 1), nu * z.inv_gap(k));
    const double bottom =
        flux(low * w(i, j, k - 1) + high * w(i + 1, j, k - 1), u(i, j, k - 1), here, nu * z.inv_gap(k - 1));
    const double g =
        force - ((east - west) * x.inv_gap(i) + ((north - south) * y.inv_width(j) + (top - bottom) * z.inv_width(k)));
    update(g, here, rhs(i, j, k), u_new(i, j, k));
  }
};

template <bool first, bool last>
struct AdvanceV {
  static constexpr Cost cost{.bytes = bytes_per_cell(first, last) / 3.0, .flops = 64};
  AxisMetrics x, y, z;
  double nu, force;
  RungeKuttaUpdate<first, last> update;
  View3<const double> u, v, w;
  View3<double> rhs, v_new;

  KERNEL void operator()(int i, int j, int k) const {
    const double low = y.weight_low(j), high = y.weight_high(j);
    const double here = v(i, j, k);
    const double east = flux(low * u(i, j, k) + high * u(i, j + 1, k), here, v(i + 1, j, k), nu * x.inv_gap(i));
    const double west =
        flux(low * u(i - 1, j, k) + high * u(i - 1, j + 1, k), v(i - 1, j, k), here, nu * x.inv_gap(i - 1));
    const double north = flux(0.5 * (here + v(i, j + 1, k)), here, v(i, j + 1, k), nu * y.inv_width(j + 1));
    const double south = flux(0.5 * (v(i, j - 1, k) + here), v(i, j - 1, k), here, nu * y.inv_width(j));
    const double top = flux(low * w(i, j, k) + high * w(i, j + 1, k), here, v(i, j, k + 1), nu * z.inv_gap(k));
    const double bottom =
        flux(low * w(i, j, k - 1) + high * w(i, j + 1, k - 1), v(i, j, k - 1), here, nu * z.inv_gap(k - 1));
    const double g =
        force - ((east - west) * x.inv_width(i) + ((north - south) * y.inv_gap(j) + (top - bottom) * z.inv_width(k)));
    update(g, here, rhs(i, j, k), v_new(i, j, k));
  }
};

template <bool first, bool last>
struct AdvanceW {
  static constexpr Cost cost{.bytes = bytes_per_cell(first, last) / 3.0, .flops = 64};
  AxisMetrics x, y, z;
  double nu, force;
  RungeKuttaUpdate<first, last> update;
  View3<const double> u, v, w;
  View3<double> rhs, w_new;

  KERNEL void operator()(int i, int j, int k) const {
    const double low = z.weight_low(k), high = z.weight_high(k);
    const double here = w(i, j, k);
    const double east = flux(low * u(i, j, k) + high * u(i, j, k + 1), here, w(i + 1, j, k), nu * x.inv_gap(i));
    const double west =
        flux(low * u(i - 1, j, k) + high * u(i - 1, j, k + 1), w(i - 1, j, k), here, nu * x.inv_gap(i - 1));
    const double north = flux(low * v(i, j, k) + high * v(i, j, k + 1), here, w(i, j + 1, k), nu * y.inv_gap(j));
    const double south =
        flux(low * v(i, j - 1, k) + high * v(i, j - 1, k + 1), w(i, j - 1, k), here, nu * y.inv_gap(j - 1));
    const double top = flux(0.5 * (here + w(i, j, k + 1)), here, w(i, j, k + 1), nu * z.inv_width(k + 1));
    const double bottom = flux(0.5 * (w(i, j, k - 1) + here), w(i, j, k - 1), here, nu * z.inv_width(k));
    const double g =
        force - ((east - west) * x.inv_width(i) + ((north - south) * y.inv_width(j) + (top - bottom) * z.inv_gap(k)));
    update(g, here, rhs(i, j, k), w_new(i, j, k));
  }
};

template <bool first, bool last>
void advance_stage(Queue& queue, const GridMetrics& grid, const Rk3Stage& stage, double dt, double nu,
                   const double (&force)[3], const VectorView<const double>& u, const VectorView<double>& rhs,
                   const VectorView<double>& u_new, const Range3& cells) {
  const RungeKuttaUpdate<first, last> update{stage.gamma * dt, stage.zeta * dt};
  const auto& [x, y, z] = grid;
  parallel_for(queue, cells,  //
               AdvanceU<first, last>{x, y, z, nu, force[0], update, u.x, u.y, u.z, rhs.x, u_new.x},
               AdvanceV<first, last>{x, y, z, nu, force[1], update, u.x, u.y, u.z, rhs.y, u_new.y},
               AdvanceW<first, last>{x, y, z, nu, force[2], update, u.x, u.y, u.z, rhs.z, u_new.z});
}

void advance(Queue& queue, const GridMetrics& grid, int stage, double dt, double viscosity, const double (&force)[3],
             const VectorView<const double>& u, const VectorView<double>& rhs, const VectorView<double>& u_new,
             const Range3& cells) {
  switch (stage) {
    case 0:
      return advance_stage<true, false>(queue, grid, kRk3[0], dt, viscosity, force, u, rhs, u_new, cells);
    case 1:
      return advance_stage<false, false>(queue, grid, kRk3[1], dt, viscosity, force, u, rhs, u_new, cells);
    default:
      return advance_stage<false, true>(queue, grid, kRk3[2], dt, viscosity, force, u, rhs, u_new, cells);
  }
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, advance,
                 (Queue & queue, const GridMetrics& grid, int stage, double dt, double viscosity,
                  const double (&force)[3], const VectorView<const double>& u, const VectorView<double>& rhs,
                  const VectorView<double>& u_new, const Range3& cells),
                 (queue, grid, stage, dt, viscosity, force, u, rhs, u_new, cells))

}  // namespace halyard::flow
