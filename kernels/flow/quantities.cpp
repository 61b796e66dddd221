#include "kernels/flow/quantities.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

struct VelocityGradient {
  double xx, xy, xz, yx, yy, yz, zx, zy, zz;  // ab: d u_a / d b
};

/// d a/d(eta) at the centre: the mean over the four edges around it of the differences of component `a`, which lives on
/// faces across xi; `eta` and `xi` as unit steps.
struct CentredGradient {
  AxisMetrics x, y, z;
  View3<const double> u, v, w;

  KERNEL VelocityGradient operator()(int i, int j, int k) const {
    VelocityGradient d{};
    d.xx = (u(i, j, k) - u(i - 1, j, k)) * x.inv_width(i);
    d.yy = (v(i, j, k) - v(i, j - 1, k)) * y.inv_width(j);
    d.zz = (w(i, j, k) - w(i, j, k - 1)) * z.inv_width(k);
    const double xl = x.inv_gap(i - 1), xh = x.inv_gap(i), yl = y.inv_gap(j - 1), yh = y.inv_gap(j);
    const double zl = z.inv_gap(k - 1), zh = z.inv_gap(k);
    d.xy = 0.25 * (((u(i, j + 1, k) - u(i, j, k)) + (u(i - 1, j + 1, k) - u(i - 1, j, k))) * yh +
                   ((u(i, j, k) - u(i, j - 1, k)) + (u(i - 1, j, k) - u(i - 1, j - 1, k))) * yl);
    d.xz = 0.25 * (((u(i, j, k + 1) - u(i, j, k)) + (u(i - 1, j, k + 1) - u(i - 1, j, k))) * zh +
                   ((u(i, j, k) - u(i, j, k - 1)) + (u(i - 1, j, k) - u(i - 1, j, k - 1))) * zl);
    d.yx = 0.25 * (((v(i + 1, j, k) - v(i, j, k)) + (v(i + 1, j - 1, k) - v(i, j - 1, k))) * xh +
                   ((v(i, j, k) - v(i - 1, j, k)) + (v(i, j - 1, k) - v(i - 1, j - 1, k))) * xl);
    d.yz = 0.25 * (((v(i, j, k + 1) - v(i, j, k)) + (v(i, j - 1, k + 1) - v(i, j - 1, k))) * zh +
                   ((v(i, j, k) - v(i, j, k - 1)) + (v(i, j - 1, k) - v(i, j - 1, k - 1))) * zl);
    d.zx = 0.25 * (((w(i + 1, j, k) - w(i, j, k)) + (w(i + 1, j, k - 1) - w(i, j, k - 1))) * xh +
                   ((w(i, j, k) - w(i - 1, j, k)) + (w(i, j, k - 1) - w(i - 1, j, k - 1))) * xl);
    d.zy = 0.25 * (((w(i, j + 1, k) - w(i, j, k)) + (w(i, j + 1, k - 1) - w(i, j, k - 1))) * yh +
                   ((w(i, j, k) - w(i, j - 1, k)) + (w(i, j, k - 1) - w(i, j - 1, k - 1))) * yl);
    return d;
  }
};

struct CentreVelocity {
  static constexpr Cost cost{.bytes = 48, .flops = 6};
  View3<const double> u, v, w;
  View3<double> x, y, z;
  KERNEL void operator()(int i, int j, int k) const {
    x(i, j, k) = 0.5 * (u(i - 1, j, k) + u(i, j, k));
    y(i, j, k) = 0.5 * (v(i, j - 1, k) + v(i, j, k));
    z(i, j, k) = 0.5 * (w(i, j, k - 1) + w(i, j, k));
  }
};

struct Vorticity {
  static constexpr Cost cost{.bytes = 48, .flops = 60};
  CentredGradient gradient;
  View3<double> x, y, z;
  KERNEL void operator()(int i, int j, int k) const {
    const VelocityGradient d = gradient(i, j, k);
    x(i, j, k) = d.zy - d.yz;
    y(i, j, k) = d.xz - d.zx;
    z(i, j, k) = d.yx - d.xy;
  }
};

