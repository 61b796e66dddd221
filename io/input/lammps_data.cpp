#include "io/input/lammps_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "io/input/lammps_header.hpp"
#include "io/input/lammps_keywords.hpp"
#include "io/input/rows_by_id.hpp"
#include "io/input/text_lines.hpp"

namespace halyard::md {

namespace {

struct MassLine {
  std::int64_t id = 0;  // type, from 1
  double mass = 0.0;
};

struct VelocityLine {
  std::int64_t id = 0;
  std::array<double, 3> v{};
};

class DataReader {
 public:
  DataReader(std::string_view text, const std::string& file, AtomStyle style)
      : lines_(text, file, true), asked_(style) {}

  LammpsData read() {
    TextLine line;
    header_ = read_lammps_header(lines_, line);
    data_.title = header_.title;
    data_.box = header_.box;
    data_.atom_types = header_.atom_types;
    data_.bond_types = header_.bond_types;
    data_.angle_types = header_.angle_types;
    data_.dihedral_types = header_.dihedral_types;
    data_.improper_types = header_.improper_types;
    if (asked_ != AtomStyle::automatic) data_.style = asked_;
    for (bool more = line.number != 0; more; more = lines_.next_filled(line)) read_section(line);
    check_present();
    order_atoms();
    order_velocities();
    order_terms(data_.bonds, bond_lines_, Section::bonds);
    order_terms(data_.angles, angle_lines_, Section::angles);
    order_terms(data_.dihedrals, dihedral_lines_, Section::dihedrals);
    order_terms(data_.impropers, improper_lines_, Section::impropers);
    return std::move(data_);
  }

 private:
  // --- sections ---

  void read_section(const TextLine& line) {
    const std::string name = fmt::format("{}", one_spaced(line.text));
    const std::optional<Section> section = section_of(name);
    if (!section) {
      if (in_section_ && !begins_with_letter(line.text))
        lines_.fail(line,
                    fmt::format("{}: more lines than the {} that the header promises", name_of(section_), promised_));
      const std::string_view known = unsupported_section(name);
      if (!known.empty())
        lines_.fail(line, fmt::format("section '{}' ({}) is not supported; supported sections: {}", name, known,
                                      supported_sections()));
      lines_.fail(line, fmt::format("unknown section '{}'{}; expected one of {}", name, nearest_section(name),
                                    supported_sections()));
    }
    std::int64_t& first = section_lines_[static_cast<std::size_t>(*section)];
    if (first != 0) lines_.fail(line, fmt::format("section '{}' is given twice, first in line {}", name, first));
    first = line.number;
    section_ = *section;
    in_section_ = true;
    switch (*section) {
      case Section::masses:
        return read_masses();
      case Section::atoms:
        return read_atoms(line);
      case Section::velocities:
        return read_velocities();
      case Section::bonds:
        return read_terms(data_.bonds, bond_lines_, header_.bonds, header_.bond_types);
      case Section::angles:
        return read_terms(data_.angles, angle_lines_, header_.angles, header_.angle_types);
      case Section::dihedrals:
        return read_terms(data_.dihedrals, dihedral_lines_, header_.dihedrals, header_.dihedral_types);
      case Section::impropers:
        return read_terms(data_.impropers, improper_lines_, header_.impropers, header_.improper_types);
      case Section::pair_coeffs:
        return read_coefficients(data_.pair_coeffs, line, header_.atom_types, false);
      case Section::pair_ij_coeffs:
        return read_coefficients(data_.pair_ij_coeffs, line, header_.atom_types, true);
      case Section::bond_coeffs:
        return read_coefficients(data_.bond_coeffs, line, header_.bond_types, false);
      case Section::angle_coeffs:
        return read_coefficients(data_.angle_coeffs, line, header_.angle_types, false);
      case Section::dihedral_coeffs:
        return read_coefficients(data_.dihedral_coeffs, line, header_.dihedral_types, false);
      case Section::improper_coeffs:
        return read_coefficients(data_.improper_coeffs, line, header_.improper_types, false);
    }
  }

