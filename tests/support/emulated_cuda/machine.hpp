#pragma once
// Inside of the emulated device: memory, streams, threads. One host thread drives it.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/support/emulated_cuda/emulated.hpp"

namespace halyard::emulated {

/// Tells what a GPU would not forgive, and aborts.
[[noreturn]] void fail(const std::string& sentence);
void count_call(const char* name, std::int64_t more = 1);
/// A random number below `bound`, from the seed.
std::uint64_t random_below(std::uint64_t bound);

// --- memory.cpp
enum class Kind { device, pinned, managed };

struct Allocation {
  std::uintptr_t base, end;     // of the pages that may be open; a closed page lies before and behind
  std::uintptr_t begin, bytes;  // what was asked for: as near to `end` as alignment to 16 bytes allows
  Kind kind;
  int device;
  std::int64_t number;     // from 1
  std::uint64_t freed_at;  // 0: in use; else work with a lower number may still touch it
};

void* allocate(Kind kind, int device, std::size_t bytes);  // null when the system has no more
/// False where `data` is not the begin of an allocation in use. Work that was given before may still use it.
bool release(void* data, Kind kind, std::uint64_t next_work);
/// The allocation whose pages or guard pages hold the address, freed ones included; null for other memory.
const Allocation* find(const void* address);
bool is_device_memory(const void* address);
std::size_t device_bytes(int device);  // in use
/// The memory of one device can be touched until close_memory().
void open_memory(int device);
void close_memory();
/// Closes freed memory that only work with a number below `oldest` could touch.
void close_freed(std::uint64_t oldest);
/// Finds what was written beside an allocation; called when device work has run.
void check_canaries();
std::string describe(const Allocation& allocation);
/// Any mapped memory that no device can reach.
bool is_host_memory(std::uint64_t word);

// --- threads.cpp
void run_grid(const Grid& grid);

// --- streams.cpp
void enqueue(cudaStream_t stream, std::string name, std::function<void()> run);
/// The number that the next work will get.
std::uint64_t next_work();
/// Runs work, of this stream and others, until this one has none left.
void run_all(cudaStream_t stream);
/// Name of the work that runs, for messages; empty when none does.
const std::string& running();

// --- runtime.cpp
int current_device();

}  // namespace halyard::emulated

struct CUstream_st;
