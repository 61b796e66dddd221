#include "io/input/text_lines.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kernels/device/error.hpp"

namespace halyard::md {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

TextLines::TextLines(std::string_view text, std::string file, bool comments)
    : rest_(text), file_(std::move(file)), comments_(comments) {
  if (rest_.starts_with("\x1f\x8b")) fail_file("is compressed by gzip; expected plain text, unpack it first");
  if (rest_.starts_with("\xff\xfe") || rest_.starts_with("\xfe\xff"))
    fail_file("is UTF-16 text; expected ASCII or UTF-8, save it as that");
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  if (rest_.find('\n') == std::string_view::npos && rest_.find('\r') != std::string_view::npos)
    fail_file("ends its lines with carriage returns alone, as old Macintoshes did; expected line feeds");
}

bool TextLines::next(TextLine& line) {
  if (rest_.empty()) return false;
  const void* end = std::memchr(rest_.data(), '\n', rest_.size());
  const std::size_t length =
      end == nullptr ? rest_.size() : static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data());
  std::string_view all = rest_.substr(0, length);
  rest_.remove_prefix(end == nullptr ? length : length + 1);
  line.number = ++number_;
  line.raw = trimmed(all);
  line.comment = {};
  if (comments_) {
    if (const void* hash = all.empty() ? nullptr : std::memchr(all.data(), '#', all.size())) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(hash) - all.data());
      line.comment = trimmed(all.substr(at + 1));
      all = all.substr(0, at);
    }
  }
  line.text = trimmed(all);
  return true;
}

bool TextLines::next_filled(TextLine& line) {
  while (next(line))
    if (!line.text.empty()) return true;
  return false;
}

void TextLines::fail(const TextLine& line, const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}; found: {}", file_, line.number, what, quoted(line.raw)));
}

void TextLines::fail_at(std::int64_t line, const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", file_, line, what));
}

void TextLines::fail_file(const std::string& what) const { throw Error(fmt::format("{}: {}", file_, what)); }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) words.push_back(word);
  return words;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  while (!next_word(text).empty()) ++count;
  return count;
}

bool parse_double(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ptr != word.data() + word.size()) return false;
  if (result.ec == std::errc::result_out_of_range) {  // too large or too small: strtod says which
    value = std::strtod(std::string(word).c_str(), nullptr);
    return std::isfinite(value);
  }
  return result.ec == std::errc{} && std::isfinite(value);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string shown = "\"";
  for (const char c : text.substr(0, most)) shown += std::iscntrl(static_cast<unsigned char>(c)) && c != '\t' ? '?' : c;
  return shown + (text.size() > most ? "...\"" : "\"");
}

}  // namespace halyard::md
