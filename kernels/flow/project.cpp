#include "kernels/flow/project.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

struct SubtractPressureGradient {
  static constexpr Cost cost{.bytes = 56, .flops = 12};  // phi, u, v, w in; u, v, w out
  AxisMetrics x, y, z;
  double dt, shift_x, shift_y, shift_z;
  View3<const double> phi;
  View3<double> u, v, w;
  KERNEL void operator()(int i, int j, int k) const {
    const double here = phi(i, j, k);
    u(i, j, k) -= dt * x.inv_gap(i) * (phi(i + 1, j, k) - here) - shift_x;
    v(i, j, k) -= dt * y.inv_gap(j) * (phi(i, j + 1, k) - here) - shift_y;
    w(i, j, k) -= dt * z.inv_gap(k) * (phi(i, j, k + 1) - here) - shift_z;
  }
};

void project(Queue& queue, const GridMetrics& grid, double dt, const double (&shift)[3], const View3<const double>& phi,
             const VectorView<double>& u, const Range3& cells) {
  parallel_for(queue, cells,
               SubtractPressureGradient{grid.x, grid.y, grid.z, dt, shift[0], shift[1], shift[2], phi, u.x, u.y, u.z});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, project,
                 (Queue & queue, const GridMetrics& grid, double dt, const double (&shift)[3],
                  const View3<const double>& phi, const VectorView<double>& u, const Range3& cells),
                 (queue, grid, dt, shift, phi, u, cells))

}  // namespace halyard::flow
