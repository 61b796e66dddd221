#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/md/atoms.hpp"

namespace halyard::md::host {

/// Finds atoms by their ids: the owned one, and its ghosts, of which there can be several, over different sides.
class SlotsOfIds {
 public:
  explicit SlotsOfIds(const Atoms& atoms) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
    for (int s = 0; s < atoms.slots; ++s) {
      const std::int64_t id = atoms.id.data()[s];
      if (id != empty_slot) {
        lowest = std::min(lowest, id);
        highest = std::max(highest, id);
      }
    }
    // Ids that lie close together are their own addresses; others are scattered over a table twice as long as needed.
    const auto span = highest >= lowest ? static_cast<std::size_t>(highest - lowest) + 1 : 1;
    const auto slots = static_cast<std::size_t>(atoms.slots);
    dense_ = span <= 8 * slots + 64;
    lowest_ = lowest;
    const std::size_t size = dense_ ? span + 1 : std::bit_ceil(2 * slots + 2);
    shift_ = 64 - std::countr_zero(std::bit_ceil(size));
    slot_.assign(size, -1);
    ids_.assign(dense_ ? 0 : size, empty_slot);
    next_.assign(slots, -1);
    for (int s = 0; s < atoms.slots; ++s) {
      const std::int64_t id = atoms.id.data()[s];
      if (id == empty_slot) {
        continue;
      }
      const std::size_t place = at(id);
      if (slot_[place] < 0) {  // owned slots come first, and stay
        slot_[place] = s;
        if (!dense_) {
          ids_[place] = id;
        }
      } else {
        std::int32_t& after = next_[static_cast<std::size_t>(slot_[place])];
        next_[static_cast<std::size_t>(s)] = after;
        after = s;
      }
    }
  }
  /// The owned slot, or that of any ghost (their positions are all the same); -1: there is none.
  int slot(std::int64_t id) const { return slot_[at(id)]; }

  /// Calls use(slot) for all of them.
  template <class Use>
  void each(std::int64_t id, Use use) const {
    for (int s = slot(id); s >= 0; s = next_[static_cast<std::size_t>(s)]) {
      use(s);
    }
  }

 private:
  /// Where an id stands, or would.
  std::size_t at(std::int64_t id) const {
    if (dense_) {
      const auto place = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(lowest_);
      return static_cast<std::size_t>(std::min<std::uint64_t>(place, slot_.size() - 1));  // the last is always empty
    }
    std::size_t n = static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ULL) >> shift_);
    while (ids_[n] != id && ids_[n] != empty_slot) {
      n = n + 1 == ids_.size() ? 0 : n + 1;
    }
    return n;
  }

  bool dense_ = true;
  std::int64_t lowest_ = 0;
  int shift_ = 63;
  std::vector<std::int32_t> slot_;
  std::vector<std::int64_t> ids_;   // at these places, where ids are scattered
  std::vector<std::int32_t> next_;  // slot with the same id; -1: none
};

}  // namespace halyard::md::host
