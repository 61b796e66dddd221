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

  const auto [key, list] = target_of(path, at);
  if (!key && !list) return;

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
  override_values_.push_back({path, {node ? override_tables_.back().get("value") : nullptr, &source, true}});
}

CaseReader::Target CaseReader::target_of(const std::string& path, const CasePosition& at) {
  CaseSchema* schema = &schema_;
  std::string said, rest = path;  // the way so far, with its dot; what is left of it
  for (;;) {
    CaseSchema::Data& data = *schema->data_;
    const CaseKeySpec* key = data.find_key(rest);
    const CaseListSpec* list = data.find_list(rest);
    if (key || list) return {key, list};
    for (const CaseListSpec& candidate : data.lists)
      if (rest.starts_with(candidate.path + ".")) list = &candidate;
    if (!list) {
      fail(at, data.is_table(rest)
                   ? fmt::format("{0}{1} is a table; an override sets one of its keys, as in --set {0}{1}.key=value.",
                                 said, rest)
                   : unknown(*schema, rest, false));
      return {};
    }
    const std::size_t element = list->path.size() + 1, dot = rest.find('.', element);
    const std::string name = list->path;
    CaseSchema& inner = prototypes_.emplace_back();
    inner.data_->prefix = data.prefix + name + ".";
    inner.data_->name = data.name;
    list->declare_prototype(inner);
    if (dot == std::string::npos || dot == element || dot + 1 == rest.size()) {
      // A key in place of the number is the likely slip.
      const std::string last = rest.substr(element);
      const std::string slip = inner.data_->find_key(last) ? last : "key";
      fail(at,
           fmt::format("[[{0}{1}]] is a list: say which of its tables is meant, by its number from 1{2}, as in --set "
                       "{0}{1}.1.{3}=value, or set the list as a whole, as in --set {0}{1}=[].",
                       said, name, inner.data_->find_key("name") ? " or its name" : "", slip));
      return {};
    }
    said += rest.substr(0, dot + 1);
    rest = rest.substr(dot + 1);
    schema = &inner;
  }
}

bool CaseReader::names_element(const std::string& path, const std::string& list, std::size_t number,
                               const toml::table& element) {
  const std::size_t start = list.size() + 1;
  const std::string which = path.substr(start, path.find('.', start) - start);
  return which == std::to_string(number) || which == element["name"].value<std::string>();
}

CaseReader::Overrides CaseReader::of_element(const Overrides& overrides, const std::string& list, std::size_t number,
                                             const toml::table& element) {
  Overrides inner;
  for (const Override& given : overrides)
    if (given.path.starts_with(list + ".") && names_element(given.path, list, number, element))
      inner.push_back({given.path.substr(given.path.find('.', list.size() + 1) + 1), given.found});
  return inner;
}

void CaseReader::reject_elements(const Overrides& overrides, const std::string& list, const std::string& name,
                                 const toml::array* tables) {
  for (const Override& given : overrides) {
    if (!given.path.starts_with(list + ".")) continue;
    bool met = false;
    std::vector<std::string> known;
    const std::size_t count = tables ? tables->size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const toml::table& table = *(*tables)[i].as_table();
      met = met || names_element(given.path, list, i + 1, table);
      const std::string named = table["name"].value_or<std::string>("");
      known.push_back(named.empty() ? std::to_string(i + 1) : fmt::format("{} (\"{}\")", i + 1, named));
    }
    if (met) continue;
    const std::size_t start = list.size() + 1;
    const std::string which = given.path.substr(start, given.path.find('.', start) - start);
    fail(position(*given.found.source, {1, 1}),
         fmt::format("{} is none of the tables of the list [[{}]]{}.", which, name,
                     known.empty() ? ", which has none" : fmt::format(", which are {}", fmt::join(known, ", "))));
  }
}

}  // namespace halyard
