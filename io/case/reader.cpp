#include "io/case/reader.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "fmt/format.h"
#include "io/case/integer.hpp"
#include "io/case/nearest.hpp"
#include "io/case/schema_data.hpp"
#include "io/case/text.hpp"

namespace halyard {
namespace {

constexpr std::uint64_t kAfterFile = std::uint64_t{1} << 62;  // order of the messages of --set

std::string lines(const CaseMessages& messages) {
  std::string text;
  for (const auto& [position, message] : messages) {
    if (!text.empty()) text += '\n';
    text += position.text + ": " + message;
  }
  return text;
}

void sort_by_place(CaseMessages& messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.first.order < b.first.order; });
}

// The node at a dotted path; null where there is none.
const toml::node* node_at(const toml::table& table, std::string_view path) {
  const std::size_t dot = path.find('.');
  const toml::node* node = table.get(path.substr(0, dot));
  if (!node || dot == std::string_view::npos) return node;
  return node->is_table() ? node_at(*node->as_table(), path.substr(dot + 1)) : nullptr;
}

std::string shortened(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  const std::size_t length = std::min<std::size_t>({text.size(), line_end, 60});
  return std::string(text.substr(0, length)) + (length < text.size() ? "..." : "");
}

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

// "the string "abc"", "500.5", "an array of 2 values".
std::string describe(const toml::node& node, std::string_view text) {
  if (node.is_table()) return "a table";
  if (const auto* array = node.as_array())
    return fmt::format("an array of {} value{}", array->size(), array->size() == 1 ? "" : "s");
  if (node.is_string()) return fmt::format("the string {}", shortened(text));
  if (node.is_boolean()) return fmt::format("the boolean {}", text);
  if (node.is_number()) return shortened(text);
  return fmt::format("the date or time {}", text);
}

}  // namespace

CaseReader::CaseReader(CaseSchema& schema, std::string_view text, const std::string& name,
                       const std::filesystem::path& folder, const std::vector<std::string>& overrides)
    : schema_(schema),
      file_(name, std::string(text)),
      folder_(std::filesystem::absolute(folder)),
      overrides_(overrides) {}

CasePosition CaseReader::position(const CaseSource& source, const toml::source_position& at) const {
  std::uint64_t order = std::uint64_t{at.line} << 32 | at.column;
  for (std::size_t i = 0; i < override_sources_.size(); ++i)
    if (&override_sources_[i] == &source) order = kAfterFile + i;
  return {source.where(at), order};
}

void CaseReader::read() {
  schema_.data_->name = file_.name();
  schema_.data_->notes.clear();
  parse_file();
  parse_overrides();
  read_table(schema_, table_, file_, true);
  all_valid_ = table_is_whole_ && schema_.data_->all_valid();
  run_checks(schema_);
  sort_by_place(errors_);
  if (!errors_.empty()) throw Error(lines(errors_));
  sort_by_place(notes_);
  for (const auto& [at, message] : notes_) schema_.data_->notes.push_back(at.text + ": " + message);
}

void CaseReader::parse_file() {
  std::vector<CaseSource::SyntaxError> syntax_errors;
  std::optional<toml::table> table = file_.parse(syntax_errors);
  for (const auto& error : syntax_errors)
    fail({file_.where(error.line, error.column), std::uint64_t{error.line} << 32 | error.column}, error.message);
  table_is_whole_ = table.has_value();
  if (table) table_ = std::move(*table);
}

void CaseReader::parse_overrides() {
  for (const std::string& assignment : overrides_) parse_override(assignment);
}

