#pragma once
// atan2 and acos of our own, in the manner of math.hpp: the same bits for one double, for each lane of host::Lanes and
// with every compiler. Within 2.5 ulp of the exact value (tests/kernels/md/inverse_trig_test.cpp measures it).
#include "kernels/device/backend.hpp"
#include "kernels/device/scalar_lane.hpp"
#ifndef __CUDACC__
#include "kernels/device/host/lane_masks.hpp"
#endif

namespace halyard::md::math {

/// The angle of the point (x, y), from -pi to pi; 0 for the origin (of either sign), pi for y = 0 or -0 and x < 0. The
/// lengths need not be one, but their squares should not over- or underflow. NaN in, anything out.
template <class Real>
KERNEL Real atan2(Real y, Real x) {
  // arctan t = t + t^3 P(t^2) for |t| <= tan(pi/8): interpolated at Chebyshev points, 2e-19 left out.
  constexpr double p[] = {-0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7dcp-3, 0x1.c71c71c303dbbp-4,
                          -0x1.745d165dc9713p-4, 0x1.3b1392d519db1p-4, -0x1.110e87b4357d2p-4, 0x1.e19a0bfa3eef9p-5,
                          -0x1.ac7a5a79b3f26p-5, 0x1.74dccfb93fff0p-5, -0x1.1b311bb48c215p-5, 0x1.0acd9e91a5a35p-6};
  constexpr double tan_pi_8 = 0x1.a827999fcef32p-2;
  constexpr double pi = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;
  const Real zero = constant<Real>(0.0);
  const Real absolute_x = larger(x, zero - x), absolute_y = larger(y, zero - y);
  const auto steep = less(absolute_x, absolute_y);
  const Real small = smaller(absolute_x, absolute_y), large = larger(absolute_x, absolute_y);
  // The angle to the nearer axis is pi/4 + arctan((small - large)/(small + large)), or arctan(small/large) below pi/8.
  const auto near_diagonal = less(large * constant<Real>(tan_pi_8), small);
  const Real top = select(near_diagonal, small - large, small), bottom = select(near_diagonal, small + large, large);
  const Real t = top / select(less(zero, bottom), bottom, constant<Real>(1.0)), z = t * t;
  Real even = constant<Real>(p[10]), odd = constant<Real>(p[11]);
  const Real z2 = z * z;
  for (int n = 8; n >= 0; n -= 2) {
    even = fma(even, z2, constant<Real>(p[n]));
    odd = fma(odd, z2, constant<Real>(p[n + 1]));
  }
  const Real correction = z * t * fma(odd, z, even);
  // Multiples of pi/4 to be added, from the eighth of the plane: angle = sign * (offset + turn * arctan).
  const auto left = less(x, zero);
  const Real quarter = select(near_diagonal, constant<Real>(0.25), zero);
  const Real octant = select(steep, constant<Real>(0.5) - quarter, quarter);
  const Real offset = select(left, constant<Real>(1.0) - octant, octant);
  const Real one = constant<Real>(1.0), turn = select(steep, zero - one, one) * select(left, zero - one, one);
  const Real high = offset * constant<Real>(pi), low = offset * constant<Real>(pi_low);  // exact: offset is n/4
  const Real sum = fma(turn, t, high), rest = fma(turn, t, high - sum);                  // sum + rest is exact
  const Real angle = sum + fma(turn, correction, low + rest);
  return select(less(y, zero), zero - angle, angle);
}

/// The angle from 0 to pi whose cosine is c; |c| above 1 counts as 1.
template <class Real>
KERNEL Real acos(Real c) {
  const Real one = constant<Real>(1.0), bounded = larger(smaller(c, one), constant<Real>(0.0) - one);
  return atan2(square_root((one - bounded) * (one + bounded)), bounded);
}

}  // namespace halyard::md::math
