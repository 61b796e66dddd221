#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace halyard {

/// The second difference along one axis with any cell widths, times the width:
///
///   coupling[i+1] (phi_{i+1} - phi_i) - coupling[i] (phi_i - phi_{i-1}) + lambda width[i] phi_i = width[i] f_i,
///
/// coupling[i] = 1 / (distance of the centres of i-1 and i), i = 0 ... n: symmetric. Zero coupling at both ends between
/// walls; periodic: coupling[0] = coupling[n] joins the last cell and the first.
struct Tridiagonal {
  std::vector<double> width;     // [m] n
  std::vector<double> coupling;  // [1/m] n + 1
  bool periodic = false;

  int size() const { return static_cast<int>(width.size()); }
};

/// The case lambda = 0, which has a solution only when the width-weighted mean of f vanishes (it is removed) and then
/// fixes phi but for a constant (the width-weighted mean of phi is zero). In place: f -> phi. Fluxes are summed up cell
/// by cell in long double.
void solve_singular(const Tridiagonal& matrix, std::span<double> f);

}  // namespace halyard
