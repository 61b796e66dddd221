#include <memory>

#include "solvers/flow/case.hpp"
#include "solvers/flow/solver.hpp"
#include "solvers/run/program.hpp"

int main(int argc, char** argv) {
  using namespace halyard;
  flow::FlowCase settings;
  return run_program(argc, argv,
                     {.name = "halyard-flow",
                      .summary = "direct numerical simulation of incompressible flow in a box",
                      .item_name = "cell",
                      .quantities = flow::kQuantityNames,
                      .declare = [&](CaseSchema& schema) { flow::declare(schema, settings); },
                      .restart_key = [&](Context& context) { return flow::restart_key(settings, context.schema); },
                      .estimate = [&](Context& context) { return flow::estimate(context, settings); },
                      .create = [&](Context& context) -> std::unique_ptr<Solver> {
                        return std::make_unique<flow::FlowSolver>(context, settings);
                      }});
}
