#include "io/case/schema.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "fmt/format.h"
#include "io/case/schema_data.hpp"
#include "io/case/text.hpp"

namespace halyard {

std::pair<std::string, std::string> split_path(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(path)};
  return {std::string(path.substr(0, dot)), std::string(path.substr(dot + 1))};
}

namespace {

void require_name(const std::string& path) {
  bool part_is_empty = true;
  for (const char c : path) {
    if (c == '.' ? part_is_empty : !(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'))
      throw std::logic_error(fmt::format("case schema: \"{}\" is not a name for a key", path));
    part_is_empty = c == '.';
  }
  if (part_is_empty) throw std::logic_error(fmt::format("case schema: \"{}\" is not a name for a key", path));
}

bool in_range(const CaseKeySpec& spec, const CaseValue& value) {
  if (const auto* elements = std::get_if<std::vector<CaseValue>>(&value.data))
    return std::all_of(elements->begin(), elements->end(), [&](const CaseValue& e) { return in_range(spec, e); });
  if (!spec.choices.empty())
    return std::any_of(spec.choices.begin(), spec.choices.end(), [&](const auto& c) { return c.value == value; });
  long double number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    number = *integer;
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    number = *real;
  } else {
    return true;
  }
  if (!(number - number == 0)) return false;
  if (spec.lower && !(spec.lower->inclusive ? number >= spec.lower->value : number > spec.lower->value)) return false;
  return !spec.upper || (spec.upper->inclusive ? number <= spec.upper->value : number < spec.upper->value);
}

}  // namespace

const CaseKeySpec* CaseSchema::Data::find_key(std::string_view path) const {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

const CaseListSpec* CaseSchema::Data::find_list(std::string_view path) const {
  const auto found = std::find_if(lists.begin(), lists.end(), [&](const auto& list) { return list.path == path; });
  return found == lists.end() ? nullptr : &*found;
}

bool CaseSchema::Data::is_table(std::string_view path) const {
  return path.empty() || std::any_of(tables.begin(), tables.end(), [&](const TableSpec& table) {
           return table.path == path ||
                  (table.path.size() > path.size() && table.path.starts_with(path) && table.path[path.size()] == '.');
         });
}

CaseSchema::Data::TableSpec& CaseSchema::Data::mention_table(const std::string& path) {
  for (TableSpec& table : tables)
    if (table.path == path) return table;
  return tables.emplace_back(TableSpec{path, {}});
}

void CaseSchema::Data::verify() const {
  for (const CaseKeySpec& key : keys) {
    const auto fail = [&](const char* why) {
      throw std::logic_error(fmt::format("case schema: the declaration of {}{} {}", prefix, key.path, why));
    };
    if (!key.required && !key.default_value && !key.required_when && !key.type.optional)
      fail("is neither required nor optional and has no default");
    if (key.required && key.default_value) fail("is required and has a default");
    if (key.type.scalar == CaseScalar::choice && key.choices.empty()) fail("is an enum without choices");
    if (key.default_value && !in_range(key, *key.default_value)) fail("has a default outside its allowed values");
    if (is_table(key.path)) fail("is a table as well");
  }
}

bool CaseSchema::Data::is_valid(std::string_view path) const {
  if (const CaseKeySpec* key = find_key(path)) return key->valid;
  const CaseListSpec* list = find_list(path);
  if (!list)
    throw std::logic_error(fmt::format("case schema: a check names {}{}, which is not declared", prefix, path));
  return list->valid && std::all_of(list->elements.begin(), list->elements.end(),
                                    [](const auto& element) { return element->data_->all_valid(); });
}

bool CaseSchema::Data::all_valid() const {
  return std::all_of(keys.begin(), keys.end(), [](const auto& key) { return key.valid; }) &&
         std::all_of(lists.begin(), lists.end(), [this](const auto& list) { return is_valid(list.path); });
}

CasePosition CaseSchema::Data::position_of(std::string_view path) const {
  const CaseKeySpec* key = find_key(path);
  const CaseListSpec* list = find_list(path);
  if (!key && !list) throw std::logic_error(fmt::format("case schema: {}{} is not declared", prefix, path));
  return key ? key->position : list->position;
}

CaseSchema::CaseSchema() : data_(std::make_unique<Data>()) { data_->mention_table(""); }
CaseSchema::~CaseSchema() = default;

CaseKeySpec& CaseSchema::add_key(std::string path) {
  require_name(path);
  if (data_->find_key(path) || data_->find_list(path))
    throw std::logic_error(fmt::format("case schema: {}{} is declared twice", data_->prefix, path));
  data_->mention_table(split_path(path).first);
  CaseKeySpec& spec = data_->keys.emplace_back();
  spec.path = std::move(path);
  return spec;
}

CaseListSpec& CaseSchema::add_list(std::string path) {
  require_name(path);
  if (data_->find_key(path) || data_->find_list(path))
    throw std::logic_error(fmt::format("case schema: {}{} is declared twice", data_->prefix, path));
  data_->mention_table(split_path(path).first);
  CaseListSpec& spec = data_->lists.emplace_back();
  spec.path = std::move(path);
  return spec;
}

CaseSchema::Table CaseSchema::table(const std::string& path, std::string help) {
  require_name(path);
  Data::TableSpec& spec = data_->mention_table(path);
  if (spec.help.empty()) spec.help = std::move(help);
  return Table(this, path + ".");
}

void CaseSchema::check(std::vector<std::string> keys, std::function<void(CaseCheck&)> test) {
  data_->checks.push_back({std::move(keys), std::move(test)});
}

const std::vector<std::string>& CaseSchema::notes() const { return data_->notes; }

bool CaseSchema::given(std::string_view key) const {
  if (const CaseKeySpec* spec = data_->find_key(key)) return spec->given;
  if (const CaseListSpec* list = data_->find_list(key)) return list->given;
  throw std::logic_error(fmt::format("case schema: {}{} is not declared", data_->prefix, key));
}

Error CaseSchema::error(std::string_view key, const std::string& message) const {
  const CasePosition position = data_->position_of(key);
  return Error(fmt::format("{}: {}{} {}", position.text, data_->prefix, key, message));
}

void CaseCheck::error(std::string_view key, const std::string& message) {
  errors_.emplace_back(schema_.data_->position_of(key), fmt::format("{}{} {}", schema_.data_->prefix, key, message));
}

void CaseCheck::note(std::string_view key, const std::string& message) {
  notes_.emplace_back(schema_.data_->position_of(key), fmt::format("{}{} {}", schema_.data_->prefix, key, message));
}

bool CaseCheck::given(std::string_view key) const { return schema_.given(key); }

void CaseSchema::add_lines(const std::string& path, const std::vector<std::string>& except, const std::string& prefix,
                           std::string& out) const {
  const auto within = [&](const std::string& name) {
    return path.empty() || name == path || (name.starts_with(path) && name[path.size()] == '.');
  };
  for (const CaseKeySpec& key : data_->keys) {
    const bool left_out = std::find(except.begin(), except.end(), data_->prefix + key.path) != except.end();
    if (within(key.path) && !left_out && key.value && (!key.active_when || key.active_when()))
      out += fmt::format("{}{} = {}\n", prefix, key.path, to_toml(*key.value, key));
  }
  for (const CaseListSpec& list : data_->lists) {
    if (!within(list.path)) continue;
    for (std::size_t i = 0; i < list.elements.size(); ++i)
      list.elements[i]->add_lines("", except, fmt::format("{}{}.{}.", prefix, list.path, i + 1), out);
  }
}

std::string CaseSchema::lines(const std::vector<std::string>& paths, const std::vector<std::string>& except) const {
  std::string out;
  for (const std::string& path : paths) {
    if (!data_->find_key(path) && !data_->find_list(path) && !data_->is_table(path))
      throw std::logic_error(fmt::format("case schema: {} is not declared", path));
    add_lines(path, except, "", out);
  }
  return out;
}

}  // namespace halyard
