#include "solvers/md/action_spring.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/md/external/spring.hpp"
#include "solvers/md/action.hpp"

namespace halyard::md {

namespace {

class Spring : public Action {
 public:
  Spring(std::uint32_t mask, double k, const std::array<bool, 3>& components)
      : Action(mask), k_(k), components_(components) {}

  std::optional<EnergyTerm> energy() const override { return EnergyTerm::spring; }
  std::array<bool, 3> breaks_momentum() const override { return components_; }

  void add_forces(const ActionView& view, bool totals, ForceTotals& sums, ActionSums& more) override {
    const SpringSums spring = add_spring_force(view.queue, view.group(mask()), k_, components_, map(view), view.id(),
                                               view.unwrapped(), view.groups.anchor(), slot_vector(view.atoms.force));
    if (spring.energy.spoilt() != 0) {
      find_trouble(view, more);
    }
    if (totals) {
      sums.energy2_of(EnergyTerm::spring) += 2 * spring.energy.units();
      for (std::size_t c = 0; c < 6; ++c) {
        more.virial[c].add(spring.virial[c]);
      }
    }
  }

 private:
  /// Places move with the box.
  static AxisMap map(const ActionView& view) {
    AxisMap map;
    if (!(view.box == view.start_box)) {
      for (std::size_t a = 0; a < 3; ++a) {
        map.factor[a] = view.box.length[a] / view.start_box.length[a];
        map.shift[a] = view.box.origin[a] - map.factor[a] * view.start_box.origin[a];
      }
    }
    return map;
  }

  void find_trouble(const ActionView& view, ActionSums& sums) const {
    const AxisMap places = map(view);
    const SlotVector<const double> anchor = view.groups.anchor();
    for (int s = 0; s < view.atoms.owned_slots; ++s) {
      if (view.id()(s) < 0 || (view.groups.bits()(s) & mask()) == 0) {
        continue;
      }
      const Unwrapped::Point at = view.unwrapped()(s);
      const std::array<double, 3> d{at.x - (places.factor[0] * anchor.x(s) + places.shift[0]),
                                    at.y - (places.factor[1] * anchor.y(s) + places.shift[1]),
                                    at.z - (places.factor[2] * anchor.z(s) + places.shift[2])};
      bool fits = true;
      double energy = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double k = components_[a] ? k_ : 0.0;
        fits = fits && k * std::fabs(d[a]) < force_limit;
        energy += 0.5 * k * d[a] * d[a];
      }
      if (!(fits && energy < energy_limit)) {
        const std::int64_t id = view.id()(s);
        sums.add({id, fmt::format("in step {} atom {} is ({:.6g}, {:.6g}, {:.6g}) {} away from the place that a "
                                  "[[spring]] ties it to: its force is beyond {} {}, or its energy beyond {} {}",
                                  view.step, view.system.user_id(id), d[0], d[1], d[2], view.units.length, force_limit,
                                  view.units.force, energy_limit, view.units.energy)});
      }
    }
  }

  double k_;
  std::array<bool, 3> components_;
};

}  // namespace

void SpringSettings::declare(CaseSchema& element) {
  declare_target(element, *this, true);
  element.key("k", k).required().above(0.0).unit("energy/length2").help("stiffness of each spring");
  element.key("components", components).default_value({true, true, true}).help("along which of x, y, z it pulls");
}

std::unique_ptr<Action> SpringSettings::make(std::uint32_t mask, int) const {
  return std::make_unique<Spring>(mask, k, components);
}

}  // namespace halyard::md
