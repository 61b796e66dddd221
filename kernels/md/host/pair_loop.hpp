#pragma once
// The loop over all pairs of a list, eight pairs at a time.
#include <cstdint>
#include <limits>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "kernels/md/host/rounding.hpp"
#include "kernels/md/pair_parameters.hpp"

namespace halyard::md::host {

using halyard::host::all;
using halyard::host::all_index;
using halyard::host::all_int;
using halyard::host::bits_of;
using halyard::host::IndexLanes;
using halyard::host::IntLanes;
using halyard::host::lane_count;
using halyard::host::Lanes;
using halyard::host::load;
using halyard::host::load_index;
using halyard::host::Mask;

/// Adds the forces of a potential between the pairs of one thread's list to atoms.force.
/// @tparam one_type all atoms are of type 0, whose coefficients stay in registers
/// @tparam with_totals energies and the forces over the sides are summed too
/// @tparam clamped pairs nearer than their safe distance have the energy of that distance, and its force times r over
/// it
template <class Potential, bool one_type, bool with_totals, bool clamped = false>
class PairLoop {
 public:
  PairLoop(Atoms& atoms, const PairParameters& table, const std::array<std::array<double, 3>, image_count>& shifts,
           const ThreadList& list)
      : x_{atoms.x[0].data(), atoms.x[1].data(), atoms.x[2].data()},
        force_{atoms.force[0].data(), atoms.force[1].data(), atoms.force[2].data()},
        type_(atoms.type.data()),
        table_(table),
        shifts_(shifts),
        list_(list) {}

  ForceTotals run() {
    Pairwise common;
    if constexpr (one_type) {
      common = load_pairwise(0, all_index(0));
    }
    // Each own entry will take the constant's bits from its cluster together with the force.
    for (std::size_t c = 0; c < list_.own_entries_of.size(); ++c) {
      const std::ptrdiff_t first = list_.first + static_cast<std::ptrdiff_t>(c) * cluster_size;
      const IntLanes bits = all_int(times(list_.own_entries_of[c], rounding_bits(force_unit)));
      for (std::int64_t* force : force_) {
        store(force + first, load(force + first) + bits);
      }
    }
    for (int slot = list_.first; slot < list_.last; ++slot) {
      const std::size_t at = static_cast<std::size_t>(slot - list_.first);
      if (list_.segments_of[at] == list_.segments_of[at + 1] &&
          list_.masked_segments_of[at] == list_.masked_segments_of[at + 1]) {
        continue;
      }
      Atom i(*this, slot);
      for (std::uint32_t s = list_.masked_segments_of[at]; s < list_.masked_segments_of[at + 1]; ++s) {
        segment<true>(i, list_.masked_segments[s], list_.masked.data(), common);
      }
      for (std::uint32_t s = list_.segments_of[at]; s < list_.segments_of[at + 1]; ++s) {
        segment<false>(i, list_.segments[s], list_.entries.data(), common);
      }
      i.store_forces(*this);
    }
    return totals_;
  }

 private:
  /// What belongs to eight pairs of types.
  struct Pairwise {
    Lanes cutoff2, safe2;
    Lanes c[Potential::coefficients];
  };

  /// An atom: its position in all lanes, and the bits of its force lane by lane.
  struct Atom {
    int slot;
    std::int64_t met = 0;  // entries, each of which has added the constant's bits to every lane
    Lanes x[3];
    IntLanes force[3];

    Atom(const PairLoop& loop, int slot_) : slot(slot_) {
      for (int d = 0; d < 3; ++d) {
        x[d] = all(loop.x_[d][slot]);
        force[d] = all_int(0);
      }
    }
    void store_forces(PairLoop& loop) const {
      for (int d = 0; d < 3; ++d) {
        loop.force_[d][slot] += sum_of_lanes(force[d]) - times(lane_count * met, rounding_bits(force_unit));
      }
    }
  };

  template <bool masked, class Entry>
  void segment(Atom& i, const ListSegment& segment, const Entry* entries, const Pairwise& common) {
    if (segment.begin == segment.end) {
      return;
    }
    const IntLanes before[3] = {i.force[0], i.force[1], i.force[2]};
    const bool shifted = segment.image != image_index({0, 0, 0});
    if (shifted) {
      segment.own ? run<masked, true, true>(i, segment, entries, common)
                  : run<masked, true, false>(i, segment, entries, common);
    } else {
      segment.own ? run<masked, false, true>(i, segment, entries, common)
                  : run<masked, false, false>(i, segment, entries, common);
    }
    const std::int64_t count = segment.end - segment.begin;
    i.met += count;
    if (with_totals && shifted) {
      for (int d = 0; d < 3; ++d) {
        const std::int64_t added =
            sum_of_lanes(i.force[d] - before[d]) - times(lane_count * count, rounding_bits(force_unit));
        totals_.shift_force2[segment.image][static_cast<std::size_t>(d)] += segment.own ? 2 * added : added;
      }
    }
  }

