#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/backend.hpp"

namespace halyard {

/// Philox 4x32-10, a counter-based generator (Salmon, Moraes, Dror & Shaw 2011, SC '11): the same counter and key give
/// the same four words anywhere, so a random number belongs to a cell or an atom, not to a rank.
struct Philox4x32 {
  struct Words {
    std::uint32_t w[4];
  };

  KERNEL static Words generate(Words counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t first = std::uint64_t{0xD2511F53U} * counter.w[0];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * counter.w[2];
      counter = {{static_cast<std::uint32_t>(second >> 32) ^ counter.w[1] ^ key0, static_cast<std::uint32_t>(second),
                  static_cast<std::uint32_t>(first >> 32) ^ counter.w[3] ^ key1, static_cast<std::uint32_t>(first)}};
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    return counter;
  }

  /// Uniform in (-1, 1), symmetric, from the 53 high bits of two words.
  KERNEL static double symmetric_uniform(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((std::uint64_t{high} << 32) | low) >> 11;
    // The odd integer 2 bits + 1 - 2^53 has 53 bits and a sign: nothing is rounded, so neither end is reached.
    return static_cast<double>(static_cast<std::int64_t>(2 * bits + 1) - (std::int64_t{1} << 53)) * 0x1p-53;
  }
};

}  // namespace halyard
