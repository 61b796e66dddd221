#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/md/pair/pair_term.hpp"
#include "kernels/md/table_row.hpp"

namespace halyard::md {

/// A potential as a user gives it: rows of r, U, F = -U'(r), with r rising.
struct PairTable {
  std::string where;  // file and keyword, for messages
  std::vector<double> r, energy, force;
};

/// A potential from a table: on each interval the cubic in r that takes the table's U and F at both ends, so that at
/// the table's own distances its own numbers come out, energy and force belong together exactly, and both are
/// continuous. In r rather than r^2: that would save the square root, but even steps in r^2 are coarse where the
/// potential is steep, and a table fine enough there no longer fits the caches. Evenly spaced tables are used as they
/// are; others are put on an even grid of their smallest step by the same cubics.
struct Tabulated {
  static constexpr std::string_view name = "tabulated";
  static constexpr std::string_view lammps = "table";
  static constexpr std::array<PairInput, 0> inputs{};
  // -factor/step, 1/step, -r_first/step, number of the last interval, where the rows begin in tables, factor
  static constexpr int coefficients = 6;
  static constexpr bool has_tail = false;
  using Table = PairTable;

  static constexpr std::size_t largest_table = std::size_t{1} << 20;  // intervals; 32 bytes each

  static double cutoff(const double* /*input*/, double r_cut) { return r_cut; }

  /// Appends the table's rows to `tables`, four numbers per interval, and sets c. Below the first r the potential is
  /// not defined: the loop must treat r2 < safe_r2() as an overlap, which is at least r_first^2.
  /// @throws Error naming the row: too few rows, r not rising, numbers not finite, a last r below r_cut.
  static void prepare(const PairTable& table, double r_cut, std::vector<double>& tables, double* c) {
    detail::check_pair_cutoff(name, r_cut);
    check(table, r_cut);
    const std::size_t rows = table.r.size();
    const double first = table.r.front(), length = table.r.back() - first;
    double smallest = length, largest = 0.0;
    for (std::size_t i = 1; i < rows; ++i) {
      smallest = std::min(smallest, table.r[i] - table.r[i - 1]);
      largest = std::max(largest, table.r[i] - table.r[i - 1]);
    }
    // Printed distances carry few digits: steps equal to 1e-4 are meant equal.
    const bool even = largest - smallest <= 1e-4 * largest;
    const double wanted = even ? static_cast<double>(rows - 1) : std::ceil(length / smallest * (1.0 - 1e-9));
    if (wanted > static_cast<double>(largest_table)) {
      throw Error(table.where + ": distances " + std::to_string(smallest) + " apart over a length of " +
                  std::to_string(length) + " need " + std::to_string(wanted) + " intervals; at most " +
                  std::to_string(largest_table) + " are allowed. Use an evenly spaced table.");
    }
    const std::size_t intervals = static_cast<std::size_t>(wanted), start = tables.size();
    const double step = length / wanted;
    tables.resize(start + 4 * intervals);
    std::size_t row = 0;
    const auto knot = [&](std::size_t i) -> std::array<double, 2> {  // U and step * U'
      if (even) {
        return {table.energy[i], -table.force[i] * step};
      }
      const double r = std::min(first + static_cast<double>(i) * step, table.r.back());
      while (row + 2 < rows && table.r[row + 1] <= r) {
        ++row;
      }
      const double h = table.r[row + 1] - table.r[row], p = (r - table.r[row]) / h;
      const auto a = cubic(table.energy[row], -h * table.force[row], table.energy[row + 1], -h * table.force[row + 1]);
      return {((a[3] * p + a[2]) * p + a[1]) * p + a[0], ((3.0 * a[3] * p + 2.0 * a[2]) * p + a[1]) * (step / h)};
    };
    auto left = knot(0);
    for (std::size_t i = 0; i < intervals; ++i) {
      const auto right = knot(i + 1);
      const auto a = cubic(left[0], left[1], right[0], right[1]);
      std::copy(a.begin(), a.end(), tables.begin() + static_cast<std::ptrdiff_t>(start + 4 * i));
      left = right;
    }
    c[0] = -1.0 / step;
    c[1] = 1.0 / step;
    c[2] = -first / step;
    c[3] = wanted - 1.0;
    c[4] = static_cast<double>(start);
    c[5] = 1.0;
  }