  Pairwise load_pairwise(int type_i, IndexLanes type_j) const {
    const std::size_t pairs = static_cast<std::size_t>(table_.types) * static_cast<std::size_t>(table_.types);
    const std::size_t first = static_cast<std::size_t>(type_i) * static_cast<std::size_t>(table_.types);
    Pairwise p;
    p.cutoff2 = gather(table_.cutoff2.data() + first, type_j);
    p.safe2 = gather(table_.safe2.data() + first, type_j);
    for (int k = 0; k < Potential::coefficients; ++k) {
      p.c[k] = gather(table_.c.data() + static_cast<std::size_t>(k) * pairs + first, type_j);
    }
    return p;
  }

  template <bool masked, bool shifted, bool own, class Entry>
  void run(Atom& atom, const ListSegment& segment, const Entry* entries, const Pairwise& common) {
    const std::array<double, 3>& n = shifts_[segment.image];
    const Lanes shift[3] = {all(-n[0]), all(-n[1]), all(-n[2])};
    const Lanes magic = all(rounding_constant(force_unit)), energy_magic = all(rounding_constant(energy_unit));
    // Of its own: as members of the loop they would be read anew after every store of a force.
    const double* const x[3] = {x_[0], x_[1], x_[2]};
    std::int64_t* const force[3] = {force_[0], force_[1], force_[2]};
    Atom i = atom;
    IntLanes energy = all_int(0);
    Lanes closest = all(std::numeric_limits<double>::infinity());
    const Entry* const end = entries + segment.end;
    for (const Entry* entry = entries + segment.begin; entry != end; ++entry) {
      const std::size_t j = std::size_t{cluster_of(*entry)} * cluster_size;
      Lanes d[3];
      for (int a = 0; a < 3; ++a) {
        d[a] = i.x[a] - load(x[a] + j);
        if constexpr (shifted) {
          d[a] = d[a] + shift[a];
        }
      }
      const Lanes r2 = fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2]));
      Pairwise p = common;
      if constexpr (!one_type) {
        p = load_pairwise(type_[i.slot], load_index(type_ + j));
      }
      Mask near = less(r2, p.cutoff2);
      if constexpr (masked) {
        near = both(near, halyard::host::from_bits(entry->mask));
      }
      if constexpr (!one_type) {
        closest = smaller(closest, select(near, r2 / p.safe2, closest));
      } else if constexpr (masked) {
        closest = smaller(closest, select(near, r2, closest));
      } else {
        closest = smaller(closest, r2);  // of a cluster's empty slots far away, too
      }
      const auto term = Potential::template evaluate<Lanes>(clamped ? larger(r2, p.safe2) : r2, p.c, table_.tables);
      const Lanes f = zero_unless(near, term.force_over_r);
      IntLanes bits[3], reaction[3];
      for (int a = 0; a < 3; ++a) {
        bits[a] = bits_of(fma(f, d[a], magic));
        i.force[a] = i.force[a] + bits[a];
      }
      if constexpr (own) {
        // All are read before one is written: compilers must keep that order, and processors overlap loads better.
        for (int a = 0; a < 3; ++a) {
          reaction[a] = load(force[a] + j) - bits[a];
        }
        for (int a = 0; a < 3; ++a) {
          store(force[a] + j, reaction[a]);
        }
      }
      if constexpr (with_totals) {
        energy = energy + bits_of(zero_unless(near, term.energy) + energy_magic);
      }
    }
    atom = i;
    const Lanes safe = one_type ? common.safe2 : all(1.0);
    totals_.overlap = totals_.overlap || any(less(closest, safe));
    if constexpr (with_totals) {
      std::int64_t lane[lane_count];
      store(lane, energy);
      const std::int64_t constants = times(std::int64_t{segment.end} - segment.begin, rounding_bits(energy_unit));
      for (int l = 0; l < lane_count; ++l) {
        const auto sum =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(lane[l]) - static_cast<std::uint64_t>(constants));
        totals_.energy2_of(EnergyTerm::pair) += own ? 2 * static_cast<Wide>(sum) : static_cast<Wide>(sum);
      }
    }
  }

  const double* x_[3];
  std::int64_t* force_[3];
  const std::int32_t* type_;
  const PairParameters& table_;
  const std::array<std::array<double, 3>, image_count>& shifts_;
  const ThreadList& list_;
  ForceTotals totals_;
};

}  // namespace halyard::md::host
