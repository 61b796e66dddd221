#include "kernels/md/eam_tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/device/error.hpp"
#include "kernels/md/pair/pair_term.hpp"

namespace halyard::md {
namespace {

/// Writes c0..c3 of interval k of the spline through f to to[stride * k] and on.
void spline(const std::vector<double>& f, double* to, int stride) {
  const std::size_t n = f.size();
  const auto slope = [&](std::size_t k) {  // per interval
    if (k == 0) {
      return f[1] - f[0];
    }
    if (k == n - 1) {
      return f[n - 1] - f[n - 2];
    }
    if (k == 1 || k == n - 2) {
      return 0.5 * (f[k + 1] - f[k - 1]);
    }
    return ((f[k - 2] - f[k + 2]) + 8.0 * (f[k + 1] - f[k - 1])) / 12.0;
  };
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double left = slope(k), right = slope(k + 1), rise = f[k + 1] - f[k];
    double* c = to + static_cast<std::size_t>(stride) * k;
    c[0] = f[k];
    c[1] = left;
    c[2] = 3.0 * rise - 2.0 * left - right;
    c[3] = left + right - 2.0 * rise;
  }
}

void check_tables(const std::vector<std::vector<double>>& tables, std::size_t count, int values, const char* what) {
  if (tables.size() != count) {
    throw Error("EAM: there are " + std::to_string(tables.size()) + " tables of " + what + " for " +
                std::to_string(count) + " wanted.");
  }
  for (const auto& table : tables) {
    if (table.size() != static_cast<std::size_t>(values)) {
      throw Error(std::string("EAM: a table of ") + what + " has " + std::to_string(table.size()) + " values; " +
                  std::to_string(values) + " are wanted.");
    }
    for (const double value : table) {
      if (!std::isfinite(value)) {
        throw Error(std::string("EAM: a table of ") + what + " has a value that is not finite.");
      }
    }
  }
}

}  // namespace

EamSplines::EamSplines(const EamGrids& grids)
    : elements_(grids.elements),
      r_intervals_(grids.nr - 1),
      rho_intervals_(grids.nrho - 1),
      dr_(grids.dr),
      drho_(grids.drho),
      cutoff_(grids.cutoff) {
  if (elements_ < 1 || grids.nr < 5 || grids.nrho < 5 || !(dr_ > 0.0) || !(drho_ > 0.0) || !(cutoff_ > 0.0)) {
    throw Error("EAM: " + std::to_string(elements_) + " elements, " + std::to_string(grids.nr) + " values of r every " +
                std::to_string(dr_) + ", " + std::to_string(grids.nrho) + " of rho every " + std::to_string(drho_) +
                ", cutoff " + std::to_string(cutoff_) +
                "; there must be one element, five values of each and a cutoff and spacings above zero.");
  }
  const auto n = static_cast<std::size_t>(elements_);
  check_tables(grids.embedding, n, grids.nrho, "F(rho)");
  check_tables(grids.density, grids.finnis_sinclair ? n * n : n, grids.nr, "rho(r)");
  check_tables(grids.r_phi, n * (n + 1) / 2, grids.nr, "r phi(r)");
  // Rows are found by 32-bit indices.
  if (8.0 * r_intervals_ * elements_ * elements_ > 2147483647.0 || 4.0 * rho_intervals_ * elements_ > 2147483647.0) {
    throw Error("EAM: tables of " + std::to_string(grids.nr) + " and " + std::to_string(grids.nrho) + " values for " +
                std::to_string(elements_) + " elements are too long.");
  }
  pairs_.resize(8 * static_cast<std::size_t>(r_intervals_) * n * n);
  embedding_.resize(4 * static_cast<std::size_t>(rho_intervals_) * n);
  for (std::size_t a = 0; a < n; ++a) {
    spline(grids.embedding[a], embedding_.data() + 4 * static_cast<std::size_t>(rho_intervals_) * a, 4);
    for (std::size_t b = 0; b < n; ++b) {
      double* rows = pairs_.data() + 8 * static_cast<std::size_t>(r_intervals_) * (a * n + b);
      const std::size_t high = std::max(a, b), low = std::min(a, b);
      spline(grids.density[grids.finnis_sinclair ? a * n + b : a], rows, 8);
      spline(grids.r_phi[high * (high + 1) / 2 + low], rows + 4, 8);
    }
  }
}

EamView EamSplines::view(const double* pairs, const double* embedding) const {
  return {.pairs = pairs,
          .embedding = embedding,
          .inverse_dr = 1.0 / dr_,
          .last_r_interval = r_intervals_ - 1.0,
          .inverse_drho = 1.0 / drho_,
          .last_rho_interval = rho_intervals_ - 1.0,
          .rho_max = drho_ * rho_intervals_};
}

double EamSplines::safe_r2(int a, int b, double largest_density) const {
  const EamView eam = view();
  const auto steepest = [&](int element) {
    double slope = 0.0;
    for (int i = 0; i <= 4 * rho_intervals_; ++i) {
      slope = std::fmax(slope, std::fabs(eam_embedding(eam, 0.25 * i * drho_, embedding_start(element)).slope));
    }
    return slope;
  };
  const double slope_a = steepest(a), slope_b = steepest(b);
  // The largest |force| that the pair may have at r, as a potential: what the search for a safe distance looks at.
  const auto worst = [&](double r) -> PairTerm<double> {
    const EamPair<double> ab = eam_pair(eam, r, pair_start(a, b)), ba = eam_pair(eam, r, pair_start(b, a));
    if (!(std::fabs(ab.density) < largest_density && std::fabs(ba.density) < largest_density)) {
      return {HUGE_VAL, HUGE_VAL};
    }
    const double force =
        slope_a * std::fabs(ba.density_slope) + slope_b * std::fabs(ab.density_slope) + std::fabs(ab.phi_slope);
    return {ab.phi, force / r};
  };
  const double step = 0.25 * dr_;
  return detail::smallest_safe_r2(worst, cutoff_, 1e-6 * cutoff_, [=](double r) { return r - step; });
}

}  // namespace halyard::md
