#pragma once
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "io/log/log.hpp"
#include "io/results/state_hash.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/solver.hpp"
#include "solvers/md/system.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/record_exchange.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/program.hpp"

namespace halyard::md {

/// A molecular dynamics solver made from case text, without files of results and run loop.
struct MdRun {
  Communicator comm;
  Queue queue;
  Log log{false};
  Plan plan;
  CaseSchema schema;
  MdCase settings;
  std::unique_ptr<MdSolver> solver;

  explicit MdRun(const std::string& text, const std::vector<std::string>& overrides = {},
                 MPI_Comm world = MPI_COMM_WORLD)
      : comm(world) {
    declare(schema, settings);
    schema.read_text(text, "test", ".", overrides);
    Context context{comm, queue, log, plan, schema, "."};
    System system = make_system(comm, settings, schema);
    estimate(context, settings, system);  // which refuses what cannot run
    solver = std::make_unique<MdSolver>(context, settings, std::move(system));
  }

  /// As the run loop steps; with `rows` every step as if a row of history.csv followed.
  void steps(int count, bool rows = false) {
    for (int step = 0; step < count && !solver->finished(); ++step) {
      const double dt = solver->prescribed_dt().value();
      StepAhead ahead{};
      ahead.row_due = rows;
      solver->prepare(ahead);
      solver->step(dt);
    }
  }

  /// A column of history.csv, now.
  double column(const std::string& name) {
    for (const HistoryColumn& column : solver->history(0.0)) {
      if (column.name == name) {
        return column.value;
      }
    }
    throw Error("no history column " + name);
  }

  std::uint64_t hash() { return state_hash(solver->state(), comm.comm()); }

  /// Values of an array of state() of all atoms in the order of their ids, on every rank.
  std::vector<double> values(const std::string& name) {
    for (const StateArray& array : solver->state().arrays) {
      if (array.name == name) {
        std::vector<double> block(3 * static_cast<std::size_t>(array.block.count()));
        array.get(std::as_writable_bytes(std::span(block)));
        return exchange_records(comm, std::vector<std::vector<double>>(static_cast<std::size_t>(comm.size()), block))
            .records;
      }
    }
    throw Error("no state array " + name);
  }
};

/// The forces on the atoms of a system at the start of a run, in the order of their ids, on every rank.
inline std::vector<double> forces_at_start(const MdRun& run) {
  System system = make_system(run.comm, run.settings, run.schema);
  Queue queue;
  Log log{false};
  Context context{run.comm, queue, log, run.plan, run.schema, "."};
  const Dynamics dynamics(context, run.settings, std::move(system));
  const Atoms& atoms = dynamics.atoms();
  const IdBlocks blocks(run.comm, dynamics.system().count);
  std::vector<std::int64_t> block(3 * static_cast<std::size_t>(blocks.end() - blocks.begin()));
  blocks.collect<std::int64_t, std::int64_t>(
      atoms, {atoms.force[0].data(), atoms.force[1].data(), atoms.force[2].data()}, block);
  std::vector<double> forces;
  for (const std::int64_t f : exchange_records(run.comm, std::vector<std::vector<std::int64_t>>(
                                                             static_cast<std::size_t>(run.comm.size()), block))
                                  .records) {
    forces.push_back(force_unit * static_cast<double>(f));
  }
  return forces;
}

}  // namespace halyard::md
