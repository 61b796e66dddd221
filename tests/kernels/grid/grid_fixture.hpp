#pragma once
// What the tests of kernels/grid and kernels/flow share: axes of every kind, places and volumes of the staggered grid
// computed from face coordinates alone, and fields whose ghosts a test can set and read on any device.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "kernels/device/queue.hpp"
#include "kernels/grid/box.hpp"
#include "kernels/grid/field.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::test {

using Point = std::array<double, 3>;

inline constexpr double epsilon = 2.220446049250313e-16;

/// The queue of the device under test: the host, or what HALYARD_TEST_DEVICE=cuda asks for.
inline Queue& queue() {
  static const char* word = std::getenv("HALYARD_TEST_DEVICE");
  static Queue instance(word != nullptr && std::string(word) == "cuda" ? Device::cuda : Device::host);
  return instance;
}

inline Axis uniform_axis(std::int64_t n, double length, bool periodic, double origin = 0.0) {
  Axis axis{.faces = {}, .periodic = periodic, .uniform = true};
  for (std::int64_t i = 0; i <= n; ++i) {
    axis.faces.push_back(origin + length * static_cast<double>(i) / static_cast<double>(n));
  }
  return axis;
}

/// Stretched towards both ends by a hyperbolic tangent. Closed to a ring, its widths have a kink at the seam.
inline Axis tanh_axis(std::int64_t n, double length, bool periodic, double strength = 1.2) {
  Axis axis{.faces = {}, .periodic = periodic, .uniform = false};
  for (std::int64_t i = 0; i <= n; ++i) {
    const double xi = 2.0 * static_cast<double>(i) / static_cast<double>(n) - 1.0;
    axis.faces.push_back(0.5 * length * (1.0 + std::tanh(strength * xi) / std::tanh(strength)));
  }
  return axis;
}

/// Stretched smoothly all around a periodic axis: x = L (xi + amplitude sin(2 pi xi) / 2 pi).
inline Axis sine_axis(std::int64_t n, double length, double amplitude = 0.4) {
  Axis axis{.faces = {}, .periodic = true, .uniform = false};
  for (std::int64_t i = 0; i <= n; ++i) {
    const double xi = static_cast<double>(i) / static_cast<double>(n);
    axis.faces.push_back(length * (xi + amplitude * std::sin(2.0 * std::numbers::pi * xi) / (2.0 * std::numbers::pi)));
  }
  return axis;
}

/// Widths without pattern, a factor of 3 apart: nothing cancels by symmetry.
inline Axis random_axis(std::int64_t n, bool periodic, unsigned seed) {
  Axis axis{.faces = {0.0}, .periodic = periodic, .uniform = false};
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    axis.faces.push_back(axis.faces.back() + std::uniform_real_distribution<double>(0.05, 0.15)(random));
  }
  return axis;
}

/// A block of a grid: its metrics on the device, its places and volumes on the host. Indices are local, ghosts
/// included.
class Grid {
 public:
  static constexpr int centre_of_cell = 3;  // where 0, 1, 2 are the +x, +y, +z faces

  explicit Grid(const std::array<Axis, 3>& axes)
      : Grid(axes, {{0, 0, 0}, {axes[0].cells(), axes[1].cells(), axes[2].cells()}}) {}
  Grid(const std::array<Axis, 3>& axes, const Box& block)
      : axes_(axes), block_(block), metrics_(queue(), axes, block) {}

  const GridMetrics& metrics() const { return metrics_.view(); }
  const Axis& axis(int a) const { return axes_[a]; }
  const Box& block() const { return block_; }
  Index3 n() const { return block_.extents(); }
  double domain_volume() const { return axes_[0].length() * axes_[1].length() * axes_[2].length(); }

  /// Length along `a` of cell i, by the coordinates of its faces; beyond the ends mirrored or periodic.
  double width(int a, int i) const {
    const auto& faces = axes_[a].faces;
    const auto cells = axes_[a].cells();
    std::int64_t g = block_.begin[a] + i;
    if (g < 0) {
      g = axes_[a].periodic ? g + cells : -1 - g;
    } else if (g >= cells) {
      g = axes_[a].periodic ? g - cells : 2 * cells - 1 - g;
    }
    return faces[g + 1] - faces[g];
  }
  /// Coordinate of the upper face of cell i.
  double face(int a, int i) const {
    const auto& faces = axes_[a].faces;
    const std::int64_t g = block_.begin[a] + i + 1;
    if (g < 0) {
      return faces.front() - width(a, i + 1);
    }
    return g > axes_[a].cells() ? faces.back() + width(a, i) : faces[g];
  }
  double centre(int a, int i) const { return face(a, i) - 0.5 * width(a, i); }
  double gap(int a, int i) const { return 0.5 * (width(a, i) + width(a, i + 1)); }

