#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/md/atoms.hpp"

namespace halyard::md::host {

/// Finds atoms by their ids: the owned one, and its ghosts, of which there can be several, over different sides.
class SlotsOfIds {
 public:
  explicit SlotsOfIds(const Atoms& atoms) {
    const std::size_t size = std::bit_ceil(static_cast<std::size_t>(atoms.slots) * 2 + 2);
    shift_ = 64 - std::countr_zero(size);
    places_.assign(size, {empty_slot, -1, -1});
    next_.assign(static_cast<std::size_t>(atoms.slots), -1);
    for (int s = 0; s < atoms.slots; ++s) {
      const std::int64_t id = atoms.id.data()[s];
      if (id != empty_slot) {
        Place& place = places_[at(id)];
        if (place.id == empty_slot) {  // owned slots come first, and stay
          place = {id, s, s};
        } else {
          next_[static_cast<std::size_t>(place.last)] = s;
          place.last = s;
        }
      }
    }
  }
  /// The owned slot, or that of any ghost (their positions are all the same); -1: there is none.
  int slot(std::int64_t id) const { return places_[at(id)].slot; }

  /// Calls use(slot) for all of them.
  template <class Use>
  void each(std::int64_t id, Use use) const {
    for (int s = slot(id); s >= 0; s = next_[static_cast<std::size_t>(s)]) {
      use(s);
    }
  }

 private:
  struct Place {
    std::int64_t id;
    std::int32_t slot, last;  // first and last with this id
  };
  std::size_t at(std::int64_t id) const {
    std::size_t n = static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ULL) >> shift_);
    while (places_[n].id != id && places_[n].id != empty_slot) {
      n = n + 1 == places_.size() ? 0 : n + 1;
    }
    return n;
  }

  std::vector<Place> places_;
  std::vector<std::int32_t> next_;  // slot with the same id; -1: none
  int shift_ = 63;
};

}  // namespace halyard::md::host