void CaseReader::parse_override(const std::string& assignment) {
  CaseSource& source = override_sources_.emplace_back(CaseSource::from_override(assignment, ""));
  const CasePosition at = position(source, {1, 1});
  const std::size_t equals = assignment.find('=');
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
    if (data.is_table(path))
      return fail(
          at, fmt::format("{} is a table; an override sets one of its keys, as in --set {}.key=value.", path, path));
    return fail(at, unknown(schema_, path, false));
  }

  std::vector<CaseSource::SyntaxError> syntax_errors;
  source = CaseSource::from_override(assignment, "value = " + value);
  std::optional<toml::table> table;
  if (value.find('\n') == std::string::npos) table = source.parse(syntax_errors);
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
    fail(at, fmt::format("{} is not a TOML value; {} must be {}.", value.empty() ? "nothing" : value, path, needed));
  }
  override_tables_.push_back(table ? std::move(*table) : toml::table{});
  override_values_[path] = {node ? override_tables_.back().get("value") : nullptr, &source, true};
}

void CaseReader::read_table(CaseSchema& schema, const toml::table& table, const CaseSource& source, bool root) {
  CaseSchema::Data& data = *schema.data_;
  data.verify();
  if (root) data.origin = {};
  reject_unknown(schema, table, source, "");
  const auto find = [&](const std::string& path) {
    if (root)
      if (const auto override = override_values_.find(path); override != override_values_.end())
        return override->second;
    const toml::node* node = node_at(table, path);
    return Found{node, &source, node != nullptr};
  };
  // A missing key is looked for at the innermost table that is there.
  const auto where_missing = [&](const std::string& path) -> CasePosition {
    for (std::string parent = split_path(path).first; !parent.empty(); parent = split_path(parent).first)
      if (const toml::node* node = node_at(table, parent); node && node->is_table())
        return position(source, node->source().begin);
    return data.origin.text.empty() ? CasePosition{file_.name(), 0} : data.origin;
  };
  for (CaseKeySpec& key : data.keys) read_key(schema, key, find(key.path), where_missing(key.path));
  for (CaseListSpec& list : data.lists) read_list(schema, list, find(list.path), where_missing(list.path));
}

void CaseReader::reject_unknown(CaseSchema& schema, const toml::table& table, const CaseSource& source,
                                const std::string& path) {
  CaseSchema::Data& data = *schema.data_;
  for (const auto& [name, node] : table) {
    const std::string full = path.empty() ? std::string(name.str()) : fmt::format("{}.{}", path, name.str());
    if (data.find_key(full) || data.find_list(full)) continue;
    if (data.is_table(full)) {
      if (const toml::table* inner = node.as_table()) {
        reject_unknown(schema, *inner, source, full);
      } else if (!CaseSource::is_broken(node)) {
        const char* is = node.is_array_of_tables() ? "is a table, given once as" : "is a table, written as";
        fail(position(source, name.source().begin), fmt::format("{0}{1} {2} [{0}{1}].", data.prefix, full, is));
      }
      continue;
    }
    fail(position(source, name.source().begin), unknown(schema, full, node.is_table() || node.is_array_of_tables()));
  }
}

