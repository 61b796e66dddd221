#include "kernels/device/buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "kernels/device/cuda/runtime.hpp"

namespace halyard {

namespace {

constexpr std::size_t small_page = 4096, huge_page = std::size_t{2} << 20;

// No machine has more; sizes up to here can be rounded up without overflow.
constexpr std::size_t most_bytes = std::size_t{1} << 62;

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = bytes >= huge_page ? std::size_t{64} << 10 : small_page;
  return std::max(unit, (bytes + unit - 1) / unit * unit);
}

/// HALYARD_POOL=pass: buffers on a device come from the CUDA runtime and go back to it one by one, so that tools that
/// watch allocations (compute-sanitizer, the emulated device of the tests) see where each ends.
bool passes_through(MemoryKind kind) {
  static const char* const word = std::getenv("HALYARD_POOL");
  static const bool pass = word != nullptr && std::string(word) == "pass";
  return pass && kind != MemoryKind::host;
}

/// Bytes of the piece of memory that a buffer of `bytes` is given.
std::size_t piece_size(MemoryKind kind, std::size_t bytes) {
  return passes_through(kind) ? std::max<std::size_t>(bytes, 1) : rounded(bytes);
}

// Arrays of one size would all begin at the same place in a page. A loop that writes one and reads the next would wait
// at each load for a store that only looks like the load's own: processors compare the last 12 bits of addresses first.
// So each begins a few cache lines further than the one before.
constexpr std::size_t stagger = 256, places = small_page / stagger;

struct Pool {
  std::mutex mutex;
  std::size_t next_place = 0;
  std::multimap<std::pair<MemoryKind, std::size_t>, void*> kept;
  PoolStatistics statistics;
};

Pool& pool() {
  static Pool* instance = new Pool;  // never destroyed: buffers may outlive static destruction
  return *instance;
}

void* take_from_system(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::host) {
    // Huge pages: a first touch costs one fault for 2 MiB instead of 512.
    const std::size_t alignment = bytes >= huge_page ? huge_page : small_page;
    const std::size_t room = bytes + small_page;
    void* data = std::aligned_alloc(alignment, (room + alignment - 1) / alignment * alignment);
    if (data == nullptr) {
      return nullptr;
    }
    if (bytes >= huge_page) {
      madvise(data, bytes, MADV_HUGEPAGE);
    }
    return static_cast<char*>(data) + stagger * (pool().next_place++ % places);
  }
#ifdef HALYARD_CUDA
  return cuda::allocate(static_cast<int>(kind), bytes);
#else
  throw Error("device memory asked for in a build without CUDA");
#endif
}

void give_to_system(MemoryKind kind, void* data) {
  if (kind == MemoryKind::host) {
    std::free(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) / small_page * small_page));
    return;
  }
#ifdef HALYARD_CUDA
  cuda::release(static_cast<int>(kind), data);
#endif
}

/// Gives back what is kept: memory in pieces of other sizes may be all that is missing.
void release_kept(MemoryKind kind) {
  for (auto piece = pool().kept.begin(); piece != pool().kept.end();) {
    if (piece->first.first == kind) {
      give_to_system(kind, piece->second);
      piece = pool().kept.erase(piece);
    } else {
      ++piece;
    }
  }
}

std::string free_memory(MemoryKind kind) {
#ifdef HALYARD_CUDA
  if (kind == MemoryKind::device) {
    return std::to_string(cuda::free_bytes()) + " bytes are free on the GPU";
  }
#endif
  (void)kind;
  return "the system gives no more";
}

}  // namespace

PoolStatistics pool_statistics() {
  const std::lock_guard lock(pool().mutex);
  return pool().statistics;
}

namespace detail {

void* pool_take(MemoryKind kind, std::size_t bytes, const std::string& name) {
  const std::size_t size = piece_size(kind, std::min(bytes, most_bytes));
  const std::lock_guard lock(pool().mutex);
  PoolStatistics& statistics = pool().statistics;
  ++statistics.requests;
  void* data = nullptr;
  if (const auto found = pool().kept.find({kind, size}); found != pool().kept.end()) {
    data = found->second;
    pool().kept.erase(found);
  } else if (bytes < most_bytes) {
    ++statistics.system_allocations;
    data = take_from_system(kind, size);
    if (data == nullptr) {
      release_kept(kind);
      data = take_from_system(kind, size);
    }
  }
  if (data == nullptr) {
    throw Error("out of memory for " + name + ": " + std::to_string(bytes) + " bytes wanted, " + free_memory(kind));
  }
  statistics.bytes_in_use += static_cast<std::int64_t>(size);
  statistics.bytes_peak = std::max(statistics.bytes_peak, statistics.bytes_in_use);
  return data;
}

void pool_give(MemoryKind kind, void* data, std::size_t bytes) noexcept {
  const std::size_t size = piece_size(kind, bytes);
  const std::lock_guard lock(pool().mutex);
  if (passes_through(kind)) {
    give_to_system(kind, data);
  } else {
    pool().kept.emplace(std::pair{kind, size}, data);
  }
  pool().statistics.bytes_in_use -= static_cast<std::int64_t>(size);
}

void set_zero(Queue& queue, MemoryKind kind, void* data, std::size_t bytes) {
  if (kind == MemoryKind::host || kind == MemoryKind::pinned) {
#pragma omp parallel for schedule(static)
    for (std::int64_t part = 0; part < 64; ++part) {
      const std::size_t begin = bytes / 64 * part, end = part == 63 ? bytes : bytes / 64 * (part + 1);
      std::memset(static_cast<char*>(data) + begin, 0, end - begin);
    }
    return;
  }
#ifdef HALYARD_CUDA
  cuda::set_zero(queue.stream(), data, bytes);
#else
  (void)queue;
#endif
}

}  // namespace detail

void copy_bytes(Queue& queue, void* to, const void* from, std::size_t bytes) {
#ifdef HALYARD_CUDA
  if (queue.device() == Device::cuda) {
    cuda::copy(queue.stream(), to, from, bytes);
    return;
  }
#endif
  (void)queue;
  if (bytes > 0) {  // memcpy takes no null pointer, not even for nothing
    std::memcpy(to, from, bytes);
  }
}

}  // namespace halyard
