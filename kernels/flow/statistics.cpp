#include "kernels/flow/statistics.hpp"

#include <cmath>

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

struct FaceIntegrals {
  static constexpr Cost cost{.bytes = 24, .flops = 24};
  AxisMetrics x, y, z;
  View3<const double> u, v, w;
  KERNEL Terms<5> operator()(int i, int j, int k) const {
    const double dx = x.width(i), dy = y.width(j), dz = z.width(k);
    const double mu = u(i, j, k) * (x.gap(i) * dy * dz);
    const double mv = v(i, j, k) * (dx * y.gap(j) * dz);
    const double mw = w(i, j, k) * (dx * dy * z.gap(k));
    const double energy = 0.5 * (mu * u(i, j, k) + (mv * v(i, j, k) + mw * w(i, j, k)));
    const double sx = (u(i, j, k) - u(i - 1, j, k)) * x.inv_width(i);
    const double sy = (v(i, j, k) - v(i, j - 1, k)) * y.inv_width(j);
    const double sz = (w(i, j, k) - w(i, j, k - 1)) * z.inv_width(k);
    return {{mu, mv, mw, energy, (sx * sx + (sy * sy + sz * sz)) * (dx * dy * dz)}};
  }
};

/// Shear strain and vorticity on the edges at +x+y, +y+z and +x+z of cell (i, j, k). Cells with an index -1 stand for
/// the edges on lower walls: only those terms count whose own axes allow it.
struct EdgeIntegrals {
  static constexpr Cost cost{.bytes = 24, .flops = 42};
  AxisMetrics x, y, z;
  View3<const double> u, v, w;
  KERNEL Terms<2> operator()(int i, int j, int k) const {
    const double lx = x.edge_length(i), ly = y.edge_length(j), lz = z.edge_length(k);
    const double dx = x.owned_width(i), dy = y.owned_width(j), dz = z.owned_width(k);
    const double vx = (v(i + 1, j, k) - v(i, j, k)) * x.inv_gap(i), uy = (u(i, j + 1, k) - u(i, j, k)) * y.inv_gap(j);
    const double wy = (w(i, j + 1, k) - w(i, j, k)) * y.inv_gap(j), vz = (v(i, j, k + 1) - v(i, j, k)) * z.inv_gap(k);
    const double wx = (w(i + 1, j, k) - w(i, j, k)) * x.inv_gap(i), uz = (u(i, j, k + 1) - u(i, j, k)) * z.inv_gap(k);
    const double xy = lx * ly * dz, yz = dx * ly * lz, xz = lx * dy * lz;  // volumes of the edges
    // S_ab and S_ba together: 2 ((first + second) / 2)^2.
    return {{(half_square(vx + uy) * xy + half_square(wy + vz) * yz) + half_square(wx + uz) * xz,
             (half_square(vx - uy) * xy + half_square(wy - vz) * yz) + half_square(wx - uz) * xz}};
  }
  KERNEL static double half_square(double a) { return 0.5 * a * a; }
};

struct FaceMomentum {
  static constexpr Cost cost{.bytes = 8, .flops = 3};
  View1<const double> x, y, z;  // lengths of the component's control volume
  View3<const double> u;
  KERNEL Terms<1> operator()(int i, int j, int k) const { return {{u(i, j, k) * (x(i) * y(j) * z(k))}}; }
};

struct ConvectiveRate {
  static constexpr Cost cost{.bytes = 24, .flops = 8};
  AxisMetrics x, y, z;
  View3<const double> u, v, w;
  /// The larger magnitude, NaN where either is NaN.
  KERNEL static double larger(double a, double b) {
    a = std::abs(a);
    b = std::abs(b);
    return a > b || a != a ? a : b;
  }
  KERNEL double operator()(int i, int j, int k) const {
    const double rate =
        larger(u(i, j, k), u(i - 1, j, k)) * x.inv_width(i) +
        (larger(v(i, j, k), v(i, j - 1, k)) * y.inv_width(j) + larger(w(i, j, k), w(i, j, k - 1)) * z.inv_width(k));
    return rate == rate ? rate : HUGE_VAL;  // a maximum passes over NaN; a spoilt velocity must not look slow
  }
};

struct WallGradient {
  static constexpr Cost cost{.bytes = 8, .flops = 4};
  View1<const double> x, y, z;  // lengths of the faces of the wall; the normal one holds 2 / cell width
  double wall_velocity;
  View3<const double> u;
  KERNEL Terms<1> operator()(int i, int j, int k) const {
    return {{(u(i, j, k) - wall_velocity) * (x(i) * y(j) * z(k))}};
  }
};

struct AbsoluteDifference {
  static constexpr Cost cost{.bytes = 16, .flops = 1};
  View3<const double> a, b;
  KERNEL double operator()(int i, int j, int k) const { return std::abs(a(i, j, k) - b(i, j, k)); }
};

struct Magnitude {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  View3<const double> a;
  KERNEL double operator()(int i, int j, int k) const { return std::abs(a(i, j, k)); }
};

