#pragma once
#include "kernels/device/host/lanes.hpp"
#include "kernels/transform/tridiagonal.hpp"

namespace halyard::host {

/// Doubles of work for tridiagonal_solve() of `columns` columns with `sides` right-hand sides each.
constexpr std::size_t tridiagonal_work(int n, int columns, int sides) {
  return static_cast<std::size_t>(lane_count) * (n + 1) * columns * (sides + 2);
}

/// Solves (Thomas 1949) `columns` independent sets of eight systems, lane by lane: column c with eigenvalues lambda[c]
/// < 0 of the other axes, for `sides` right-hand sides. get(i, c, s) gives f times `scale`'s inverse: the solution is
/// that of scale * f. Periodic: the last unknown is split off (its column of the matrix as one more right-hand side)
/// and solved for at the end. Diagonally dominant: no pivoting. Several columns at once hide the latency of the
/// divisions.
template <int columns, int sides, class Get, class Put>
KERNEL void tridiagonal_solve(const Tridiagonal& matrix, const Lanes (&lambda)[columns], double scale, double* work,
                              Get get, Put put) {
  const int n = matrix.size();
  const bool periodic = matrix.periodic;
  const int m = periodic ? n - 1 : n;
  const double* const g = matrix.coupling.data();
  const double* const dx = matrix.width.data();
  // Per row and column: the upper factor, the last unknown's influence, the right-hand sides.
  constexpr int per_column = lane_count * (sides + 2);
  const auto at = [&](int i, int c, int what) {
    return work + (std::int64_t{i} * columns + c) * per_column + what * lane_count;
  };
  Lanes upper[columns], influence[columns], p[columns][sides];
  for (int c = 0; c < columns; ++c) {
    upper[c] = influence[c] = all(0.0);
    for (int s = 0; s < sides; ++s) {
      p[c][s] = all(0.0);
    }
  }
  for (int i = 0; i < m; ++i) {
    const Lanes width = all(dx[i]), weight = all(dx[i] * scale), low = all(g[i]), high = all(g[i + 1]);
    const Lanes diagonal = all(g[i] + g[i + 1]);
    const Lanes last = all(-((i == 0 ? g[0] : 0.0) + (i == m - 1 ? g[m] : 0.0)));
    for (int c = 0; c < columns; ++c) {
      const Lanes pivot = fnma(low, upper[c], fms(lambda[c], width, diagonal));
      const Lanes inverse = all(1.0) / pivot;
      upper[c] = high * inverse;
      store(at(i, c, 0), upper[c]);
      if (periodic) {
        influence[c] = fnma(low, influence[c], last) * inverse;
        store(at(i, c, 1), influence[c]);
      }
      for (int s = 0; s < sides; ++s) {
        p[c][s] = fms(weight, get(i, c, s), low * p[c][s]) * inverse;
        store(at(i, c, 2 + s), p[c][s]);
      }
    }
  }
  if (!periodic) {
    for (int i = m - 1; i >= 0; --i) {
      for (int c = 0; c < columns; ++c) {
        for (int s = 0; s < sides; ++s) {
          if (i < m - 1) {
            p[c][s] = fnma(load(at(i, c, 0)), p[c][s], load(at(i, c, 2 + s)));
          }
          put(i, c, s, p[c][s]);
        }
      }
    }
    return;
  }
  for (int i = m - 2; i >= 0; --i) {
    for (int c = 0; c < columns; ++c) {
      const Lanes factor = load(at(i, c, 0));
      influence[c] = fnma(factor, influence[c], load(at(i, c, 1)));
      store(at(i, c, 1), influence[c]);
      for (int s = 0; s < sides; ++s) {
        p[c][s] = fnma(factor, p[c][s], load(at(i, c, 2 + s)));
        store(at(i, c, 2 + s), p[c][s]);
      }
    }
  }
  const Lanes width = all(dx[m]), weight = all(dx[m] * scale), low = all(g[m]), high = all(g[m + 1]);
  const Lanes diagonal = all(g[m] + g[m + 1]);
  for (int c = 0; c < columns; ++c) {
    const Lanes pivot = fma(low, load(at(m - 1, c, 1)), fma(high, load(at(0, c, 1)), fms(lambda[c], width, diagonal)));
    for (int s = 0; s < sides; ++s) {
      const Lanes f = fnma(low, load(at(m - 1, c, 2 + s)), fnma(high, load(at(0, c, 2 + s)), weight * get(m, c, s)));
      p[c][s] = f / pivot;
      put(m, c, s, p[c][s]);
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int c = 0; c < columns; ++c) {
      const Lanes q = load(at(i, c, 1));
      for (int s = 0; s < sides; ++s) {
        put(i, c, s, fma(p[c][s], q, load(at(i, c, 2 + s))));
      }
    }
  }
}

}  // namespace halyard::host
