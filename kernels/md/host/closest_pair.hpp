#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/host/pair_list.hpp"

namespace halyard::md::host {

/// Two atoms that may be too close to one another.
struct ClosestPair {
  double share = HUGE_VAL;            // r^2 over the least that is allowed for the types; infinite: there is no pair
  std::array<std::int64_t, 2> ids{};  // the smaller one first
  double r2 = 0.0;                    // [length^2]
};

/// Of all listed pairs that with the smallest share; of equal ones that with the smallest ids. For messages: slow.
/// @param safe_r2 of ordered pairs of types, (type_i * types + type_j)
ClosestPair closest_pair(const Atoms& atoms, const SimulationBox& box, const PairList& list,
                         std::span<const double> safe_r2, int types);

}  // namespace halyard::md::host
