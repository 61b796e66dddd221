#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/input/eam_file.hpp"
#include "kernels/device/error.hpp"

namespace halyard::md {

namespace {

/// Values of a table with spacing `from` at `count` points of spacing `to` (cubic Lagrange polynomial through values
/// k-1, k, k+1, k+2 with k the last one at or below the point, 1 <= k <= n - 3).
std::vector<double> resampled(const std::vector<double>& values, double from, int count, double to) {
  const auto n = static_cast<int>(values.size());
  std::vector<double> result(static_cast<std::size_t>(count));
  for (int m = 0; m < count; ++m) {
    double& at_m = result[static_cast<std::size_t>(m)];
    if (from == to) {  // m * to / from need not be m
      at_m = values[static_cast<std::size_t>(std::min(m, n - 1))];
      continue;
    }
    const double place = m * to / from;
    const int k = place >= n - 3 ? n - 3 : std::max(static_cast<int>(place), 1);
    const double p = std::min(place - k, 2.0);  // the last value holds beyond it
    const double* v = values.data() + k;
    at_m = -p * (p - 1.0) * (p - 2.0) / 6.0 * v[-1] + (p * p - 1.0) * (p - 2.0) / 2.0 * v[0] -
           p * (p + 1.0) * (p - 2.0) / 2.0 * v[1] + p * (p * p - 1.0) / 6.0 * v[2];
  }
  return result;
}

}  // namespace

EamTables mix_funcfl(const std::vector<EamFuncfl>& files) {
  if (files.empty()) throw Error("no funcfl files to mix; expected one an element");
  EamTables tables;
  double r_end = 0.0, rho_end = 0.0;
  for (const EamFuncfl& file : files) {
    tables.dr = std::max(tables.dr, file.dr);
    tables.drho = std::max(tables.drho, file.drho);
    tables.cutoff = std::max(tables.cutoff, file.cutoff);
    r_end = std::max(r_end, (file.nr - 1) * file.dr);
    rho_end = std::max(rho_end, (file.nrho - 1) * file.drho);
  }
  // Rounded, as the division is; where the longest file ends between two points, a table never ends before it.
  const auto points = [](double end, double spacing) {
    const auto n = static_cast<int>(std::lround(end / spacing));
    return (end - n * spacing > 1e-6 * spacing ? n + 1 : n) + 1;
  };
  tables.nr = points(r_end, tables.dr);
  tables.nrho = points(rho_end, tables.drho);

  std::vector<std::vector<double>> charges;
  for (const EamFuncfl& file : files) {
    tables.elements.push_back(file.element);
    tables.embedding.push_back(resampled(file.embedding, file.drho, tables.nrho, tables.drho));
    tables.density.push_back(resampled(file.density, file.dr, tables.nr, tables.dr));
    charges.push_back(resampled(file.charge, file.dr, tables.nr, tables.dr));
    if (file.cutoff > (file.nr - 1) * file.dr)
      tables.notes.push_back(
          fmt::format("{}: the cutoff {} A lies beyond the last value of the tables at {} A; that value "
                      "holds from there to the cutoff",
                      file.file, file.cutoff, (file.nr - 1) * file.dr));
  }
  for (std::size_t a = 0; a < files.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      std::vector<double> r_phi(static_cast<std::size_t>(tables.nr));
      for (std::size_t k = 0; k < r_phi.size(); ++k) r_phi[k] = 27.2 * 0.529 * charges[a][k] * charges[b][k];
      tables.r_phi.push_back(std::move(r_phi));
    }
  return tables;
}

}  // namespace halyard::md
