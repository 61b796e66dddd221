#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/bonded_terms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md::host {

/// Terms of one kind by slot, eight side by side: arrays are filled up to a multiple of eight with copies of the last.
/// The bond vectors are d12 = x_1 - x_2 + S, d32 = x_3 - x_2 + S, d43 = x_4 - x_3 + S, each with an S of its own.
struct TermList {
  int count = 0;
  std::array<std::vector<std::int32_t>, 4> slot;
  /// image_index() of the images whose vectors are -S: of d12, d32, d43, and of d42 = d43 + d32.
  std::array<std::vector<std::int32_t>, 4> image;
  std::vector<std::int32_t> type;  // of pairs: type_1 * types + type_2
  std::vector<double> weight;      // of pairs
};

/// The kinds of BondedKind, and beside them the pairs of dihedrals' ends.
constexpr std::size_t ends_list = bonded_kinds + 1;
constexpr std::size_t term_lists = bonded_kinds + 2;

/// The terms that touch an owned slot of one thread: others may have the same ones, and each adds to its own slots.
struct BondedThread {
  int first_slot = 0, last_slot = 0;
  std::array<TermList, term_lists> terms;
};

struct BondedList {
  std::vector<BondedThread> threads;
  Exclusions exclusions;  // special pairs, which the pair list must leave out
};

/// What kept a term from being listed.
struct BondedProblem {
  BondedTerm term;
  std::array<std::int64_t, 2> atoms{};  // those concerned
  double distance = 0.0;                // zero: the second one is nowhere near
};

/// Lists the terms that touch owned atoms at atoms.reference, each bond vector as its nearest image. `terms` has a copy
/// of each for every owned atom in it, in any order.
/// @param reach how far ghosts reach, and the pair list at most
/// @return the term that cannot be listed, if there is one: a bond vector is longer than half the box, or two of its
///   atoms are further from each other than `reach`, or one is missing. The list is then not usable.
std::vector<BondedProblem> build_bonded_list(const Atoms& atoms, const SimulationBox& box,
                                             std::span<const BondedTerm> terms, const BondedModel& model,
                                             int atom_types, double reach, BondedList& list);

}  // namespace halyard::md::host