std::string CaseReader::unknown(CaseSchema& schema, const std::string& path, bool is_table) const {
  CaseSchema::Data& data = *schema.data_;
  const auto [table, name] = split_path(path);
  std::vector<std::string> all, siblings, names, tables, elsewhere;
  const auto add = [&](const std::string& full) {
    const auto [its_table, its_name] = split_path(full);
    all.push_back(full);
    names.push_back(its_name);
    if (its_table == table) siblings.push_back(its_name);
    if (its_name == name) elsewhere.push_back(its_table);
  };
  for (const auto& key : data.keys) add(key.path);
  for (const auto& list : data.lists) add(list.path);
  for (const auto& spec : data.tables)
    if (!spec.path.empty()) tables.push_back(spec.path);
  const auto full_name = [&](const std::string& text) { return data.prefix + text; };
  const auto table_name = [&](const std::string& text) {
    if (text.empty() && data.prefix.empty()) return std::string("the top of the file, before all tables");
    return fmt::format("[{}]", text.empty() ? data.prefix.substr(0, data.prefix.size() - 1) : full_name(text));
  };

  if (is_table) {
    std::string message = fmt::format("[{}] is not a known table", full_name(path));
    std::vector<std::string> candidates = tables;
    for (const auto& list : data.lists) candidates.push_back(list.path);
    const std::string near = nearest(path, candidates);
    if (!near.empty()) return fmt::format("{}; did you mean [{}]?", message, full_name(near));
    if (candidates.empty()) return message + ".";
    for (std::string& candidate : candidates) candidate = table_name(candidate);
    return fmt::format("{}; known are {}.", message, fmt::join(candidates, ", "));
  }

  const std::string message = fmt::format("{} is not a known key", full_name(path));
  // In order: a near name in its table; the same name in another table; a near name anywhere.
  const std::string sibling = nearest(name, siblings);
  const std::string in_table = table.empty() ? sibling : fmt::format("{}.{}", table, sibling);
  if (!elsewhere.empty()) {
    std::vector<std::string> places;
    for (const std::string& place : elsewhere) places.push_back(table_name(place));
    const std::string hint = fmt::format("{}; {} belongs in {}", message, name, one_of(places));
    return sibling.empty() ? hint + "." : fmt::format("{}; or did you mean {}?", hint, full_name(in_table));
  }
  if (!sibling.empty()) return fmt::format("{}; did you mean {}?", message, full_name(in_table));
  if (const std::string near = nearest(name, names); !near.empty()) {
    const auto at = std::find(names.begin(), names.end(), near) - names.begin();
    return fmt::format("{}; did you mean {}?", message, full_name(all[static_cast<std::size_t>(at)]));
  }
  if (!siblings.empty()) return fmt::format("{}; {} knows {}.", message, table_name(table), fmt::join(siblings, ", "));
  if (!data.is_table(table) && !tables.empty()) {
    if (const std::string near = nearest(table, tables); !near.empty())
      return fmt::format("{}; did you mean the table {}?", message, table_name(near));
  }
  for (std::string& known : tables) known = table_name(known);
  if (tables.empty()) return message + ".";
  return fmt::format("{}; keys belong in the tables {}.", message, fmt::join(tables, ", "));
}

void CaseReader::read_key(CaseSchema& schema, CaseKeySpec& key, Found found, const CasePosition& where_missing) {
  const std::string name = schema.data_->prefix + key.path;
  key.given = found.given;
  key.valid = true;
  key.value.reset();
  key.position = {};
  if (key.given) {
    key.valid = false;
    key.position = found.node ? position(found) : position(*found.source, {1, 1});
    if (!found.node || CaseSource::is_broken(*found.node)) return;  // told already
    key.value = convert(key, found, name, 0);
    if (!key.value) return;
    key.valid = true;
  } else {
    key.value = key.default_value;
    if (key.required) {
      key.valid = false;
      std::string message = fmt::format("{} is missing; it must be given, as {}", name, must_be(key));
      if (!key.unit.empty()) message += fmt::format(" [{}]", key.unit);
      if (!key.help.empty()) message += fmt::format(" ({})", key.help);
      if (table_is_whole_) fail(where_missing, message + ".");
      return;
    }
  }
  if (key.value) {
    key.assign(*key.value);
  } else {
    key.clear();
  }
}

void CaseReader::read_list(CaseSchema& schema, CaseListSpec& list, Found found, const CasePosition& where_missing) {
  const std::string name = schema.data_->prefix + list.path;
  list.elements.clear();
  list.given = found.node != nullptr;
  list.valid = true;
  list.position = {};
  const toml::array* tables = nullptr;
  if (found.node) {
    list.position = position(found);
    tables = found.node->as_array();
    const bool all_tables =
        tables && std::all_of(tables->begin(), tables->end(), [](const toml::node& node) { return node.is_table(); });
    if (!all_tables) {
      list.valid = false;
      tables = nullptr;
      if (!CaseSource::is_broken(*found.node))
        fail(list.position, fmt::format("{0} is {1}, but must be a list of tables, each written as [[{0}]].", name,
                                        describe(*found.node, found.source->slice(found.node->source()))));
    }
  }
  const std::size_t count = tables ? tables->size() : 0;
  if (list.valid && static_cast<std::int64_t>(count) < list.least_count) {
    list.valid = false;
    if (table_is_whole_)
      fail(found.node ? list.position : where_missing,
           fmt::format("[[{}]] is given {} time{}, but must be given at least {} time{}.", name, count,
                       count == 1 ? "" : "s", list.least_count, list.least_count == 1 ? "" : "s"));
  }
  list.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& element = list.elements.emplace_back(std::make_unique<CaseSchema>());
    element->data_->prefix = name + ".";
    element->data_->name = schema.data_->name;
    element->data_->origin = position(*found.source, (*tables)[i].source().begin);
    list.declare_element(*element, i);
    read_table(*element, *(*tables)[i].as_table(), *found.source, false);
  }
}

