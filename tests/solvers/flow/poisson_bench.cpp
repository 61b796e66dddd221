// ns per cell of a Poisson solve beside an FFTW 3-D r2c + c2r pair of 128^3 (out of place, FFTW_MEASURE, as many
// threads as this rank has times the ranks): OMP_NUM_THREADS=2 bench_poisson; OMP_NUM_THREADS=1 mpiexec -n 2
// bench_poisson [repeats]
#include <fftw3.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/device/profile.hpp"
#include "kernels/grid/field.hpp"
#include "solvers/flow/poisson.hpp"

namespace {

using namespace halyard;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double fftw_pair(int n, int threads, int repeats) {
  const auto cells = static_cast<std::size_t>(n) * n * n;
  fftw_init_threads();
  fftw_plan_with_nthreads(threads);
  double* cell = fftw_alloc_real(cells);
  fftw_complex* mode = fftw_alloc_complex(static_cast<std::size_t>(n) * n * (n / 2 + 1));
  const fftw_plan forward = fftw_plan_dft_r2c_3d(n, n, n, cell, mode, FFTW_MEASURE);
  const fftw_plan backward = fftw_plan_dft_c2r_3d(n, n, n, mode, cell, FFTW_MEASURE);
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < cells; ++i) {
      cell[i] = std::sin(static_cast<double>(i));
    }
    const double start = now();
    fftw_execute(forward);
    fftw_execute(backward);
    best = std::min(best, now() - start);
  }
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  fftw_free(cell);
  fftw_free(mode);
  return 1e9 * best / static_cast<double>(cells);
}

Axis axis_of(std::int64_t n, bool periodic, bool uniform) {
  Axis axis;
  axis.periodic = periodic;
  axis.uniform = uniform;
  for (std::int64_t i = 0; i <= n; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(n);
    axis.faces.push_back(uniform ? s : s - 0.1 * std::sin(6.283185307179586 * s));
  }
  return axis;
}

void time_solve(const Communicator& comm, std::int64_t n, const char* name, const std::array<Axis, 3>& axes,
                int repeats, double pair) {
  Queue queue;
  const Index3 cells{n, n, n};
  const Decomposition decomposition(cells, {axes[0].periodic, axes[1].periodic, axes[2].periodic},
                                    choose_rank_grid(cells, comm.size()), comm.rank());
  flow::PoissonSolver solver(queue, comm, decomposition, axes);
  Field phi(queue, decomposition.block().extents(), 1, "phi");
  Buffer<double> scratch(queue, static_cast<std::size_t>(solver.scratch_doubles()), "scratch");
  double best = 1e300;
  reset_kernel_records();
  for (int r = 0; r < repeats; ++r) {
    for (double& value : phi.memory()) {
      value = std::sin(static_cast<double>(&value - phi.memory().data()));
    }
    comm.barrier();
    const double start = now();
    solver.solve(phi.view(), {scratch.data(), scratch.size()});
    best = std::min(best, comm.max(now() - start));
  }
  if (comm.rank() == 0) {
    const double cell_ns = 1e9 * best / static_cast<double>(n * n * n);
    std::printf("%lld^3 %-28s %6.2f ns per cell, %.2f of the pair (", static_cast<long long>(n), name, cell_ns,
                cell_ns / pair);
    for (const KernelRecord& record : kernel_records()) {
      if (record.calls > 0) {
        std::printf(" %s %.2f", record.name.c_str(), 1e9 * record.seconds / repeats / static_cast<double>(n * n * n));
      }
    }
    std::printf(" on average )\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Communicator comm;
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 20;
    double pair = 0.0;
    if (comm.rank() == 0) {
      const int threads = omp_get_max_threads() * comm.size();
      pair = fftw_pair(128, threads, repeats);
      std::printf("%d ranks x %d threads; FFTW pair of 128^3: %.2f ns per cell on %d threads\n", comm.size(),
                  omp_get_max_threads(), pair, threads);
    }
    for (const std::int64_t n : {128, 256}) {
      const int count = n == 128 ? repeats : std::max(2, repeats / 5);
      const auto f = [&](bool periodic) { return axis_of(n, periodic, true); };
      time_solve(comm, n, "periodic", {f(true), f(true), f(true)}, count, pair);
      time_solve(comm, n, "channel, y stretched", {f(true), axis_of(n, false, false), f(true)}, count, pair);
      time_solve(comm, n, "channel, z stretched", {f(true), f(true), axis_of(n, false, false)}, count, pair);
      time_solve(comm, n, "box, x stretched", {axis_of(n, false, false), f(false), f(false)}, count, pair);
      time_solve(comm, n, "box, uniform", {f(false), f(false), f(false)}, count, pair);
    }
  }
  MPI_Finalize();
  return 0;
}
