#include "solvers/flow/face_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "kernels/device/error.hpp"

namespace halyard::flow {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// Numbers are written in printable ASCII; a comment may hold any text.
bool is_text(unsigned char byte, bool comment) { return byte == '\t' || (byte >= 0x20 && (comment || byte < 0x7f)); }

double coordinate(std::string_view word) {
  const std::string_view digits = word.starts_with('+') && !word.starts_with("+-") ? word.substr(1) : word;
  double value = 0.0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = read.ptr == digits.data() + digits.size();
  if (whole && read.ec == std::errc::result_out_of_range) {
    throw Error(fmt::format("\"{}\" is beyond what a double can hold.", word));
  }
  // from_chars knows "inf" and "nan" too.
  if (!whole || read.ec != std::errc() || !(value - value == 0.0)) {
    const std::string_view shown = word.substr(0, 40);
    throw Error(
        fmt::format("found \"{}{}\", expected one coordinate.", shown, shown.size() < word.size() ? "..." : ""));
  }
  return value;
}

}  // namespace

std::vector<double> read_face_file(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) { return Error(fmt::format("{}: {}", path.string(), what)); };
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw fail("is a folder; a text file with one coordinate a line is wanted.");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file.peek() != std::ifstream::traits_type::eof()) {
    content << file.rdbuf();
  }
  if (!file.is_open() || file.bad() || !content) {
    throw fail(fmt::format("cannot be read ({}).", std::strerror(errno)));
  }
  const std::string text = content.str();
  std::vector<double> faces;
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) {
    rest.remove_prefix(kByteOrderMark.size());
  }
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    const bool comment = trimmed(line).starts_with('#');
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (!is_text(static_cast<unsigned char>(line[i]), comment)) {
        throw fail(fmt::format("line {}: byte 0x{:02x} at place {} belongs to no number; a plain text file is wanted.",
                               number, static_cast<unsigned char>(line[i]), i + 1));
      }
    }
    const std::string_view word = trimmed(line);
    if (word.empty() || comment) {
      continue;
    }
    double value = 0.0;
    try {
      value = coordinate(word);
    } catch (const Error& error) {
      throw fail(fmt::format("line {}: {}", number, error.what()));
    }
    if (!faces.empty() && value <= faces.back()) {
      throw fail(fmt::format("line {}: {} is not above {} before it.", number, value, faces.back()));
    }
    faces.push_back(value);
  }
  return faces;
}

}  // namespace halyard::flow
