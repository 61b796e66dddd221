#include "io/case/document.hpp"

#include <algorithm>

#include "fmt/format.h"
#include "io/case/schema_data.hpp"
#include "io/case/text.hpp"

namespace halyard {
namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string last_name(const std::string& path) { return split_path(path).second; }

std::string comment(const CaseKeySpec& key) {
  std::string text = key.unit.empty() ? "" : fmt::format("[{}]", key.unit);
  if (!key.help.empty()) text += (text.empty() ? "" : " ") + one_line(key.help);
  return text.empty() ? "" : "  # " + text;
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); }

std::string choices_code(const CaseKeySpec& key) {
  std::string text;
  for (const std::string& name : choice_names(key)) text += (text.empty() ? "" : ", ") + code(name);
  return text;
}

std::string default_text(const CaseKeySpec& key) {
  if (key.default_value) return code(to_toml(*key.default_value, key));
  if (key.required) return "required";
  if (key.required_when) return fmt::format("required when {}", key.required_why);
  return "not set";
}

std::string meaning(const CaseKeySpec& key) {
  std::string text = key.help;
  for (const auto& choice : key.choices)
    if (!choice.help.empty()) text += fmt::format("{}`{}`: {}", text.empty() ? "" : "; ", choice.name, choice.help);
  if (key.active_when) text += fmt::format("{}no effect when {}", text.empty() ? "" : "; ", key.inactive_why);
  return text;
}

// JSON values read as TOML ones do: numbers, strings, arrays and booleans are written alike.
std::string json_scalar(const CaseKeySpec& key) {
  std::string text;
  switch (key.type.scalar) {
    case CaseScalar::boolean:
      text = R"("type": "boolean")";
      break;
    case CaseScalar::integer:
      text = R"("type": "integer")";
      break;
    case CaseScalar::real:
      text = R"("type": "number")";
      break;
    case CaseScalar::expression:
      text = R"("type": ["string", "number"])";
      break;
    default:
      text = R"("type": "string")";
  }
  if (!key.choices.empty()) text += fmt::format(", \"enum\": [{}]", fmt::join(choice_names(key), ", "));
  const auto bound = [&](const char* inclusive, const char* exclusive, const CaseKeySpec::Bound& b) {
    const std::string number = key.type.scalar == CaseScalar::integer
                                   ? fmt::format("{}", static_cast<std::int64_t>(b.value))
                                   : fmt::format("{}", static_cast<double>(b.value));
    text += fmt::format(", \"{}\": {}", b.inclusive ? inclusive : exclusive, number);
  };
  if (key.lower) bound("minimum", "exclusiveMinimum", *key.lower);
  if (key.upper) bound("maximum", "exclusiveMaximum", *key.upper);
  return text;
}

std::string json_key(const CaseKeySpec& key) {
  std::string text = json_scalar(key);
  const auto& extents = key.type.extents;
  for (std::size_t depth = extents.size(); depth-- > 0;) {
    std::int64_t least = extents[depth], most = extents[depth];
    if (extents[depth] < 0) {
      least = depth == 0 ? key.least_count : 0;
      most = depth == 0 ? key.most_count : -1;
    }
    text = fmt::format("\"type\": \"array\", \"items\": {{{}}}", text);
    if (least > 0) text += fmt::format(", \"minItems\": {}", least);
    if (most >= 0) text += fmt::format(", \"maxItems\": {}", most);
  }
  std::string description = meaning(key);
  if (!key.unit.empty()) description += fmt::format("{}[{}]", description.empty() ? "" : " ", key.unit);
  if (!description.empty()) text += fmt::format(", \"description\": {}", toml_string(one_line(description)));
  if (key.default_value) text += fmt::format(", \"default\": {}", to_toml(*key.default_value, key));
  return fmt::format("{{{}}}", text);
}

}  // namespace

std::vector<CaseDocument::Block> CaseDocument::blocks(const CaseSchema& schema) {
  const CaseSchema::Data& data = *schema.data_;
  std::vector<Block> blocks;
  for (const auto& table : data.tables) {
    Block block{table.path, table.help, {}, {}};
    for (const auto& key : data.keys)
      if (split_path(key.path).first == table.path) block.keys.push_back(&key);
    for (const auto& list : data.lists)
      if (split_path(list.path).first == table.path) block.lists.push_back(&list);
    blocks.push_back(std::move(block));
  }
  // TOML ends the top of the file at the first header, so the root's keys come first, and its lists last.
  if (!blocks[0].lists.empty()) {
    blocks.push_back({"", "", {}, std::move(blocks[0].lists)});
    blocks[0].lists.clear();
  }
  return blocks;
}

void CaseDocument::write_resolved(const CaseSchema& schema, std::string& out) {
  const std::string& prefix = schema.data_->prefix;
  for (const Block& block : blocks(schema)) {
    if (!block.path.empty() && !block.keys.empty()) {
      out += '\n';
      if (!block.help.empty()) out += fmt::format("# {}\n", one_line(block.help));
      out += fmt::format("[{}{}]\n", prefix, block.path);
    }
    for (const CaseKeySpec* key : block.keys) {
      const std::string name = last_name(key->path);
      const bool idle = !key->given && key->active_when && !key->active;
      if (!key->value) {
        out += fmt::format("# {} is not set{}\n", name, comment(*key));
      } else {
        out +=
            fmt::format("{}{} = {}{}\n", idle ? "# no effect: " : "", name, to_toml(*key->value, *key), comment(*key));
      }
    }
    for (const CaseListSpec* list : block.lists) {
      if (list->elements.empty()) out += fmt::format("\n# [[{}{}]]: none\n", prefix, list->path);
      for (const auto& element : list->elements) {
        out += fmt::format("\n[[{}{}]]\n", prefix, list->path);
        write_resolved(*element, out);
      }
    }
  }
}

