#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "io/case/page.hpp"
#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

struct Declared {
  ExampleCase settings;
  CaseSchema schema;
  Declared() { declare(schema, settings); }
};

TEST(CaseDocument, MarkdownHasALineAKey) {
  const std::string text = Declared().schema.markdown();
  const auto has = [&](const std::string& line) { return ("\n" + text).find("\n" + line + "\n") != std::string::npos; };
  EXPECT_TRUE(has("| key | type | unit | default | allowed | meaning |"));
  EXPECT_TRUE(has("## `[domain]`"));
  EXPECT_TRUE(has("The box."));
  EXPECT_TRUE(has("| `cells` | 3 integers |  | required | at least 1 | cells along x, y, z |"));
  EXPECT_TRUE(has("| `length` | 3 numbers | m | `[1.0, 1.0, 1.0]` | above 0 | edges of the box |"));
  EXPECT_TRUE(
      has("| `z` | 2 strings |  | `[\"periodic\", \"periodic\"]` | `\"periodic\"`, `\"wall\"`, `\"free_slip\"` | lower "
          "and upper side; `wall`: no slip |"));
  EXPECT_TRUE(has("| `faces` | path |  | `\"faces.txt\"` |  | file of face coordinates |"));
  EXPECT_TRUE(has("| `viscosity` | number | m2/s | required | above 0 | kinematic viscosity |"));
  EXPECT_TRUE(has("| `cfl` | number |  | `0.5` | above 0, at most 1 | convective limit on the time step |"));
  EXPECT_TRUE(has("| `dt` | number | s | not set | above 0 | fixed time step |"));
  EXPECT_TRUE(has("| `retries` | integer |  | `3` |  | a \\| in the help |"));
  EXPECT_TRUE(has("| `u` | formula | m/s | `\"0\"` |  | velocity along x |"));
  EXPECT_TRUE(has(
      "| `bulk` | number |  | required when drive.on is true |  | bulk velocity; no effect when drive.on is false |"));
  EXPECT_TRUE(has("| `fields` | list of strings |  | `[\"u\"]` | 1 or more; at most 3 of them | fields by name |"));
  EXPECT_TRUE(has("| `probes` | list of lists of 3 numbers | m | `[]` |  | points |"));
  EXPECT_TRUE(has("## `[[output.slice]]`"));
  EXPECT_TRUE(has("| `axis` | integer |  | `2` | at least 0, at most 2 | normal of the plane |"));
}

TEST(CaseDocument, SeveralDeclarationsShareATable) {
  double a = 0, b = 0, c = 0;
  CaseSchema schema;
  schema.table("time", "The clock.").key("a", a).required();
  schema.key("fluid.c", c).required();
  schema.table("time", "Not this.").key("b", b).required();
  const std::string text = schema.markdown();
  EXPECT_LT(text.find("`a`"), text.find("`b`"));
  EXPECT_LT(text.find("`b`"), text.find("[fluid]"));
  EXPECT_NE(text.find("The clock."), std::string::npos);
  EXPECT_EQ(text.find("Not this."), std::string::npos);
}

TEST(CaseDocument, PageIsComparedWithItsFile) {
  const Declared declared;
  const std::vector<CaseProgram> programs = {{"halyard-example", &declared.schema}};
  const std::string page = case_files_page(programs);
  EXPECT_TRUE(page.starts_with("# Case files\n"));
  EXPECT_NE(page.find("\n## halyard-example\n"), std::string::npos);
  EXPECT_NE(page.find("\n### `[domain]`\n"), std::string::npos);
  EXPECT_TRUE(page.ends_with("|\n"));

  const std::string file = testing::TempDir() + "halyard_case_page.md";
  std::ofstream(file) << page;
  EXPECT_EQ(check_case_files_page(programs, file), "");
  std::ofstream(file, std::ios::app) << "stale\n";
  EXPECT_EQ(
      check_case_files_page(programs, file),
      file +
          " is not what the declarations of the keys say; run this test with HALYARD_WRITE_DOCS=1 to write it anew.");
  setenv("HALYARD_WRITE_DOCS", "1", 1);
  EXPECT_EQ(check_case_files_page(programs, file), "");
  unsetenv("HALYARD_WRITE_DOCS");
  EXPECT_EQ(check_case_files_page(programs, file), "");
  std::remove(file.c_str());
}

#ifdef PYTHON
// Python's own JSON parser reads the schema; the script looks at what editors use.
TEST(CaseDocument, JsonSchemaIsJson) {
  const std::string base = testing::TempDir() + "halyard_case_schema";
  std::ofstream(base + ".json") << Declared().schema.json_schema("a \"title\"");
  std::ofstream(base + ".py") << R"(
import json, sys
s = json.load(open(sys.argv[1]))
assert s["$schema"] == "http://json-schema.org/draft-07/schema#" and s["title"] == 'a "title"'
assert s["additionalProperties"] is False and sorted(s["required"]) == ["domain", "fluid"], s["required"]
p = s["properties"]
assert list(p) == ["title", "domain", "fluid", "time", "initial", "drive", "output"], list(p)
assert p["domain"]["required"] == ["cells"] and p["domain"]["description"] == "The box."
assert p["domain"]["properties"]["cells"] == {"type": "array", "items": {"type": "integer", "minimum": 1},
    "minItems": 3, "maxItems": 3, "description": "cells along x, y, z"}
assert p["domain"]["properties"]["z"]["items"]["enum"] == ["periodic", "wall", "free_slip"]
assert p["domain"]["properties"]["z"]["default"] == ["periodic", "periodic"]
assert p["time"]["properties"]["cfl"] == {"type": "number", "exclusiveMinimum": 0, "maximum": 1,
    "description": "convective limit on the time step", "default": 0.5}
assert "required" not in p["time"]
assert p["initial"]["properties"]["u"]["type"] == ["string", "number"]
assert p["drive"]["properties"]["on"]["default"] is False
out = p["output"]["properties"]
assert out["fields"]["minItems"] == 1 and out["fields"]["maxItems"] == 3
assert out["probes"]["items"] == {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
assert out["slice"]["items"]["required"] == ["field"] and out["slice"]["items"]["additionalProperties"] is False
assert out["slice"]["items"]["properties"]["axis"]["maximum"] == 2
)";
  EXPECT_EQ(std::system((std::string(PYTHON) + " " + base + ".py " + base + ".json").c_str()), 0);
  std::remove((base + ".json").c_str());
  std::remove((base + ".py").c_str());
}
#endif

}  // namespace
}  // namespace halyard::test
