#include "solvers/flow/poisson.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "kernels/device/error.hpp"
#include "kernels/grid/field.hpp"
#include "tests/solvers/parallel/mirrored.hpp"

namespace halyard::flow {
namespace {

constexpr double eps = 2.3e-16;

Axis uniform_axis(std::int64_t n, bool periodic, double length) {
  Axis axis;
  axis.periodic = periodic;
  for (std::int64_t i = 0; i <= n; ++i) {
    axis.faces.push_back(length * static_cast<double>(i) / static_cast<double>(n));
  }
  return axis;
}

/// Faces drawn to both ends by tanh; the largest width is about `ratio` times the smallest.
Axis stretched_axis(std::int64_t n, bool periodic, double length, double ratio) {
  Axis axis = uniform_axis(n, periodic, length);
  axis.uniform = false;
  const double a = std::acosh(std::sqrt(ratio));
  for (std::int64_t i = 1; i < n; ++i) {
    const double s = 2.0 * static_cast<double>(i) / static_cast<double>(n) - 1.0;
    axis.faces[i] = 0.5 * length * (1.0 + std::tanh(a * s) / std::tanh(a));
  }
  return axis;
}

/// A number in [-1, 1) that belongs to a global cell.
double noise(std::int64_t i, std::int64_t j, std::int64_t k) {
  std::uint64_t x = static_cast<std::uint64_t>(i + 1000 * j + 1000000 * k) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(static_cast<std::int64_t>(x ^ (x >> 31))) * 0x1p-63;
}

/// One solve of f(i, j, k) on the ranks of a communicator, on the device under test; phi in the owned cells after, on
/// the host.
struct Solve {
  Queue queue{test::device()}, host;
  Decomposition decomposition;
  Box block;
  Field phi;
  double mean = 0.0;

  template <class F>
  Solve(const Communicator& comm, const std::array<Axis, 3>& axes, const RankGrid& grid, F f, bool from_rows = false)
      : decomposition({axes[0].cells(), axes[1].cells(), axes[2].cells()},
                      {axes[0].periodic, axes[1].periodic, axes[2].periodic}, grid, comm.rank()),
        block(decomposition.block()),
        phi(host, block.extents(), 1, "phi") {
    const bool on_host = queue.device() == Device::host;
    PoissonSolver solver(queue, comm, decomposition, axes, choose_exchange_path("auto", queue));
    Buffer<double> scratch(queue, static_cast<std::size_t>(solver.scratch_doubles()), "scratch");
    const auto cell = [&](int i, int j, int k) {
      return f(block.begin[0] + i, block.begin[1] + j, block.begin[2] + k);
    };
    const std::span<double> lent{scratch.data(), scratch.size()};
    if (from_rows && on_host) {
      struct Context {
        decltype(cell)& value;
        int nx;
      } context{cell, static_cast<int>(block.extent(0))};
      const RowSource source{[](const void* data, int j, int k, double* row) {
                               const auto* c = static_cast<const Context*>(data);
                               for (int i = 0; i < c->nx; ++i) {
                                 row[i] = c->value(i, j, k);
                               }
                             },
                             &context};
      solver.solve(source, phi.view(), lent);
    } else {
      for_cells([&](int i, int j, int k) { phi.view()(i, j, k) = cell(i, j, k); });
      if (on_host) {
        solver.solve(phi.view(), lent);
      } else {
        Field there(queue, block.extents(), 1, "phi");
        copy_bytes(queue, there.memory().data(), phi.memory().data(), phi.memory().size_bytes());
        solver.solve(there.view(), lent);
        copy_bytes(queue, phi.memory().data(), there.memory().data(), phi.memory().size_bytes());
        queue.wait();
      }
    }
    mean = solver.mean_rhs();
  }

