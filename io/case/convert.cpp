#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "io/case/integer.hpp"
#include "io/case/nearest.hpp"
#include "io/case/reader.hpp"
#include "io/case/text.hpp"

namespace halyard {
namespace {

std::string shortened(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  const std::size_t length = std::min<std::size_t>({text.size(), line_end, 60});
  return std::string(text.substr(0, length)) + (length < text.size() ? "..." : "");
}

}  // namespace

// "the string "abc"", "500.5", "an array of 2 values".
std::string CaseReader::describe(const toml::node& node, std::string_view text) {
  if (node.is_table()) return "a table";
  if (const auto* array = node.as_array())
    return fmt::format("an array of {} value{}", array->size(), array->size() == 1 ? "" : "s");
  if (node.is_string()) return fmt::format("the string {}", shortened(text));
  if (node.is_boolean()) return fmt::format("the boolean {}", text);
  if (node.is_number()) return shortened(text);
  return fmt::format("the date or time {}", text);
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

CaseValue CaseReader::with_full_paths(const CaseKeySpec& key, CaseValue value) const {
  if (key.type.scalar != CaseScalar::path) return value;
  if (auto* elements = std::get_if<std::vector<CaseValue>>(&value.data)) {
    for (CaseValue& element : *elements) element = with_full_paths(key, std::move(element));
  } else if (auto& text = std::get<std::string>(value.data); !text.empty()) {
    text = (folder_ / text).lexically_normal().string();
  }
  return value;
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
    if (!text.empty()) return with_full_paths(key, CaseValue{text});
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
        return CaseValue{Expression(toml_number(*number), fmt::format("{}: {}", position(found).text, name))};
      [[fallthrough]];
    default:
      if (found.node->is_string()) return convert_text(key, found, name);
  }
  fail(position(found), fmt::format("{} is {}, but must be {}.", name, describe(*found.node, literal),
                                    must_be(key, key.type.extents.size())));
  return std::nullopt;
}

}  // namespace halyard
