// Allocations in pages of their own between closed ones. Device memory is open only while device work runs.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/emulated_cuda/machine.hpp"

namespace halyard::emulated {

namespace {

constexpr std::uintptr_t page = 4096, guard = 16 * page, alignment = 16, front_checked = 256;
constexpr unsigned char canary = 0xc3;
// A quiet NaN as a double, two NaNs as floats, far from any index as an integer.
constexpr std::uint64_t nan_pattern = 0x7ff8dead7ff8deadU;

struct Memory {
  // By the begin of their guard pages. Freed ones stay where work that was given before may touch them; then they are
  // closed, and their addresses are never given out again.
  std::map<std::uintptr_t, Allocation> in_reach, closed;
  int open = -1;  // the device whose memory is open
  std::int64_t made = 0;
  std::int64_t freed = 0;  // of those in reach
};
Memory& memory() {
  static Memory* instance = new Memory;  // never destroyed: buffers may outlive static destruction
  return *instance;
}

char* pointer(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

void protect(const Allocation& a, bool open) {
  if (mprotect(pointer(a.base), a.end - a.base, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) {
    fail("mprotect failed");
  }
}

/// Where the address lies, for someone who looks for the mistake.
std::string place(const Allocation& a, std::uintptr_t address) {
  if (address < a.begin) {
    return std::to_string(a.begin - address) + " bytes before the begin of " + describe(a);
  }
  if (address >= a.begin + a.bytes) {
    return std::to_string(address - (a.begin + a.bytes)) + " bytes behind the end of " + describe(a);
  }
  return "byte " + std::to_string(address - a.begin) + " of " + describe(a);
}

void on_fault(int signal, siginfo_t* info, void*) {
  const auto* const address = static_cast<const char*>(info->si_addr);
  const Allocation* const a = find(address);
  if (a == nullptr) {
    std::signal(signal, SIG_DFL);  // not ours: the fault comes again
    return;
  }
  const std::string where = place(*a, reinterpret_cast<std::uintptr_t>(address));
  if (!running().empty()) {
    fail("device work " + running() + " touches " + where);
  }
  fail("host code touches " + where);
}

void watch_faults() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

void check_canary(const Allocation& a) {
  const auto intact = [&](std::uintptr_t from, std::uintptr_t to, const char* side) {
    for (std::uintptr_t at = from; at < to; ++at) {
      if (static_cast<unsigned char>(*pointer(at)) != canary) {
        fail("something was written to " + place(a, at) + " (found " + side + " it)");
      }
    }
  };
  intact(a.base + front_checked < a.begin ? a.begin - front_checked : a.base, a.begin, "before");
  intact(a.begin + a.bytes, a.end, "behind");
}

}  // namespace

std::string describe(const Allocation& a) {
  const char* const kind = a.kind == Kind::device ? "device" : a.kind == Kind::pinned ? "pinned" : "managed";
  return std::string(a.freed_at != 0 ? "freed " : "") + kind + " memory (allocation " + std::to_string(a.number) +
         " of the run, " + std::to_string(a.bytes) + " bytes)";
}

void* allocate(Kind kind, int device, std::size_t bytes) {
  static const bool watched = [] {
    watch_faults();
    return true;
  }();
  (void)watched;
  const std::uintptr_t padded = (bytes + alignment - 1) / alignment * alignment;
  const std::uintptr_t pages = (padded + page - 1) / page * page;
  void* const mapping = mmap(nullptr, pages + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return nullptr;
  }
  const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(mapping) + guard;
  const Allocation a{base, base + pages, base + pages - padded, bytes, kind, device, ++memory().made, 0};
  protect(a, true);
  std::memset(pointer(a.base), canary, a.begin - a.base);
  for (std::uintptr_t at = a.begin; at + 8 <= a.end; at += 8) {
    std::memcpy(pointer(at), &nan_pattern, 8);
  }
  std::memset(pointer(a.begin + a.bytes), canary, a.end - (a.begin + a.bytes));
  memory().in_reach.emplace(base - guard, a);
  if (kind == Kind::device && memory().open != device) {
    protect(a, false);
  }
  return pointer(a.begin);
}

bool release(void* data, Kind kind, std::uint64_t next_work) {
  const Allocation* const found = find(data);
  if (found == nullptr || found->begin != reinterpret_cast<std::uintptr_t>(data) || found->freed_at != 0 ||
      (found->kind == Kind::pinned) != (kind == Kind::pinned)) {
    return false;
  }
  Allocation& a = memory().in_reach.at(found->base - guard);
  if (a.kind == Kind::device && memory().open != a.device) {
    protect(a, true);
    check_canary(a);
    protect(a, false);
  } else {
    check_canary(a);
  }
  a.freed_at = next_work;
  ++memory().freed;
  return true;
}

const Allocation* find(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const auto* set : {&memory().in_reach, &memory().closed}) {
    const auto next = set->upper_bound(at);
    if (next != set->begin() && at < std::prev(next)->second.end + guard) {
      return &std::prev(next)->second;
    }
  }
  return nullptr;
}

bool is_device_memory(const void* address) {
  const Allocation* const a = find(address);
  return a != nullptr && a->kind == Kind::device;
}

std::size_t device_bytes(int device) {
  std::size_t bytes = 0;
  for (const auto& [begin, a] : memory().in_reach) {
    bytes += a.kind == Kind::device && a.device == device && a.freed_at == 0 ? a.bytes : 0;
  }
  return bytes;
}

void open_memory(int device) {
  if (memory().open == device) {
    return;
  }
  close_memory();
  memory().open = device;
  for (const auto& [begin, a] : memory().in_reach) {
    if (a.kind == Kind::device && a.device == device) {
      protect(a, true);
    }
  }
}

void close_memory() {
  for (const auto& [begin, a] : memory().in_reach) {
    if (a.kind == Kind::device && a.device == memory().open) {
      protect(a, false);
    }
  }
  memory().open = -1;
}

void close_freed(std::uint64_t oldest) {
  if (memory().freed == 0) {
    return;
  }
  for (auto at = memory().in_reach.begin(); at != memory().in_reach.end();) {
    const Allocation a = at->second;
    if (a.freed_at == 0 || a.freed_at > oldest) {
      ++at;
      continue;
    }
    protect(a, false);
    madvise(pointer(a.base), a.end - a.base, MADV_DONTNEED);
    memory().closed.emplace(*at);
    at = memory().in_reach.erase(at);
    --memory().freed;
  }
}

void check_canaries() {
  for (const auto& [begin, a] : memory().in_reach) {
    if ((a.kind != Kind::device || a.device == memory().open)) {
      check_canary(a);
    }
  }
}

bool is_host_memory(std::uint64_t word) {
  constexpr std::uint64_t lowest = 0x10000, highest = 0x7fffffffffffU;
  if (word < lowest || word > highest || find(reinterpret_cast<const void*>(word)) != nullptr) {
    return false;
  }
  unsigned char resident = 0;
  return mincore(pointer(word / page * page), page, &resident) == 0;
}

}  // namespace halyard::emulated
