#pragma once
// Velocities that the tests of kernels/flow share, on top of tests/kernels/grid/grid_fixture.hpp.
#include "kernels/flow/boundary.hpp"
#include "tests/kernels/grid/grid_fixture.hpp"

namespace halyard::test {

/// A smooth velocity on the periodic box of the given lengths: a sum of plane waves u = a sin(k.x + p) with a.k = 0, so
/// that its divergence is zero, every component depends on every coordinate, and all derivatives are known.
class PlaneWaves {
 public:
  explicit PlaneWaves(const Point& lengths) {
    const int numbers[3][3] = {{1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    const double polarization[3][3] = {{0.8, 0.3, 0.5}, {-0.4, 0.7, 0.2}, {0.3, 0.4, -0.6}};
    for (int m = 0; m < 3; ++m) {
      Wave& wave = waves_[m];
      wave.phase = 0.4 + 1.1 * m;
      double k2 = 0.0, ak = 0.0;
      for (int d = 0; d < 3; ++d) {
        wave.k[d] = 2.0 * std::numbers::pi * numbers[m][d] / lengths[d];
        k2 += wave.k[d] * wave.k[d];
        ak += wave.k[d] * polarization[m][d];
      }
      for (int d = 0; d < 3; ++d) {
        wave.a[d] = polarization[m][d] - ak / k2 * wave.k[d];  // the part across k
      }
    }
  }
  double velocity(int c, const Point& x) const {
    return sum(x, [&](const Wave& w, double s, double) { return w.a[c] * s; });
  }
  /// du_c/dx_d
  double gradient(int c, int d, const Point& x) const {
    return sum(x, [&](const Wave& w, double, double co) { return w.a[c] * w.k[d] * co; });
  }
  double laplacian(int c, const Point& x) const {
    return sum(x, [&](const Wave& w, double s, double) {
      return -(w.k[0] * w.k[0] + w.k[1] * w.k[1] + w.k[2] * w.k[2]) * w.a[c] * s;
    });
  }
  /// -div(u u_c) + nu lap(u_c)
  double momentum_rhs(int c, double nu, const Point& x) const {
    double g = nu * laplacian(c, x);
    for (int d = 0; d < 3; ++d) {
      g -= velocity(d, x) * gradient(c, d, x);
    }
    return g;
  }

 private:
  struct Wave {
    double a[3], k[3], phase;
  };
  template <class F>
  double sum(const Point& x, F f) const {
    double total = 0.0;
    for (const Wave& w : waves_) {
      const double angle = w.k[0] * x[0] + w.k[1] * x[1] + w.k[2] * x[2] + w.phase;
      total += f(w, std::sin(angle), std::cos(angle));
    }
    return total;
  }
  Wave waves_[3];
};

/// Fills `u` with the discrete curl of random potentials on the edges, zero on walls: its discrete divergence is zero
/// to round-off and no velocity crosses a wall. Ghosts: periodic axes wrapped, walls by `tangential[axis]` u_inside
/// (-1: no slip at rest, +1: free slip).
inline void set_discrete_curl(const Grid& grid, TestField& u, unsigned seed,
                              const int (&tangential)[3] = {-1, -1, -1}) {
  TestField potential(grid.n(), 3);  // component a on the edge along a at the upper faces of cell (i, j, k)
  potential.set_random(seed);
  for (int a = 0; a < 3; ++a) {
    if (grid.axis(a).periodic) {
      potential.wrap(a);
      continue;
    }
    const int n = static_cast<int>(grid.n()[a]);
    for_each(with_ghosts(potential.cells()), [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      for (int c = 0; c < 3; ++c) {
        if (c != a && (at[a] == -1 || at[a] >= n - 1)) {
          potential(c, i, j, k) = 0.0;
        }
      }
    });
  }
  u.set([&](int c, int i, int j, int k) {
    const int b = (c + 1) % 3, d = (c + 2) % 3;  // u_c = dA_d/dx_b - dA_b/dx_d
    const int at[3] = {i, j, k};
    if (i < 0 || j < 0 || k < 0 || i >= u.cells().i1 || j >= u.cells().j1 || k >= u.cells().k1) {
      return 0.0;
    }
    const auto lower = [&](int component, int axis) {
      int cell[3] = {i, j, k};
      cell[axis] -= 1;
      return potential(component, cell[0], cell[1], cell[2]);
    };
    return (potential(d, i, j, k) - lower(d, b)) / grid.width(b, at[b]) -
           (potential(b, i, j, k) - lower(b, d)) / grid.width(d, at[d]);
  });
  for (int a = 0; a < 3; ++a) {
    if (grid.axis(a).periodic) {
      u.wrap(a);
      continue;
    }
    const int n = static_cast<int>(grid.n()[a]);
    for_each(with_ghosts(u.cells()), [&](int i, int j, int k) {
      int at[3] = {i, j, k};
      if (at[a] != -1 && at[a] != n) {
        return;
      }
      at[a] = at[a] == -1 ? 0 : n - 1;
      for (int c = 0; c < 3; ++c) {
        if (c != a) {
          u(c, i, j, k) = tangential[a] * u(c, at[0], at[1], at[2]);
        }
      }
    });
  }
  u.upload();
}

}  // namespace halyard::test
