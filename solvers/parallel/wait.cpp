#include "solvers/parallel/wait.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <ctime>

#include "solvers/parallel/mpi_check.hpp"

namespace halyard {

namespace {

std::atomic<bool> sleeping{false};

/// Between two looks at a message: nothing at first, then the core goes to another rank.
class Pause {
 public:
  void operator()() {
    if (++looks_ > looks_before_sleep) {
      const timespec time{0, 10'000};
      nanosleep(&time, nullptr);
    }
  }

 private:
  static constexpr int looks_before_sleep = 20;
  int looks_ = 0;
};

}  // namespace

void set_waits_sleep(bool sleep) {
  sleeping = sleep;
  if (sleep) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // [ns]; the default, 50 us, is longer than the sleep
  }
}

bool waits_sleep() { return sleeping; }

void wait(MPI_Request& request) {
  if (!sleeping) {
    HALYARD_MPI_CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return;
  }
  int done = 0;
  for (Pause pause;; pause()) {
    HALYARD_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) {
      return;
    }
  }
}

void wait_all(std::span<MPI_Request> requests) {
  const int count = static_cast<int>(requests.size());
  if (!sleeping) {
    HALYARD_MPI_CHECK(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    return;
  }
  int done = 0;
  for (Pause pause;; pause()) {
    HALYARD_MPI_CHECK(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) {
      return;
    }
  }
}

int wait_any(std::span<MPI_Request> requests) {
  const int count = static_cast<int>(requests.size());
  int index = MPI_UNDEFINED;
  if (!sleeping) {
    HALYARD_MPI_CHECK(MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE));
  } else {
    int done = 0;
    for (Pause pause;; pause()) {
      HALYARD_MPI_CHECK(MPI_Testany(count, requests.data(), &index, &done, MPI_STATUS_IGNORE));
      if (done != 0) {
        break;
      }
    }
  }
  return index == MPI_UNDEFINED ? -1 : index;
}

}  // namespace halyard
