#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/cluster_zone.hpp"

namespace halyard::md {

/// Pairs that the pair loop must not take in full: bonded neighbours. Both directions are listed.
struct Exclusions {
  // Of the atom in slot s: ids[start[s]] to ids[start[s + 1] - 1]. Empty: none at all.
  std::vector<std::int32_t> start;
  std::vector<std::int64_t> ids;
};
}  // namespace halyard::md

namespace halyard::md::host {

/// A run of entries of one atom under one image shift.
struct ListSegment {
  std::uint32_t begin = 0, end = 0;
  std::uint8_t image = 0;  // image_index()
  bool own = false;        // the columns' forces are added too; else the columns' owner meets this pair as well
};

/// An entry of which some pairs are left out: bit l of the mask is lane l.
struct MaskedEntry {
  std::uint32_t cluster = 0;
  std::uint32_t mask = 0;
};

// Of either kind of entry; a plain one leaves out no pair.
inline std::uint32_t cluster_of(std::uint32_t entry) { return entry; }
inline std::uint32_t cluster_of(const MaskedEntry& entry) { return entry.cluster; }
inline std::uint32_t mask_of(std::uint32_t) { return 0xffU; }
inline std::uint32_t mask_of(const MaskedEntry& entry) { return entry.mask; }

constexpr int image_count = 27;
constexpr int image_index(const std::array<int, 3>& n) { return (n[0] + 1) + 3 * (n[1] + 1) + 9 * (n[2] + 1); }
constexpr std::array<int, 3> image_of(int index) { return {index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1}; }

/// The neighbours of the atoms in slots [first, last) of one thread: each atom meets clusters of eight, those alone
/// that have an atom within reach (of lists of four atoms by eight every other row would be empty). Of pairs between
/// the thread's own clusters each is listed once; pairs with a cluster of another thread or rank are listed on both
/// sides.
struct ThreadList {
  int first = 0, last = 0;
  std::vector<std::uint32_t> entries;  // clusters
  std::vector<MaskedEntry> masked;
  std::vector<ListSegment> segments, masked_segments;
  std::vector<std::uint32_t> segments_of, masked_segments_of;  // first segment of each slot, and an end
  std::vector<std::uint32_t> own_entries_of;  // of each of the thread's clusters: in how many own entries it stands
};

/// Room for so many entries: some more than are asked for, little where they fill much of a node's memory.
template <class Entry>
void make_room(std::vector<Entry>& entries, std::size_t wanted) {
  if (wanted > entries.size()) {
    entries.resize(wanted + wanted / 8);
  }
}

/// All pairs within `reach` of each other at atoms.reference.
struct PairList {
  std::vector<ThreadList> threads;
};

/// Lists all pairs that are within `reach` of each other at atoms.reference.
/// @param zones the first is that of the owned atoms; all others hold ghosts
/// @param self_images axes along which the box is periodic and not split over ranks: pairs reach over those sides
///   without ghosts
void build_pair_list(const Atoms& atoms, const SimulationBox& box, std::span<const ClusterZone> zones,
                     const std::array<bool, 3>& self_images, double reach, const Exclusions& exclusions,
                     PairList& list);

/// Of a list's entries those that have a pair within `reach` of each other at atoms.x, ghosts included: loops over them
/// find all pairs that they find in `list` as long as none from further away has come into the cutoff.
void prune_pair_list(const Atoms& atoms, const SimulationBox& box, const PairList& list, double reach, PairList& near);

}  // namespace halyard::md::host
