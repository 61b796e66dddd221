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

/// n times x, modulo 2^64.
constexpr std::int64_t times(std::int64_t n, std::int64_t x) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(x));
}

using halyard::host::sum_of_lanes;

}  // namespace halyard::md::host