  template <class Operation>
  void for_cells(Operation operation) const {
    for (int k = 0; k < block.extent(2); ++k) {
      for (int j = 0; j < block.extent(1); ++j) {
        for (int i = 0; i < block.extent(0); ++i) {
          operation(i, j, k);
        }
      }
    }
  }
};

std::vector<RankGrid> grids_of(int ranks, const Index3& cells) {
  std::vector<RankGrid> grids;
  for (int py = 1; py <= ranks; ++py) {
    if (ranks % py == 0 && cells[1] >= py && cells[2] >= ranks / py) {
      grids.push_back({py, ranks / py});
    }
  }
  return grids;
}

/// lap(phi) at a cell of a whole domain on one rank.
double laplacian(const std::array<Axis, 3>& axes, const View3<double>& phi, const std::array<int, 3>& cell) {
  double sum = 0.0;
  const double centre = phi(cell[0], cell[1], cell[2]);
  for (int a = 0; a < 3; ++a) {
    const auto n = static_cast<int>(axes[a].cells());
    for (const int side : {-1, 1}) {
      std::array<int, 3> other = cell;
      other[a] += side;
      if (!axes[a].periodic && (other[a] < 0 || other[a] == n)) {
        continue;
      }
      other[a] = (other[a] + n) % n;
      const double gap = axes[a].gap(side < 0 ? cell[a] - 1 : cell[a]);
      sum += (phi(other[0], other[1], other[2]) - centre) / gap / axes[a].width(cell[a]);
    }
  }
  return sum;
}

double coefficient_sum(const std::array<Axis, 3>& axes) {
  double sum = 0.0;
  for (const Axis& axis : axes) {
    sum += axis.cells() > 1 ? 4.0 / (axis.smallest_width() * axis.smallest_width()) : 0.0;
  }
  return sum;
}

TEST(Poisson, ReturnsTheExactDiscreteModesOfEveryBoundaryPair) {
  const Communicator comm;
  const std::int64_t sizes[] = {1, 2, 5, 16, 17, 34, 64, 97, 128};
  for (std::size_t s = 0; s < std::size(sizes); ++s) {
    // Each size on each axis; the other two axes small and different.
    for (int axis = 0; axis < 3; ++axis) {
      Index3 cells{7, 9, 8};
      cells[axis] = sizes[s];
      for (int b = 0; b < 8; ++b) {
        if (comm.size() > 1 && b != 0 && b != 7 && b != static_cast<int>(3 * s + axis) % 8) {
          continue;  // every combination on one rank; bits are the same on more (below)
        }
        const std::array<Axis, 3> axes{uniform_axis(cells[0], (b & 1) != 0, 1.0),
                                       uniform_axis(cells[1], (b & 2) != 0, 1.3),
                                       uniform_axis(cells[2], (b & 4) != 0, 0.8)};
        // A low mode along the axis under test, times one of each other axis: eigenvalue from the second difference.
        std::array<std::vector<double>, 3> mode;
        double lambda = 0.0, lowest = 1e300;
        for (int a = 0; a < 3; ++a) {
          const std::int64_t n = cells[a], m = std::min<std::int64_t>(n - 1, a == axis ? 1 + n / 3 : 1);
          const double dx = axes[a].width(0), turn = axes[a].periodic ? std::numbers::pi : 0.5 * std::numbers::pi;
          const double root = 2.0 / dx * std::sin(turn * static_cast<double>(m) / static_cast<double>(n));
          const double first = 2.0 / dx * std::sin(turn / static_cast<double>(n));
          lambda -= root * root;
          lowest = n > 1 ? std::min(lowest, first * first) : lowest;
          for (std::int64_t i = 0; i < n; ++i) {
            const double angle =
                2.0 * turn * static_cast<double>(m) * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
            mode[a].push_back(std::cos(angle));
          }
        }
        if (lambda == 0.0) {
          continue;
        }
        // One of the possible rank grids after the other.
        const auto grids = grids_of(comm.size(), cells);
        if (!grids.empty()) {
          const RankGrid grid = grids[(s + axis + b) % grids.size()];
          const auto exact = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            return mode[0][i] * mode[1][j] * mode[2][k];
          };
          Solve solve(comm, axes, grid, [&](auto i, auto j, auto k) { return lambda * exact(i, j, k); });
          double error = 0.0;
          solve.for_cells([&](int i, int j, int k) {
            const double value = exact(solve.block.begin[0] + i, solve.block.begin[1] + j, solve.block.begin[2] + k);
            error = std::max(error, std::abs(solve.phi.view()(i, j, k) - value));
          });
          // Round-off in f (from angles up to pi n as well) that falls on the lowest mode grows by lambda / lowest.
          EXPECT_LE(error, 20.0 * eps * std::max(1.0, -lambda / lowest))
              << cells[0] << 'x' << cells[1] << 'x' << cells[2] << " periodic " << b << " ranks " << grid.py << 'x'
              << grid.pz;
        }
      }
    }
  }
}

TEST(Poisson, LeavesARoundOffResidualOnUniformAndStretchedGrids) {
  const Communicator self(MPI_COMM_SELF);
  if (Communicator().rank() != 0) {
    return;  // bits are the same on all ranks (next test): one rank looks at the residual
  }
  const Index3 sizes[] = {{34, 17, 16}, {17, 16, 34}, {16, 34, 17}, {97, 5, 8}, {5, 97, 8}, {8, 5, 97}};
  for (const Index3& cells : sizes) {
    for (int b = 0; b < 8; ++b) {
      for (int stretched = -1; stretched < 3; ++stretched) {
        for (const double ratio : {2.0, 50.0}) {
          std::array<Axis, 3> axes;
          for (int a = 0; a < 3; ++a) {
            const bool periodic = (b >> a & 1) != 0;
            axes[a] = a == stretched ? stretched_axis(cells[a], periodic, 1.0 + a, ratio)
                                     : uniform_axis(cells[a], periodic, 1.0 + a);
          }
          const Solve solve(self, axes, {1, 1}, noise);
          const View3<double> phi = const_cast<Field&>(solve.phi).view();
          double largest = 0.0, worst = 0.0, moment = 0.0, volume = 0.0;
          solve.for_cells([&](int i, int j, int k) {
            largest = std::max(largest, std::abs(phi(i, j, k)));
            worst = std::max(worst, std::abs(laplacian(axes, phi, {i, j, k}) - (noise(i, j, k) - solve.mean)));
            const double v = axes[0].width(i) * axes[1].width(j) * axes[2].width(k);
            moment += v * phi(i, j, k);
            volume += v;
          });
          // The promise of the flow solver: C of order 10.
          EXPECT_LE(worst, 10.0 * eps * (1.0 + largest * coefficient_sum(axes)))
              << cells[0] << 'x' << cells[1] << 'x' << cells[2] << " periodic " << b << " stretched " << stretched;
          EXPECT_LE(std::abs(moment / volume), 50.0 * eps * largest);  // a plain sum of 1e4 rounded numbers
        }
      }
    }
  }
}

TEST(Poisson, GivesTheSameBitsOnAnyRanksAndThreads) {
  const Communicator comm, self(MPI_COMM_SELF);
  const Index3 sizes[] = {{37, 22, 19}, {64, 32, 16}, {130, 9, 8}, {1, 17, 24}, {36, 20, 1}, {33, 1, 21}};
  for (const Index3& cells : sizes) {
    for (const int b : {2, 5}) {
      for (int stretched = -1; stretched < 3; ++stretched) {
        std::array<Axis, 3> axes;
        for (int a = 0; a < 3; ++a) {
          const bool periodic = (b >> a & 1) != 0;
          axes[a] =
              a == stretched ? stretched_axis(cells[a], periodic, 1.0, 5.0) : uniform_axis(cells[a], periodic, 1.0);
        }
        omp_set_num_threads(1);
        const Solve whole(self, axes, {1, 1}, noise);
        for (const RankGrid& grid : grids_of(comm.size(), cells)) {
          const int threads = b == 5 && stretched % 2 != 0 ? 2 : 1;
          omp_set_num_threads(threads);
          const Solve part(comm, axes, grid, noise, threads == 2);
          EXPECT_EQ(part.mean, whole.mean);
          bool same = true;
          for (int k = 0; k < part.block.extent(2); ++k) {
            for (int j = 0; j < part.block.extent(1); ++j) {
              const auto wj = static_cast<int>(part.block.begin[1]) + j, wk = static_cast<int>(part.block.begin[2]) + k;
              same = same && std::memcmp(part.phi.view().row(j, k), whole.phi.view().row(wj, wk),
                                         sizeof(double) * static_cast<std::size_t>(cells[0])) == 0;
            }
          }
          EXPECT_TRUE(same) << cells[0] << 'x' << cells[1] << 'x' << cells[2] << " periodic " << b << " stretched "
                            << stretched << " ranks " << grid.py << 'x' << grid.pz << " threads " << threads;
        }
      }
    }
  }
  omp_set_num_threads(1);
}

TEST(Poisson, KeepsWhatLiesOutsideTheRows) {
  const Communicator self(MPI_COMM_SELF);
  Queue queue;
  const std::array<Axis, 3> axes{uniform_axis(12, true, 1.0), uniform_axis(10, false, 1.0), uniform_axis(6, true, 1.0)};
  const Decomposition decomposition({12, 10, 6}, {true, false, true}, {1, 1}, 0);
  PoissonSolver solver(queue, self, decomposition, axes);
  EXPECT_EQ(solver.scratch_doubles(), 0);
  EXPECT_EQ(solver.description(), "x Fourier 12, y cosine 10, z Fourier 6");
  Field phi(queue, {12, 10, 6}, 1, "phi");
  for (double& value : phi.memory()) {
    value = -3.0;
  }
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < 10; ++j) {
      for (int i = 0; i < 12; ++i) {
        phi.view()(i, j, k) = noise(i, j, k);
      }
    }
  }
  solver.solve(phi.view(), {});
  for (int k = -1; k <= 6; ++k) {
    for (int j = -1; j <= 10; ++j) {
      const bool owned = k >= 0 && k < 6 && j >= 0 && j < 10;
      EXPECT_EQ(phi.view()(-1, j, k), -3.0);
      for (int i = 0; i < 12 && !owned; ++i) {
        EXPECT_EQ(phi.view()(i, j, k), -3.0);
      }
    }
  }
}

