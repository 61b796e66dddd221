#pragma once
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

/// div u = du/dx + dv/dy + dw/dz at the centre of a cell [1/s], from the velocities on its six faces.
struct Divergence {
  AxisMetrics x, y, z;
  VectorView<const double> u;

  KERNEL double operator()(int i, int j, int k) const {
    return (u.x(i, j, k) - u.x(i - 1, j, k)) * x.inv_width(i) +
           ((u.y(i, j, k) - u.y(i, j - 1, k)) * y.inv_width(j) + (u.z(i, j, k) - u.z(i, j, k - 1)) * z.inv_width(k));
  }
};

/// rhs = scale div u at cell centres. Needs the ghosts of u on the lower sides.
void divergence(Queue& queue, const GridMetrics& grid, double scale, const VectorView<const double>& u,
                const View3<double>& rhs, const Range3& cells);

/// The same for the row (j, k) of nx cells, on the host: rows asked for one by one while they are in cache.
void divergence_row(const GridMetrics& grid, double scale, const VectorView<const double>& u, int nx, int j, int k,
                    double* row);

/// max |div u| over the cells.
double max_divergence(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const Range3& cells);

}  // namespace halyard::flow
