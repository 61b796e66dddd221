#include "io/case/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/flow/solver.hpp"
#include "solvers/md/case.hpp"
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

struct Md {
  Plan plan;
  md::MdCase settings;
  CaseSchema schema;
  Md() {
    Program program;  // as solvers/md/main.cpp has it
    program.name = "halyard-md";
    program.rank_axes = 3;
    program.schedule = Schedule::by_solver;
    program.history_every_steps = 100;
    declare_plan(schema, plan, program);
    md::declare(schema, settings);
  }
};

// To write the pages after a change of a declaration: HALYARD_WRITE_DOCS=1 build/release/tests/case_page_test
TEST(CaseFilesPage, SaysWhatTheDeclarationsSay) {
  const Flow flow;
  EXPECT_EQ(check_case_files_page({{"halyard-flow", &flow.schema}}, DOCS_FOLDER "/case-files.md"), "");
  const Md md;
  EXPECT_EQ(check_case_files_page({{"halyard-md", &md.schema}}, DOCS_FOLDER "/case-files-md.md"), "");
}

/// Reads a shipped case, and again what it comes to with all defaults.
template <class Case>
void read_strictly(const std::filesystem::path& file) {
  Case first, again;
  ASSERT_NO_THROW(first.schema.read_file(file)) << file;
  EXPECT_EQ(first.schema.notes(), std::vector<std::string>{}) << file;
  const std::string resolved = first.schema.resolved();
  ASSERT_NO_THROW(again.schema.read_text(resolved, "resolved.toml", "/elsewhere")) << file << "\n" << resolved;
  EXPECT_EQ(again.schema.resolved(), resolved) << file;
  EXPECT_EQ(again.schema.notes(), std::vector<std::string>{}) << file;
}

TEST(ShippedCases, ReadStrictlyWithoutNotesAndComeBackFromTheirResolvedForm) {
  int flow = 0, md = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CASES_FOLDER)) {
    const std::filesystem::path file = entry.path() / "case.toml";
    if (!std::filesystem::exists(file)) continue;
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    if (text.str().find("program = \"halyard-md\"") != std::string::npos) {
      ++md;
      read_strictly<Md>(file);
    } else {
      ++flow;
      read_strictly<Flow>(file);
    }
  }
  EXPECT_GE(flow, 6);
  EXPECT_GE(md, 2);
}

}  // namespace
}  // namespace halyard
