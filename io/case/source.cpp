#include "io/case/source.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "fmt/format.h"

namespace halyard {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr toml::date kBroken{1, 1, 1};  // no key of a case is a date
constexpr std::string_view kBrokenText = "0001-01-01";

// Length of the UTF-8 sequence at the start of `text`, 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

char32_t code_point(std::string_view sequence) {
  char32_t value = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() > 1) value &= 0x7f >> sequence.size();
  for (std::size_t i = 1; i < sequence.size(); ++i)
    value = value << 6 | (static_cast<unsigned char>(sequence[i]) & 0x3f);
  return value;
}

std::string bytes(std::string_view sequence) {
  std::vector<std::string> hex;
  for (const char c : sequence) hex.push_back(fmt::format("0x{:02x}", static_cast<unsigned char>(c)));
  return fmt::format("{}", fmt::join(hex, " "));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// A line "key = value": the two parts, the value without its comment. Empty key where the line is no such line.
struct Assignment {
  std::string_view key, value;
  std::size_t value_column = 0;  // from 1; what stands before it is ASCII
};
Assignment split_assignment(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return {};
  const std::string_view key = trimmed(line.substr(0, equals));
  const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  if (key.empty() || !std::all_of(key.begin(), key.end(), in_name)) return {};
  std::string_view value = line.substr(equals + 1);
  char quote = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (quote == 0 && value[i] == '#') {
      value = value.substr(0, i);
    } else if (quote == 0 && (value[i] == '"' || value[i] == '\'')) {
      quote = value[i];
    } else if (quote == value[i]) {
      quote = 0;
    }
  }
  value = trimmed(value);
  return {key, value, static_cast<std::size_t>(value.data() - line.data()) + 1};
}

bool spans_lines(std::string_view value) {
  const auto count = [&](char c) { return std::count(value.begin(), value.end(), c); };
  return count('[') != count(']') || count('{') != count('}') || value.find("\"\"\"") != value.npos ||
         value.find("'''") != value.npos;
}

}  // namespace

CaseSource::CaseSource(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with(kByteOrderMark)) text_.erase(0, kByteOrderMark.size());
  line_begin_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_begin_.push_back(i + 1);
}

CaseSource CaseSource::from_override(const std::string& assignment, std::string text) {
  std::string shown = assignment.substr(0, assignment.find_first_of("\r\n"));
  if (shown.size() < assignment.size()) shown += "...";
  CaseSource source("--set " + shown, std::move(text));
  source.is_override_ = true;
  return source;
}

std::string CaseSource::where(std::size_t line, std::size_t column) const {
  return is_override_ ? name_ : fmt::format("{}:{}:{}", name_, line, column);
}

std::string_view CaseSource::line_with_end(std::size_t number) const {
  if (number < 1 || number > line_begin_.size()) return {};
  const std::size_t begin = line_begin_[number - 1];
  const std::size_t end = number < line_begin_.size() ? line_begin_[number] : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

std::string_view CaseSource::line(std::size_t number) const {
  std::string_view text = line_with_end(number);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::size_t CaseSource::offset(const toml::source_position& position) const {
  if (position.line < 1 || position.line > line_begin_.size()) return text_.size();
  std::size_t at = line_begin_[position.line - 1];
  for (std::size_t column = 1; column < position.column && at < text_.size(); ++column)
    at += std::max<std::size_t>(1, utf8_length(std::string_view(text_).substr(at)));
  return std::min(at, text_.size());
}

std::string_view CaseSource::slice(const toml::source_region& region) const {
  const std::size_t begin = offset(region.begin), end = offset(region.end);
  return trimmed(std::string_view(text_).substr(begin, end > begin ? end - begin : 0));
}

bool CaseSource::is_broken(const toml::node& node) {
  const auto* date = node.as_date();
  return date && date->get() == kBroken;
}

std::optional<toml::table> CaseSource::parse(std::vector<SyntaxError>& errors) const {
  if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
    errors.push_back({1, 1, "the file is in UTF-16; save it as UTF-8."});
    return std::nullopt;
  }
  std::size_t line_number = 1, column = 1;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t length = utf8_length(std::string_view(text_).substr(at));
    if (length == 0) {
      errors.push_back({line_number, column,
                        fmt::format("the byte {} is not UTF-8; save the file as UTF-8.", bytes({&text_[at], 1}))});
      return std::nullopt;
    }
    column = text_[at] == '\n' ? 1 : column + 1;
    if (text_[at] == '\n') ++line_number;
    at += length;
  }

  // A line whose value is broken gets a value that is not, and the text is parsed again, to find all such lines.
  std::vector<std::string> lines;
  for (std::size_t number = 1; number <= line_begin_.size(); ++number) lines.emplace_back(line_with_end(number));
  for (;;) {
    try {
      return toml::parse(fmt::format("{}", fmt::join(lines, "")));
    } catch (const toml::parse_error& error) {
      const auto at = error.source().begin;
      const bool repaired_before = !errors.empty() && errors.back().line == at.line;
      if (repaired_before) return std::nullopt;
      const auto says = [&](std::string_view words) {
        return error.description().find(words) != std::string_view::npos;
      };
      const Assignment assignment = split_assignment(line(at.line));
      const std::string message = explain(error.description(), at.line, at.column);
      // A message about the whole value points at its beginning.
      const bool of_value = !assignment.value.empty() && message.starts_with(assignment.value);
      errors.push_back({at.line, of_value ? assignment.value_column : at.column, message,
                        says("not representable") || says("could not be interpreted")});
      if (assignment.key.empty() || spans_lines(assignment.value)) return std::nullopt;
      const bool given_twice = says("redefine");
      lines[at.line - 1] = given_twice ? "\n" : fmt::format("{} = {}\n", assignment.key, kBrokenText);
    }
  }
}

