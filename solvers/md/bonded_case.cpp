#include "solvers/md/bonded_case.hpp"

#include <fmt/format.h>

#include "kernels/md/bonded/styles.hpp"

namespace halyard::md {

namespace {

/// "harmonic k r0; fene k r0 epsilon sigma"
template <class Styles>
std::string coefficients_of_styles() {
  std::string text;
  for_each_style<Styles>([&](auto style) {
    text += (text.empty() ? "" : "; ") + std::string(style.name);
    for (const BondedInput& input : style.inputs) {
      text += " " + std::string(input.name);
    }
  });
  return text;
}

template <class Styles>
void declare_kind(const CaseSchema::Table& bonded, BondedSettings& settings, BondedKind kind) {
  const auto k = static_cast<std::size_t>(kind);
  const std::string name = bonded_kind_names[k];
  std::vector<std::string> names{""};
  for_each_style<Styles>([&](auto style) { names.emplace_back(style.name); });
  bonded.key(name, settings.styles[k])
      .default_value("")
      .choices(names)
      .help("form of the " + name + "s, named as in LAMMPS; empty: as the data file says, or there are none");
  bonded
      .list(name + "_coefficients", settings.coefficients[k],
            [](CaseSchema& element, TypeCoefficients& c) {
              element.key("type", c.type).required().at_least(1).help("from 1");
              element.key("values", c.values).required().count_at_least(1).help("in the order and units of LAMMPS");
            })
      .help("Coefficients of each " + name +
            " type, instead of those of the data file: " + coefficients_of_styles<Styles>() + ".");
}

}  // namespace

void declare(CaseSchema& schema, BondedSettings& settings) {
  const auto bonded = schema.table("bonded", "Bonds, angles, dihedrals and impropers of a data file.");
  declare_kind<BondStyles>(bonded, settings, BondedKind::bond);
  declare_kind<AngleStyles>(bonded, settings, BondedKind::angle);
  declare_kind<DihedralStyles>(bonded, settings, BondedKind::dihedral);
  declare_kind<ImproperStyles>(bonded, settings, BondedKind::improper);
  const auto pair = schema.table("pair");
  pair.key("inner_cutoff", settings.inner_cutoff)
      .above(0.0)
      .unit("length")
      .help("where \"lj-charmm\" starts to switch off, when a data file gives the coefficients");
  pair.key("special_lj", settings.special_lj)
      .default_value({0.0, 0.0, 0.0})
      .at_least(0.0)
      .at_most(1.0)
      .help("how much the pair potential counts between atoms that one, two, three bonds link");
}

}  // namespace halyard::md
