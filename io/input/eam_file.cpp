#include "io/input/eam_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/input/elements.hpp"
#include "io/input/text_lines.hpp"
#include "kernels/device/error.hpp"

namespace halyard::md {

namespace {

/// As parse_double, and Fortran's 1.0D-3.
bool parse_fortran(std::string_view word, double& value) {
  if (parse_double(word, value)) return true;
  const std::size_t at = word.find_first_of("dD");
  if (at == std::string_view::npos) return false;
  std::string with_e(word);
  with_e[at] = 'e';
  return parse_double(with_e, value);
}

struct Grid {
  int nrho = 0, nr = 0;
  double drho = 0.0, dr = 0.0, cutoff = 0.0;
};

class EamReader {
 public:
  EamReader(std::string_view text, const std::string& file) : lines_(text, file, true) {}

  std::string title() {
    TextLine line;
    if (!lines_.next(line)) lines_.fail_file("ends before its title lines");
    return std::string(line.raw);
  }

  /// "2 Cu Ni"
  std::vector<std::string> element_names() {
    const TextLine line = next("the number of elements and their names");
    const std::vector<std::string_view> words = words_of(line.text);
    int count = 0;
    if (!parse_integer(words[0], count) || count < 1)
      lines_.fail(line, "expected the number of elements, from 1, and their names ('2 Cu Ni')");
    if (words.size() != static_cast<std::size_t>(count) + 1)
      lines_.fail(line, fmt::format("expected {} element name{} behind the number, found {}", count,
                                    count == 1 ? "" : "s", words.size() - 1));
    std::vector<std::string> names(words.begin() + 1, words.end());
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<std::ptrdiff_t>(i))
        lines_.fail(line, fmt::format("element '{}' is named twice; expected each once", names[i]));
    return names;
  }

  /// "29 63.55 3.615 fcc"; the last two may be missing.
  EamElement element() {
    const TextLine line = next("an element's atomic number and mass");
    std::string_view rest = line.text;
    EamElement element;
    if (!parse_integer(next_word(rest), element.atomic_number) || element.atomic_number < 0 ||
        !parse_fortran(next_word(rest), element.mass) || !(element.mass > 0.0))
      lines_.fail(line, element_line);
    const std::string_view constant = next_word(rest);
    if (!constant.empty() && !parse_fortran(constant, element.lattice_constant)) lines_.fail(line, element_line);
    element.lattice = next_word(rest);
    return element;
  }

  Grid grid() {
    const TextLine line = next("'nrho drho nr dr cutoff'");
    std::string_view rest = line.text;
    Grid grid;
    if (!parse_integer(next_word(rest), grid.nrho) || !parse_fortran(next_word(rest), grid.drho) ||
        !parse_integer(next_word(rest), grid.nr) || !parse_fortran(next_word(rest), grid.dr) ||
        !parse_fortran(next_word(rest), grid.cutoff) || !next_word(rest).empty())
      lines_.fail(line, "expected 'nrho drho nr dr cutoff': integer, number, integer, number, number");
    if (grid.nrho < 5 || grid.nr < 5) lines_.fail(line, "expected nrho and nr of at least 5");
    if (!(grid.drho > 0.0) || !(grid.dr > 0.0) || !(grid.cutoff > 0.0))
      lines_.fail(line, "expected drho, dr and cutoff above 0");
    return grid;
  }

  /// The next `count` numbers, any number of them on a line; the last one ends its line.
  std::vector<double> table(int count, const std::string& what) {
    std::vector<double> values;
    values.reserve(std::min(static_cast<std::size_t>(count), lines_.bytes_left() / 2 + 1));
    TextLine line;
    while (static_cast<int>(values.size()) < count) {
      if (!lines_.next_filled(line))
        lines_.fail_at(lines_.number(),
                       fmt::format("the file ends after {} of the {} numbers of {}", values.size(), count, what));
      std::string_view rest = line.text;
      for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
        if (static_cast<int>(values.size()) == count)
          lines_.fail(line,
                      fmt::format("{} has its {} numbers before this line ends; expected what follows on a line of "
                                  "its own",
                                  what, count));
        double value = 0.0;
        if (!parse_fortran(word, value))
          lines_.fail(line, fmt::format("expected a finite number as value {} of {} of {}, not '{}'", values.size() + 1,
                                        count, what, word));
        values.push_back(value);
      }
    }
    return values;
  }