  /// The next line of the section's body; throws when the section is over before its `count` lines.
  void next_line(TextLine& line, std::int64_t done, std::int64_t count) {
    if (!lines_.next_filled(line))
      lines_.fail_at(lines_.number(), fmt::format("{}: the file ends after {} of the {} lines that the header promises",
                                                  name_of(section_), done, count));
    if (!begins_with_letter(line.text)) return;
    const std::string name = one_spaced(line.text);
    if (section_of(name) || !unsupported_section(name).empty())
      lines_.fail_at(line.number,
                     fmt::format("{}: section '{}' begins after {} of the {} lines that the header promises",
                                 name_of(section_), name, done, count));
  }

  template <class Rows>
  void reserve(Rows& rows, std::int64_t count) const {  // a false count must not exhaust the memory
    rows.reserve(std::min(static_cast<std::size_t>(count), lines_.bytes_left() / 4 + 1));
  }

  void read_masses() {
    promised_ = header_.atom_types;
    std::vector<MassLine> masses;
    std::vector<std::int64_t> mass_lines;
    TextLine line;
    for (std::int64_t n = 0; n < promised_; ++n) {
      next_line(line, n, promised_);
      MassLine row;
      std::string_view rest = line.text;
      row.id = type_in(line, rest, header_.atom_types, "atom") + std::int64_t{1};
      row.mass = real_in(line, rest, "mass");
      expect_end(line, rest, "type mass");
      if (!(row.mass > 0.0)) lines_.fail(line, "Masses: expected a mass above 0");
      masses.push_back(row);
      mass_lines.push_back(line.number);
    }
    sort_by_id(masses, mass_lines, [this](const Mistakes& twice) { fail_twice(twice, "type"); });
    for (const MassLine& row : masses) data_.masses.push_back(row.mass);  // as many as types, none twice
  }

  // --- atoms ---

  void read_atoms(const TextLine& head) {
    promised_ = header_.atoms;
    const AtomStyle hint = style_hint(head);
    if (hint != AtomStyle::automatic) {
      if (data_.style != AtomStyle::automatic && data_.style != hint)
        lines_.fail(head, fmt::format("Atoms: the comment says atom style {}, but the case says {}", name_of(hint),
                                      name_of(data_.style)));
      data_.style = hint;
    }
    if (promised_ == 0) return;
    if (data_.style == AtomStyle::automatic) data_.style = style_from_columns(head);
    const std::string contradicted =
        contradiction(data_.style, static_cast<std::size_t>(header_.bonds), static_cast<std::size_t>(header_.angles),
                      static_cast<std::size_t>(header_.dihedrals), static_cast<std::size_t>(header_.impropers));
    if (!contradicted.empty()) lines_.fail(head, fmt::format("Atoms: {} in the header", contradicted));

    const AtomColumns columns = columns_of(data_.style);
    reserve(data_.atoms, promised_);
    reserve(atom_lines_, promised_);
    bool images = false;
    std::int64_t first_line = 0;
    TextLine line;
    for (std::int64_t n = 0; n < promised_; ++n) {
      next_line(line, n, promised_);
      if (n == 0) {
        first_line = line.number;
        images = has_images(line, columns);
      }
      LammpsAtom atom;
      std::string_view rest = line.text;
      atom.id = id_in(line, rest, "id");
      if (columns.molecule) atom.molecule = molecule_in(line, rest);
      atom.type = type_in(line, rest, header_.atom_types, "atom");
      if (columns.charge) atom.charge = real_in(line, rest, "charge");
      for (int axis = 0; axis < 3; ++axis) atom.x[static_cast<std::size_t>(axis)] = real_in(line, rest, axes[axis]);
      if (images)
        for (std::int32_t& image : atom.image) image = image_in(line, rest, columns, first_line);
      if (!next_word(rest).empty())
        lines_.fail(line, fmt::format("Atoms: expected '{}{}' ({} columns{})", columns.text(),
                                      images ? " ix iy iz" : "", columns.count() + (images ? 3 : 0),
                                      n == 0 ? "" : fmt::format(", as in line {}", first_line)));
      data_.atoms.push_back(atom);
      atom_lines_.push_back(line.number);
    }
  }

