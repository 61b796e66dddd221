#include "io/case/text.hpp"

#include "fmt/format.h"

namespace halyard {
namespace {

std::string bound_text(const CaseKeySpec& spec, long double bound) {
  return spec.type.scalar == CaseScalar::integer ? fmt::format("{}", static_cast<std::int64_t>(bound))
                                                 : fmt::format("{}", static_cast<double>(bound));
}

std::string range_text(const CaseKeySpec& spec, std::string_view between) {
  std::string text;
  if (spec.lower) text += (spec.lower->inclusive ? "at least " : "above ") + bound_text(spec, spec.lower->value);
  if (spec.lower && spec.upper) text += between;
  if (spec.upper) text += (spec.upper->inclusive ? "at most " : "below ") + bound_text(spec, spec.upper->value);
  return text;
}

struct Noun {
  const char *one, *many;
};
Noun noun(CaseScalar scalar) {
  switch (scalar) {
    case CaseScalar::boolean:
      return {"true or false", "booleans"};
    case CaseScalar::integer:
      return {"an integer", "integers"};
    case CaseScalar::real:
      return {"a number", "numbers"};
    case CaseScalar::path:
      return {"a path (a string)", "paths (strings)"};
    case CaseScalar::expression:
      return {"a formula (a string) or a number", "formulas (strings)"};
    default:
      return {"a string", "strings"};
  }
}

// "3 arrays of 2 numbers": what the elements of an array at `depth` are, in the plural.
std::string plural(const CaseKeySpec& spec, std::size_t depth) {
  const auto& extents = spec.type.extents;
  const std::string count = depth == 0 || extents[depth - 1] < 0 ? "" : fmt::format("{} ", extents[depth - 1]);
  return count + (depth < extents.size() ? "arrays of " + plural(spec, depth + 1) : noun(spec.type.scalar).many);
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + "\"";
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml(const CaseValue& value, const CaseKeySpec& spec) {
  struct Visitor {
    const CaseKeySpec& spec;
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const {
      for (const auto& choice : spec.choices)
        if (choice.value == CaseValue{v}) return toml_string(choice.name);
      return fmt::format("{}", v);
    }
    std::string operator()(double v) const { return toml_number(v); }
    std::string operator()(const std::string& v) const { return toml_string(v); }
    std::string operator()(const Expression& v) const { return toml_string(v.text()); }
    std::string operator()(const std::vector<CaseValue>& v) const {
      std::vector<std::string> parts;
      for (const CaseValue& element : v) parts.push_back(std::visit(*this, element.data));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    }
  };
  return std::visit(Visitor{spec}, value.data);
}

std::string type_name(const CaseValueType& type) {
  static constexpr const char* one[] = {"boolean", "integer", "number", "string", "string", "path", "formula"};
  static constexpr const char* many[] = {"booleans", "integers", "numbers", "strings", "strings", "paths", "formulas"};
  const auto scalar = static_cast<std::size_t>(type.scalar);
  if (type.extents.empty()) return one[scalar];
  std::string text;
  for (std::size_t i = 0; i < type.extents.size(); ++i) {
    const bool last = i + 1 == type.extents.size();
    const std::string inner = last ? many[scalar] : "lists of";
    const std::string here =
        type.extents[i] < 0 ? (i == 0 ? "list of " + inner : inner) : fmt::format("{} {}", type.extents[i], inner);
    text += (text.empty() ? "" : " ") + here;
  }
  return text;
}

std::vector<std::string> choice_names(const CaseKeySpec& spec) {
  std::vector<std::string> names;
  for (const auto& choice : spec.choices) names.push_back(toml_string(choice.name));
  return names;
}

std::string one_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names[0];
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string allowed_values(const CaseKeySpec& spec) {
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(choice_names(spec), ", "));
  std::string text = range_text(spec, ", ");
  if (spec.least_count > 0) text += fmt::format("{}{} or more", text.empty() ? "" : "; ", spec.least_count);
  if (spec.most_count >= 0) text += fmt::format("{}at most {} of them", text.empty() ? "" : "; ", spec.most_count);
  return text;
}

std::string must_be(const CaseKeySpec& spec, std::size_t depth) {
  const auto& type = spec.type;
  if (depth < type.extents.size()) {
    std::string text = "an array of " + plural(spec, depth + 1);
    if (!spec.choices.empty()) text += ", each " + one_of(choice_names(spec));
    if (const std::string range = range_text(spec, " and "); !range.empty()) text += ", each " + range;
    return text;
  }
  if (!spec.choices.empty()) return one_of(choice_names(spec));
  const std::string range = range_text(spec, " and ");
  const char* of = range.starts_with("at ") ? " of " : " ";
  return noun(type.scalar).one + (range.empty() ? "" : of + range);
}

}  // namespace halyard
