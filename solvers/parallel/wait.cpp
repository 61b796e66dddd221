#include "solvers/parallel/wait.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <atomic>
#include <ctime>

#include "solvers/parallel/mpi_check.hpp"

namespace halyard {

namespace {

std::atomic<bool> sleeping{false};

/// Between two looks at a message. A rank with a core of its own loses nothing: sched_yield() then returns at once.
class Pause {
 public:
  void operator()() {
    ++looks_;
    if (sleeping && looks_ > 20) {
      const timespec time{0, 10'000};
      nanosleep(&time, nullptr);
    } else if (looks_ > 1000) {  // about 100 us
      sched_yield();
    }
  }

 private:
  int looks_ = 0;
};

template <class Look>
void look_until_done(Look&& look) {
  for (Pause pause; !look(); pause()) {
  }
}

}  // namespace

void set_waits_sleep(bool sleep) {
  sleeping = sleep;
  if (sleep) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // [ns]; the default, 50 us, is longer than the sleep
  }
}

void wait(MPI_Request& request) {
  look_until_done([&] {
    int done = 0;
    HALYARD_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
}

void wait_all(std::span<MPI_Request> requests) {
  look_until_done([&] {
    int done = 0;
    HALYARD_MPI_CHECK(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE));
    return done != 0;
  });
}

int wait_any(std::span<MPI_Request> requests) {
  int index = MPI_UNDEFINED;
  look_until_done([&] {
    int done = 0;
    HALYARD_MPI_CHECK(
        MPI_Testany(static_cast<int>(requests.size()), requests.data(), &index, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
  return index == MPI_UNDEFINED ? -1 : index;
}

}  // namespace halyard