  AtomStyle style_hint(const TextLine& head) const {
    std::string_view comment = head.comment;
    const std::string_view word = next_word(comment);
    if (const std::optional<AtomStyle> style = atom_style_of(word)) return *style;
    if (is_unsupported_atom_style(word))
      lines_.fail_at(head.number, fmt::format("Atoms: atom style '{}' is not supported; supported styles: {}", word,
                                              supported_atom_styles()));
    return AtomStyle::automatic;
  }

  bool has_images(const TextLine& line, const AtomColumns& columns) const {
    const auto count = static_cast<int>(count_words(line.text));
    if (count == columns.count()) return false;
    if (count == columns.count() + 3) return true;
    lines_.fail(line,
                fmt::format("Atoms: {} columns do not fit atom style {}; expected '{}' ({}), or that and three image "
                            "flags ({})",
                            count, name_of(data_.style), columns.text(), columns.count(), columns.count() + 3));
  }

  /// 5 or 8 columns are atomic, 7 or 10 full. 6 or 9 are a charge behind the type or a molecule before it: topology in
  /// the header makes it a molecule, a third column that is no integer anywhere a charge; nothing else is certain.
  AtomStyle style_from_columns(const TextLine& head) const {
    TextLines ahead = lines_;
    TextLine line;
    if (!ahead.next_filled(line)) return AtomStyle::atomic;  // ends early: told by the caller
    const std::size_t columns = count_words(line.text);
    if (columns == 5 || columns == 8) return AtomStyle::atomic;
    if (columns == 7 || columns == 10) return AtomStyle::full;
    if (columns != 6 && columns != 9)
      lines_.fail(line, fmt::format("Atoms: {} columns fit no atom style; expected 5 (atomic), 6 (charge, bond, angle, "
                                    "molecular) or 7 (full), or three image flags more",
                                    columns));
    if (header_.dihedrals > 0 || header_.impropers > 0) return AtomStyle::molecular;
    if (header_.angles > 0) return AtomStyle::angle;
    if (header_.bonds > 0) return AtomStyle::bond;
    for (std::int64_t n = 0; n < header_.atoms; ++n) {
      std::string_view rest = line.text;
      std::int64_t integer = 0;
      next_word(rest);
      next_word(rest);
      if (!parse_integer(next_word(rest), integer)) return AtomStyle::charge;
      if (!ahead.next_filled(line)) break;
    }
    lines_.fail(head, fmt::format("Atoms: {} columns fit atom style charge ('{}') and bond, angle, molecular ('{}'); "
                                  "expected a comment that says which ('Atoms # charge') or the style in the case",
                                  columns, columns_of(AtomStyle::charge).text(), columns_of(AtomStyle::bond).text()));
  }

  void read_velocities() {
    promised_ = header_.atoms;
    reserve(velocities_, promised_);
    reserve(velocity_lines_, promised_);
    TextLine line;
    for (std::int64_t n = 0; n < promised_; ++n) {
      next_line(line, n, promised_);
      VelocityLine velocity;
      std::string_view rest = line.text;
      velocity.id = id_in(line, rest, "id");
      for (int axis = 0; axis < 3; ++axis)
        velocity.v[static_cast<std::size_t>(axis)] = real_in(line, rest, velocity_names[axis]);
      expect_end(line, rest, "id vx vy vz");
      velocities_.push_back(velocity);
      velocity_lines_.push_back(line.number);
    }
  }

  template <int N>
  void read_terms(std::vector<LammpsTerm<N>>& terms, std::vector<std::int64_t>& term_lines, std::int64_t count,
                  std::int32_t types) {
    promised_ = count;
    reserve(terms, count);
    reserve(term_lines, count);
    TextLine line;
    for (std::int64_t n = 0; n < count; ++n) {
      next_line(line, n, count);
      LammpsTerm<N> term;
      std::string_view rest = line.text;
      term.id = id_in(line, rest, "id");
      term.type = type_in(line, rest, types, singular());
      for (std::int64_t& atom : term.atoms) atom = id_in(line, rest, "atom id");
      expect_end(line, rest,
                 N == 2   ? "id type atom1 atom2"
                 : N == 3 ? "id type atom1 atom2 atom3"
                          : "id type atom1 atom2 atom3 atom4");
      for (std::size_t a = 0; a < N; ++a)
        for (std::size_t b = a + 1; b < N; ++b)
          if (term.atoms[a] == term.atoms[b])
            lines_.fail(line, fmt::format("{}: atom {} is named twice; expected {} different atoms", name_of(section_),
                                          term.atoms[a], N));
      terms.push_back(term);
      term_lines.push_back(line.number);
    }
  }

