#pragma once
#include <toml++/toml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halyard {

/// A piece of TOML text with its name in messages: a case file, or the value of one --set.
class CaseSource {
 public:
  struct SyntaxError {
    std::size_t line, column;  // from 1; columns count characters
    std::string message;
    bool unrepresentable = false;  // a number that no 64-bit integer or double can hold
  };

  /// A case file. A UTF-8 byte order mark is skipped.
  CaseSource(std::string name, std::string text);
  /// An argument of --set: `assignment` is "key=value" as given, `text` the TOML that stands for it.
  static CaseSource from_override(const std::string& assignment, std::string text);

  /// Parses the text. Lines with a broken value are collected in `errors`, and their keys get a value that is_broken(),
  /// so that the rest of the file can be checked too. Empty where the text cannot be read beyond an error.
  std::optional<toml::table> parse(std::vector<SyntaxError>& errors) const;
  /// True for the value that stands for one that could not be parsed, and about which there is a syntax error already.
  static bool is_broken(const toml::node& node);

  /// "case.toml:3:5", or "--set key=value".
  std::string where(std::size_t line, std::size_t column) const;
  std::string where(const toml::source_position& position) const { return where(position.line, position.column); }
  const std::string& name() const { return name_; }

  /// The text of a value as written, for messages and exact numbers.
  std::string_view slice(const toml::source_region& region) const;

 private:
  std::string_view line_with_end(std::size_t number) const;
  std::string_view line(std::size_t number) const;  // without its end
  std::size_t offset(const toml::source_position& position) const;
  std::string explain(std::string_view description, std::size_t line_number, std::size_t column) const;
  std::string first_given(std::string_view key, std::size_t before_line) const;

  std::string name_, text_;
  bool is_override_ = false;
  std::vector<std::size_t> line_begin_;
};

}  // namespace halyard
