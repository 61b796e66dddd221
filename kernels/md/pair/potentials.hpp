#pragma once
// All pair potentials, once. A new one is its own file beside this one, one line here, one test.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernels/md/pair/buckingham.hpp"
#include "kernels/md/pair/lennard_jones.hpp"
#include "kernels/md/pair/lennard_jones_charmm.hpp"
#include "kernels/md/pair/lennard_jones_force_shifted.hpp"
#include "kernels/md/pair/lennard_jones_shifted.hpp"
#include "kernels/md/pair/morse.hpp"
#include "kernels/md/pair/tabulated.hpp"
#include "kernels/md/pair/weeks_chandler_andersen.hpp"

namespace halyard::md {

/// In the order in which messages name them.
using PairPotentials = std::tuple<                                                    //
    LennardJones, LennardJonesShifted, LennardJonesForceShifted, LennardJonesCharmm,  // 12-6: cut, or taken to zero
    WeeksChandlerAndersen,                                                            // its repulsive half
    Morse,                                                                            //
    Buckingham,                                                                       // exp-6
    Tabulated                                                                         // from a file
    >;

/// Whether prepare() takes a Potential::Table and the tables to append to, instead of inputs.
template <class Potential>
constexpr bool is_tabulated = requires {
  typename Potential::Table;
};

/// The largest number of coefficients per pair of types, for arrays that hold those of any potential.
template <class... Potential>
constexpr int largest_coefficients(std::tuple<Potential...>*) {
  return std::max({Potential::coefficients...});
}
constexpr int max_pair_coefficients = largest_coefficients(static_cast<PairPotentials*>(nullptr));

/// Calls f(potential) for each potential in turn.
template <class F>
void for_each_pair_potential(F&& f) {
  std::apply([&](auto... potential) { (f(potential), ...); }, PairPotentials{});
}

/// Calls f(potential) for the potential of this name: with_pair_potential("lj", [&](auto p) { loop<decltype(p)>(); }).
/// Throws Error naming all potentials when there is none of the name.
template <class F>
void with_pair_potential(std::string_view name, F&& f) {
  bool found = false;
  std::string names;
  for_each_pair_potential([&](auto potential) {
    names += (names.empty() ? "" : ", ") + std::string(potential.name);
    if (potential.name == name) {
      found = true;
      f(potential);
    }
  });
  if (!found) {
    throw Error("There is no pair potential \"" + std::string(name) + "\"; there are " + names + ".");
  }
}

}  // namespace halyard::md
