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
#include "solvers/parallel/communicator.hpp"
#include "solvers/run/command_line.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/solver.hpp"

namespace halyard {

// The frame that halyard-flow, halyard-gas and halyard-md share. A program's main.cpp is about this:
//
//   int main(int argc, char** argv) {
//     using namespace halyard;
//     flow::FlowCase settings;
//     return run_program(argc, argv, {
//         .name = "halyard-flow",
//         .summary = "incompressible Navier-Stokes in a box",
//         .item_name = "cell",
//         .quantities = flow::quantity_names(),
//         .declare = [&](CaseSchema& schema) { flow::declare(schema, settings); },
//         .restart_key = [&](Context& context) { return flow::restart_key(settings); },
//         .estimate = [&](Context& context) { return flow::estimate(context, settings); },
//         .create = [&](Context& context) { return std::make_unique<flow::FlowSolver>(context, settings); }});
//   }
//
// A program without a grid, whose case lists stages, leaves out quantities and says .rank_axes = 3,
// .schedule = Schedule::by_solver.

/// A quantity that the case may name under [output], known before a solver exists, so that a misspelt name stops the
/// run with its position in the case file before anything is computed.
struct QuantityName {
  std::string name;
  int components = 1;
  std::string description = {};
};

/// What a program's callbacks are given once the case is read.
struct Context {
  const Communicator& communicator;
  Queue& queue;
  Log& log;                           // speaks on rank 0 alone; may be called on any rank
  const Plan& plan;                   // the common tables
  const CaseSchema& schema;           // for schema.error("domain.cells", "..."): errors with their position
  std::filesystem::path case_folder;  // where the case file lies
};

/// What a run will take, found without computing and without large allocations. The same on every rank.
struct Estimate {
  struct Memory {
    std::string name;        // a kind of array: "velocity", "transposes"
    std::int64_t bytes = 0;  // on the rank that holds most
  };
  /// Something that the program itself writes (Solver::outputs).
  struct Volume {
    std::string name;                   // "frame(s) of trajectory.h5md"
    std::optional<std::int64_t> count;  // nothing where it depends on the run
    std::int64_t bytes = 0;             // each
  };
  std::vector<Memory> memory = {};
  std::vector<Volume> outputs = {};
  std::vector<std::string> remarks = {};  // further lines for --check: "cells along x: 0.01 m to 0.04 m"
  /// Of the solver's schedule, where it has one: the step at which it ends at the latest.
  std::optional<std::int64_t> last_step = {};
  std::string rank_grid = {};         // "2 x 3 along y, z; largest block 64 x 32 x 22 cells"
  std::string exchange = {};          // how halos travel: "host memory, direct"
  Index3 cells{0, 0, 0};              // that quantities are written on; of a program with a grid
  std::int64_t items = 0;             // cells or atoms over all ranks
  std::int64_t checkpoint_bytes = 0;  // of one generation, all ranks
};

/// What sets one program apart from another. Callbacks run on every rank and are collective.
struct Program {
  std::string name;       // "halyard-flow": what the case's `program` must say
  std::string summary;    // one line for --help
  std::string item_name;  // "cell" or "atom"
  /// None: the program has no grid, and its case neither [output.fields] nor [[output.slice]].
  std::vector<QuantityName> quantities = {};
  int rank_axes = 2;  // length of [parallel] ranks: 2 for y and z, 3 for x, y and z
  /// by_solver: the case has no [time] but for `steps`, and outputs go by steps alone.
  Schedule schedule = Schedule::by_case;
  int history_every_steps = 1;              // default of [output.history]
  std::vector<KeyOption> key_options = {};  // of its command line, for keys that are asked for often
  bool host_only = false;  // its kernels have no CUDA form yet: --device auto is the host, cuda is refused
  /// Declares the program's own keys, bound to settings that outlive run_program(). The frame declares `program`,
  /// `title` and the tables of Plan.
  std::function<void(CaseSchema&)> declare = {};
  /// Lines "name = value" of all that the meaning of a checkpoint depends on: grid, terms that are on. A restart under
  /// other lines is refused, and those that differ are named.
  std::function<std::string(Context&)> restart_key = {};
  /// Called before create(), and by --check instead of it. @throws Error for what only now is found to be wrong.
  std::function<Estimate(Context&)> estimate = {};
  /// The solver in its initial state. It may keep references to what the context refers to. A restart then sets what
  /// state() lists and calls restored(). outputs(), state() and quantities() are called once each, so what they refer
  /// to must stay put.
  std::function<std::unique_ptr<Solver>(Context&)> create = {};
};

/// Runs the program from the command line to its exit code (exit_code in solvers/parallel/session.hpp). Starts and ends
/// MPI. An error on any rank ends all ranks and is printed once; the last line of the output says how the run ended.
int run_program(int argc, char** argv, const Program& program);

}  // namespace halyard
