#pragma once
#include <array>

namespace halyard::md {

/// Which axes of the box a barostat moves together.
enum class BoxCoupling { isotropic, semi_isotropic /* x and y together, z apart */, anisotropic };

/// The axes in their groups: group g holds size[g] axes; of_axis[a] is the group of axis a.
struct BoxGroups {
  int count;
  std::array<int, 3> size;
  std::array<int, 3> of_axis;
};
constexpr BoxGroups box_groups(BoxCoupling coupling) {
  switch (coupling) {
    case BoxCoupling::isotropic:
      return {1, {3, 0, 0}, {0, 0, 0}};
    case BoxCoupling::semi_isotropic:
      return {2, {2, 1, 0}, {0, 0, 1}};
    default:
      return {3, {1, 1, 1}, {0, 1, 2}};
  }
}

/// What a barostat sees of the atoms, on the diagonal, in energy units: the sum of m v_a v_a and the virial sum of
/// r_a F_a; and the volume. Their sum is the pressure tensor times the volume.
struct BoxLoad {
  std::array<double, 3> kinetic;
  std::array<double, 3> virial;
  double volume;

  double pressure_volume(int axis) const { return kinetic[axis] + virial[axis]; }
  double twice_kinetic() const { return kinetic[0] + kinetic[1] + kinetic[2]; }
};

/// The work against the pressures (one an axis, energy per volume) when the edges grow by the factors exp(strain[a])
/// and the volume was `volume`, strains growing in proportion: sum of p_a strain_a times the logarithmic mean of the
/// volumes. It is p dV when all pressures are equal.
double pressure_work(const std::array<double, 3>& pressure, const std::array<double, 3>& strain, double volume);

/// sinh(x)/x
double sinh_over(double x);

}  // namespace halyard::md
