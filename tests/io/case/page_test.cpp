#include "io/case/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/flow/solver.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/settings.hpp"

namespace halyard {
namespace {

struct Flow {
  Plan plan;
  flow::FlowCase settings;
  CaseSchema schema;
  Flow() {
    Program program;
    program.name = "halyard-flow";
    program.quantities = flow::kQuantityNames;
    declare_plan(schema, plan, program);
    flow::declare(schema, settings);
  }
};

// To write the page after a change of a declaration: HALYARD_WRITE_DOCS=1 build/release/tests/case_page_test
TEST(CaseFilesPage, SaysWhatTheDeclarationsSay) {
  const Flow flow;
  EXPECT_EQ(check_case_files_page({{"halyard-flow", &flow.schema}}, DOCS_FOLDER "/case-files.md"), "");
}

TEST(ShippedCases, ReadStrictlyWithoutNotesAndComeBackFromTheirResolvedForm) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CASES_FOLDER)) {
    const std::filesystem::path file = entry.path() / "case.toml";
    if (!std::filesystem::exists(file)) continue;
    ++cases;
    Flow flow, again;
    ASSERT_NO_THROW(flow.schema.read_file(file)) << file;
    EXPECT_EQ(flow.schema.notes(), std::vector<std::string>{}) << file;
    const std::string resolved = flow.schema.resolved();
    ASSERT_NO_THROW(again.schema.read_text(resolved, "resolved.toml", "/elsewhere")) << file << "\n" << resolved;
    EXPECT_EQ(again.schema.resolved(), resolved) << file;
    EXPECT_EQ(again.schema.notes(), std::vector<std::string>{}) << file;
  }
  EXPECT_GE(cases, 6);
}

}  // namespace
}  // namespace halyard
