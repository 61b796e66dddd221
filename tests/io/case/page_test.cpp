#include "io/case/page.hpp"

#include <gtest/gtest.h>

#include "io/case/schema.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/flow/solver.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/settings.hpp"

namespace halyard {
namespace {

// To write the page after a change of a declaration: HALYARD_WRITE_DOCS=1 build/release/tests/case_page_test
TEST(CaseFilesPage, SaysWhatTheDeclarationsSay) {
  Plan plan;
  flow::FlowCase settings;
  CaseSchema schema;
  Program program;
  program.name = "halyard-flow";
  program.quantities = flow::kQuantityNames;
  declare_plan(schema, plan, program);
  flow::declare(schema, settings);
  EXPECT_EQ(check_case_files_page({{program.name, &schema}}, CASE_FILES_PAGE), "");
}

}  // namespace
}  // namespace halyard
