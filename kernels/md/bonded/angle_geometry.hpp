#pragma once
#include "kernels/md/bonded/bonded_term.hpp"
#include "kernels/md/inverse_trig.hpp"

namespace halyard::md {

/// The angle at atom 2 and how it changes with atoms 1 and 3.
template <class Real>
struct AngleGeometry {
  Real theta;            // [rad] 0 to pi
  Vector3<Real> g1, g3;  // d theta / d x_1, d theta / d x_3; zero where the atoms lie on one line to the last bit
  MaskOf<Real> broken;
};

/// With n = d12 x d32: theta = atan2(|n|, d12 . d32), d theta/d x_1 = d12 x n / (|d12|^2 |n|), d theta/d x_3 =
/// n x d32 / (|d32|^2 |n|). No arc cosine and no division by a sine of rounded cosines, so angles near 0 and pi keep
/// their digits, and the force is minus the slope of the energy there too. (LAMMPS takes sines below 1e-3 for 1e-3.)
template <class Real>
KERNEL AngleGeometry<Real> angle_geometry(const Vector3<Real>& d12, const Vector3<Real>& d32) {
  const Vector3<Real> n = cross(d12, d32);
  const Real r1_squared = dot(d12, d12), r3_squared = dot(d32, d32), n_squared = dot(n, n),
             n_length = square_root(n_squared);
  const Real zero = constant<Real>(0.0), inverse = select(less(zero, n_squared), constant<Real>(1.0) / n_length, zero);
  return {math::atan2(n_length, dot(d12, d32)), (inverse / r1_squared) * cross(d12, n),
          (inverse / r3_squared) * cross(n, d32), either(detail::no_length(r1_squared), detail::no_length(r3_squared))};
}

}  // namespace halyard::md
