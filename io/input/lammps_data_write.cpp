#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "io/input/lammps_data.hpp"
#include "io/input/lammps_keywords.hpp"
#include "kernels/device/error.hpp"

namespace halyard::md {

namespace {

/// Appends words and numbers, separated by blanks, to lines.
class LineWriter {
 public:
  LineWriter& integer(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return word({digits, end});
  }
  /// The shortest digits that read back as the same double; whole numbers without exponent.
  LineWriter& real(double value) {
    if (std::fabs(value) < 1e15 && value == std::trunc(value) && !(value == 0.0 && std::signbit(value)))
      return integer(static_cast<std::int64_t>(value));
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return word({digits, end});
  }
  LineWriter& word(std::string_view text) {
    if (!at_begin_) text_ += ' ';
    text_ += text;
    at_begin_ = false;
    return *this;
  }
  LineWriter& end() {
    text_ += '\n';
    at_begin_ = true;
    return *this;
  }
  void section(std::string_view name, std::string_view comment) {
    text_ += fmt::format("\n{}{}{}\n\n", name, comment.empty() ? "" : " # ", comment);
  }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool at_begin_ = true;
};

void write_coefficients(LineWriter& out, Section section, const LammpsCoefficients& coefficients) {
  if (coefficients.empty()) return;
  out.section(name_of(section), coefficients.style_hint);
  for (const LammpsCoefficientLine& row : coefficients.lines) {
    out.integer(row.type + std::int64_t{1});
    if (section == Section::pair_ij_coeffs) out.integer(row.second_type + std::int64_t{1});
    if (!row.style.empty()) out.word(row.style);
    for (const double number : row.numbers) out.real(number);
    out.end();
  }
}

template <int N>
void write_terms(LineWriter& out, Section section, const std::vector<LammpsTerm<N>>& terms) {
  if (terms.empty()) return;
  out.section(name_of(section), {});
  for (const LammpsTerm<N>& term : terms) {
    out.integer(term.id).integer(term.type + std::int64_t{1});
    for (const std::int64_t atom : term.atoms) out.integer(atom);
    out.end();
  }
}

void write_header(LineWriter& out, const LammpsData& data) {
  std::string title = data.title;
  for (char& c : title)
    if (c == '\n' || c == '\r') c = ' ';
  out.word(title).end().end();
  const auto count = [&out](std::size_t value, const char* name, bool always) {
    if (value > 0 || always) out.integer(static_cast<std::int64_t>(value)).word(name).end();
  };
  const auto types = [&count](std::int32_t value, const char* name, bool always) {
    count(static_cast<std::size_t>(value), name, always);
  };
  count(data.atoms.size(), "atoms", true);
  count(data.bonds.size(), "bonds", false);
  count(data.angles.size(), "angles", false);
  count(data.dihedrals.size(), "dihedrals", false);
  count(data.impropers.size(), "impropers", false);
  types(data.atom_types, "atom types", true);
  types(data.bond_types, "bond types", false);
  types(data.angle_types, "angle types", false);
  types(data.dihedral_types, "dihedral types", false);
  types(data.improper_types, "improper types", false);
  out.end();
  const std::array<const char*, 3> bounds{"xlo xhi", "ylo yhi", "zlo zhi"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = data.box.origin[axis], length = data.box.length[axis], high = low + length;
    out.real(low).real(high).word(bounds[axis]);
    if (high - low != length) out.word("# length").real(length);
    out.end();
  }
  if (!data.box.orthogonal()) out.real(data.box.xy).real(data.box.xz).real(data.box.yz).word("xy xz yz").end();
}

}  // namespace

std::string write_lammps_data(const LammpsData& data) {
  if (data.style == AtomStyle::automatic && !data.atoms.empty())
    throw Error(fmt::format("a LAMMPS data file needs an atom style; expected one of {}", supported_atom_styles()));
  const std::string contradicted =
      contradiction(data.style, data.bonds.size(), data.angles.size(), data.dihedrals.size(), data.impropers.size());
  if (!contradicted.empty()) throw Error(fmt::format("a LAMMPS data file cannot hold this: {}", contradicted));
  if (!data.velocities.empty() && data.velocities.size() != data.atoms.size())
    throw Error(fmt::format("a LAMMPS data file holds a velocity for every atom or for none, found {} for {} atoms",
                            data.velocities.size(), data.atoms.size()));

  LineWriter out;
  out.reserve(1024 + data.atoms.size() * 90 + data.velocities.size() * 72 + data.bonds.size() * 28 +
              data.angles.size() * 36 + (data.dihedrals.size() + data.impropers.size()) * 44);
  write_header(out, data);
  if (!data.masses.empty()) {
    out.section(name_of(Section::masses), {});
    for (std::size_t type = 0; type < data.masses.size(); ++type)
      out.integer(static_cast<std::int64_t>(type + 1)).real(data.masses[type]).end();
  }
  write_coefficients(out, Section::pair_coeffs, data.pair_coeffs);
  write_coefficients(out, Section::pair_ij_coeffs, data.pair_ij_coeffs);
  write_coefficients(out, Section::bond_coeffs, data.bond_coeffs);
  write_coefficients(out, Section::angle_coeffs, data.angle_coeffs);
  write_coefficients(out, Section::dihedral_coeffs, data.dihedral_coeffs);
  write_coefficients(out, Section::improper_coeffs, data.improper_coeffs);

  if (!data.atoms.empty()) {
    const AtomColumns columns = columns_of(data.style);
    out.section(name_of(Section::atoms), name_of(data.style));
    for (const LammpsAtom& atom : data.atoms) {
      out.integer(atom.id);
      if (columns.molecule) out.integer(atom.molecule);
      out.integer(atom.type + std::int64_t{1});
      if (columns.charge) out.real(atom.charge);
      for (const double x : atom.x) out.real(x);
      for (const std::int32_t image : atom.image) out.integer(image);
      out.end();
    }
  }
  if (!data.velocities.empty()) {
    out.section(name_of(Section::velocities), {});
    for (std::size_t i = 0; i < data.atoms.size(); ++i) {
      out.integer(data.atoms[i].id);
      for (const double v : data.velocities[i]) out.real(v);
      out.end();
    }
  }
  write_terms(out, Section::bonds, data.bonds);
  write_terms(out, Section::angles, data.angles);
  write_terms(out, Section::dihedrals, data.dihedrals);
  write_terms(out, Section::impropers, data.impropers);
  return out.take();
}

}  // namespace halyard::md
