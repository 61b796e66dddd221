#pragma once
// Coefficients between unlike types from those of the types alone, as LAMMPS' pair_modify mix does.
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "kernels/device/error.hpp"

namespace halyard::md {

enum class PairMixing { arithmetic, geometric, sixth_power };

constexpr std::array<std::string_view, 3> pair_mixing_names{"arithmetic", "geometric", "sixth-power"};

/// Throws Error naming the rules when there is none of the name.
inline PairMixing pair_mixing(std::string_view name) {
  for (std::size_t i = 0; i < pair_mixing_names.size(); ++i) {
    if (name == pair_mixing_names[i]) {
      return static_cast<PairMixing>(i);
    }
  }
  throw Error("There is no mixing rule \"" + std::string(name) + "\"; there are arithmetic, geometric, sixth-power.");
}

/// sigma of a pair of types, or a cutoff: (a + b)/2, sqrt(a b), or ((a^6 + b^6)/2)^(1/6). Like types keep theirs
/// exactly.
inline double mix_length(PairMixing rule, double a, double b) {
  if (a == b) {
    return a;
  }
  const double a3 = a * a * a, b3 = b * b * b;
  switch (rule) {
    case PairMixing::arithmetic:
      return 0.5 * (a + b);
    case PairMixing::geometric:
      return std::sqrt(a * b);
    default:
      return std::cbrt(std::sqrt(0.5 * (a3 * a3 + b3 * b3)));
  }
}

/// epsilon of a pair of types: sqrt(e_a e_b) for arithmetic and geometric, and
/// 2 sqrt(e_a e_b) sigma_a^3 sigma_b^3 / (sigma_a^6 + sigma_b^6) for sixth-power (Waldman & Hagler 1993).
inline double mix_epsilon(PairMixing rule, double epsilon_a, double epsilon_b, double sigma_a, double sigma_b) {
  const double epsilon = epsilon_a == epsilon_b ? epsilon_a : std::sqrt(epsilon_a * epsilon_b);
  if (rule != PairMixing::sixth_power || sigma_a == sigma_b) {
    return epsilon;
  }
  const double a3 = sigma_a * sigma_a * sigma_a, b3 = sigma_b * sigma_b * sigma_b;
  return epsilon * (2.0 * a3 * b3 / (a3 * a3 + b3 * b3));
}

}  // namespace halyard::md
