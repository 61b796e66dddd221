#pragma once
#include <string>

namespace halyard {

enum class Device { host, cuda };

/// Where work runs and in which order: the host (work is done when the call returns) or one CUDA stream.
class Queue {
 public:
  /// @throws Error when `device` is cuda and the build or the machine has none.
  explicit Queue(Device device = Device::host);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  Device device() const { return device_; }
  void* stream() const { return stream_; }  // cudaStream_t; null on the host
  /// Returns when all work given to this queue is done.
  void wait();

 private:
  Device device_;
  void* stream_ = nullptr;
};

/// What `--device auto|host|cuda` comes to on this machine. `reason` is one sentence for the log when auto chose the
/// host.
struct DeviceChoice {
  Device device = Device::host;
  std::string name;    // "Intel Xeon ... (OpenMP)" or "NVIDIA H200"
  std::string reason;  // empty when there is nothing to say
};

/// Chooses and binds the device: `local_rank` picks the GPU on nodes with several.
/// @throws Error for "cuda" where the build has no CUDA or the machine has no usable GPU, and for an unknown word.
DeviceChoice choose_device(const std::string& word, int local_rank);

/// The host's processor name as the kernel reports it.
std::string host_name_of_cpu();

/// Stops with a sentence instead of SIGILL where the processor lacks what the build was compiled for.
/// @throws Error naming the build option HALYARD_CPU, the instruction set needed and the processor found.
void check_host_instruction_set();

/// The instruction set the host code was compiled for ("native" names the widest one in use).
std::string host_instruction_set();

}  // namespace halyard
