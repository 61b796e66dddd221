#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/md/force_totals.hpp"
#include "kernels/md/pair_parameters.hpp"

namespace halyard::md {

/// What binds atoms that are named by their ids. The first four have an energy of their own; a special pair is one
/// that at most three bonds link, which the pair potential counts with a weight.
enum class BondedKind : std::int8_t { bond, angle, dihedral, improper, special };
constexpr std::size_t bonded_kinds = 4;
constexpr std::array<const char*, bonded_kinds + 1> bonded_kind_names{"bond", "angle", "dihedral", "improper",
                                                                      "special pair"};
constexpr std::array<int, bonded_kinds + 1> bonded_atoms{2, 3, 4, 4, 2};
constexpr EnergyTerm energy_term_of(BondedKind kind) {
  constexpr std::array<EnergyTerm, bonded_kinds + 1> terms{EnergyTerm::bond, EnergyTerm::angle, EnergyTerm::dihedral,
                                                           EnergyTerm::improper, EnergyTerm::pair};
  return terms[static_cast<std::size_t>(kind)];
}

/// A term as a rank knows it through one of its atoms. There is a copy for each atom, which goes where that atom goes.
struct BondedTerm {
  std::array<std::int64_t, 4> atoms{-1, -1, -1, -1};  // ids, from 0, in the order of the style's formula
  std::int32_t type = 0;                              // from 0; of a special pair the bonds between, less one
  BondedKind kind = BondedKind::bond;
  std::int8_t place = 0;  // of the atom that this copy goes with

  std::int64_t atom() const { return atoms[static_cast<std::size_t>(place)]; }
  int size() const { return bonded_atoms[static_cast<std::size_t>(kind)]; }
};

/// The style of one kind of term and its coefficients by type.
struct BondedStyle {
  std::string name;  // as in bonded/styles.hpp; empty: no terms of this kind
  int types = 0;
  std::vector<double> c;  // coefficient k of a type at k * types + type
};

/// What the bonded terms of a system are.
struct BondedModel {
  std::array<BondedStyle, bonded_kinds> styles;  // by kind
  /// How much the pair potential counts between atoms that one, two, three bonds link. 1: those pairs are no special
  /// pairs.
  std::array<double, 3> special_weight{0.0, 0.0, 0.0};
  /// By type of dihedral, where its style has it (charmm): the weight of a Lennard-Jones pair of its ends, without a
  /// cutoff, which `ends` gives the coefficients of by pair of atom types. Empty: none.
  std::vector<double> ends_weight;
  PairParameters ends;
};

}  // namespace halyard::md