  /// Where component c (or the centre) of cell (i, j, k) is.
  Point place(int c, int i, int j, int k) const {
    const int at[3] = {i, j, k};
    Point x{};
    for (int a = 0; a < 3; ++a) {
      x[a] = a == c ? face(a, at[a]) : centre(a, at[a]);
    }
    return x;
  }
  /// The control volume of component c: gap x width x width.
  double volume(int c, int i, int j, int k) const {
    const int at[3] = {i, j, k};
    double product = 1.0;
    for (int a = 0; a < 3; ++a) {
      product *= a == c ? gap(a, at[a]) : width(a, at[a]);
    }
    return product;
  }

 private:
  std::array<Axis, 3> axes_;
  Box block_;
  Metrics metrics_;
};

/// Visits (i, j, k) of a range.
template <class F>
void for_each(const Range3& range, F f) {
  for (int k = range.k0; k < range.k1; ++k) {
    for (int j = range.j0; j < range.j1; ++j) {
      for (int i = range.i0; i < range.i1; ++i) {
        f(i, j, k);
      }
    }
  }
}

inline Range3 with_ghosts(const Range3& r) { return {r.i0 - 1, r.i1 + 1, r.j0 - 1, r.j1 + 1, r.k0 - 1, r.k1 + 1}; }

/// A field on the device and its copy on the host, ghosts included: the test works on the copy, kernels on the field.
class TestField {
 public:
  TestField(const Index3& n, int components) : field_(queue(), n, components, "test"), copy_(field_.memory().size()) {}

  double& operator()(int c, int i, int j, int k) {
    const View3<double> view = field_.view(c);
    return copy_[static_cast<std::size_t>(view.data - field_.memory().data() + i + j * view.stride_j +
                                          k * view.stride_k)];
  }
  Range3 cells() const { return field_.cells(); }

  VectorView<double> vector() { return field_.vector(); }
  View3<double> view(int c = 0) { return field_.view(c); }

  TestField& upload() {
    copy_bytes(queue(), field_.memory().data(), copy_.data(), copy_.size() * sizeof(double));
    queue().wait();
    return *this;
  }
  TestField& download() {
    copy_bytes(queue(), copy_.data(), field_.memory().data(), copy_.size() * sizeof(double));
    queue().wait();
    return *this;
  }

  /// value(c, i, j, k) everywhere, ghosts included, and on the device.
  template <class F>
  TestField& set(F value) {
    for (int c = 0; c < field_.components(); ++c) {
      for_each(with_ghosts(cells()), [&](int i, int j, int k) { (*this)(c, i, j, k) = value(c, i, j, k); });
    }
    return upload();
  }
  /// value(c, place) everywhere, ghosts included; a field of one component lies at centres.
  template <class F>
  TestField& set_by_place(const Grid& grid, F value) {
    const bool centred = field_.components() == 1;
    return set(
        [&](int c, int i, int j, int k) { return value(c, grid.place(centred ? Grid::centre_of_cell : c, i, j, k)); });
  }
  TestField& set_random(unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return set([&](int, int, int, int) { return uniform(random); });
  }
  /// Fills the ghosts of one axis from its other end, over the ghosts of the other axes, and uploads.
  TestField& wrap(int axis) {
    const Range3 all = with_ghosts(cells());
    const int n = axis == 0 ? cells().i1 : axis == 1 ? cells().j1 : cells().k1;
    for (int c = 0; c < field_.components(); ++c) {
      for_each(all, [&](int i, int j, int k) {
        int from[3] = {i, j, k};
        from[axis] = (from[axis] + n) % n;
        (*this)(c, i, j, k) = (*this)(c, from[0], from[1], from[2]);
      });
    }
    return upload();
  }

 private:
  Field field_;
  std::vector<double> copy_;
};

/// b_c + A_cd x_d: every gradient, none equal to another, not even free of divergence.
struct LinearVelocity {
  double b[3] = {0.7, -0.4, 0.2};
  double A[3][3] = {{0.9, -1.7, 0.6}, {1.1, -0.5, 2.3}, {-0.8, 1.9, 0.3}};
  double operator()(int c, const Point& x) const { return b[c] + (A[c][0] * x[0] + (A[c][1] * x[1] + A[c][2] * x[2])); }
};

}  // namespace halyard::test
