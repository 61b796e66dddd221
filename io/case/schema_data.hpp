#pragma once
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard {

/// Private to io/case: what a CaseSchema holds. Deques, because keys and lists are referred to while more are declared.
struct CaseSchema::Data {
  struct TableSpec {
    std::string path, help;
  };
  struct Check {
    std::vector<std::string> keys;
    std::function<void(CaseCheck&)> test;
  };

  std::deque<CaseKeySpec> keys;
  std::deque<CaseListSpec> lists;
  std::vector<TableSpec> tables;  // in the order of their first mention; "" is the root
  std::vector<Check> checks;

  std::string prefix;   // "output.slice." in the schema of a list's element
  std::string name;     // of the file read
  CasePosition origin;  // of the list's element; empty for the file itself
  std::vector<std::string> notes;

  const CaseKeySpec* find_key(std::string_view path) const;
  const CaseListSpec* find_list(std::string_view path) const;
  bool is_table(std::string_view path) const;
  TableSpec& mention_table(const std::string& path);
  /// Where the key or list was given; for one that was not, its list's element or the file.
  CasePosition position_of(std::string_view path) const;
  /// Throws std::logic_error for a declaration that cannot work.
  void verify() const;
  /// True when the key, or every key of the list's elements, is free of errors.
  bool is_valid(std::string_view path) const;
  bool all_valid() const;
};

/// "a.b.c" -> {"a.b", "c"}; {"", "a"} for a key of the root.
std::pair<std::string, std::string> split_path(std::string_view path);

}  // namespace halyard
