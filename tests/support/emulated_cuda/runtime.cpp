// Devices, memory calls, copies and launches; settings and counters.
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/emulated_cuda/machine.hpp"

namespace halyard::emulated {

namespace {

cudaError_t last_error = cudaSuccess;
std::int64_t device_allocations = 0;  // since restart(), for Settings::failing_allocation
int device_in_use = 0;

cudaError_t refuse(cudaError_t error) {
  last_error = error;
  return error;
}

// Before main(): the project's pool hands each allocation through, unless the test says otherwise.
const int pool_passes = setenv("HALYARD_POOL", "pass", 0);

Settings settings_from_environment() {
  Settings s;
  const char* const text = std::getenv("HALYARD_EMULATED_CUDA");
  std::string left = text == nullptr ? "" : text;
  while (!left.empty()) {
    const std::string item = left.substr(0, left.find(','));
    left.erase(0, item.size() + 1);
    const auto equals = item.find('=');
    const std::string key = item.substr(0, equals), value = equals == std::string::npos ? "" : item.substr(equals + 1);
    const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (key == "mpi" && (value == "device" || value == "host")) {
      s.mpi_takes_device_pointers = value == "device";
    } else if (key == "seed" && number) {
      s.seed = std::stoull(value);
    } else if (key == "devices" && number) {
      s.devices = std::stoi(value);
    } else if (key == "memory" && number) {
      s.memory = std::stoull(value);
    } else if (key == "fail" && number) {
      s.failing_allocation = std::stoll(value);
    } else {
      fail("HALYARD_EMULATED_CUDA: \"" + item +
           "\"; allowed are seed=N, devices=N, memory=BYTES, fail=N, mpi=device|host");
    }
  }
  return s;
}

std::map<std::string, std::int64_t>& all_counts() {
  static auto* instance = new std::map<std::string, std::int64_t>;
  return *instance;
}

/// The device has these bytes to give, or the call fails.
bool room_for(std::size_t bytes) {
  ++device_allocations;
  return device_allocations != settings().failing_allocation &&
         bytes <= settings().memory - std::min(settings().memory, device_bytes(device_in_use));
}

/// Where a copy begins or ends.
struct Place {
  const Allocation* allocation;  // null: memory of the host that the device cannot reach
  bool on_device() const { return allocation != nullptr && allocation->kind == Kind::device; }
};

/// @returns false where the bytes do not lie in one allocation in use.
bool locate(const void* data, std::size_t bytes, Place& place) {
  place.allocation = find(data);
  if (place.allocation == nullptr) {
    return true;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const Allocation& a = *place.allocation;
  return a.freed_at == 0 && begin >= a.begin && begin + bytes <= a.begin + a.bytes;
}

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : mangled;
}

}  // namespace

void restart_order();
void settle_freed();

void fail(const std::string& sentence) {
  std::fprintf(stderr, "emulated CUDA: %s\n", sentence.c_str());
  std::abort();
}

Settings& settings() {
  static auto* instance = new Settings(settings_from_environment());
  return *instance;
}

void restart() {
  device_allocations = 0;
  restart_order();
}

void count_call(const char* name, std::int64_t more) { all_counts()[name] += more; }
const std::map<std::string, std::int64_t>& counts() { return all_counts(); }
std::int64_t count(const std::string& name) {
  const auto found = all_counts().find(name);
  return found == all_counts().end() ? 0 : found->second;
}
void reset_counts() { all_counts().clear(); }

int current_device() { return device_in_use; }

void check_argument(const std::type_info& kernel, const void* argument, std::size_t bytes) {
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(argument) + at, 8);
    if (is_host_memory(word)) {
      fail("kernel " + readable(kernel.name()) + ": an argument holds at byte " + std::to_string(at) +
           " the address of memory of the host, which the device cannot reach");
    }
  }
}

