#include "solvers/md/fast_atom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "kernels/md/ensemble/kinetic.hpp"
#include "solvers/md/sums.hpp"
#include "solvers/parallel/session.hpp"

namespace halyard::md {

namespace {
const double most_counted = std::ldexp(1.0, 51 - kinetic_bits);
}  // namespace

void require_counted(const ActionView& view, std::span<const FixedSum> sums) {
  if (std::all_of(sums.begin(), sums.end(), [](const FixedSum& sum) { return sum.spoilt() == 0; })) {
    return;  // the same on every rank
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double largest = -1.0;
  std::int64_t id = view.system.count;
  int slot = 0;
  for (int s = 0; s < view.atoms.owned_slots; ++s) {
    const auto at = static_cast<std::size_t>(s);
    if (view.atoms.id.data()[at] < 0) {
      continue;
    }
    double v2 = 0.0;
    for (const auto& v : view.atoms.v) {
      v2 += v.data()[at] * v.data()[at];
    }
    double energy = view.masses.mass(view.atoms.type.data()[at]) * v2;
    energy = std::isnan(energy) ? infinite : energy;
    if (energy > largest || (energy == largest && view.atoms.id.data()[at] < id)) {
      largest = energy;
      id = view.atoms.id.data()[at];
      slot = s;
    }
  }
  const double of_all = view.comm.max(largest);
  const std::int64_t first = view.comm.min(largest == of_all ? id : view.system.count);
  const bool mine = largest == of_all && id == first;
  const int from = view.comm.first(mine);
  std::string who;
  if (mine) {
    const auto at = static_cast<std::size_t>(slot);
    who = fmt::format(
        "atom {} has the velocity ({:.6g}, {:.6g}, {:.6g}) {} in step {}: m v2 = {:.6g} {}, while sums of "
        "m v2 take up to {:.6g} {} an atom; a shorter dt may help",
        view.system.user_id(id), view.atoms.v[0].data()[at], view.atoms.v[1].data()[at], view.atoms.v[2].data()[at],
        view.units.velocity, view.step, largest, view.units.energy, most_counted, view.units.energy);
  }
  view.comm.broadcast(who, from);
  throw CollectiveError(who, exit_code::failure);
}

double twice_kinetic(const ActionView& view, const SlotGroup& group) {
  std::array<FixedSum, 1> sum{
      twice_kinetic_energy(view.queue, group, view.masses.mass, view.type(), slot_vector(std::as_const(view.atoms.v)))};
  sum_over_ranks(view.comm, sum);
  require_counted(view, sum);
  return sum[0].value();
}

}  // namespace halyard::md
