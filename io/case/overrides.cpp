#include <cctype>
#include <utility>

#include "fmt/format.h"
#include "io/case/reader.hpp"
#include "io/case/schema_data.hpp"
#include "io/case/text.hpp"

namespace halyard {
namespace {

// [wall, "free slip"] -> ["wall", "free slip"]
std::string words_quoted(const std::string& text) {
  std::string out, word;
  char quote = 0;
  const auto end_word = [&] {
    if (!word.empty()) out += toml_string(word);
    word.clear();
  };
  for (const char c : text) {
    if (quote == 0 && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '/')) {
      word += c;
      continue;
    }
    end_word();
    out += c;
    if (quote == 0 ? c == '"' || c == '\'' : c == quote) quote = quote == 0 ? c : 0;
  }
  end_word();
  return out;
}

}  // namespace

void CaseReader::parse_override(const std::string& assignment) {
  CaseSource& source = override_sources_.emplace_back(CaseSource::from_override(assignment, ""));
  const CasePosition at = position(source, {1, 1});
  const std::size_t equals = assignment.find('=');
  if (assignment.find_first_of("\r\n") != std::string::npos) return fail(at, "an override must be a single line.");
  if (equals == std::string::npos || equals == 0) return fail(at, "an override is written --set table.key=value.");
  std::string path = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const auto trim = [](std::string& text) {
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    text.erase(text.find_last_not_of(" \t") + 1);
  };
  trim(path);
  trim(value);

  CaseSchema::Data& data = *schema_.data_;
  const CaseKeySpec* key = data.find_key(path);
  if (!key && !data.find_list(path)) {
    for (const CaseListSpec& list : data.lists)
      if (path.starts_with(list.path + "."))
        return fail(at, fmt::format("the list [[{0}]] can only be set as a whole, as in --set {0}=[].", list.path));
    if (data.is_table(path))
      return fail(
          at, fmt::format("{} is a table; an override sets one of its keys, as in --set {}.key=value.", path, path));
    return fail(at, unknown(schema_, path, false));
  }

  std::vector<CaseSource::SyntaxError> syntax_errors;
  source = CaseSource::from_override(assignment, "value = " + value);
  std::optional<toml::table> table = source.parse(syntax_errors);
  const toml::node* node = table && syntax_errors.empty() && table->size() == 1 ? table->get("value") : nullptr;
  // The shell eats quotes: --set initial.u="sin(x)" arrives without them. Text for a string key is the string.
  const bool is_text = key && (key->type.scalar == CaseScalar::string || key->type.scalar == CaseScalar::choice ||
                               key->type.scalar == CaseScalar::path || key->type.scalar == CaseScalar::expression);
  const bool wrong_type = node && key && key->type.scalar != CaseScalar::expression && !node->is_string();
  if (is_text && (!node || (key->type.extents.empty() && wrong_type))) {
    syntax_errors.clear();
    source = CaseSource::from_override(
        assignment, "value = " + (key->type.extents.empty() ? toml_string(value) : words_quoted(value)));
    table = source.parse(syntax_errors);
    node = table && syntax_errors.empty() && table->size() == 1 ? table->get("value") : nullptr;
  }
  if (!node) {
    const std::string needed = key ? must_be(*key) : "an array of inline tables";
    std::string problem = value.empty() ? "no value is given." : value + " is not a TOML value.";
    if (!syntax_errors.empty() && syntax_errors[0].unrepresentable) problem = syntax_errors[0].message;
    fail(at, fmt::format("{} {} must be {}.", problem, path, needed));
  }
  override_tables_.push_back(table ? std::move(*table) : toml::table{});
  override_values_[path] = {node ? override_tables_.back().get("value") : nullptr, &source, true};
}

}  // namespace halyard
