#pragma once
// Rounding to whole units by adding a constant so large that the last bit of the sum is one unit: the bits of the sum,
// less those of the constant, are the whole number, and sums of bits are exact. The constants are taken out by
// counting.
#include <bit>
#include <cstdint>

#include "kernels/device/host/lane_masks.hpp"

namespace halyard::md::host {

/// For a `unit` that is a power of two; holds for terms below 2^51 units.
constexpr double rounding_constant(double unit) { return 0x1.8p52 * unit; }
constexpr std::int64_t rounding_bits(double unit) { return std::bit_cast<std::int64_t>(rounding_constant(unit)); }

/// The sum of the lanes, modulo 2^64.
KERNEL std::int64_t sum_of_lanes(halyard::host::IntLanes x) {
  std::int64_t lane[halyard::host::lane_count];
  store(lane, x);
  std::uint64_t sum = 0;
  for (int l = 0; l < halyard::host::lane_count; ++l) {
    sum += static_cast<std::uint64_t>(lane[l]);
  }
  return static_cast<std::int64_t>(sum);
}

/// n times x, modulo 2^64.
constexpr std::int64_t times(std::int64_t n, std::int64_t x) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(x));
}

}  // namespace halyard::md::host
