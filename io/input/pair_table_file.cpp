#include "io/input/pair_table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/input/text_lines.hpp"
#include "kernels/device/error.hpp"

namespace halyard::md {

namespace {

/// The line of parameters.
struct Parameters {
  std::int64_t rows = 0;
  bool squared = false;                           // RSQ
  std::optional<std::pair<double, double>> ends;  // of R or RSQ
};

class PairTableReader {
 public:
  PairTableReader(std::string_view text, const std::string& file) : lines_(text, file, true) {}

  std::vector<PairTableSection> all() {
    std::vector<PairTableSection> sections;
    TextLine line;
    while (lines_.next_filled(line)) {
      const std::string_view keyword = words_of(line.text)[0];
      if (double number = 0.0; parse_double(keyword, number)) {
        lines_.fail(line, sections.empty()
                              ? "expected the keyword of a section"
                              : fmt::format("section {} has its {} rows before this line; expected the keyword of the "
                                            "next section",
                                            sections.back().keyword, sections.back().r.size()));
      }
      for (const PairTableSection& known : sections) {
        if (known.keyword == keyword) {
          lines_.fail(line, fmt::format("section {} is there already, on line {}", keyword, known.line));
        }
      }
      PairTableSection& section = sections.emplace_back();
      section.keyword = keyword;
      section.line = line.number;
      read(section);
    }
    if (sections.empty()) {
      lines_.fail_file("has no section; expected a keyword, a line 'N 500 R 1.0 10.0', and rows 'number r U F'");
    }
    return sections;
  }

 private:
  void read(PairTableSection& section) {
    const Parameters parameters = read_parameters(section);
    // A count that the file cannot hold must not become memory.
    const auto room = std::min(static_cast<std::size_t>(parameters.rows), lines_.bytes_left() / 8 + 1);
    section.r.reserve(room);
    section.energy.reserve(room);
    section.force.reserve(room);
    for (std::int64_t row = 1; row <= parameters.rows; ++row) {
      read_row(section, parameters, row);
    }
  }

  Parameters read_parameters(const PairTableSection& section) {
    TextLine line;
    if (!lines_.next_filled(line)) {
      lines_.fail_at(lines_.number(), fmt::format("the file ends, expected the parameters of section {} ('N 500 R 1.0 "
                                                  "10.0')",
                                                  section.keyword));
    }
    Parameters parameters;
    bool slopes = false;
    std::string_view rest = line.text;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      if (word == "N") {
        const std::string_view count = next_word(rest);
        if (parameters.rows != 0 || !parse_integer(count, parameters.rows) || parameters.rows < 2) {
          lines_.fail(line, "expected 'N' once, and behind it a whole number of rows, 2 at least");
        }
      } else if (word == "R" || word == "RSQ") {
        double low = 0.0, high = 0.0;
        if (parameters.ends || !parse_double(next_word(rest), low) || !parse_double(next_word(rest), high) ||
            !(low > 0.0) || !(high > low)) {
          lines_.fail(line, fmt::format("expected 'R' or 'RSQ' once, and behind it two distances, the first above zero "
                                        "and the second above the first; '{}' has none such",
                                        word));
        }
        parameters.ends = {low, high};
        parameters.squared = word == "RSQ";
      } else if (word == "FPRIME") {
        double low = 0.0, high = 0.0;
        if (slopes || !parse_double(next_word(rest), low) || !parse_double(next_word(rest), high)) {
          lines_.fail(line, "expected 'FPRIME' once, and behind it two numbers");
        }
        slopes = true;
      } else if (word == "BITMAP") {
        lines_.fail(line, "BITMAP cannot be read; write the table with R or RSQ");
      } else {
        lines_.fail(line, fmt::format("expected N, R, RSQ or FPRIME, not '{}'", word));
      }
    }
    if (parameters.rows == 0) {
      lines_.fail(line, fmt::format("expected 'N' with the number of rows of section {}", section.keyword));
    }
    return parameters;
  }

  /// Where R or RSQ puts row `row` of 1 to N.
  static double distance(const Parameters& parameters, std::int64_t row) {
    const auto [low, high] = *parameters.ends;
    const double share = static_cast<double>(row - 1) / static_cast<double>(parameters.rows - 1);
    if (row == parameters.rows) {
      return high;
    }
    return parameters.squared ? std::sqrt(low * low + (high * high - low * low) * share) : low + (high - low) * share;
  }

  void read_row(PairTableSection& section, const Parameters& parameters, std::int64_t row) {
    TextLine line;
    if (!lines_.next_filled(line)) {
      lines_.fail_at(lines_.number(), fmt::format("the file ends after {} of the {} rows of section {}", row - 1,
                                                  parameters.rows, section.keyword));
    }
    std::int64_t number = 0;
    double r = 0.0, energy = 0.0, force = 0.0;
    std::string_view rest = line.text;
    if (!parse_integer(next_word(rest), number) || !parse_double(next_word(rest), r) ||
        !parse_double(next_word(rest), energy) || !parse_double(next_word(rest), force) || !next_word(rest).empty()) {
      lines_.fail(line, fmt::format("expected row {} of {} of section {}: 'number r U F', the last three finite", row,
                                    parameters.rows, section.keyword));
    }
    if (number != row) {
      lines_.fail(line, fmt::format("expected row {} of {} of section {}, not {}", row, parameters.rows,
                                    section.keyword, number));
    }
    if (parameters.ends) {
      const double at = distance(parameters, row);
      const double step =
          row == parameters.rows ? at - distance(parameters, row - 1) : distance(parameters, row + 1) - at;
      // Columns are printed with few digits, so that R or RSQ is the better number.
      if (std::abs(r - at) > 0.5 * step) {
        lines_.fail(line, fmt::format("row {} has r = {}, but by {} it is at {:.8g}", row, r,
                                      parameters.squared ? "RSQ" : "R", at));
      }
      r = at;
    }
    const double before = section.r.empty() ? 0.0 : section.r.back();
    if (!(r > before)) {
      lines_.fail(line, fmt::format("expected r above {}, as distances rise from row to row{}", before,
                                    section.r.empty() ? " from above zero" : ""));
    }
    section.r.push_back(r);
    section.energy.push_back(energy);
    section.force.push_back(force);
  }

  TextLines lines_;
};

}  // namespace

std::vector<PairTableSection> parse_pair_tables(std::string_view text, const std::string& file) {
  return PairTableReader(text, file).all();
}

}  // namespace halyard::md