  /// Rows between the first and the last whose F differs by more than `relative` of the larger from the slope of U
  /// between its neighbours, for a warning: F was perhaps given with the wrong sign or unit.
  static std::size_t inconsistent_rows(const PairTable& table, double relative = 0.1) {
    std::size_t count = 0;
    for (std::size_t i = 1; i + 1 < table.r.size(); ++i) {
      const double left = -(table.energy[i] - table.energy[i - 1]) / (table.r[i] - table.r[i - 1]);
      const double right = -(table.energy[i + 1] - table.energy[i]) / (table.r[i + 1] - table.r[i]);
      const double low = std::min(left, right), high = std::max(left, right), f = table.force[i];
      const double margin = relative * std::max({std::fabs(left), std::fabs(right), std::fabs(f)});
      count += f < low - margin || f > high + margin;
    }
    return count;
  }

  static void scale(double* c, double factor) {
    c[0] *= factor;
    c[5] *= factor;
  }

  template <class Real>
  KERNEL static PairTerm<Real> evaluate(Real r2, const Real* c, const double* tables) {
    const Real r = square_root(r2);
    const auto [k, p] = knot_interval(fma(r, c[1], c[2]), c[3]);
    Real a[4];
    load_row_of_four(tables, fma(k, constant<Real>(4.0), c[4]), a);
    const Real twice = a[2] + a[2], thrice = a[3] + a[3] + a[3];
    return {c[5] * fma(fma(fma(a[3], p, a[2]), p, a[1]), p, a[0]), c[0] * fma(fma(thrice, p, twice), p, a[1]) / r};
  }

 private:
  /// Coefficients of 1, p, p^2, p^3 of the cubic with values u and slopes s at p = 0 and 1.
  static std::array<double, 4> cubic(double u0, double s0, double u1, double s1) {
    return {u0, s0, 3.0 * (u1 - u0) - 2.0 * s0 - s1, s0 + s1 - 2.0 * (u1 - u0)};
  }

  static void check(const PairTable& table, double r_cut) {
    const std::size_t rows = table.r.size();
    if (rows < 2 || table.energy.size() != rows || table.force.size() != rows) {
      throw Error(table.where + ": the table has " + std::to_string(rows) + " rows of r, " +
                  std::to_string(table.energy.size()) + " of U and " + std::to_string(table.force.size()) +
                  " of F; it must have the same number of each, and two at least.");
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string row = table.where + ": row " + std::to_string(i + 1);
      if (!std::isfinite(table.r[i]) || !std::isfinite(table.energy[i]) || !std::isfinite(table.force[i])) {
        throw Error(row + " has a number that is not finite: r " + std::to_string(table.r[i]) + ", U " +
                    std::to_string(table.energy[i]) + ", F " + std::to_string(table.force[i]) + ".");
      }
      if (i == 0 ? !(table.r[0] > 0.0) : !(table.r[i] > table.r[i - 1])) {
        throw Error(row + " has r = " + std::to_string(table.r[i]) + "; distances must be above zero and rise.");
      }
    }
    // Ends are printed with few digits as well.
    if (table.r.back() < r_cut * (1.0 - 1e-9)) {
      throw Error(table.where + ": the table ends at r = " + std::to_string(table.r.back()) + ", below the cutoff of " +
                  std::to_string(r_cut) + "; give a longer table or a smaller cutoff.");
    }
  }
};

/// As for the others, but not below the table's first distance, and looking at eight points per interval.
template <>
inline double safe_r2<Tabulated>(const double* c, double r_cut, const double* tables) {
  const double step = 0.125 / c[1];
  return detail::smallest_safe_r2([&](double r) { return Tabulated::evaluate<double>(r * r, c, tables); }, r_cut,
                                  -c[2] / c[1], [=](double r) { return r - step; });
}

}  // namespace halyard::md
