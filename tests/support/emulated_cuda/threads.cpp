// The threads of a grid, one at a time. A thread runs on a stack of its own only so that it can wait for the other
// lanes of its warp: the thread after one that has ended goes on on the same stack.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/emulated_cuda/machine.hpp"

dim3 gridDim, blockDim, blockIdx, threadIdx;

#ifndef __x86_64__
#error "the emulated device changes stacks on x86-64 only"
#endif
// Saves the registers that a function must keep and the stack's end at *from, goes on from `to` (System V ABI).
extern "C" void halyard_emulated_switch(void** from, void* to);
asm(R"(
  .text
  .globl halyard_emulated_switch
  .type halyard_emulated_switch, @function
halyard_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size halyard_emulated_switch, .-halyard_emulated_switch
)");

namespace halyard::emulated {

namespace {

constexpr unsigned warp = 32;
constexpr std::size_t stack_bytes = 64 * 1024;

enum class Wish { none, shuffle, ballot };

struct Thread {
  Wish wish = Wish::none;  // what it waits for
  unsigned mask = 0, distance = 0;
  unsigned long long bits = 0;  // what it brings, then what it gets
  bool ended = false;
  int stack = -1;  // where it waits
};

struct Stack {
  std::unique_ptr<unsigned char[]> memory;
  void* top = nullptr;  // where it goes on
};

/// The block that runs.
struct Block {
  const Grid* grid = nullptr;
  std::vector<dim3> places;     // of the threads, by number
  std::vector<Thread> threads;  // kept up from the first wait in the block on
  bool waits = false;
  // Threads are started in turn, forwards or backwards, from any one on.
  unsigned size = 0, started = 0, first = 0, current = 0;
  bool backwards = false;
  int stack = 0;  // of the current thread
  void* scheduler = nullptr;
  std::vector<Stack> stacks;
  std::vector<int> free_stacks;