  // --- coefficients ---

  void read_coefficients(LammpsCoefficients& into, const TextLine& head, std::int32_t types, bool pairs) {
    into.style_hint = head.comment;
    into.line = head.number;
    const auto n_types = static_cast<std::int64_t>(types);
    promised_ = pairs ? n_types * (n_types + 1) / 2 : n_types;
    reserve(into.lines, promised_);
    TextLine line;
    for (std::int64_t n = 0; n < promised_; ++n) {
      next_line(line, n, promised_);
      LammpsCoefficientLine row;
      row.line = line.number;
      std::string_view rest = line.text;
      row.type = row.second_type = type_in(line, rest, types, pairs ? "atom" : singular());
      if (pairs) {
        row.second_type = type_in(line, rest, types, "atom");
        if (row.type > row.second_type) std::swap(row.type, row.second_type);
      }
      for (bool first = true;; first = false) {
        const std::string_view word = next_word(rest);
        if (word.empty()) break;
        double number = 0.0;
        if (parse_double(word, number)) {
          row.numbers.push_back(number);
        } else if (first && begins_with_letter(word) && !is_not_finite(word)) {
          row.style = word;
        } else {
          lines_.fail(line, fmt::format("{}: expected '{} [style] numbers', all finite, not '{}'", name_of(section_),
                                        pairs ? "type type" : "type", word));
        }
      }
      if (row.numbers.empty() && row.style.empty())
        lines_.fail(line, fmt::format("{}: expected coefficients behind the type", name_of(section_)));
      into.lines.push_back(std::move(row));
    }
    std::stable_sort(into.lines.begin(), into.lines.end(), [](const auto& a, const auto& b) {
      return std::pair(a.type, a.second_type) < std::pair(b.type, b.second_type);
    });
    for (std::size_t i = 1; i < into.lines.size(); ++i) {
      const LammpsCoefficientLine &a = into.lines[i - 1], &b = into.lines[i];
      if (a.type == b.type && a.second_type == b.second_type)
        lines_.fail_at(
            b.line, fmt::format("{}: type {} is given twice, first in line {}; expected each once", name_of(section_),
                                pairs ? fmt::format("pair {} {}", a.type + 1, a.second_type + 1)
                                      : fmt::format("{}", a.type + 1),
                                a.line));
    }
  }

  // --- columns ---

  static constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  static constexpr std::array<const char*, 3> velocity_names{"vx", "vy", "vz"};

  static bool begins_with_letter(std::string_view text) {
    return !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  }
  static bool is_not_finite(std::string_view word) {
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(c | 0x20);
    return lower == "nan" || lower == "inf" || lower == "infinity";
  }
  static std::string one_spaced(std::string_view text) {
    std::string all;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text))
      all.append(all.empty() ? "" : " ").append(word);
    return all;
  }
  /// "bond" in Bonds and Bond Coeffs, "atom" in the others.
  const char* singular() const {
    switch (section_) {
      case Section::bonds:
      case Section::bond_coeffs:
        return "bond";
      case Section::angles:
      case Section::angle_coeffs:
        return "angle";
      case Section::dihedrals:
      case Section::dihedral_coeffs:
        return "dihedral";
      case Section::impropers:
      case Section::improper_coeffs:
        return "improper";
      default:
        return "atom";
    }
  }

  [[noreturn]] void bad_word(const TextLine& line, std::string_view word, const std::string& expected) const {
    lines_.fail(line, word.empty() ? fmt::format("{}: the line ends, expected {}", name_of(section_), expected)
                                   : fmt::format("{}: expected {}, not '{}'", name_of(section_), expected, word));
  }

