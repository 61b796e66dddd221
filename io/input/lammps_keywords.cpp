#include "io/input/lammps_keywords.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "io/case/nearest.hpp"

namespace halyard::md {

namespace {

constexpr std::array<std::pair<std::string_view, AtomStyle>, 6> styles{{{"atomic", AtomStyle::atomic},
                                                                        {"charge", AtomStyle::charge},
                                                                        {"bond", AtomStyle::bond},
                                                                        {"angle", AtomStyle::angle},
                                                                        {"molecular", AtomStyle::molecular},
                                                                        {"full", AtomStyle::full}}};

constexpr std::array<std::string_view, 28> unsupported_styles{
    "amoeba", "apip",     "body",      "bpm/sphere", "dielectric",   "dipole",     "dpd",
    "edpd",   "electron", "ellipsoid", "granular",   "hybrid",       "line",       "mdpd",
    "mesont", "oxdna",    "peri",      "rheo",       "rheo/thermal", "smd",        "sph",
    "sphere", "spin",     "tdpd",      "template",   "tri",          "wavepacket", "multibody"};

constexpr std::array<std::string_view, section_count> sections{
    "Masses",      "Atoms",         "Velocities",  "Bonds",        "Angles",          "Dihedrals",      "Impropers",
    "Pair Coeffs", "PairIJ Coeffs", "Bond Coeffs", "Angle Coeffs", "Dihedral Coeffs", "Improper Coeffs"};

constexpr std::string_view cross = "a cross term of the class2 force field";
constexpr std::string_view shaped = "a property of atoms with a shape";
constexpr std::string_view labels = "names in place of type numbers; write the types as numbers from 1";
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> others{{
    {"BondBond Coeffs", cross},
    {"BondAngle Coeffs", cross},
    {"MiddleBondTorsion Coeffs", cross},
    {"EndBondTorsion Coeffs", cross},
    {"AngleTorsion Coeffs", cross},
    {"AngleAngleTorsion Coeffs", cross},
    {"BondBond13 Coeffs", cross},
    {"AngleAngle Coeffs", cross},
    {"UreyBradley Coeffs", "a term of the AMOEBA force field"},
    {"PiTorsion Coeffs", "a term of the AMOEBA force field"},
    {"Ellipsoids", shaped},
    {"Lines", shaped},
    {"Triangles", shaped},
    {"Bodies", shaped},
    {"CMAP", "the CHARMM correction map"},
    {"Atom Type Labels", labels},
    {"Bond Type Labels", labels},
    {"Angle Type Labels", labels},
    {"Dihedral Type Labels", labels},
    {"Improper Type Labels", labels},
}};

}  // namespace

std::string AtomColumns::text() const {
  return fmt::format("id {}type {}x y z", molecule ? "molecule " : "", charge ? "q " : "");
}

AtomColumns columns_of(AtomStyle style) {
  const bool molecule = style == AtomStyle::bond || style == AtomStyle::angle || style == AtomStyle::molecular ||
                        style == AtomStyle::full;
  return {.molecule = molecule, .charge = style == AtomStyle::charge || style == AtomStyle::full};
}

std::string_view name_of(AtomStyle style) {
  for (const auto& [name, value] : styles)
    if (value == style) return name;
  return "automatic";
}

std::optional<AtomStyle> atom_style_of(std::string_view name) {
  for (const auto& [known, style] : styles)
    if (known == name) return style;
  return std::nullopt;
}

bool is_unsupported_atom_style(std::string_view name) {
  for (const std::string_view other : unsupported_styles)
    if (other == name) return true;
  return false;
}

std::string supported_atom_styles() { return "atomic, charge, bond, angle, molecular, full"; }

std::string contradiction(AtomStyle style, std::size_t bonds, std::size_t angles, std::size_t dihedrals,
                          std::size_t impropers) {
  const auto holds = [style](int term) {  // 0 bonds, 1 angles, 2 dihedrals and impropers
    switch (style) {
      case AtomStyle::atomic:
      case AtomStyle::charge:
        return false;
      case AtomStyle::bond:
        return term <= 0;
      case AtomStyle::angle:
        return term <= 1;
      default:
        return true;
    }
  };
  const auto text = [style](const char* what, std::size_t count) {
    return fmt::format("atom style {} holds no {}, but there are {}", name_of(style), what, count);
  };
  if (bonds > 0 && !holds(0)) return text("bonds", bonds);
  if (angles > 0 && !holds(1)) return text("angles", angles);
  if (dihedrals > 0 && !holds(2)) return text("dihedrals", dihedrals);
  if (impropers > 0 && !holds(2)) return text("impropers", impropers);
  return {};
}

std::string_view name_of(Section section) { return sections[static_cast<std::size_t>(section)]; }

std::optional<Section> section_of(std::string_view name) {
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (sections[i] == name) return static_cast<Section>(i);
  return std::nullopt;
}

std::string_view unsupported_section(std::string_view name) {
  for (const auto& [known, what] : others)
    if (known == name) return what;
  return {};
}

std::string supported_sections() { return fmt::format("{}", fmt::join(sections, ", ")); }

std::string nearest_section(std::string_view name) {
  const std::string near = nearest(name, std::vector<std::string>(sections.begin(), sections.end()));
  return near.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", near);
}

}  // namespace halyard::md
