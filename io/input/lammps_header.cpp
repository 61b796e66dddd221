#include "io/input/lammps_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace halyard::md {

namespace {

enum class Keyword { count, types, extra, bounds, tilts, shapes, general_box };

struct HeaderLine {
  std::string_view name;
  Keyword kind;
  int index;        // which count, type or axis
  std::int64_t at;  // line where it was seen, 0: not seen
};

std::vector<HeaderLine> header_lines() {
  return {
      {"atoms", Keyword::count, 0, 0},
      {"bonds", Keyword::count, 1, 0},
      {"angles", Keyword::count, 2, 0},
      {"dihedrals", Keyword::count, 3, 0},
      {"impropers", Keyword::count, 4, 0},
      {"atom types", Keyword::types, 0, 0},
      {"bond types", Keyword::types, 1, 0},
      {"angle types", Keyword::types, 2, 0},
      {"dihedral types", Keyword::types, 3, 0},
      {"improper types", Keyword::types, 4, 0},
      {"extra bond per atom", Keyword::extra, 0, 0},
      {"extra angle per atom", Keyword::extra, 0, 0},
      {"extra dihedral per atom", Keyword::extra, 0, 0},
      {"extra improper per atom", Keyword::extra, 0, 0},
      {"extra special per atom", Keyword::extra, 0, 0},
      {"xlo xhi", Keyword::bounds, 0, 0},
      {"ylo yhi", Keyword::bounds, 1, 0},
      {"zlo zhi", Keyword::bounds, 2, 0},
      {"xy xz yz", Keyword::tilts, 0, 0},
      {"ellipsoids", Keyword::shapes, 0, 0},
      {"lines", Keyword::shapes, 0, 0},
      {"triangles", Keyword::shapes, 0, 0},
      {"bodies", Keyword::shapes, 0, 0},
      {"avec", Keyword::general_box, 0, 0},
      {"bvec", Keyword::general_box, 0, 0},
      {"cvec", Keyword::general_box, 0, 0},
      {"abc origin", Keyword::general_box, 0, 0},
  };
}

constexpr const char* expected_lines =
    "'N atoms', 'N bonds', 'N angles', 'N dihedrals', 'N impropers', 'N atom types' (bond, angle, dihedral, improper "
    "types), 'lo hi xlo xhi' (ylo yhi, zlo zhi), 'xy xz yz xy xz yz'";

bool begins_with_letter(std::string_view text) {
  return !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

/// The header line whose keyword ends `words`: "atom types" of "2 atom types". No keyword ends another one.
HeaderLine* find(std::vector<HeaderLine>& known, const std::vector<std::string_view>& words) {
  for (HeaderLine& candidate : known) {
    const std::vector<std::string_view> name = words_of(candidate.name);
    if (words.size() > name.size() && std::equal(name.rbegin(), name.rend(), words.rbegin())) return &candidate;
  }
  return nullptr;
}

/// The length that write_lammps_data put into the comment of a bounds line, where no double xhi gives it by xhi - xlo;
/// xhi - xlo itself when there is none, or one that does not belong to these bounds.
double exact_length(double low, double high, std::string_view comment) {
  double length = 0.0;
  if (next_word(comment) == "length" && parse_double(next_word(comment), length) && next_word(comment).empty() &&
      std::fabs(length - (high - low)) <= 2.0 * DBL_EPSILON * std::max(std::fabs(low), std::fabs(high)))
    return length;
  return high - low;
}

class HeaderReader {
 public:
  HeaderReader(TextLines& lines, LammpsHeader& header) : lines_(lines), header_(header) {}

  void read(TextLine& line) {
    TextLine title;
    if (!lines_.next(title)) lines_.fail_file("is empty; expected a title line, a header and sections");
    header_.title = title.raw;
    std::replace(header_.title.begin(), header_.title.end(), '\r', ' ');  // as the writer does
    while (lines_.next_filled(line)) {
      const std::vector<std::string_view> words = words_of(line.text);
      if (HeaderLine* found = find(known_, words)) {
        take(*found, line, words);
        continue;
      }
      if (begins_with_letter(line.text)) break;
      lines_.fail(line,
                  fmt::format("unknown header line; expected one of {}, or the name of a section", expected_lines));
    }
    if (!begins_with_letter(line.text)) line = {};
    check_complete(title);
  }

 private:
  void take(HeaderLine& keyword, const TextLine& line, const std::vector<std::string_view>& words) {
    if (keyword.at != 0)
      lines_.fail(line, fmt::format("the header line '{}' is given twice, first in line {}", keyword.name, keyword.at));
    keyword.at = line.number;
    if (keyword.kind == Keyword::general_box)
      lines_.fail(line, fmt::format("a general triclinic box ('{}') is not supported; expected lines 'lo hi xlo xhi' "
                                    "(ylo yhi, zlo zhi) and 'xy xz yz xy xz yz'",
                                    keyword.name));
    const std::size_t values = words.size() - words_of(keyword.name).size();
    const std::size_t wanted = keyword.kind == Keyword::bounds ? 2 : keyword.kind == Keyword::tilts ? 3 : 1;
    if (values != wanted)
      lines_.fail(line,
                  fmt::format("expected {} {} before '{}'", wanted, wanted == 1 ? "number" : "numbers", keyword.name));
    switch (keyword.kind) {
      case Keyword::bounds: {
        const double low = number(line, words[0], keyword), high = number(line, words[1], keyword);
        const auto axis = static_cast<std::size_t>(keyword.index);
        if (!(low < high)) lines_.fail(line, fmt::format("expected lower < upper before '{}'", keyword.name));
        header_.box.origin[axis] = low;
        header_.box.length[axis] = exact_length(low, high, line.comment);
        if (!std::isfinite(high - low)) lines_.fail(line, "the length of the box is too large for a number");
        break;
      }
      case Keyword::tilts:
        header_.box.xy = number(line, words[0], keyword);
        header_.box.xz = number(line, words[1], keyword);
        header_.box.yz = number(line, words[2], keyword);
        break;
      default:
        count(keyword, line, words[0]);
    }
  }

  double number(const TextLine& line, std::string_view word, const HeaderLine& keyword) const {
    double value = 0.0;
    if (!parse_double(word, value))
      lines_.fail(line, fmt::format("expected finite numbers before '{}', not '{}'", keyword.name, word));
    return value;
  }

  void count(const HeaderLine& keyword, const TextLine& line, std::string_view word) {
    const std::int64_t most = keyword.kind == Keyword::count ? INT64_MAX / 64 : INT32_MAX / 2;
    std::int64_t value = 0;
    if (!parse_integer(word, value) || value < 0 || value > most)
      lines_.fail(line, fmt::format("expected a whole number from 0{} before '{}', not '{}'",
                                    value > most ? fmt::format(" to {}", most) : "", keyword.name, word));
    const auto index = static_cast<std::size_t>(keyword.index);
    if (keyword.kind == Keyword::count) {
      const std::array<std::int64_t*, 5> counts{&header_.atoms, &header_.bonds, &header_.angles, &header_.dihedrals,
                                                &header_.impropers};
      *counts[index] = value;
    } else if (keyword.kind == Keyword::types) {
      const std::array<std::int32_t*, 5> types{&header_.atom_types, &header_.bond_types, &header_.angle_types,
                                               &header_.dihedral_types, &header_.improper_types};
      *types[index] = static_cast<std::int32_t>(value);
    } else if (keyword.kind == Keyword::shapes && value > 0) {
      lines_.fail(line, fmt::format("atoms with a shape ('{}') are not supported; expected point atoms", keyword.name));
    }
  }

  /// Counts default to 0 in LAMMPS; a file without atoms, types or a box is a mistake.
  void check_complete(const TextLine& title) const {
    for (const HeaderLine& keyword : known_) {
      const bool needed = keyword.kind == Keyword::bounds || keyword.name == "atoms" || keyword.name == "atom types";
      if (!needed || keyword.at != 0) continue;
      std::vector<HeaderLine> again = header_lines();
      const HeaderLine* in_title = find(again, words_of(title.text));
      lines_.fail_file(fmt::format("the header has no line '{}'{}", keyword.name,
                                   in_title != nullptr && in_title->name == keyword.name
                                       ? "; the first line is the title and holds no header line"
                                       : ""));
    }
  }

  TextLines& lines_;
  LammpsHeader& header_;
  std::vector<HeaderLine> known_ = header_lines();
};

}  // namespace

LammpsHeader read_lammps_header(TextLines& lines, TextLine& line) {
  LammpsHeader header;
  HeaderReader(lines, header).read(line);
  return header;
}

}  // namespace halyard::md