  std::int64_t id_in(const TextLine& line, std::string_view& rest, const char* what) const {
    const std::string_view word = next_word(rest);
    std::int64_t id = 0;
    if (!parse_integer(word, id) || id < 1) bad_word(line, word, fmt::format("an integer from 1 as {}", what));
    return id;
  }
  std::int64_t molecule_in(const TextLine& line, std::string_view& rest) const {
    const std::string_view word = next_word(rest);
    std::int64_t molecule = 0;
    if (!parse_integer(word, molecule) || molecule < 0) bad_word(line, word, "an integer from 0 as molecule");
    return molecule;
  }
  /// From 0.
  std::int32_t type_in(const TextLine& line, std::string_view& rest, std::int32_t types, const char* kind) const {
    const std::string_view word = next_word(rest);
    std::int32_t type = 0;
    if (!parse_integer(word, type) || type < 1 || type > types)
      bad_word(line, word,
               types == 0 ? fmt::format("no {} type (the header has 0 {} types)", kind, kind)
                          : fmt::format("an integer from 1 to {} as {} type ({} {} types in the header)", types, kind,
                                        types, kind));
    return type - 1;
  }
  double real_in(const TextLine& line, std::string_view& rest, const char* what) const {
    const std::string_view word = next_word(rest);
    double value = 0.0;
    if (!parse_double(word, value)) bad_word(line, word, fmt::format("a finite number as {}", what));
    return value;
  }
  std::int32_t image_in(const TextLine& line, std::string_view& rest, const AtomColumns& columns,
                        std::int64_t first_line) const {
    const std::string_view word = next_word(rest);
    std::int32_t image = 0;
    if (word.empty())
      lines_.fail(line, fmt::format("Atoms: expected '{} ix iy iz' ({} columns, as in line {})", columns.text(),
                                    columns.count() + 3, first_line));
    if (!parse_integer(word, image)) bad_word(line, word, "an integer as image flag");
    return image;
  }
  void expect_end(const TextLine& line, std::string_view rest, const char* columns) const {
    if (!next_word(rest).empty()) lines_.fail(line, fmt::format("{}: expected '{}'", name_of(section_), columns));
  }
  [[noreturn]] void fail_twice(const Mistakes& twice, const char* what) const {
    lines_.fail_at(twice.line(), fmt::format("{}: {} {}{} given twice: {}; expected each once", name_of(section_),
                                             twice.count(), what, plural(twice.count()), twice.list()));
  }

  // --- the whole ---

  void check_present() const {
    const auto absent = [this](Section section) { return section_lines_[static_cast<std::size_t>(section)] == 0; };
    const auto need = [&](Section section, std::int64_t count, const char* what) {
      if (count > 0 && absent(section))
        lines_.fail_file(fmt::format("no section '{}', but the header has {} {}", name_of(section), count, what));
    };
    need(Section::masses, header_.atom_types, "atom types");
    need(Section::atoms, header_.atoms, "atoms");
    need(Section::bonds, header_.bonds, "bonds");
    need(Section::angles, header_.angles, "angles");
    need(Section::dihedrals, header_.dihedrals, "dihedrals");
    need(Section::impropers, header_.impropers, "impropers");
  }

  void order_atoms() {
    section_ = Section::atoms;
    sort_by_id(data_.atoms, atom_lines_, [this](const Mistakes& twice) { fail_twice(twice, "id"); });
    dense_ = !data_.atoms.empty() &&
             data_.atoms.back().id - data_.atoms.front().id == static_cast<std::int64_t>(data_.atoms.size()) - 1;
  }

  bool has_atom(std::int64_t id) const {
    const std::vector<LammpsAtom>& atoms = data_.atoms;
    if (atoms.empty() || id < atoms.front().id || id > atoms.back().id) return false;
    if (dense_) return true;
    const auto at = std::lower_bound(atoms.begin(), atoms.end(), id,
                                     [](const LammpsAtom& atom, std::int64_t wanted) { return atom.id < wanted; });
    return at != atoms.end() && at->id == id;
  }

