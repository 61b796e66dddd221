#include "io/results/json.hpp"

#include <fmt/core.h>

#include <cmath>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

std::string json_quoted(std::string_view text) {
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
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

}  // namespace

Json::Json(std::initializer_list<std::pair<std::string, Json>> members) : value_(Object(members)) {}

Json& Json::set(std::string name, Json value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object{};
  auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) throw Error("JSON member " + name + " set in something that is no object.");
  for (auto& [known, old] : *object) {
    if (known == name) {
      old = std::move(value);
      return *this;
    }
  }
  object->emplace_back(std::move(name), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Array{};
  auto* array = std::get_if<Array>(&value_);
  if (array == nullptr) throw Error("JSON element pushed to something that is no array.");
  array->push_back(std::move(value));
  return *this;
}

const std::vector<std::pair<std::string, Json>>& Json::members() const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) throw Error("members asked of a JSON value that is no object.");
  return *object;
}

bool Json::plain() const { return !std::holds_alternative<Array>(value_) && !std::holds_alternative<Object>(value_); }

void Json::print(std::string& out, int depth) const {
  const std::string inner(2 * static_cast<std::size_t>(depth + 1), ' '),
      outer(2 * static_cast<std::size_t>(depth), ' ');
  if (const auto* flag = std::get_if<bool>(&value_)) {
    out += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<double>(&value_)) {
    out += std::isfinite(*number) ? shortest(*number) : "null";
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*integer);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value_)) {
    out += std::to_string(*natural);
  } else if (const auto* words = std::get_if<std::string>(&value_)) {
    out += json_quoted(*words);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    bool one_line = true;
    for (const Json& element : *array) one_line = one_line && element.plain();
    const char* separator = "";
    out += "[";
    for (const Json& element : *array) {
      out += separator;
      if (!one_line) out += "\n" + inner;
      element.print(out, depth + 1);
      separator = one_line ? ", " : ",";
    }
    out += one_line ? "]" : "\n" + outer + "]";
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    const char* separator = "";
    out += "{";
    for (const auto& [name, member] : *object) {
      out += separator;
      out += "\n" + inner + json_quoted(name) + ": ";
      member.print(out, depth + 1);
      separator = ",";
    }
    out += object->empty() ? "}" : "\n" + outer + "}";
  } else {
    out += "null";
  }
}

std::string Json::text() const {
  std::string out;
  print(out, 0);
  return out + "\n";
}

}  // namespace halyard
