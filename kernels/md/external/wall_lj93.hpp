#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// What a wall does to an atom at a distance.
struct WallTerm {
  double energy;  // U(d)
  double force;   // -U'(d), away from the wall
};

/// The 9-3 potential of a half space filled evenly with Lennard-Jones particles,
///   U(d) = epsilon [2/15 (sigma/d)^9 - (sigma/d)^3] - the same at the cutoff
/// (Magda, Tirrell & Davis 1985, J. Chem. Phys. 83, 1888, eq. 2; LAMMPS' fix wall/lj93). The loop owns d < cutoff.
struct WallLj93 {
  double c9, c3;  // 2/15 epsilon sigma^9, epsilon sigma^3
  double cutoff, shift;

  WallLj93(double epsilon, double sigma, double cutoff_) : cutoff(cutoff_), shift(0.0) {
    const double s3 = sigma * sigma * sigma;
    c9 = 2.0 / 15.0 * epsilon * (s3 * s3 * s3);
    c3 = epsilon * s3;
    shift = (*this)(cutoff).energy;
  }
  KERNEL WallTerm operator()(double d) const {
    const double inverse = 1.0 / d, i3 = inverse * inverse * inverse, nine = c9 * (i3 * i3 * i3), three = c3 * i3;
    return {(nine - three) - shift, inverse * (9.0 * nine - 3.0 * three)};
  }
};

/// The plane of a wall: atoms are where inward (x - at) > 0 on its axis.
struct WallPlane {
  int axis;
  double at;
  double inward;  // 1 or -1
};

/// Sums over this rank's atoms.
struct WallSums {
  FixedSum energy{34};  // in the case's unit
  FixedSum force{34};   // on the wall, along the axis: minus that on the atoms
  FixedSum beyond{0};   // atoms of the group behind the wall, or so close that their term does not fit: no force
};

/// Adds the wall's force on the atoms of the group to `force`, the component along the axis, in force_unit.
/// @param x the positions' component along the axis
WallSums add_wall_force(Queue& queue, const SlotGroup& group, const WallLj93& wall, const WallPlane& plane,
                        View1<const std::int64_t> id, View1<const double> x, View1<std::int64_t> force);

}  // namespace halyard::md