void enqueue(cudaStream_t stream, const Grid& grid, const std::type_info& kernel, std::size_t argument_bytes) {
  count_call("kernel");
  const dim3 g = grid.grid, b = grid.block;
  const std::uint64_t threads = std::uint64_t{b.x} * b.y * b.z;
  if (threads == 0 || threads > 1024 || b.z > 64 || g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffffU ||
      g.y > 65535 || g.z > 65535) {
    last_error = cudaErrorInvalidConfiguration;
    return;
  }
  constexpr std::size_t most_argument_bytes = 4096;
  if (argument_bytes > most_argument_bytes) {
    fail("kernel " + readable(kernel.name()) + ": " + std::to_string(argument_bytes) +
         " bytes of arguments, where all GPUs take 4096");
  }
  enqueue(stream, readable(kernel.name()), [grid] { run_grid(grid); });
}

}  // namespace halyard::emulated

using namespace halyard::emulated;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int* count) {
  count_call("cudaGetDeviceCount");
  *count = settings().devices;
  return *count > 0 ? cudaSuccess : refuse(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  count_call("cudaSetDevice");
  if (device < 0 || device >= settings().devices) {
    return refuse(cudaErrorInvalidDevice);
  }
  device_in_use = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  count_call("cudaGetDeviceProperties");
  if (device < 0 || device >= settings().devices) {
    return refuse(cudaErrorInvalidDevice);
  }
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "emulated device %d (this processor; for tests)", device);
  properties->totalGlobalMem = settings().memory;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  count_call("cudaMemGetInfo");
  *total = settings().memory;
  *free = *total - std::min(*total, device_bytes(device_in_use));
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  count_call("cudaMalloc");
  *data = room_for(bytes) ? allocate(Kind::device, device_in_use, bytes) : nullptr;
  return *data != nullptr ? cudaSuccess : refuse(cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  count_call("cudaMallocHost");
  *data = allocate(Kind::pinned, device_in_use, bytes);
  return *data != nullptr ? cudaSuccess : refuse(cudaErrorMemoryAllocation);
}

// The host may touch it at any time, also while the device works (concurrentManagedAccess); it may be larger than the
// device's memory.
cudaError_t cudaMallocManaged(void** data, std::size_t bytes) {
  count_call("cudaMallocManaged");
  *data = allocate(Kind::managed, device_in_use, bytes);
  return *data != nullptr ? cudaSuccess : refuse(cudaErrorMemoryAllocation);
}

// The real calls wait for the device; here work that was given before may go on to use the memory, and what comes later
// may not: a pool gives memory back in the same way.
cudaError_t cudaFree(void* data) {
  count_call("cudaFree");
  if (data != nullptr && !release(data, Kind::device, next_work())) {
    return refuse(cudaErrorInvalidValue);
  }
  settle_freed();
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* data) {
  count_call("cudaFreeHost");
  if (data != nullptr && !release(data, Kind::pinned, next_work())) {
    return refuse(cudaErrorInvalidValue);
  }
  settle_freed();
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  count_call("cudaMemsetAsync");
  Place place{};
  if (!locate(data, bytes, place) || (place.allocation == nullptr && bytes > 0)) {
    return refuse(cudaErrorInvalidValue);
  }
  enqueue(stream, "cudaMemsetAsync", [=] {
    if (bytes > 0) {
      std::memset(data, value, bytes);
    }
  });
  return cudaSuccess;
}

// Memory of the host that is not pinned: what is read from it is read now, and the call that writes to it returns when
// that is done ("API synchronization behavior" in NVIDIA's reference).
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  count_call("cudaMemcpyAsync");
  Place target{}, source{};
  if (kind != cudaMemcpyDefault || !locate(to, bytes, target) || !locate(from, bytes, source)) {
    return refuse(cudaErrorInvalidValue);
  }
  const auto amount = static_cast<std::int64_t>(bytes);
  count_call(target.on_device()   ? (source.on_device() ? "bytes on device" : "bytes to device")
             : source.on_device() ? "bytes to host"
                                  : "bytes on host",
             amount);
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (source.allocation == nullptr) {
    const auto* const begin = static_cast<const char*>(from);
    const auto copy = std::make_shared<const std::vector<char>>(begin, begin + bytes);
    enqueue(stream, "cudaMemcpyAsync", [=] { std::memcpy(to, copy->data(), bytes); });
  } else {
    enqueue(stream, "cudaMemcpyAsync", [=] { std::memmove(to, from, bytes); });
  }
  if (target.allocation == nullptr) {
    count_call("host waits");
    run_all(stream);
  }
  return cudaSuccess;
}
