#pragma once
#include <memory>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "io/log/log.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/flow/solver.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/program.hpp"
#include "tests/solvers/parallel/mirrored.hpp"

namespace halyard::flow {

/// A flow solver made from case text, without files and run loop: for tests and measurements.
struct FlowRun {
  Communicator comm;
  Queue queue;
  Log log{false};
  Plan plan;
  CaseSchema schema;
  FlowCase settings;
  std::unique_ptr<FlowSolver> solver;

  explicit FlowRun(const std::string& text, const std::vector<std::string>& overrides = {},
                   MPI_Comm world = MPI_COMM_WORLD, const std::vector<int>& ranks = {}, Device device = test::device())
      : comm(world), queue(device) {
    plan.ranks = ranks;
    declare(schema, settings);
    schema.read_text(text, "test", ".", overrides);
    Context context{comm, queue, log, plan, schema, "."};
    solver = std::make_unique<FlowSolver>(context, settings);
  }

  void steps(int count, double dt) {
    for (int step = 0; step < count; ++step) {
      solver->step(dt);
    }
  }

  double column(const std::string& name, double dt = 0.0) {
    for (const HistoryColumn& column : solver->history(dt)) {
      if (column.name == name) {
        return column.value;
      }
    }
    throw Error("no history column " + name);
  }

  /// This rank's values of an array of state(): velocity_x, ..., pressure; x fastest.
  std::vector<double> values(const std::string& name) {
    for (const StateArray& array : solver->state().arrays) {
      if (array.name == name) {
        std::vector<double> result(static_cast<std::size_t>(array.block.count()));
        array.get(std::as_writable_bytes(std::span(result)));
        return result;
      }
    }
    throw Error("no state array " + name);
  }
};

}  // namespace halyard::flow
