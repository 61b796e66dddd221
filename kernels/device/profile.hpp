#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/queue.hpp"

namespace halyard {

/// What an algorithm must move and compute for one item of a kernel: the floor against which its time is read.
struct Cost {
  double bytes = 0.0;
  double flops = 0.0;
};

/// The account of one kernel: filled by the execution layer and by hand-timed regions (transforms, exchanges).
struct KernelRecord {
  std::string name;
  Cost cost;  // per item
  std::int64_t calls = 0;
  std::int64_t items = 0;
  double seconds = 0.0;  // wall time of the host thread that issued the work
};

/// The record of that name, made at the first call and valid until the program ends.
KernelRecord& kernel_record(const std::string& name, Cost cost);
/// All records in the order in which they were made.
std::vector<KernelRecord> kernel_records();
void reset_kernel_records();

/// Adds the time of its scope, one call and `items` to a record.
class KernelTimer {
 public:
  KernelTimer(KernelRecord& record, std::int64_t items)
      : record_(record), items_(items), start_(std::chrono::steady_clock::now()) {}
  ~KernelTimer() {
    record_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    record_.items += items_;
    ++record_.calls;
  }
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

 private:
  KernelRecord& record_;
  std::int64_t items_;
  std::chrono::steady_clock::time_point start_;
};

/// The unqualified type name of a kernel struct, for profiles and tables.
std::string kernel_name(const char* mangled);

/// Bytes per second (read plus written) of a large copy on this device by all its threads: the roof of the end report.
/// Takes about 0.1 s.
double measure_copy_bandwidth(Queue& queue);

}  // namespace halyard