  unsigned in_turn(unsigned n) const {
    if (backwards) {
      return first >= n ? first - n : first + size - n;
    }
    return first + n < size ? first + n : first + n - size;
  }
};
Block block;

/// What a stack does: starts threads until one waits, and goes on when that one has ended.
[[noreturn]] void work(int stack) {
  for (;;) {
    while (block.started < block.size) {
      block.current = block.in_turn(block.started++);
      block.stack = stack;
      threadIdx = block.places[block.current];
      block.grid->thread(block.grid->arguments.get());
      if (block.waits) {
        block.threads[block.current].ended = true;
      }
    }
    block.free_stacks.push_back(stack);
    halyard_emulated_switch(&block.stacks[static_cast<std::size_t>(stack)].top, block.scheduler);
  }
}

/// Where a new stack, the last one, begins.
void enter() { work(static_cast<int>(block.stacks.size()) - 1); }

void go_on(int stack) { halyard_emulated_switch(&block.scheduler, block.stacks[static_cast<std::size_t>(stack)].top); }

/// Goes on with threads that have not been started, on a free stack or a new one.
void start_threads() {
  if (!block.free_stacks.empty()) {
    const int stack = block.free_stacks.back();
    block.free_stacks.pop_back();
    go_on(stack);
    return;
  }
  Stack stack{std::make_unique_for_overwrite<unsigned char[]>(stack_bytes), nullptr};
  const auto end = (reinterpret_cast<std::uintptr_t>(stack.memory.get()) + stack_bytes) / 16 * 16;
  auto* const words = reinterpret_cast<void**>(end) - 8;  // six registers, the address to return to, one for alignment
  std::fill_n(words, 8, nullptr);
  words[6] = reinterpret_cast<void*>(&enter);
  stack.top = words;
  block.stacks.push_back(std::move(stack));
  go_on(static_cast<int>(block.stacks.size()) - 1);
}

[[noreturn]] void lonely(const Thread& thread, unsigned lane, const char* why) {
  fail("kernel " + running() + ": a thread of a warp waits for lane " + std::to_string(lane) + ", which " + why +
       " (mask " + std::to_string(thread.mask) + ")");
}

/// Gives the lanes of a warp what they wait for, where all that are waited for have come. True when it could.
bool serve_warp(unsigned first) {
  const unsigned end = std::min(first + warp, block.size);
  bool served = false;
  for (unsigned at = first; at < end; ++at) {
    if (block.threads[at].wish == Wish::none) {
      continue;
    }
    const Thread leader = block.threads[at];
    if ((leader.mask >> (at - first) & 1U) == 0) {
      lonely(leader, at - first, "is itself and not in its own mask");
    }
    bool complete = true;
    for (unsigned lane = 0; lane < warp; ++lane) {
      if ((leader.mask >> lane & 1U) == 0) {
        continue;
      }
      if (first + lane >= end || block.threads[first + lane].ended) {
        lonely(leader, lane, "does not exist or has ended");
      }
      const Thread& other = block.threads[first + lane];
      if (other.wish == Wish::none) {
        complete = false;
      } else if (other.wish != leader.wish || other.mask != leader.mask) {
        lonely(leader, lane, "waits for something else");
      }
    }
    if (!complete) {
      continue;
    }
    unsigned long long brought[warp] = {};
    unsigned votes = 0;
    for (unsigned lane = 0; lane < warp; ++lane) {
      if ((leader.mask >> lane & 1U) != 0) {
        brought[lane] = block.threads[first + lane].bits;
        votes |= brought[lane] != 0 ? 1U << lane : 0U;
      }
    }
    for (unsigned lane = 0; lane < warp; ++lane) {
      if ((leader.mask >> lane & 1U) == 0) {
        continue;
      }
      Thread& thread = block.threads[first + lane];
      if (thread.wish == Wish::ballot) {
        thread.bits = votes;
      } else if (const unsigned source = lane + thread.distance; source < warp) {
        // From a lane outside the mask: undefined, so nothing that could pass for a result.
        thread.bits = (leader.mask >> source & 1U) != 0 ? brought[source] : 0x7ff8dead7ff8deadU;
      }
      thread.wish = Wish::none;
      served = true;
    }
  }
  return served;
}

void run_block() {
  block.waits = false;
  block.started = 0;
  block.first = static_cast<unsigned>(random_below(block.size));
  block.backwards = random_below(2) == 1;
  while (block.started < block.size) {
    start_threads();
  }
  while (block.waits) {
    bool waiting = false, served = false;
    for (unsigned first = 0; first < block.size; first += warp) {
      const unsigned end = std::min(first + warp, block.size);
      for (unsigned t = first; t < end; ++t) {
        waiting = waiting || !block.threads[t].ended;
      }
      served = serve_warp(first) || served;
      for (unsigned t = first; t < end; ++t) {
        Thread& thread = block.threads[t];
        if (!thread.ended && thread.wish == Wish::none) {
          block.current = t;
          block.stack = thread.stack;
          threadIdx = block.places[t];
          go_on(thread.stack);
        }
      }
    }
    if (!waiting) {
      return;
    }
    if (!served) {
      fail("kernel " + running() + ": the threads of a warp wait for one another for ever");
    }
  }
}

unsigned long long wait_for_lanes(Wish wish, unsigned mask, unsigned long long bits, unsigned distance) {
  const unsigned me = block.current;
  if (!block.waits) {  // those before this one have ended
    block.waits = true;
    std::fill(block.threads.begin(), block.threads.end(), Thread{});
    for (unsigned n = 0; n + 1 < block.started; ++n) {
      block.threads[block.in_turn(n)].ended = true;
    }
  }
  Thread& thread = block.threads[me];
  thread.wish = wish;
  thread.mask = mask;
  thread.bits = bits;
  thread.distance = distance;
  thread.stack = block.stack;
  halyard_emulated_switch(&block.stacks[static_cast<std::size_t>(thread.stack)].top, block.scheduler);
  return thread.bits;
}

}  // namespace

unsigned long long shuffle_down(unsigned mask, unsigned long long bits, unsigned distance) {
  return wait_for_lanes(Wish::shuffle, mask, bits, distance);
}

unsigned ballot(unsigned mask, bool vote) {
  return static_cast<unsigned>(wait_for_lanes(Wish::ballot, mask, vote ? 1 : 0, 0));
}

void run_grid(const Grid& grid) {
  gridDim = grid.grid;
  blockDim = grid.block;
  block.grid = &grid;
  block.size = grid.block.x * grid.block.y * grid.block.z;
  block.threads.resize(block.size);
  block.places.resize(block.size);
  for (unsigned t = 0; t < block.size; ++t) {
    block.places[t] = {t % grid.block.x, t / grid.block.x % grid.block.y, t / (grid.block.x * grid.block.y)};
  }
  std::vector<std::uint64_t> blocks(std::uint64_t{grid.grid.x} * grid.grid.y * grid.grid.z);
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  for (std::size_t b = blocks.size(); b > 1; --b) {
    std::swap(blocks[b - 1], blocks[random_below(b)]);
  }
  for (const std::uint64_t b : blocks) {
    const std::uint64_t plane = std::uint64_t{grid.grid.x} * grid.grid.y;
    blockIdx = {static_cast<unsigned>(b % grid.grid.x), static_cast<unsigned>(b % plane / grid.grid.x),
                static_cast<unsigned>(b / plane)};
    run_block();
  }
}

}  // namespace halyard::emulated
