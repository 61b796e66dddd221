#include <memory>

#include "solvers/md/case.hpp"
#include "solvers/md/solver.hpp"
#include "solvers/run/program.hpp"

int main(int argc, char** argv) {
  using namespace halyard;
  md::MdCase settings;
  md::System system;
  return run_program(
      argc, argv,
      {.name = "halyard-md",
       .summary = "molecular dynamics of atoms and molecules",
       .item_name = "atom",
       .rank_axes = 3,
       .schedule = Schedule::by_solver,
       .history_every_steps = 100,
       .key_options = {{"--write-data", "output.data_file", "FILE",
                        "write the atoms at the end to this LAMMPS data file in the folder of the results"}},
       .host_only = true,
       .declare = [&](CaseSchema& schema) { md::declare(schema, settings); },
       .restart_key = [&](Context& context) { return md::restart_key(context.schema, settings, system); },
       .estimate =
           [&](Context& context) {
             system = md::make_system(context.communicator, settings, context.schema);
             return md::estimate(context, settings, system);
           },
       .create = [&](Context& context) -> std::unique_ptr<Solver> {
         return std::make_unique<md::MdSolver>(context, settings, std::move(system));
       }});
}
