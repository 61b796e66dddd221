#pragma once
#include "kernels/md/bonded/bonded_term.hpp"

namespace halyard::md {

/// The angle phi between the planes 1-2-3 and 2-3-4 (0: cis, 180 degrees: trans; IUPAC's sign), after Blondel & Karplus
/// 1996, J. Comput. Chem. 17, 1132, as LAMMPS' dihedral styles have it: with F = x_1 - x_2, G = x_2 - x_3,
/// H = x_4 - x_3, A = F x G, B = H x G
///   cos phi = A . B / |A||B|,   sin phi = |G| A . H / |A||B|.
template <class Real>
struct DihedralGeometry {
  Real cosine, sine;  // both zero where three atoms lie on one line to the last bit: phi is undefined and without force
  Real x, y;          // both times |A||B|
  Vector3<Real> g1, g3, g4;  // d phi / d x_1, d x_3, d x_4
};

template <class Real>
KERNEL DihedralGeometry<Real> dihedral_geometry(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                                const Vector3<Real>& d43) {
  const Real zero = constant<Real>(0.0), one = constant<Real>(1.0);
  const Vector3<Real> g = {zero - d32.x, zero - d32.y, zero - d32.z}, a = cross(d12, g), b = cross(d43, g);
  const Real a2 = dot(a, a), b2 = dot(b, b), g2 = dot(g, g), length = square_root(g2);
  const Real inv_a2 = select(less(zero, a2), one / a2, zero), inv_b2 = select(less(zero, b2), one / b2, zero);
  const Real inv_ab = square_root(inv_a2 * inv_b2), inv_length = select(less(zero, g2), one / length, zero);
  DihedralGeometry<Real> phi;
  phi.x = dot(a, b);
  phi.y = length * dot(a, d43);
  phi.cosine = phi.x * inv_ab;
  phi.sine = phi.y * inv_ab;
  phi.g1 = (zero - length * inv_a2) * a;
  phi.g4 = (length * inv_b2) * b;
  // How phi changes when atoms 3 and 4 move together: minus (F . G / A^2 |G|) A - (H . G / B^2 |G|) B.
  const Real along_a = dot(d12, g) * inv_a2 * inv_length, along_b = dot(d43, g) * inv_b2 * inv_length;
  phi.g3 = add_scaled((along_b * b) - phi.g4, zero - along_a, a);
  return phi;
}

/// The term of an energy U(phi) with slope U'(phi).
template <class Real>
KERNEL DihedralTerm<Real> dihedral_term(const DihedralGeometry<Real>& phi, Real energy, Real slope) {
  const Real minus_slope = constant<Real>(0.0) - slope;
  return {energy, minus_slope * phi.g1, minus_slope * phi.g3, minus_slope * phi.g4, detail::never<Real>()};
}

/// U(phi) = c[0] + sum over n = 1..N of c[2n-1] cos(n phi) + c[2n] sin(n phi). cos and sin of n phi by the sums of
/// angles: no library function. Styles whose sines are all zero leave them out: c[n] cos(n phi).
template <int N, bool sines, class Real>
KERNEL DihedralTerm<Real> dihedral_series(const DihedralGeometry<Real>& phi, const Real* c) {
  Real energy = c[0], slope = constant<Real>(0.0), cosine = phi.cosine, sine = phi.sine;
  for (int n = 1; n <= N; ++n) {
    const Real order = constant<Real>(static_cast<double>(n));
    if constexpr (sines) {
      energy = fma(c[2 * n - 1], cosine, fma(c[2 * n], sine, energy));
      slope = fma(order, fms(c[2 * n], cosine, c[2 * n - 1] * sine), slope);
    } else {
      energy = fma(c[n], cosine, energy);
      slope = fnma(order, c[n] * sine, slope);
    }
    const Real next = fms(cosine, phi.cosine, sine * phi.sine);
    sine = fma(cosine, phi.sine, sine * phi.cosine);
    cosine = next;
  }
  return dihedral_term(phi, energy, slope);
}

}  // namespace halyard::md
