#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/metrics.hpp"
#include "kernels/transform/poisson_modes.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/exchange_path.hpp"
#include "solvers/parallel/rank_grid.hpp"

namespace halyard::flow {

using halyard::RowSource;

/// Direct solver of the discrete Poisson equation lap(phi) = f at the cell centres of a staggered grid,
///
///   sum over the axes of (1/dx_i) [ (phi_{i+1} - phi_i) / gap_i - (phi_i - phi_{i-1}) / gap_{i-1} ] = f,
///
/// dx_i = Axis::width(i), gap_i = Axis::gap(i), periodic or with zero normal gradient (walls and free slip) at the ends
/// of each axis; the volume mean of phi is zero. Fast Fourier transforms on uniform periodic axes, cosine transforms on
/// uniform walled ones (Schumann & Sweet 1988, J. Comput. Phys. 75, 123), a tridiagonal solve for each mode on the one
/// axis that may be stretched (Swarztrauber 1977, SIAM Review 19, 490).
///
/// The same case gives the same bits on any number of ranks and threads: each line of cells is one SIMD lane whose
/// arithmetic depends on nothing beside it, and nothing is chosen by timing.
class PoissonSolver {
 public:
  /// Collective. `axes` is the global grid, `decomposition` its spread over the ranks of `comm`.
  /// @throws Error when more than one axis is stretched.
  PoissonSolver(Queue& queue, const Communicator& comm, const Decomposition& decomposition,
                const std::array<Axis, 3>& axes, ExchangePath path = ExchangePath::direct);
  ~PoissonSolver();
  PoissonSolver(const PoissonSolver&) = delete;
  PoissonSolver& operator=(const PoissonSolver&) = delete;

  /// Doubles of scratch memory (of the queue's kind) that solve() must be lent; 0 on one rank on the host, at most
  /// about three arrays of the block elsewhere.
  std::int64_t scratch_doubles() const;

  /// Solves with f in the owned cells of `phi` on entry and leaves phi there. Collective.
  ///
  /// `phi` lies as in a Field: rows at least nx + 2 elements apart. All its ghosts are stale after (rows serve as work
  /// space up to element nx + 1); everything else outside the owned cells keeps its value.
  /// @param f_scale the size of the terms whose differences make f, max|u| / (min dx dt) for a scaled divergence. The
  /// mean
  ///   of f, which must vanish for a solution to exist, is removed; it is round-off as long as it is below
  ///   mean_bound * f_scale. 0: not checked.
  /// @throws Error (on every rank) when the mean is larger, or a scratch too small.
  void solve(View3<double> phi, std::span<double> scratch, double f_scale = 0.0);
  /// The same with f from a source: saves writing and reading it (host only).
  void solve(const RowSource& f, View3<double> phi, std::span<double> scratch, double f_scale = 0.0);

  /// Volume mean of f in the latest solve, summed exactly over rows: the compatibility defect that was removed. NaN
  /// when f was not finite.
  double mean_rhs() const;
  static constexpr double mean_bound = 1e-10;

  /// One line for the log: "x Fourier 128, y cosine 96, z tridiagonal 130; ...".
  std::string description() const;
  /// A sentence for each axis whose size needs a slow transform, with the next fast size; empty where there is none.
  std::string size_advice() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halyard::flow