void CaseReader::run_checks(CaseSchema& schema) {
  CaseSchema::Data& data = *schema.data_;
  // Conditions refer to other keys, so they are asked only when all are right.
  for (CaseKeySpec& key : data.keys) {
    if (!all_valid_) break;
    key.active = !key.active_when || key.active_when();
    if (key.required_when && !key.given && key.required_when())
      fail(data.position_of(key.path), fmt::format("{}{} is missing, and required as {}; it must be {}.", data.prefix,
                                                   key.path, key.required_why, must_be(key)));
    if (key.given && !key.active)
      notes_.emplace_back(key.position,
                          fmt::format("{}{} has no effect, as {}.", data.prefix, key.path, key.inactive_why));
  }
  for (const auto& check : data.checks) {
    const bool ready = table_is_whole_ && std::all_of(check.keys.begin(), check.keys.end(),
                                                      [&](const std::string& key) { return data.is_valid(key); });
    if (!ready) continue;
    CaseCheck report(schema, errors_, notes_);
    check.test(report);
  }
  for (const CaseListSpec& list : data.lists)
    for (const auto& element : list.elements) run_checks(*element);
}

std::optional<CaseValue> CaseReader::convert(const CaseKeySpec& key, const Found& found, const std::string& name,
                                             std::size_t depth) {
  if (depth == key.type.extents.size()) return convert_scalar(key, found, name);
  const std::int64_t extent = key.type.extents[depth];
  const toml::array* array = found.node->as_array();
  const auto count = array ? static_cast<std::int64_t>(array->size()) : 0;
  if (!array || (extent >= 0 && count != extent)) {
    fail(position(found),
         fmt::format("{} is {}, but must be {}.", name,
                     describe(*found.node, found.source->slice(found.node->source())), must_be(key, depth)));
    return std::nullopt;
  }
  if (depth == 0 && (count < key.least_count || (key.most_count >= 0 && count > key.most_count))) {
    const bool few = count < key.least_count;
    fail(position(found), fmt::format("{} has {} value{}, but must have {} {}.", name, count, count == 1 ? "" : "s",
                                      few ? "at least" : "at most", few ? key.least_count : key.most_count));
    return std::nullopt;
  }
  std::vector<CaseValue> elements;
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto element =
        convert(key, {array->get(i), found.source, true}, fmt::format("element {} of {}", i + 1, name), depth + 1);
    if (element) elements.push_back(std::move(*element));
    good = good && element;
  }
  if (!good) return std::nullopt;
  return CaseValue{std::move(elements)};
}

bool CaseReader::in_range(const CaseKeySpec& key, const Found& found, const std::string& name, long double value) {
  const bool low = key.lower && !(key.lower->inclusive ? value >= key.lower->value : value > key.lower->value);
  const bool high = key.upper && !(key.upper->inclusive ? value <= key.upper->value : value < key.upper->value);
  if (low || high)
    fail(position(found), fmt::format("{} is {}, but must be {}.", name, found.source->slice(found.node->source()),
                                      must_be(key, key.type.extents.size())));
  return !low && !high;
}

