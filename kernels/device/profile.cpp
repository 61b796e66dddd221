#include "kernels/device/profile.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>

#include "kernels/device/buffer.hpp"
#include "kernels/device/cuda/runtime.hpp"

namespace halyard {

namespace {
std::deque<KernelRecord>& records() {
  static std::deque<KernelRecord> all;  // a deque: references stay valid
  return all;
}
}  // namespace

KernelRecord& kernel_record(const std::string& name, Cost cost) {
  for (KernelRecord& record : records()) {
    if (record.name == name) {
      return record;
    }
  }
  return records().emplace_back(KernelRecord{.name = name, .cost = cost});
}

std::vector<KernelRecord> kernel_records() { return {records().begin(), records().end()}; }

void reset_kernel_records() {
  for (KernelRecord& record : records()) {
    record.calls = record.items = 0;
    record.seconds = 0.0;
  }
}

std::string kernel_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                         &std::free);
  const std::string name = status == 0 ? text.get() : mangled;
  std::string plain;  // without template arguments
  int depth = 0;
  for (const char letter : name) {
    depth += letter == '<' ? 1 : 0;
    if (depth == 0) {
      plain += letter;
    }
    depth -= letter == '>' ? 1 : 0;
  }
  const auto colon = plain.rfind("::");
  return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

double measure_copy_bandwidth(Queue& queue) {
  constexpr std::size_t count = std::size_t{1} << 23;  // 64 MiB each way
  constexpr int repeats = 4;
#ifdef HALYARD_CUDA
  if (queue.device() == Device::cuda) {
    const Buffer<double> from(queue, count, "bandwidth test");
    Buffer<double> to(queue, count, "bandwidth test");
    const double seconds = cuda::seconds_of_copies(queue.stream(), to.data(), from.data(), to.bytes(), repeats);
    return 2.0 * repeats * static_cast<double>(to.bytes()) / seconds;
  }
#endif
  (void)queue;
  // Not from the pool, which would keep it for the rest of the run.
  const std::unique_ptr<double[]> from(new double[count]), to(new double[count]);
  const double* const source = from.get();
  double* const target = to.get();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = to[i] = 0.0;  // pages lie where they will be used
  }
  double best = 0.0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      target[i] = source[i];
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2.0 * sizeof(double) * count / seconds);
  }
  return best;
}

}  // namespace halyard
