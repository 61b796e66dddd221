#pragma once
#include <string>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard {

/// A program and the schema of its case files, for the page of keys.
struct CaseProgram {
  std::string name;  // "halyard-flow"
  const CaseSchema* schema;
};

/// The text of docs/case-files.md: how case files are written, then every key of every program.
std::string case_files_page(const std::vector<CaseProgram>& programs);

/// Compares the page with `file`; empty when they agree, else a sentence that says what to do. With the environment
/// variable HALYARD_WRITE_DOCS set, the file is written instead. For the test that keeps docs/case-files.md true.
std::string check_case_files_page(const std::vector<CaseProgram>& programs, const std::string& file);

}  // namespace halyard