struct CopyField {
  static constexpr Cost cost{.bytes = 16, .flops = 0};
  View3<const double> a;
  View3<double> b;
  KERNEL void operator()(int i, int j, int k) const { b(i, j, k) = a(i, j, k); }
};

VelocityIntegrals velocity_integrals(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u,
                                     const OwnedEnds (&walls)[3], const Range3& cells) {
  ExactSum faces[5], edges[2];
  reduce_sum(queue, cells, FaceIntegrals{grid.x, grid.y, grid.z, u.x, u.y, u.z}, faces);
  Range3 with_walls = cells;
  with_walls.i0 -= walls[0].lower ? 1 : 0;
  with_walls.j0 -= walls[1].lower ? 1 : 0;
  with_walls.k0 -= walls[2].lower ? 1 : 0;
  reduce_sum(queue, with_walls, EdgeIntegrals{grid.x, grid.y, grid.z, u.x, u.y, u.z}, edges);
  VelocityIntegrals result;
  for (int c = 0; c < 3; ++c) {
    result.momentum[c] = faces[c];
  }
  result.kinetic_energy = faces[3];
  result.strain_squared = faces[4];
  result.strain_squared.add(edges[0]);
  result.enstrophy = edges[1];
  return result;
}

ExactSum momentum(Queue& queue, const GridMetrics& grid, int component, const View3<const double>& u,
                  const Range3& cells) {
  ExactSum total[1];
  reduce_sum(queue, cells,
             FaceMomentum{component == 0 ? grid.x.gap : grid.x.width, component == 1 ? grid.y.gap : grid.y.width,
                          component == 2 ? grid.z.gap : grid.z.width, u},
             total);
  return total[0];
}

double max_convective_rate(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u,
                           const Range3& cells) {
  return reduce_max(queue, cells, ConvectiveRate{grid.x, grid.y, grid.z, u.x, u.y, u.z}, 0.0);
}

ExactSum wall_gradient(Queue& queue, const GridMetrics& grid, int axis, bool upper, int component, double wall_velocity,
                       const View3<const double>& u, const Range3& cells) {
  const AxisMetrics* metrics[3] = {&grid.x, &grid.y, &grid.z};
  View1<const double> lengths[3];
  for (int a = 0; a < 3; ++a) {
    lengths[a] = a == axis ? metrics[a]->inv_width : a == component ? metrics[a]->gap : metrics[a]->width;
  }
  Range3 range = cells;
  int* const bounds[3][2] = {{&range.i0, &range.i1}, {&range.j0, &range.j1}, {&range.k0, &range.k1}};
  const int at = upper ? *bounds[axis][1] - 1 : *bounds[axis][0];
  *bounds[axis][0] = at;
  *bounds[axis][1] = at + 1;
  ExactSum total[1];
  reduce_sum(queue, range, WallGradient{lengths[0], lengths[1], lengths[2], wall_velocity, u}, total);
  ExactSum twice = total[0];
  twice.add(total[0]);  // half a cell from the wall: 2 / width
  return twice;
}

double max_difference(Queue& queue, const View3<const double>& a, const View3<const double>& b, const Range3& cells) {
  return reduce_max(queue, cells, AbsoluteDifference{a, b}, 0.0);
}

double max_magnitude(Queue& queue, const View3<const double>& a, const Range3& cells) {
  return reduce_max(queue, cells, Magnitude{a}, 0.0);
}

void copy_field(Queue& queue, const View3<const double>& a, const View3<double>& b, const Range3& cells) {
  parallel_for(queue, cells, CopyField{a, b});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(VelocityIntegrals, velocity_integrals,
                 (Queue & queue, const GridMetrics& grid, const VectorView<const double>& u,
                  const OwnedEnds (&walls)[3], const Range3& cells),
                 (queue, grid, u, walls, cells))
HALYARD_DISPATCH(ExactSum, momentum,
                 (Queue & queue, const GridMetrics& grid, int component, const View3<const double>& u,
                  const Range3& cells),
                 (queue, grid, component, u, cells))
HALYARD_DISPATCH(double, max_convective_rate,
                 (Queue & queue, const GridMetrics& grid, const VectorView<const double>& u, const Range3& cells),
                 (queue, grid, u, cells))
HALYARD_DISPATCH(ExactSum, wall_gradient,
                 (Queue & queue, const GridMetrics& grid, int axis, bool upper, int component, double wall_velocity,
                  const View3<const double>& u, const Range3& cells),
                 (queue, grid, axis, upper, component, wall_velocity, u, cells))
HALYARD_DISPATCH(double, max_difference,
                 (Queue & queue, const View3<const double>& a, const View3<const double>& b, const Range3& cells),
                 (queue, a, b, cells))
HALYARD_DISPATCH(double, max_magnitude, (Queue & queue, const View3<const double>& a, const Range3& cells),
                 (queue, a, cells))
HALYARD_DISPATCH(void, copy_field,
                 (Queue & queue, const View3<const double>& a, const View3<double>& b, const Range3& cells),
                 (queue, a, b, cells))

}  // namespace halyard::flow
