// A GoogleTest main for programs under mpiexec. Every test is collective: all ranks run it and wait for one another at
// its end. Rank 0 prints; another rank speaks only when something fails on it. A failure on any rank is a failure of
// the test, and of the program on every rank. A rank that failed and then waits in vain for the others ends them all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/session.hpp"

namespace {

constexpr std::chrono::seconds patience{10};

class RankReporter : public testing::EmptyTestEventListener {
 public:
  explicit RankReporter(const halyard::Communicator& world) : comm_(world.comm()) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed() && comm_.rank() != 0 && !closing_) {
      std::fprintf(stderr, "rank %d of %d: %s:%d: Failure\n%s\n", comm_.rank(), comm_.size(),
                   result.file_name() == nullptr ? "unknown file" : result.file_name(), result.line_number(),
                   result.message());
    }
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const int mine = test.result()->Failed() ? 1 : 0;
    int failures = 0, done = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    HALYARD_MPI_CHECK(MPI_Iallreduce(&mine, &failures, 1, MPI_INT, MPI_SUM, comm_.comm(), &request));
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      HALYARD_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done != 0) {
        break;
      }
      if (mine != 0 && std::chrono::steady_clock::now() - start > patience) {
        std::fprintf(stderr, "rank %d of %d: %s.%s failed here, and other ranks do not come to its end\n", comm_.rank(),
                     comm_.size(), test.test_suite_name(), test.name());
        _exit(1);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    if (failures > 0 && mine == 0) {
      closing_ = true;
      ADD_FAILURE() << "on " << failures << " other rank(s)";
      closing_ = false;
    }
  }

 private:
  halyard::Communicator comm_;
  bool closing_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  return halyard::run_guarded(argc, argv, [&](halyard::MpiSession& session) {
    testing::InitGoogleTest(&argc, argv);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    if (session.world().rank() != 0) {
      delete listeners.Release(listeners.default_result_printer());
    }
    auto* reporter = new RankReporter(session.world());
    listeners.Append(reporter);
    const int result = RUN_ALL_TESTS();
    delete listeners.Release(reporter);  // it holds a communicator
    return session.world().any(result != 0) ? 1 : 0;
  });
}