TEST(Poisson, MeasuresTheMeanAndRefusesALargeOne) {
  const Communicator comm;
  Queue queue;
  const Index3 cells{8, 14, 14};
  const std::array<Axis, 3> axes{uniform_axis(8, false, 1.0), stretched_axis(14, false, 1.0, 4.0),
                                 uniform_axis(14, false, 1.0)};
  const RankGrid grid = grids_of(comm.size(), cells).back();
  const Decomposition decomposition(cells, {false, false, false}, grid, comm.rank());
  PoissonSolver solver(queue, comm, decomposition, axes);
  Buffer<double> scratch(queue, static_cast<std::size_t>(solver.scratch_doubles()), "scratch");
  const std::span<double> lent{scratch.data(), scratch.size()};
  Field phi(queue, decomposition.block().extents(), 1, "phi");
  const auto fill = [&](double value) {
    for (double& cell : phi.memory()) {
      cell = value;
    }
  };
  fill(0.25);
  solver.solve(phi.view(), lent);
  EXPECT_NEAR(solver.mean_rhs(), 0.25, 1e-15);  // the volume is a sum of 14 rounded widths
  // A constant f has no other part: what is left of it is the mean's round-off.
  EXPECT_LE(std::abs(phi.view()(0, 0, 0)), 1e-15);
  fill(0.25);
  EXPECT_THROW(solver.solve(phi.view(), lent, 1.0), Error);
  fill(1e-12);
  EXPECT_NO_THROW(solver.solve(phi.view(), lent, 1.0));
  if (scratch.size() > 0) {
    EXPECT_THROW(solver.solve(phi.view(), lent.first(lent.size() - 1)), Error);
  }
}

TEST(Poisson, RefusesTwoStretchedAxes) {
  const Communicator self(MPI_COMM_SELF);
  Queue queue;
  const std::array<Axis, 3> axes{stretched_axis(8, true, 1.0, 2.0), stretched_axis(8, true, 1.0, 2.0),
                                 uniform_axis(8, true, 1.0)};
  const Decomposition decomposition({8, 8, 8}, {true, true, true}, {1, 1}, 0);
  EXPECT_THROW(PoissonSolver(queue, self, decomposition, axes), Error);
}

}  // namespace
}  // namespace halyard::flow
