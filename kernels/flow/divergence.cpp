#include "kernels/flow/divergence.hpp"

#include <cmath>

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

struct ScaledDivergence {
  static constexpr Cost cost{.bytes = 32, .flops = 9};
  double scale;
  Divergence div;
  View3<double> rhs;
  KERNEL void operator()(int i, int j, int k) const { rhs(i, j, k) = scale * div(i, j, k); }
};

struct AbsoluteDivergence {
  static constexpr Cost cost{.bytes = 24, .flops = 9};
  Divergence div;
  KERNEL double operator()(int i, int j, int k) const { return std::abs(div(i, j, k)); }
};

void divergence(Queue& queue, const GridMetrics& grid, double scale, const VectorView<const double>& u,
                const View3<double>& rhs, const Range3& cells) {
  parallel_for(queue, cells, ScaledDivergence{scale, {grid.x, grid.y, grid.z, u}, rhs});
}

double max_divergence(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const Range3& cells) {
  return reduce_max(queue, cells, AbsoluteDivergence{{grid.x, grid.y, grid.z, u}}, 0.0);
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, divergence,
                 (Queue & queue, const GridMetrics& grid, double scale, const VectorView<const double>& u,
                  const View3<double>& rhs, const Range3& cells),
                 (queue, grid, scale, u, rhs, cells))
HALYARD_DISPATCH(double, max_divergence,
                 (Queue & queue, const GridMetrics& grid, const VectorView<const double>& u, const Range3& cells),
                 (queue, grid, u, cells))

#ifndef __CUDACC__
void divergence_row(const GridMetrics& grid, double scale, const VectorView<const double>& u, int nx, int j, int k,
                    double* row) {
  const Divergence div{grid.x, grid.y, grid.z, u};
#pragma omp simd
  for (int i = 0; i < nx; ++i) {
    row[i] = scale * div(i, j, k);
  }
}
#endif

}  // namespace halyard::flow
