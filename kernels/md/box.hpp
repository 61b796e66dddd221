#pragma once
#include <array>
#include <cmath>

namespace halyard::md {

/// The simulation box: corner `origin` and edge vectors a = (lx, 0, 0), b = (xy, ly, 0), c = (xz, yz, lz), the form
/// that LAMMPS' data files have. Lengths in the case's unit.
struct SimulationBox {
  std::array<double, 3> origin{0.0, 0.0, 0.0};
  std::array<double, 3> length{1.0, 1.0, 1.0};
  double xy = 0.0, xz = 0.0, yz = 0.0;
  std::array<bool, 3> periodic{true, true, true};

  bool operator==(const SimulationBox&) const = default;
  bool orthogonal() const { return xy == 0.0 && xz == 0.0 && yz == 0.0; }
  double volume() const { return length[0] * length[1] * length[2]; }
  /// Distance between the two faces that bound the box along edge `axis`: volume over the area of such a face.
  double width(int axis) const {
    const double ly = length[1], lz = length[2];
    switch (axis) {
      case 0: {  // b x c
        const double x = ly * lz, y = -xy * lz, z = xy * yz - ly * xz;
        return volume() / std::sqrt(x * x + y * y + z * z);
      }
      case 1: {  // c x a
        const double y = lz, z = -yz;
        return ly * lz / std::sqrt(y * y + z * z);
      }
      default:
        return lz;
    }
  }
  /// n[0] a + n[1] b + n[2] c
  std::array<double, 3> lattice_vector(const std::array<int, 3>& n) const {
    return {n[0] * length[0] + n[1] * xy + n[2] * xz, n[1] * length[1] + n[2] * yz, n[2] * length[2]};
  }
  /// Where a point lies in units of the edges, from 0 to 1 inside.
  std::array<double, 3> fraction(const std::array<double, 3>& x) const {
    const double z = (x[2] - origin[2]) / length[2];
    const double y = (x[1] - origin[1] - z * yz) / length[1];
    return {(x[0] - origin[0] - y * xy - z * xz) / length[0], y, z};
  }
  std::array<double, 3> position(const std::array<double, 3>& f) const {
    return {origin[0] + f[0] * length[0] + f[1] * xy + f[2] * xz, origin[1] + f[1] * length[1] + f[2] * yz,
            origin[2] + f[2] * length[2]};
  }
};

}  // namespace halyard::md