std::string CaseSource::first_given(std::string_view key, std::size_t before_line) const {
  for (std::size_t number = before_line; number-- > 1;) {
    const std::string_view text = trimmed(line(number));
    if (split_assignment(text).key == key) return fmt::format(" first on line {}", number);
    if (text.starts_with('[')) break;
  }
  return {};
}

std::string CaseSource::explain(std::string_view description, std::size_t line_number, std::size_t column) const {
  const std::string_view text = line(line_number);
  const Assignment assignment = split_assignment(text);
  const auto says = [&](std::string_view words) { return description.find(words) != description.npos; };

  if (says("redefine")) {
    if (const std::string_view header = trimmed(text); header.starts_with('[')) {
      for (std::size_t number = 1; number < line_number; ++number)
        if (trimmed(line(number)) == header)
          return fmt::format("the table {} is given twice, first on line {}; put its keys together.", header, number);
    } else if (!assignment.key.empty()) {
      return fmt::format("{} is given twice,{}; keep one.", assignment.key, first_given(assignment.key, line_number));
    }
  }

  // The character at fault, where it is one that looks right and is not.
  const std::size_t at =
      offset({static_cast<toml::source_index>(line_number), static_cast<toml::source_index>(column)});
  const std::string_view rest = std::string_view(text_).substr(at);
  if (const std::size_t length = utf8_length(rest); length > 1 && !says("string")) {
    const std::string_view character = rest.substr(0, length);
    const char32_t code = code_point(character);
    const char* instead = code == 0x2212 || code == 0x2013 || code == 0x2014   ? "; for a minus sign write '-'"
                          : code == 0x201c || code == 0x201d || code == 0x201e ? "; write straight quotes (\")"
                          : code == 0x2018 || code == 0x2019                   ? "; write straight quotes (')"
                          : code == 0xa0                                       ? "; write a plain space"
                                                                               : "";
    return fmt::format("unexpected character {} (U+{:04X}, bytes {}){}.", character, static_cast<unsigned>(code),
                       bytes(character), instead);
  }

  if (says("string") && says("control characters"))
    return "the string is not closed on its line, or holds a control character.";
  if (const std::size_t quote = description.find('\''); quote != description.npos) {
    const std::string_view literal = description.substr(quote + 1, description.rfind('\'') - quote - 1);
    if (says("not representable in 64 bits")) return fmt::format("{} is too large for a 64-bit integer.", literal);
    if (says("could not be interpreted as a value"))
      return fmt::format("{} is not a number that a double can hold.", literal);
  }
  if (says("leading zeroes")) return fmt::format("{}: a number must not start with 0.", assignment.value);
  if (says("array") && says("end-of-file")) return "an array is not closed by ].";
  if (!assignment.key.empty()) {
    const std::string_view value = assignment.value;
    if (value.empty()) return fmt::format("{} has no value.", assignment.key);
    if (value.front() == '.' || value.back() == '.')
      return fmt::format("{} is not a number in TOML: a digit is needed on both sides of the point.", value);
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == "true" || lower == "yes" || lower == "on") return fmt::format("{} is not a value; write true.", value);
    if (lower == "false" || lower == "no" || lower == "off")
      return fmt::format("{} is not a value; write false.", value);
    const bool bare = value.find_first_of("\"'[]{}=\\") == value.npos;
    if (bare && std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::isalpha(c); }))
      return fmt::format("{} is not a value; a string needs quotes: {} = \"{}\".", value, assignment.key, value);
  }
  std::string_view rest_of_description = description;
  if (rest_of_description.starts_with("Error while parsing ")) rest_of_description.remove_prefix(20);
  return fmt::format("this is not TOML: {}.", rest_of_description);
}

}  // namespace halyard