std::optional<CaseValue> CaseReader::convert_integer(const CaseKeySpec& key, const Found& found,
                                                     const std::string& name) {
  const std::string literal(found.source->slice(found.node->source()));
  std::int64_t value = 0;
  if (const auto* integer = found.node->as_integer()) {
    value = integer->get();
  } else {
    const ExactInteger exact = exact_integer(literal);
    if (!exact.value) {
      fail(position(found), fmt::format("{} is {}, but must be {}{}.", name, literal,
                                        must_be(key, key.type.extents.size()), exact.why_not));
      return std::nullopt;
    }
    value = *exact.value;
  }
  if (key.type.integer_bits == 32 && value != static_cast<std::int32_t>(value)) {
    fail(position(found), fmt::format("{} is {}, which a 32-bit integer cannot hold; it must be {}.", name, literal,
                                      must_be(key, key.type.extents.size())));
    return std::nullopt;
  }
  if (!in_range(key, found, name, value)) return std::nullopt;
  return CaseValue{value};
}

std::optional<CaseValue> CaseReader::convert_text(const CaseKeySpec& key, const Found& found, const std::string& name) {
  const std::string& text = found.node->as_string()->get();
  if (!key.choices.empty()) {
    std::vector<std::string> names;
    for (const auto& choice : key.choices) {
      if (choice.name == text) return choice.value;
      names.push_back(choice.name);
    }
    std::string message = fmt::format("{} is {}, but must be {}", name, toml_string(text), one_of(choice_names(key)));
    const std::string near = nearest(text, names);
    fail(position(found), message + (near.empty() ? "." : fmt::format("; did you mean {}?", toml_string(near))));
    return std::nullopt;
  }
  if (key.type.scalar == CaseScalar::path) {
    if (!text.empty()) return CaseValue{(folder_ / text).lexically_normal().string()};
    fail(position(found), fmt::format("{} is empty, but must be a path.", name));
    return std::nullopt;
  }
  if (key.type.scalar == CaseScalar::expression) {
    try {
      return CaseValue{Expression(text, fmt::format("{}: {}", position(found).text, name))};
    } catch (const Error& error) {
      const std::string message = error.what();
      fail(position(found), message.substr(position(found).text.size() + 2));
      return std::nullopt;
    }
  }
  return CaseValue{text};
}

std::optional<CaseValue> CaseReader::convert_scalar(const CaseKeySpec& key, const Found& found,
                                                    const std::string& name) {
  if (CaseSource::is_broken(*found.node)) return std::nullopt;
  const std::string literal(found.source->slice(found.node->source()));
  switch (key.type.scalar) {
    case CaseScalar::boolean:
      if (const auto* boolean = found.node->as_boolean()) return CaseValue{boolean->get()};
      break;
    case CaseScalar::integer:
      if (found.node->is_number()) return convert_integer(key, found, name);
      break;
    case CaseScalar::real:
      if (const auto number = found.node->value<double>(); number && found.node->is_number()) {
        if (!std::isfinite(*number)) break;
        if (!in_range(key, found, name, *number)) return std::nullopt;
        return CaseValue{*number};
      }
      break;
    case CaseScalar::expression:
      if (const auto number = found.node->value<double>(); number && found.node->is_number() && std::isfinite(*number))
        return CaseValue{Expression(shortest(*number), fmt::format("{}: {}", position(found).text, name))};
      [[fallthrough]];
    default:
      if (found.node->is_string()) return convert_text(key, found, name);
  }
  fail(position(found), fmt::format("{} is {}, but must be {}.", name, describe(*found.node, literal),
                                    must_be(key, key.type.extents.size())));
  return std::nullopt;
}

void CaseSchema::read_text(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                           const std::vector<std::string>& overrides) {
  CaseReader(*this, text, name, folder, overrides).read();
}

void CaseSchema::read_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw Error(fmt::format("{} is a folder, but a case file is wanted.", file.string()));
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || !text)
    throw Error(fmt::format("{}: the case file cannot be read ({}).", file.string(), std::strerror(errno)));
  read_text(text.str(), file.string(), file.parent_path(), overrides);
}

}  // namespace halyard
