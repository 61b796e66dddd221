#include "io/case/page.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fmt/format.h"
#include "kernels/device/error.hpp"

namespace halyard {
namespace {

constexpr const char
    *kIntroduction = R"(# Case files

This page is generated from the programs' declarations; change the declaration, not the page.

A case is one [TOML](https://toml.io) file: tables in brackets, keys with values, comments after `#`.

```toml
[time]
cfl = 0.5               # a number
end = 2e1               # integers and floats may stand for each other where nothing is lost

[[output.slice]]        # double brackets: a list of tables, one for each time it is written
field = "vorticity"
```

- Nothing is ignored: an unknown key, a missing one, a wrong type or a value out of range stops the program before
  anything is computed. All errors are told at once, each with `file:line:column`, what was found, what is allowed, and
  the nearest valid name.
- Integers may be written as floats that are whole numbers (`5e2`); `500.5`, `nan` and what 64 bits cannot hold are
  refused. Numbers must be finite. Values are in the unit that the tables below name and are not converted; a
  consistent system of other units works as well.
- A **formula** is a string in `x`, `y`, `z`: `"sin(2*pi*x) * cos(2*pi*y)"`,
    or a plain number.Constants : `pi`, `e`.Operators : `+ -* / ^`, comparisons, `&& ||`, `a ? b
                                                                                             : c`.Functions
    : `sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp ln log log2 log10 sqrt sign rint abs min
        max sum avg` (`log` is the natural logarithm)
            .A value that is
    not finite stops the program and names the point.- A **path **is relative to the folder of the case file,
    also in `--set`.- `--set table.key = value` on the command line replaces a value, with the same checks;
of several for one key the last holds.Strings need no quotes there : `--set initial.u = "sin(x)"`, `--set output
                                                                                                       .format =
                                                                                                       hdf5`.Values inside
                                                                                                           a list of tables
                                                                                                               cannot be
                                                                                                                   set,
    but the list as a whole can : `--set output.slice = []`.- Each run writes the case as it was understood,
    defaults and `--set` included, into its output folder as `case.toml`.Paths in it are absolute.It can be run again,
    and gives the same bits.- `--schema` prints a JSON schema,
    with which editors(Even Better TOML, taplo) complete and check case files.

    ) ";

}  // namespace

std::string case_files_page(const std::vector<CaseProgram>& programs) {
  std::string page = kIntroduction;
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
