// Streams as queues of work that nobody has done yet. When work runs, and which of several streams goes first, is for
// the seed to say (Settings::seed).
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/emulated_cuda/machine.hpp"

namespace halyard::emulated {

/// Records of an event are numbered; a stream that waits for an event waits for the record that was last at the time.
struct EventState {
  std::uint64_t recorded = 0, reached = 0;
  std::chrono::steady_clock::time_point time;  // of the record reached last
};

namespace {

struct Work {
  enum class Kind { run, record, wait } kind;
  std::uint64_t number;
  std::string name;
  std::function<void()> run;
  std::shared_ptr<EventState> event;
  std::uint64_t record;
};

}  // namespace
}  // namespace halyard::emulated

struct CUstream_st {
  int device;
  bool destroyed = false;
  std::deque<halyard::emulated::Work> work;
};

struct CUevent_st {
  std::shared_ptr<halyard::emulated::EventState> state = std::make_shared<halyard::emulated::EventState>();
};

namespace halyard::emulated {

namespace {

struct Machine {
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::uint64_t next_work = 1;
  std::string running;
  bool busy = false;
  std::mt19937_64 random{settings().seed};
};
Machine& machine() {
  static Machine* instance = new Machine;  // never destroyed: queues may outlive static destruction
  return *instance;
}

bool ready(const CUstream_st& stream) {
  if (stream.work.empty()) {
    return false;
  }
  const Work& work = stream.work.front();
  return work.kind != Work::Kind::wait || work.event->reached >= work.record;
}

/// The lowest number of work not done.
std::uint64_t oldest_work() {
  std::uint64_t oldest = machine().next_work;
  for (const auto& stream : machine().streams) {
    oldest = stream->work.empty() ? oldest : std::min(oldest, stream->work.front().number);
  }
  return oldest;
}

/// Does the next work of any stream that has some. False where none can go on.
bool run_one() {
  std::vector<CUstream_st*> candidates;
  for (const auto& stream : machine().streams) {
    if (ready(*stream)) {
      candidates.push_back(stream.get());
    }
  }
  if (candidates.empty()) {
    return false;
  }
  CUstream_st& stream = *candidates[random_below(candidates.size())];
  const Work work = std::move(stream.work.front());
  stream.work.pop_front();
  open_memory(stream.device);
  if (work.kind == Work::Kind::run) {
    machine().running = work.name;
    machine().busy = true;
    work.run();
    machine().busy = false;
    machine().running.clear();
  } else if (work.kind == Work::Kind::record) {
    work.event->reached = std::max(work.event->reached, work.record);
    work.event->time = std::chrono::steady_clock::now();
  }
  close_freed(oldest_work());
  return true;
}

template <class Done>
void run_until(Done done) {
  while (!done()) {
    if (!run_one()) {
      fail("streams wait for events that are never reached");
    }
  }
  open_memory(current_device());
  check_canaries();
  close_memory();
}

/// A GPU may start as soon as it is given work.
void maybe_run() {
  const std::uint64_t manner = settings().seed % 3;
  if (manner == 0) {
    return;
  }
  std::uint64_t items = manner == 1 ? ~std::uint64_t{0} : random_below(4);
  while (items-- > 0 && run_one()) {
  }
  close_memory();
}

bool known(cudaStream_t stream) {
  return std::any_of(machine().streams.begin(), machine().streams.end(),
                     [&](const auto& each) { return each.get() == stream && !each->destroyed; });
}

void check_stream(cudaStream_t stream, const std::string& what) {
  if (stream == nullptr) {
    fail(what + " goes to the default stream, which waits for all others: the project uses streams of its own");
  }
  if (!known(stream)) {
    fail(what + " goes to a stream that does not exist or was destroyed");
  }
}

void append(cudaStream_t stream, Work work) {
  check_stream(stream, work.name);
  work.number = machine().next_work++;
  stream->work.push_back(std::move(work));
  maybe_run();
}

}  // namespace

std::uint64_t random_below(std::uint64_t bound) { return bound <= 1 ? 0 : machine().random() % bound; }
std::uint64_t next_work() { return machine().next_work; }
const std::string& running() { return machine().running; }

void restart_order() { machine().random.seed(settings().seed); }

void enqueue(cudaStream_t stream, std::string name, std::function<void()> run) {
  append(stream, {Work::Kind::run, 0, std::move(name), std::move(run), nullptr, 0});
}

void run_all(cudaStream_t stream) {
  check_stream(stream, "a wait");
  run_until([&] { return stream->work.empty(); });
}

void settle_freed() { close_freed(oldest_work()); }

}  // namespace halyard::emulated

using namespace halyard::emulated;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  count_call("cudaStreamCreateWithFlags");
  if (flags != cudaStreamNonBlocking) {
    return cudaErrorInvalidValue;
  }
  machine().streams.push_back(std::make_unique<CUstream_st>(CUstream_st{current_device(), false, {}}));
  *stream = machine().streams.back().get();
  return cudaSuccess;
}

// What was given to the stream is still done.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  count_call("cudaStreamDestroy");
  check_stream(stream, "cudaStreamDestroy");
  stream->destroyed = true;
  std::erase_if(machine().streams, [](const auto& each) { return each->destroyed && each->work.empty(); });
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  count_call("cudaStreamSynchronize");
  count_call("host waits");
  run_all(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  count_call("cudaStreamWaitEvent");
  append(stream, {Work::Kind::wait, 0, "cudaStreamWaitEvent", {}, event->state, event->state->recorded});
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  count_call("cudaEventCreate");
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  count_call("cudaEventRecord");
  append(stream, {Work::Kind::record, 0, "cudaEventRecord", {}, event->state, ++event->state->recorded});
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  count_call("cudaEventSynchronize");
  count_call("host waits");
  const auto state = event->state;
  run_until([&] { return state->reached >= state->recorded; });
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  count_call("cudaEventElapsedTime");
  for (const cudaEvent_t event : {start, stop}) {
    if (event->state->recorded == 0) {
      return cudaErrorInvalidResourceHandle;
    }
    if (event->state->reached < event->state->recorded) {
      return cudaErrorNotReady;
    }
  }
  *milliseconds = std::chrono::duration<float, std::milli>(stop->state->time - start->state->time).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  count_call("cudaEventDestroy");
  delete event;
  return cudaSuccess;
}
