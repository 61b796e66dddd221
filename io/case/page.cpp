#include "io/case/page.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "fmt/format.h"
#include "kernels/device/error.hpp"

namespace halyard {
namespace {

constexpr std::string_view kIntroduction = R"md(# Case files

This page is generated from the programs' declarations; change the declaration, not the page.

A case is one [TOML](https://toml.io) file: tables in brackets, keys with values, comments after `#`.

```toml
[fluid]
viscosity = 6.25e-4        # a key of the table [fluid]

[domain]
cells = [64, 64, 6.4e1]    # a whole number may be written as a float
```

- Nothing is ignored: an unknown key, a missing one, a wrong type or a value out of range stops the program before
  anything is computed. All errors are told at once, each with `file:line:column`, what was found, what is allowed, and
  the nearest valid name.
- Integers may be written as floats that are whole numbers (`5e2`); `500.5`, `nan` and what 64 bits cannot hold are
  refused. Numbers must be finite. Values are in the units that the tables below name and are not converted; any
  consistent system of units works.
- A **formula** is a string in `x`, `y`, `z`: `"sin(2*pi*x) * cos(2*pi*y)"`, or a plain number. Constants: `pi`, `e`.
  Operators: `+ - * / ^`, comparisons, `&& ||`, `a ? b : c`. Functions: `sin cos tan asin acos atan atan2 sinh cosh
  tanh asinh acosh atanh exp ln log log2 log10 sqrt sign rint abs min max sum avg` (`log` is the natural logarithm).
  A value that is not finite stops the program and names the point.
- A **path** is relative to the folder of the case file, also in `--set`.
- A **list of tables** has double brackets, `[[name]]`, once for each of its tables.
- `--set table.key=value` on the command line replaces a value, with the same checks; of several for one key the last
  holds. Strings need no quotes there: `--set initial.u="sin(x)"`. In a list of tables say which one,
  by its number from 1 or, where it has a key `name`, by that: `--set stage.2.steps=100`, `--set stage.melt.steps=100`. The
  list as a whole: `--set name=[]`.
- Each run writes the case as it was understood, defaults and `--set` included, into its output folder as `case.toml`.
  Paths in it are absolute. It can be run again, and gives the same bits.
- `--schema` prints a JSON schema, with which editors (Even Better TOML, taplo) complete and check case files.

)md";

}  // namespace

std::string case_files_page(const std::vector<CaseProgram>& programs) {
  std::string page(kIntroduction);
  for (const CaseProgram& program : programs)
    page += fmt::format("## {}\n\n{}", program.name, program.schema->markdown(3));
  while (page.ends_with("\n\n")) page.pop_back();
  return page;
}

std::string check_case_files_page(const std::vector<CaseProgram>& programs, const std::string& file) {
  const std::string page = case_files_page(programs);
  if (std::getenv("HALYARD_WRITE_DOCS")) {
    std::ofstream stream(file, std::ios::binary);
    stream << page;
    stream.close();
    if (!stream) throw Error(fmt::format("{} cannot be written.", file));
    return "";
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream found;
  if (stream.peek() != std::ifstream::traits_type::eof()) found << stream.rdbuf();
  if (found.str() == page) return "";
  return fmt::format(
      "{} is not what the declarations of the keys say; run this test with HALYARD_WRITE_DOCS=1 to write it anew.",
      file);
}

}  // namespace halyard
