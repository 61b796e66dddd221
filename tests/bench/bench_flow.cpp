// Measures halyard-flow's step against what the machine can do; scripts/bench flow runs it with 2 ranks x 1 thread and
// 1 rank x 2 threads and puts the two together. One JSON object, to --json FILE or standard output.
//
// R = (ns per cell and step) / (ns per cell of an out-of-place 3-D FFTW r2c + c2r pair of 128^3, FFTW_MEASURE, 2
// threads, timed in turn with the steps): independent of the speed of the machine to first order.
#include <fftw3.h>
#include <fmt/format.h>
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/grid/field.hpp"
#include "solvers/parallel/session.hpp"
#include "tests/bench/loop_ratio.hpp"
#include "tests/solvers/flow/flow_run.hpp"

namespace {

using namespace halyard;

constexpr int rounds = 7, steps_per_round = 3;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Other ranks sleep, so that rank 0 has both cores for the transform.
void wait_asleep(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.comm(), &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      usleep(1000);
    }
  }
}

/// The yardstick.
class FftwPair {
 public:
  static constexpr int n = 128;
  FftwPair() {
    fftw_init_threads();
    fftw_plan_with_nthreads(2);
    real_ = fftw_alloc_real(cells);
    spectrum_ = fftw_alloc_complex(std::size_t{n} * n * (n / 2 + 1));
    forward_ = fftw_plan_dft_r2c_3d(n, n, n, real_, spectrum_, FFTW_MEASURE);
    backward_ = fftw_plan_dft_c2r_3d(n, n, n, spectrum_, real_, FFTW_MEASURE);
    std::fill_n(real_, cells, 0.0);
  }
  FftwPair(const FftwPair&) = delete;
  FftwPair& operator=(const FftwPair&) = delete;
  ~FftwPair() {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
    fftw_free(real_);
    fftw_free(spectrum_);
  }
  double ns_per_cell() {
    return 1e9 / cells * seconds_of([&] {
             fftw_execute(forward_);
             fftw_execute(backward_);
           });
  }

 private:
  static constexpr std::size_t cells = std::size_t{n} * n * n;
  double* real_;
  fftw_complex* spectrum_;
  fftw_plan forward_, backward_;
};

const char* const taylor_green = R"toml(
[domain]
cells = [128, 128, 128]
length = [6.283185307179586, 6.283185307179586, 6.283185307179586]
[fluid]
viscosity = 6.25e-4
[initial]
u = "sin(x) * cos(y) * cos(z)"
v = "-cos(x) * sin(y) * cos(z)"
)toml";

const char* const channel = R"toml(
[domain]
cells = [128, 128, 128]
length = [6.283185307179586, 2.0, 3.141592653589793]
stretching = { axis = "z", kind = "tanh", factor = 1.6 }
[boundary]
z_lower = { type = "no_slip" }
z_upper = { type = "no_slip" }
[fluid]
viscosity = 3.571428571428571e-4
[drive]
bulk_velocity_x = 1.0
[initial]
u = "1.5 * z * (3.141592653589793 - z)"
noise_amplitude = 0.1
)toml";

std::string kernel_table() {
  std::string rows;
  for (const KernelRecord& record : kernel_records()) {
    if (record.items > 0) {
      rows += fmt::format(
          "{}\"{}\": {{\"calls\": {}, \"ns_per_item\": {:.3f}, \"gb_per_s\": {:.2f}, \"seconds\": {:.4f}}}",
          rows.empty() ? "" : ", ", record.name, record.calls, 1e9 * record.seconds / static_cast<double>(record.items),
          1e-9 * record.cost.bytes * static_cast<double>(record.items) / record.seconds, record.seconds);
    }
  }
  return "{" + rows + "}";
}

std::string measure(const std::string& text, const Communicator& comm, FftwPair* pair) {
  flow::FlowRun flow(text);
  for (int step = 0; step < 3; ++step) {
    flow.solver->step(flow.solver->stable_dt());
  }
  reset_kernel_records();
  const std::int64_t system_allocations = pool_statistics().system_allocations;
  std::vector<double> step_ns, pair_ns, ratio;
  for (int round = 0; round < rounds; ++round) {
    if (pair != nullptr) {
      const int threads = omp_get_max_threads();
      omp_set_num_threads(2);
      pair_ns.push_back(std::min(pair->ns_per_cell(), pair->ns_per_cell()));
      omp_set_num_threads(threads);
    } else {
      pair_ns.push_back(0.0);
    }
    wait_asleep(comm);
    const double seconds = seconds_of([&] {
      for (int step = 0; step < steps_per_round; ++step) {
        flow.solver->step(flow.solver->stable_dt());
      }
      comm.barrier();
    });
    step_ns.push_back(1e9 * seconds / (steps_per_round * static_cast<double>(flow.solver->items())));
    ratio.push_back(step_ns.back() / pair_ns.back());
  }
  return fmt::format(
      "{{\"ns_per_cell_step\": {:.3f}, \"ns_per_cell_step_min\": {:.3f}, \"fftw_pair_ns_per_cell\": {:.3f}, "
      "\"fftw_pair_ns_per_cell_min\": {:.3f}, \"R\": {:.3f}, \"allocations_in_steps\": {}, \"kernels\": {}}}",
      median(step_ns), *std::min_element(step_ns.begin(), step_ns.end()), median(pair_ns),
      *std::min_element(pair_ns.begin(), pair_ns.end()), median(ratio),
      pool_statistics().system_allocations - system_allocations, kernel_table());
}

double bytes_per_cell_256(const Communicator& comm) {
  const std::int64_t before = pool_statistics().bytes_in_use;
  flow::FlowRun flow(taylor_green, {"domain.cells=[256,256,256]", "initial.u=\"sin(x)\"", "initial.v=\"0\""});
  flow.solver->step(flow.solver->stable_dt());
  const std::int64_t bytes = comm.sum(pool_statistics().bytes_in_use - before);
  return static_cast<double>(bytes) / (256.0 * 256.0 * 256.0);
}

}  // namespace

int main(int argc, char** argv) {
  return run_guarded(argc, argv, [&](MpiSession& session) {
    const Communicator& comm = session.world();
    const bool speaks = comm.rank() == 0;
    std::unique_ptr<FftwPair> pair;
    if (speaks) {
      pair = std::make_unique<FftwPair>();
    }
    wait_asleep(comm);
    const std::string green = measure(taylor_green, comm, pair.get());
    const std::string wall = measure(channel, comm, pair.get());
    const double bytes = bytes_per_cell_256(comm);
    Queue queue;
    const double bandwidth = measure_copy_bandwidth(queue);
    wait_asleep(comm);
    const double over_hand_written = speaks ? bench::loop_ratio() : 0.0;
    wait_asleep(comm);
    if (speaks) {
      const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
      std::FILE* const out = to_file ? std::fopen(argv[2], "w") : stdout;
      if (out == nullptr) {
        throw Error(std::string("cannot write ") + argv[2]);
      }
      fmt::print(out,
                 "{{\"ranks\": {}, \"threads\": {}, \"taylor_green_128\": {}, \"channel_128\": {}, "
                 "\"bytes_per_cell_256\": {:.2f}, "
                 "\"copy_gb_per_s_per_rank\": {:.2f}, \"parallel_for_over_hand_written\": {:.3f}}}\n",
                 comm.size(), session.threads(), green, wall, bytes, 1e-9 * bandwidth, over_hand_written);
      if (to_file && std::fclose(out) != 0) {
        throw Error(std::string("cannot write ") + argv[2]);
      }
    }
    return 0;
  });
}