struct QCriterion {
  static constexpr Cost cost{.bytes = 32, .flops = 70};
  CentredGradient gradient;
  View3<double> q;
  KERNEL void operator()(int i, int j, int k) const {
    const VelocityGradient d = gradient(i, j, k);
    q(i, j, k) =
        -0.5 * ((d.xx * d.xx + (d.yy * d.yy + d.zz * d.zz)) + 2.0 * (d.xy * d.yx + (d.xz * d.zx + d.yz * d.zy)));
  }
};

struct Dissipation {
  static constexpr Cost cost{.bytes = 32, .flops = 70};
  double nu;
  CentredGradient gradient;
  View3<double> out;
  KERNEL void operator()(int i, int j, int k) const {
    const VelocityGradient d = gradient(i, j, k);
    const double sxy = d.xy + d.yx, sxz = d.xz + d.zx, syz = d.yz + d.zy;  // twice the shear strains
    out(i, j, k) = nu * (2.0 * (d.xx * d.xx + (d.yy * d.yy + d.zz * d.zz)) + (sxy * sxy + (sxz * sxz + syz * syz)));
  }
};

struct KineticEnergy {
  static constexpr Cost cost{.bytes = 32, .flops = 12};
  View3<const double> u, v, w;
  View3<double> out;
  KERNEL void operator()(int i, int j, int k) const {
    const auto mean_square = [](double a, double b) { return 0.5 * (a * a + b * b); };
    out(i, j, k) = 0.5 * (mean_square(u(i - 1, j, k), u(i, j, k)) +
                          (mean_square(v(i, j - 1, k), v(i, j, k)) + mean_square(w(i, j, k - 1), w(i, j, k))));
  }
};

void centred_velocity(Queue& queue, const VectorView<const double>& u, const VectorView<double>& out,
                      const Range3& cells) {
  parallel_for(queue, cells, CentreVelocity{u.x, u.y, u.z, out.x, out.y, out.z});
}

void vorticity(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const VectorView<double>& out,
               const Range3& cells) {
  parallel_for(queue, cells, Vorticity{{grid.x, grid.y, grid.z, u.x, u.y, u.z}, out.x, out.y, out.z});
}

void q_criterion(Queue& queue, const GridMetrics& grid, const VectorView<const double>& u, const View3<double>& out,
                 const Range3& cells) {
  parallel_for(queue, cells, QCriterion{{grid.x, grid.y, grid.z, u.x, u.y, u.z}, out});
}

void dissipation(Queue& queue, const GridMetrics& grid, double viscosity, const VectorView<const double>& u,
                 const View3<double>& out, const Range3& cells) {
  parallel_for(queue, cells, Dissipation{viscosity, {grid.x, grid.y, grid.z, u.x, u.y, u.z}, out});
}

void kinetic_energy(Queue& queue, const VectorView<const double>& u, const View3<double>& out, const Range3& cells) {
  parallel_for(queue, cells, KineticEnergy{u.x, u.y, u.z, out});
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, centred_velocity,
                 (Queue & queue, const VectorView<const double>& u, const VectorView<double>& out, const Range3& cells),
                 (queue, u, out, cells))
HALYARD_DISPATCH(void, vorticity,
                 (Queue & queue, const GridMetrics& grid, const VectorView<const double>& u,
                  const VectorView<double>& out, const Range3& cells),
                 (queue, grid, u, out, cells))
HALYARD_DISPATCH(void, q_criterion,
                 (Queue & queue, const GridMetrics& grid, const VectorView<const double>& u, const View3<double>& out,
                  const Range3& cells),
                 (queue, grid, u, out, cells))
HALYARD_DISPATCH(void, dissipation,
                 (Queue & queue, const GridMetrics& grid, double viscosity, const VectorView<const double>& u,
                  const View3<double>& out, const Range3& cells),
                 (queue, grid, viscosity, u, out, cells))
HALYARD_DISPATCH(void, kinetic_energy,
                 (Queue & queue, const VectorView<const double>& u, const View3<double>& out, const Range3& cells),
                 (queue, u, out, cells))

}  // namespace halyard::flow
