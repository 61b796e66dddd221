#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "io/log/log.hpp"
#include "kernels/device/queue.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/solver.hpp"

namespace halyard {

class Communicator;

// The frame that halyard-flow, halyard-gas and halyard-md share. A program's main.cpp is about this:
//
//   int main(int argc, char** argv) {
//     halyard::flow::FlowCase settings;
//     return halyard::run_program(argc, argv, {
//         .name = "halyard-flow",
//         .summary = "incompressible Navier-Stokes in a box",
//         .item_name = "cell",
//         .quantities = halyard::flow::kQuantityNames,
//         .declare = [&](CaseSchema& schema) { declare(schema, settings); },
//         .estimate = [&](Context& context) { return estimate(context, settings); },
//         .create = [&](Context& context) { return std::make_unique<FlowSolver>(context, settings); }});
//   }

/// A quantity that the case may name under [output], known before a solver exists, so that a misspelt name stops the
/// run with the position in the case file before anything is computed.
struct QuantityName {
  std::string name;
  int components = 1;
};

/// What a program's callbacks are given once the case is read.
struct Context {
  Communicator& communicator;
  Queue& queue;
  Log& log;                           // speaks on rank 0 alone; may be called on any rank
  const Plan& plan;                   // the common tables
  const CaseSchema& schema;           // for schema.error("domain.cells", "..."): errors with their position
  std::filesystem::path case_folder;  // where the case file lies
  std::string device_name;
};

/// What a run will take, found without computing and without large allocations. The same on every rank.
struct Estimate {
  struct Memory {
    std::string name;        // a kind of array: "velocity", "transposes"
    std::int64_t bytes = 0;  // on the rank that holds most
  };
  std::vector<Memory> memory;
  std::string rank_grid;              // "2 x 3 along y, z: 64 x 32 x 22 cells on the largest block"
  std::int64_t items = 0;             // cells or atoms over all ranks
  std::int64_t checkpoint_bytes = 0;  // of one generation, all ranks
};

/// What sets one program apart from another.
struct Program {
  std::string name;       // "halyard-flow": what the case's `program` must say
  std::string summary;    // one line for --help
  std::string item_name;  // "cell" or "atom"
  std::vector<QuantityName> quantities;
  int rank_axes = 2;  // length of [parallel] ranks
  /// Declares the program's own keys. Called once per process (twice under --schema); the targets must outlive the call
  /// of run_program. The common tables and `program`, `title` are declared by the frame.
  std::function<void(CaseSchema&)> declare;
  std::function<Estimate(Context&)> estimate;
  /// Collective. The solver may keep references to what the context refers to. Its state is the initial one; a restart
  /// then sets the arrays and scalars of state() and calls restored().
  std::function<std::unique_ptr<Solver>(Context&)> create;
};

/// Exit codes, the same for all programs.
enum ExitCode : int {
  exit_finished = 0,
  exit_failed = 1,      // the run failed: not finite, disk full, a rank died
  exit_usage = 2,       // command line or case file; nothing was computed
  exit_try_again = 75,  // stopped by a signal after a checkpoint: start it again to carry on (EX_TEMPFAIL)
};

/// Runs the program from the command line to the exit code. Starts and ends MPI. Every error ends all ranks and is
/// printed once; the last line of the output says how it ended.
int run_program(int argc, char** argv, const Program& program);

}  // namespace halyard
