#pragma once
// All pair potentials, once. A new one is its own file beside this one, one line here, one test.
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernels/md/pair/lennard_jones.hpp"

namespace halyard::md {

/// In the order in which messages name them.
using PairPotentials = std::tuple<  //
    LennardJones                    // 12-6, cut
    >;

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
