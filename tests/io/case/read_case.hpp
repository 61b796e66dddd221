#pragma once
#include <string>
#include <vector>

#include "tests/io/case/example_case.hpp"

namespace halyard::test {

/// A case that has what is required and no more; lines 1 to 4.
inline const std::string kLeast = "[domain]\ncells = [4, 5, 6]\n[fluid]\nviscosity = 1e-3\n";

/// Reads `text` as the case file "case.toml" in the folder /data/run.
inline ExampleCase read_case(const std::string& text, const std::vector<std::string>& overrides = {}) {
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  schema.read_text(text, "case.toml", "/data/run", overrides);
  return c;
}

/// The lines of the error that reading `text` throws; empty when there is none.
inline std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> lines;
  try {
    read_case(text, overrides);
  } catch (const Error& error) {
    std::string line;
    for (const char c : std::string(error.what()) + "\n") {
      if (c != '\n') {
        line += c;
        continue;
      }
      lines.push_back(line);
      line.clear();
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace halyard::test
