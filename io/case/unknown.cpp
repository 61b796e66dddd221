#include <algorithm>

#include "fmt/format.h"
#include "io/case/nearest.hpp"
#include "io/case/reader.hpp"
#include "io/case/schema_data.hpp"
#include "io/case/text.hpp"

namespace halyard {

std::string CaseReader::unknown(CaseSchema& schema, const std::string& path, bool is_table) const {
  CaseSchema::Data& data = *schema.data_;
  const std::string table = split_path(path).first, name = split_path(path).second;
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
    const auto header = [&](const std::string& candidate) {
      return data.find_list(candidate) ? fmt::format("[{}]", table_name(candidate)) : table_name(candidate);
    };
    const std::string near = nearest(path, candidates);
    if (!near.empty()) return fmt::format("{}; did you mean {}?", message, header(near));
    if (candidates.empty()) return message + ".";
    for (std::string& candidate : candidates) candidate = header(candidate);
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
  if (!siblings.empty() && !table.empty())
    return fmt::format("{}; {} knows {}.", message, table_name(table), fmt::join(siblings, ", "));
  if (!data.is_table(table) && !tables.empty()) {
    if (const std::string near = nearest(table, tables); !near.empty())
      return fmt::format("{}; did you mean the table {}?", message, table_name(near));
  }
  for (std::string& known : tables) known = table_name(known);
  if (table.empty() && !siblings.empty()) {
    const std::string known = fmt::format("{}; known here are {}", message, fmt::join(siblings, ", "));
    return tables.empty() ? known + "."
                          : fmt::format("{}; other keys belong in the tables {}.", known, fmt::join(tables, ", "));
  }
  if (tables.empty()) return message + ".";
  return fmt::format("{}; keys belong in the tables {}.", message, fmt::join(tables, ", "));
}

}  // namespace halyard
