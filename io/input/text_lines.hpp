#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::md {

/// One line of a foreign text file. The views point into the file's text.
struct TextLine {
  std::int64_t number = 0;   // from 1
  std::string_view text;     // without comment, outer blanks and line end
  std::string_view comment;  // what follows the '#', trimmed; empty without one
  std::string_view raw;      // all of it, without outer blanks and line end
};

/// Walks over the lines of a text: LF or CRLF, with or without a UTF-8 byte order mark and a last line end. '#' begins
/// a comment where `comments` says so.
class TextLines {
 public:
  /// Throws Error when the text is compressed (gzip) or UTF-16: `file` names it.
  TextLines(std::string_view text, std::string file, bool comments);

  /// The next line, blank or not; false at the end.
  bool next(TextLine& line);
  /// The next line that holds more than blanks and a comment; false at the end.
  bool next_filled(TextLine& line);

  const std::string& file() const { return file_; }
  /// The number of the last line that was read.
  std::int64_t number() const { return number_; }
  /// Bytes not read yet: an upper bound for what a count in the header may promise.
  std::size_t bytes_left() const { return rest_.size(); }

  /// Throws Error "file:line: what; found: "text"" (a long text is cut).
  [[noreturn]] void fail(const TextLine& line, const std::string& what) const;
  /// Throws Error "file:line: what".
  [[noreturn]] void fail_at(std::int64_t line, const std::string& what) const;
  /// Throws Error "file: what".
  [[noreturn]] void fail_file(const std::string& what) const;

 private:
  std::string_view rest_;
  std::string file_;
  std::int64_t number_ = 0;
  bool comments_;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Cuts the first word off `text`; empty at the end.
inline std::string_view next_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// All words of a line.
std::vector<std::string_view> words_of(std::string_view text);
std::size_t count_words(std::string_view text);

/// A whole word as an integer: sign and digits only ("5e2", "5.0", "5x" are none), within T.
template <class T>
bool parse_integer(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc{} && result.ptr == word.data() + word.size();
}

/// A whole word as a finite double, correctly rounded; "nan", "inf", "1e999" and "1.0x" are none. A number too small
/// for a double is 0.
bool parse_double(std::string_view word, double& value);

/// The text in quotes, cut after 100 characters.
std::string quoted(std::string_view text);

}  // namespace halyard::md
