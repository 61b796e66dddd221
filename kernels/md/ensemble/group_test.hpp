#pragma once
#include "kernels/device/backend.hpp"
#include "kernels/device/scalar_lane.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// Whether a slot is of the group. Two types, so that the loop over all atoms asks nothing.
struct EverySlot {
  explicit EverySlot(const SlotGroup&) {}
  KERNEL bool operator()(int) const { return true; }
};
struct SlotsOfGroup {
  View1<const std::uint32_t> bits;
  std::uint32_t mask;
  explicit SlotsOfGroup(const SlotGroup& group) : bits(group.bits), mask(group.mask) {}
  KERNEL bool operator()(int slot) const { return (bits(slot) & mask) != 0; }
};

}  // namespace halyard::md
