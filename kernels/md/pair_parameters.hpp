#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace halyard::md {

/// What the pair loop reads of a potential for each ordered pair of types: (type_i * types + type_j).
struct PairParameters {
  int types = 0;
  std::vector<double> cutoff2;  // [length^2]
  std::vector<double> safe2;    // below this squared distance a force may leave the fixed-point range
  std::vector<double> c;        // coefficient k of a pair of types at k * types * types + pair: a column for look-ups
  const double* tables = nullptr;  // of tabulated potentials

  PairParameters() = default;
  PairParameters(int type_count, int coefficient_count)
      : types(type_count),
        cutoff2(square(type_count), 0.0),
        safe2(square(type_count), 0.0),
        c(square(type_count) * static_cast<std::size_t>(coefficient_count), 0.0) {}

  /// Copies share the tables.
  void keep_tables(std::shared_ptr<const std::vector<double>> rows) {
    rows_ = std::move(rows);
    tables = rows_->data();
  }

  double largest_cutoff2() const { return cutoff2.empty() ? 0.0 : *std::max_element(cutoff2.begin(), cutoff2.end()); }

 private:
  std::shared_ptr<const std::vector<double>> rows_;
  static std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
};

}  // namespace halyard::md
