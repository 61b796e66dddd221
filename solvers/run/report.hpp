#pragma once
#include <string>
#include <vector>

#include "io/results/json.hpp"
#include "kernels/device/profile.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard {

/// Wall-clock seconds of a run by what they went to.
struct Phases {
  double setup = 0.0, step = 0.0, history = 0.0, output = 0.0, checkpoint = 0.0, health = 0.0;
  /// The loop's share: all but setup.
  double loop() const { return step + history + output + checkpoint + health; }
};

/// Adds the time of its scope to a phase.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

/// One kernel over all ranks.
struct KernelTotal {
  std::string name;
  Cost cost;
  std::int64_t calls = 0;    // of the rank that called it most
  std::int64_t items = 0;    // sum over ranks
  double seconds = 0.0;      // mean over all ranks
  double seconds_max = 0.0;  // of the slowest rank

  /// All ranks together, by the bytes declared.
  double bytes_per_second() const { return seconds > 0.0 ? cost.bytes * static_cast<double>(items) / seconds : 0.0; }
};

/// The kernel records of all ranks, joined by name in the order of their time, on rank 0; empty on the others.
/// Collective. A kernel need not have run on every rank.
std::vector<KernelTotal> gather_kernels(const Communicator& communicator, const std::vector<KernelRecord>& records);

/// A table: name, calls, time, share of the step time, ns per item, GB/s, share of the copy bandwidth [bytes/s, all
/// ranks; 0: not measured].
std::string kernel_table(const std::vector<KernelTotal>& kernels, double step_seconds, double copy_bandwidth);
Json kernel_json(const std::vector<KernelTotal>& kernels, double copy_bandwidth);

std::string phase_table(const Phases& phases);
Json phase_json(const Phases& phases);

}  // namespace halyard