  void expect_end() {
    TextLine line;
    if (lines_.next_filled(line)) lines_.fail(line, "expected the end of the file behind the last table");
  }

  const std::string& file() const { return lines_.file(); }

 private:
  static constexpr const char* element_line =
      "expected an element's atomic number (from 0), mass (above 0), lattice constant and lattice ('29 63.55 3.615 "
      "fcc')";

  TextLine next(const char* what) {
    TextLine line;
    if (!lines_.next_filled(line)) lines_.fail_at(lines_.number(), fmt::format("the file ends, expected {}", what));
    return line;
  }

  TextLines lines_;
};

/// Many files have cutoff = nr dr, one spacing beyond the last value.
void note_cutoff(EamTables& tables, const std::string& file) {
  const double end = (tables.nr - 1) * tables.dr;
  if (tables.cutoff > end)
    tables.notes.push_back(
        fmt::format("{}: the cutoff {} A lies beyond the last value of the tables at {} A; that value "
                    "holds from there to the cutoff",
                    file, tables.cutoff, end));
}

EamTables parse_set(std::string_view text, const std::string& file, bool finnis_sinclair) {
  EamReader reader(text, file);
  for (int i = 0; i < 3; ++i) reader.title();
  const std::vector<std::string> names = reader.element_names();
  const Grid grid = reader.grid();
  EamTables tables;
  tables.nrho = grid.nrho;
  tables.drho = grid.drho;
  tables.nr = grid.nr;
  tables.dr = grid.dr;
  tables.cutoff = grid.cutoff;
  tables.finnis_sinclair = finnis_sinclair;
  for (const std::string& name : names) {
    tables.elements.push_back(reader.element());
    tables.elements.back().name = name;
    tables.embedding.push_back(reader.table(grid.nrho, fmt::format("F(rho) of {}", name)));
    if (!finnis_sinclair) tables.density.push_back(reader.table(grid.nr, fmt::format("rho(r) of {}", name)));
    if (finnis_sinclair)
      for (const std::string& other : names)
        tables.density.push_back(reader.table(grid.nr, fmt::format("rho(r) of {} at {}", name, other)));
  }
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b)
      tables.r_phi.push_back(reader.table(grid.nr, fmt::format("r phi(r) of {} and {}", names[a], names[b])));
  reader.expect_end();
  note_cutoff(tables, file);
  return tables;
}

}  // namespace

const std::vector<double>& EamTables::density_of(int a, int b) const {
  const std::size_t n = elements.size(), i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  return density[finnis_sinclair ? i * n + j : i];
}

const std::vector<double>& EamTables::r_phi_of(int a, int b) const {
  const auto i = static_cast<std::size_t>(std::max(a, b)), j = static_cast<std::size_t>(std::min(a, b));
  return r_phi[i * (i + 1) / 2 + j];
}

EamFuncfl parse_eam_funcfl(std::string_view text, const std::string& file) {
  EamReader reader(text, file);
  EamFuncfl funcfl;
  funcfl.file = file;
  funcfl.title = reader.title();
  funcfl.element = reader.element();
  funcfl.element.name = element_symbol(funcfl.element.atomic_number);
  const Grid grid = reader.grid();
  funcfl.nrho = grid.nrho;
  funcfl.drho = grid.drho;
  funcfl.nr = grid.nr;
  funcfl.dr = grid.dr;
  funcfl.cutoff = grid.cutoff;
  funcfl.embedding = reader.table(grid.nrho, "F(rho)");
  funcfl.charge = reader.table(grid.nr, "Z(r)");
  funcfl.density = reader.table(grid.nr, "rho(r)");
  reader.expect_end();
  return funcfl;
}

EamTables parse_eam_setfl(std::string_view text, const std::string& file) { return parse_set(text, file, false); }

EamTables parse_eam_fs(std::string_view text, const std::string& file) { return parse_set(text, file, true); }

int element_index(const EamTables& tables, std::string_view name, const std::string& file) {
  std::string known;
  for (std::size_t i = 0; i < tables.elements.size(); ++i) {
    if (tables.elements[i].name == name) return static_cast<int>(i);
    known += (i == 0 ? "" : ", ") + tables.elements[i].name;
  }
  throw Error(fmt::format("{}: element '{}' is not in this file; it holds {}", file, name, known));
}

}  // namespace halyard::md
