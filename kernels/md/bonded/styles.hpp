#pragma once
// All bonded terms, once. A new one is its own file beside this one, one line here, one test.
#include <string>
#include <string_view>
#include <tuple>

#include "kernels/md/bonded/angle_charmm.hpp"
#include "kernels/md/bonded/angle_cosine.hpp"
#include "kernels/md/bonded/angle_harmonic.hpp"
#include "kernels/md/bonded/bond_fene.hpp"
#include "kernels/md/bonded/bond_harmonic.hpp"
#include "kernels/md/bonded/bond_morse.hpp"
#include "kernels/md/bonded/dihedral_charmm.hpp"
#include "kernels/md/bonded/dihedral_harmonic.hpp"
#include "kernels/md/bonded/dihedral_multi_harmonic.hpp"
#include "kernels/md/bonded/dihedral_opls.hpp"
#include "kernels/md/bonded/improper_cvff.hpp"
#include "kernels/md/bonded/improper_harmonic.hpp"

namespace halyard::md {

struct BondStyles {
  static constexpr std::string_view kind = "bond";
  using List = std::tuple<BondHarmonic, BondFene, BondMorse>;
};
struct AngleStyles {
  static constexpr std::string_view kind = "angle";
  using List = std::tuple<AngleHarmonic, AngleCosine, AngleCharmm>;
};
struct DihedralStyles {
  static constexpr std::string_view kind = "dihedral";
  using List = std::tuple<DihedralHarmonic, DihedralOpls, DihedralCharmm, DihedralMultiHarmonic>;
};
struct ImproperStyles {
  static constexpr std::string_view kind = "improper";
  using List = std::tuple<ImproperHarmonic, ImproperCvff>;
};

/// Calls f(style) for each style in turn: for_each_style<AngleStyles>(f).
template <class Styles, class F>
void for_each_style(F&& f) {
  std::apply([&](auto... style) { (f(style), ...); }, typename Styles::List{});
}

/// Calls f(style) for the style of this name: with_style<BondStyles>("fene", [&](auto s) { loop<decltype(s)>(); }).
/// Throws Error naming all styles of the kind when there is none of the name.
template <class Styles, class F>
void with_style(std::string_view name, F&& f) {
  bool found = false;
  std::string names;
  for_each_style<Styles>([&](auto style) {
    names += (names.empty() ? "" : ", ") + std::string(style.name);
    if (style.name == name) {
      found = true;
      f(style);
    }
  });
  if (!found) {
    throw Error("There is no " + std::string(Styles::kind) + " style \"" + std::string(name) + "\"; there are " +
                names + ".");
  }
}

}  // namespace halyard::md
