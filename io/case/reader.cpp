#include "io/case/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "fmt/format.h"
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
  read_table(schema_, table_, file_, override_values_, true);
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

void CaseReader::read_table(CaseSchema& schema, const toml::table& table, const CaseSource& source,
                            const Overrides& overrides, bool root) {
  CaseSchema::Data& data = *schema.data_;
  data.verify();
  if (root) data.origin = {};
  reject_unknown(schema, table, source, "");
  const auto find = [&](const std::string& path) {
    for (auto last = overrides.rbegin(); last != overrides.rend(); ++last)
      if (last->path == path) return last->found;
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
  for (CaseListSpec& list : data.lists) read_list(schema, list, find(list.path), overrides, where_missing(list.path));
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

void CaseReader::read_key(CaseSchema& schema, CaseKeySpec& key, Found found, const CasePosition& where_missing) {
  const std::string name = schema.data_->prefix + key.path;
  key.given = found.given;
  key.valid = true;
  key.value.reset();
  key.position = where_missing;
  if (key.given) {
    key.valid = false;
    key.position = found.node ? position(found) : position(*found.source, {1, 1});
    if (!found.node || CaseSource::is_broken(*found.node)) return;  // told already
    key.value = convert(key, found, name, 0);
    if (!key.value) return;
    key.valid = true;
  } else {
    if (key.default_value) key.value = with_full_paths(key, *key.default_value);
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

void CaseReader::read_list(CaseSchema& schema, CaseListSpec& list, Found found, const Overrides& overrides,
                           const CasePosition& where_missing) {
  const std::string name = schema.data_->prefix + list.path;
  list.elements.clear();
  list.given = found.node != nullptr;
  list.valid = true;
  list.position = where_missing;
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
    const toml::table& table = *(*tables)[i].as_table();
    read_table(*element, table, *found.source, of_element(overrides, list.path, i + 1, table), false);
  }
  reject_elements(overrides, list.path, name, tables);
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
