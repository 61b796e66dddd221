#include "kernels/device/queue.hpp"

#include <fstream>

#include "kernels/device/cuda/runtime.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

Queue::Queue(Device device) : device_(device) {
#ifdef HALYARD_CUDA
  if (device_ == Device::cuda) {
    stream_ = cuda::create_stream();
  }
#else
  if (device_ == Device::cuda) {
    throw Error("this build has no CUDA; build the preset 'cuda'");
  }
#endif
}

Queue::~Queue() {
#ifdef HALYARD_CUDA
  if (stream_ != nullptr) {
    cuda::destroy_stream(stream_);
  }
#endif
}

void Queue::wait() {
#ifdef HALYARD_CUDA
  if (device_ == Device::cuda) {
    cuda::wait_stream(stream_);
  }
#endif
}

std::string host_name_of_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      return colon == std::string::npos ? line : line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

DeviceChoice choose_device(const std::string& word, [[maybe_unused]] int local_rank) {
  const DeviceChoice host{Device::host, host_name_of_cpu(), ""};
  if (word == "host") {
    return host;
  }
  if (word != "auto" && word != "cuda") {
    throw Error("--device " + word + ": allowed are auto, host, cuda");
  }
#ifdef HALYARD_CUDA
  if (cuda::device_count() > 0) {
    return {Device::cuda, cuda::bind_device(local_rank), ""};
  }
  const std::string reason = "no usable GPU (" + cuda::device_count_failure() + ")";
#else
  const std::string reason = "this build has no CUDA (preset 'cuda' has)";
#endif
  if (word == "cuda") {
    throw Error("--device cuda: " + reason + "; allowed here: auto, host");
  }
  DeviceChoice choice = host;
  choice.reason = "running on the host: " + reason;
  return choice;
}

std::string host_instruction_set() {
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
  return "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__)
  return "x86-64-v3";
#else
  return "baseline";
#endif
}

void check_host_instruction_set() {
#if defined(__x86_64__)
  // What the compiler was told that it may use (-march=native may go beyond the named levels) and this processor lacks.
  std::string missing;
#define HALYARD_NEEDS(feature) missing += __builtin_cpu_supports(feature) != 0 ? "" : " " feature
#ifdef __AVX2__
  HALYARD_NEEDS("avx2");
  HALYARD_NEEDS("fma");
  HALYARD_NEEDS("bmi2");
#endif
#ifdef __AVX512F__
  HALYARD_NEEDS("avx512f");
#endif
#ifdef __AVX512DQ__
  HALYARD_NEEDS("avx512dq");
#endif
#ifdef __AVX512VL__
  HALYARD_NEEDS("avx512vl");
#endif
#ifdef __AVX512BW__
  HALYARD_NEEDS("avx512bw");
#endif
#ifdef __AVX512IFMA__
  HALYARD_NEEDS("avx512ifma");
#endif
#ifdef __AVX512VBMI__
  HALYARD_NEEDS("avx512vbmi");
#endif
#ifdef __AVX512VBMI2__
  HALYARD_NEEDS("avx512vbmi2");
#endif
#ifdef __AVX512VPOPCNTDQ__
  HALYARD_NEEDS("avx512vpopcntdq");
#endif
#ifdef __GFNI__
  HALYARD_NEEDS("gfni");
#endif
#undef HALYARD_NEEDS
  if (!missing.empty()) {
    throw Error("this build (" + host_instruction_set() + ") needs the instructions" + missing + ", which " +
                host_name_of_cpu() + " does not have; rebuild on this machine, or with -DHALYARD_CPU=" +
                (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? "x86-64-v3" : "x86-64"));
  }
#endif
}

}  // namespace halyard
