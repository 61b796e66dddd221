// A second process for the tests of locks and kills:
//   results_child hold FOLDER    takes the run folder, prints "held", waits to be killed
//   results_child write FOLDER   writes checkpoints without end, prints the number of each when it is written
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

#include "io/results/checkpoint.hpp"
#include "io/results/run_folder.hpp"
#include "tests/io/results/sample_state.hpp"

int main(int argc, char** argv) {
  using namespace halyard;
  MPI_Init(&argc, &argv);
  const std::string task = argc == 3 ? argv[1] : "";
  try {
    if (task == "hold") {
      const RunFolder folder = RunFolder::open(argv[2], {.program = "child"}, MPI_COMM_SELF);
      std::puts("held");
      std::fflush(stdout);
      while (true) ::pause();
    }
    if (task == "write") {
      StateBuffer buffer;
      CheckpointWriter writer(argv[2], 2, MPI_COMM_SELF);
      for (std::uint64_t seed = 1; true; ++seed) {
        test::SampleState sample(MPI_COMM_SELF, {16, 8, 8}, seed);
        writer.write(static_cast<std::int64_t>(seed), 0.0, sample.state(), {}, buffer);
        std::printf("%d\n", static_cast<int>(seed));
        std::fflush(stdout);
      }
    }
    std::puts("usage: results_child hold|write FOLDER");
  } catch (const std::exception& error) {
    std::puts(error.what());
    std::fflush(stdout);
  }
  MPI_Finalize();
  return 1;
}