  void order_velocities() {
    section_ = Section::velocities;
    sort_by_id(velocities_, velocity_lines_, [this](const Mistakes& twice) { fail_twice(twice, "id"); });
    Mistakes unknown;
    for (std::size_t i = 0; i < velocities_.size(); ++i)
      if (!has_atom(velocities_[i].id))
        unknown.add(velocity_lines_[i], fmt::format("{} (line {})", velocities_[i].id, velocity_lines_[i]));
    if (!unknown.none())
      lines_.fail_at(unknown.line(), fmt::format("Velocities: {} id{} of atoms that section 'Atoms' does not hold: {}",
                                                 unknown.count(), plural(unknown.count()), unknown.list()));
    data_.velocities.reserve(velocities_.size());  // as many as atoms, all known, none twice: of atom i each
    for (const VelocityLine& velocity : velocities_) data_.velocities.push_back(velocity.v);
  }

  template <int N>
  void order_terms(std::vector<LammpsTerm<N>>& terms, std::vector<std::int64_t>& term_lines, Section section) {
    section_ = section;
    sort_by_id(terms, term_lines, [this](const Mistakes& twice) { fail_twice(twice, "id"); });
    Mistakes unknown;
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (const std::int64_t atom : terms[i].atoms)
        if (!has_atom(atom)) {
          unknown.add(term_lines[i],
                      fmt::format("{} {} (line {}) names atom {}", singular(), terms[i].id, term_lines[i], atom));
          break;
        }
    if (!unknown.none())
      lines_.fail_at(unknown.line(),
                     fmt::format("{}: {} {}{} of atoms that section 'Atoms' does not hold: {}", name_of(section),
                                 unknown.count(), singular(), plural(unknown.count()), unknown.list()));
    if constexpr (N == 2) refuse_repeated(terms, term_lines);
  }

  /// The same two atoms, in either order. Other terms come twice in files that are right: sums of dihedrals, and angles
  /// of LAMMPS' own rhodopsin.
  template <int N>
  void refuse_repeated(const std::vector<LammpsTerm<N>>& terms, const std::vector<std::int64_t>& term_lines) const {
    struct Key {
      std::array<std::int64_t, N> atoms;
      std::size_t at;
    };
    std::vector<Key> keys;
    keys.reserve(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      std::array<std::int64_t, N> back = terms[i].atoms;
      std::reverse(back.begin(), back.end());
      keys.push_back({std::min(back, terms[i].atoms), i});
    }
    std::sort(keys.begin(), keys.end(),
              [](const Key& a, const Key& b) { return std::tie(a.atoms, a.at) < std::tie(b.atoms, b.at); });
    Mistakes twice;
    for (std::size_t k = 1; k < keys.size(); ++k) {
      const Key &before = keys[k - 1], &key = keys[k];
      if (before.atoms == key.atoms)
        twice.add(term_lines[key.at],
                  fmt::format("{} {} (line {}) is {} {} (line {})", singular(), terms[key.at].id, term_lines[key.at],
                              singular(), terms[before.at].id, term_lines[before.at]));
    }
    if (!twice.none())
      lines_.fail_at(twice.line(), fmt::format("{}: {} {}{} given twice: {}; expected each once", name_of(section_),
                                               twice.count(), singular(), plural(twice.count()), twice.list()));
  }

  TextLines lines_;
  AtomStyle asked_;
  LammpsHeader header_;
  LammpsData data_;
  std::array<std::int64_t, section_count> section_lines_{};
  Section section_ = Section::masses;  // being read
  bool in_section_ = false;
  std::int64_t promised_ = 0;  // lines of the section
  bool dense_ = false;         // ids without gaps
  std::vector<VelocityLine> velocities_;
  std::vector<std::int64_t> atom_lines_, velocity_lines_, bond_lines_, angle_lines_, dihedral_lines_, improper_lines_;
};

}  // namespace

bool LammpsCoefficientLine::operator==(const LammpsCoefficientLine& other) const {
  return type == other.type && second_type == other.second_type && style == other.style && numbers == other.numbers;
}

bool LammpsCoefficients::operator==(const LammpsCoefficients& other) const {
  return style_hint == other.style_hint && lines == other.lines;
}

LammpsData parse_lammps_data(std::string_view text, const std::string& file, AtomStyle style) {
  return DataReader(text, file, style).read();
}

}  // namespace halyard::md
