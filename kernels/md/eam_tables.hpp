#pragma once
// Embedded atoms: E = sum_i F_a(rho_i) + 1/2 sum_ij phi_ab(r_ij), rho_i = sum_j rho_ba(r_ij), a and b the elements of i
// and j (Daw & Baskes 1984, Phys. Rev. B 29, 6443; Finnis & Sinclair 1984, Philos. Mag. A 50, 45). The force on i from
// j is -[F_a'(rho_i) rho_ba'(r) + F_b'(rho_j) rho_ab'(r) + phi_ab'(r)] (x_i - x_j)/r.
#include <utility>
#include <vector>

#include "kernels/md/table_row.hpp"

namespace halyard::md {

/// What an EAM file says: values on even grids from zero, value k at rho = k drho or r = k dr.
struct EamGrids {
  int elements = 0;
  int nrho = 0, nr = 0;
  double drho = 0.0, dr = 0.0;
  double cutoff = 0.0;           // where the pair loop ends; may lie beyond the last value, which then holds
  bool finnis_sinclair = false;  // rho_ab depends on both elements, not on a alone
  std::vector<std::vector<double>> embedding;  // F_a(rho), one table an element
  std::vector<std::vector<double>> density;    // rho_a(r), one an element; or rho_ab(r) at a * elements + b
  std::vector<std::vector<double>> r_phi;      // r phi_ab(r), lower triangle: a >= b at a (a + 1) / 2 + b
};

/// What kernels read: pointers into an EamSplines, or to copies of its arrays on a device.
struct EamView {
  const double* pairs;      // rows of eight: c0..c3 of rho_ab, c0..c3 of r phi_ab on one interval of r
  const double* embedding;  // rows of four: c0..c3 of F_a on one interval of rho
  double inverse_dr, last_r_interval;
  double inverse_drho, last_rho_interval;
  double rho_max;  // end of the embedding tables
};

/// The cubic splines of an EAM potential by LAMMPS' own rule (pair_style eam): on each interval the cubic with the
/// tables' values and slopes at both ends, where the slope at a knot is the 5-point difference
/// (f(-2) - f(+2) + 8 (f(+1) - f(-1))) / 12, the 3-point one at the knots next to the ends, one-sided at the ends.
class EamSplines {
 public:
  /// @throws Error when counts, spacings or the tables' sizes do not fit together; grids need five values at least.
  explicit EamSplines(const EamGrids& grids);

  EamView view() const { return view(pairs_.data(), embedding_.data()); }
  /// Of copies elsewhere, best at multiples of 64 bytes so that a row is one cache line.
  EamView view(const double* pairs, const double* embedding) const;
  const std::vector<double>& pairs() const { return pairs_; }
  const std::vector<double>& embedding() const { return embedding_; }

  int elements() const { return elements_; }
  double cutoff() const { return cutoff_; }
  /// Where the rows of rho_ab (what a gives to the density at b) and phi_ab begin in pairs(): `start` of eam_pair().
  double pair_start(int a, int b) const { return 8.0 * r_intervals_ * (a * elements_ + b); }
  /// Where the rows of F_a begin in embedding(): `start` of eam_embedding().
  double embedding_start(int a) const { return 4.0 * rho_intervals_ * a; }

  /// The square of the smallest distance between elements a and b from which up to the cutoff the terms of force and
  /// virial and phi stay within the fixed-point limits (pair_term.hpp), with the steepest embedding of the tables on
  /// both sides, and each density stays below `largest_density`.
  double safe_r2(int a, int b, double largest_density) const;

 private:
  int elements_, r_intervals_, rho_intervals_;
  double dr_, drho_, cutoff_;
  std::vector<double> pairs_, embedding_;
};

template <class Real>
struct EamPair {
  Real density, density_slope;  // rho_ab(r), rho_ab'(r)
  Real phi, phi_slope;          // phi_ab(r), phi_ab'(r)
};

template <class Real>
struct EamEmbedding {
  Real energy, slope;                                                  // F(rho), F'(rho)
  decltype(less(std::declval<Real>(), std::declval<Real>())) outside;  // rho is not inside the table: F is extrapolated
};

namespace detail {
/// c0 + c1 p + c2 p^2 + c3 p^3
template <class Real>
KERNEL Real cubic(const Real* c, Real p) {
  return fma(fma(fma(c[3], p, c[2]), p, c[1]), p, c[0]);
}
/// Its slope in p.
template <class Real>
KERNEL Real cubic_slope(const Real* c, Real p) {
  return fma(fma(c[3] + c[3] + c[3], p, c[2] + c[2]), p, c[1]);
}
template <class Real>
KERNEL KnotInterval<Real> eam_interval(Real x, Real last) {
  const KnotInterval<Real> at = knot_interval(x, last);
  return {at.k, smaller(at.fraction, constant<Real>(1.0))};
}
}  // namespace detail

/// rho_ab(r) for start = pair_start(a, b): the first pass over pairs. Reads half a row.
template <class Real>
KERNEL Real eam_density(const EamView& eam, Real r, Real start) {
  const auto at = detail::eam_interval(r * constant<Real>(eam.inverse_dr), constant<Real>(eam.last_r_interval));
  Real c[4];
  load_row_of_four(eam.pairs, fma(at.k, constant<Real>(8.0), start), c);
  return detail::cubic(c, at.fraction);
}

/// All of a pair for start = pair_start(a, b): the second pass.
template <class Real>
KERNEL EamPair<Real> eam_pair(const EamView& eam, Real r, Real start) {
  const Real inverse_dr = constant<Real>(eam.inverse_dr);
  const auto at = detail::eam_interval(r * inverse_dr, constant<Real>(eam.last_r_interval));
  Real c[8];
  load_row_of_eight(eam.pairs, fma(at.k, constant<Real>(8.0), start), c);
  const Real inv_r = constant<Real>(1.0) / r, phi = detail::cubic(c + 4, at.fraction) * inv_r;
  return {detail::cubic(c, at.fraction), detail::cubic_slope(c, at.fraction) * inverse_dr, phi,
          fms(detail::cubic_slope(c + 4, at.fraction), inverse_dr, phi) * inv_r};
}

/// F(rho) and F'(rho) for start = embedding_start(a). Above the table F goes on as a straight line, as in LAMMPS; below
/// zero as the first cubic.
template <class Real>
KERNEL EamEmbedding<Real> eam_embedding(const EamView& eam, Real rho, Real start) {
  const Real inverse_drho = constant<Real>(eam.inverse_drho), rho_max = constant<Real>(eam.rho_max);
  const Real zero = constant<Real>(0.0);
  const auto at = detail::eam_interval(rho * inverse_drho, constant<Real>(eam.last_rho_interval));
  Real c[4];
  load_row_of_four(eam.embedding, fma(at.k, constant<Real>(4.0), start), c);
  const Real slope = detail::cubic_slope(c, at.fraction) * inverse_drho;
  return {fma(slope, larger(rho - rho_max, zero), detail::cubic(c, at.fraction)), slope,
          either(less(rho, zero), less(rho_max, rho))};
}

}  // namespace halyard::md