std::string CaseDocument::resolved(const CaseSchema& schema) {
  std::string out;
  write_resolved(schema, out);
  return out.starts_with('\n') ? out.substr(1) : out;
}

void CaseDocument::write_markdown(const CaseSchema& schema, int level, std::string& out) {
  schema.data_->verify();
  const std::string& prefix = schema.data_->prefix;
  const std::string hashes(static_cast<std::size_t>(level), '#');
  for (const Block& block : blocks(schema)) {
    if (!block.path.empty() && !(block.keys.empty() && block.help.empty()))
      out += fmt::format("{} `[{}{}]`\n\n", hashes, prefix, block.path);
    if (!block.help.empty()) out += one_line(block.help) + "\n\n";
    if (!block.keys.empty()) {
      out += "| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n";
      for (const CaseKeySpec* key : block.keys) {
        const std::string allowed = key->choices.empty() ? allowed_values(*key) : choices_code(*key);
        out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", last_name(key->path), type_name(key->type),
                           cell(key->unit), cell(default_text(*key)), cell(allowed), cell(meaning(*key)));
      }
      out += '\n';
    }
    for (const CaseListSpec* list : block.lists) {
      out += fmt::format("{} `[[{}{}]]`\n\n", hashes, prefix, list->path);
      if (!list->help.empty()) out += one_line(list->help) + "\n\n";
      out += list->least_count > 0 ? fmt::format("A list of tables, {} or more.\n\n", list->least_count)
                                   : std::string("A list of tables, may be absent.\n\n");
      CaseSchema prototype;
      prototype.data_->prefix = prefix + list->path + ".";
      list->declare_prototype(prototype);
      write_markdown(prototype, level, out);
    }
  }
}

std::string CaseDocument::markdown(const CaseSchema& schema, int level) {
  std::string out;
  write_markdown(schema, level, out);
  return out;
}

std::string CaseDocument::json_list(const CaseListSpec& list, const std::string& prefix, int indent) {
  CaseSchema prototype;
  prototype.data_->prefix = prefix + list.path + ".";
  list.declare_prototype(prototype);
  bool any_required = false;
  std::string text = R"("type": "array")";
  if (!list.help.empty()) text += fmt::format(", \"description\": {}", toml_string(one_line(list.help)));
  if (list.least_count > 0) text += fmt::format(", \"minItems\": {}", list.least_count);
  return fmt::format("{{{}, \"items\": {}}}", text, json_object(prototype, "", indent, any_required));
}

std::string CaseDocument::json_object(const CaseSchema& schema, const std::string& path, int indent,
                                      bool& any_required) {
  const CaseSchema::Data& data = *schema.data_;
  if (path.empty()) data.verify();
  const std::string pad(static_cast<std::size_t>(indent) + 2, ' ');
  const std::string prefix = path.empty() ? "" : path + ".";
  std::vector<std::string> properties, required, seen;
  std::string help;
  for (const auto& key : data.keys) {
    const auto [table, name] = split_path(key.path);
    if (table != path) continue;
    properties.push_back(fmt::format("{}  {}: {}", pad, toml_string(name), json_key(key)));
    if (key.required) required.push_back(toml_string(name));
  }
  for (const auto& table : data.tables) {
    if (table.path == path) help = table.help;
    if (!table.path.starts_with(prefix) || table.path.size() <= prefix.size()) continue;
    const std::string name = table.path.substr(prefix.size(), table.path.find('.', prefix.size()) - prefix.size());
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    bool required_inside = false;
    const std::string object = json_object(schema, prefix + name, indent + 4, required_inside);
    properties.push_back(fmt::format("{}  {}: {}", pad, toml_string(name), object));
    if (required_inside) required.push_back(toml_string(name));
  }
  for (const auto& list : data.lists) {
    const auto [table, name] = split_path(list.path);
    if (table != path) continue;
    properties.push_back(fmt::format("{}  {}: {}", pad, toml_string(name), json_list(list, data.prefix, indent + 4)));
    if (list.least_count > 0) required.push_back(toml_string(name));
  }
  any_required = !required.empty();
  std::string out = "{\n" + pad + R"("type": "object")";
  if (!help.empty()) out += fmt::format(",\n{}\"description\": {}", pad, toml_string(one_line(help)));
  out += fmt::format(",\n{0}\"additionalProperties\": false,\n{0}\"properties\": {{\n{1}\n{0}}}", pad,
                     fmt::join(properties, ",\n"));
  if (any_required) out += fmt::format(",\n{}\"required\": [{}]", pad, fmt::join(required, ", "));
  return out + "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "}";
}

std::string CaseDocument::json_schema(const CaseSchema& schema, const std::string& title) {
  bool any_required = false;
  const std::string object = json_object(schema, "", 0, any_required);
  const std::string head = fmt::format(
      "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": {},", toml_string(title));
  return head + object.substr(1) + "\n";
}

std::string CaseSchema::resolved() const { return CaseDocument::resolved(*this); }
std::string CaseSchema::markdown(int level) const { return CaseDocument::markdown(*this, level); }
std::string CaseSchema::json_schema(const std::string& title) const { return CaseDocument::json_schema(*this, title); }

}  // namespace halyard
