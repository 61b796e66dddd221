#include "solvers/md/action_wall.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/external/wall_lj93.hpp"
#include "solvers/md/action.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/sums.hpp"

namespace halyard::md {

namespace {

double place_of(const WallSettings& wall, const SimulationBox& box) {
  return box.origin[wall.axis()] + (wall.upper() ? box.length[wall.axis()] : 0.0);
}

std::array<bool, 3> only(std::size_t axis) { return {axis == 0, axis == 1, axis == 2}; }

/// A mirror: as if it were a force of no range.
class ReflectingWall : public Action {
 public:
  explicit ReflectingWall(const WallSettings& settings) : Action(0), settings_(settings) {}

  std::array<bool, 3> breaks_momentum() const override { return only(settings_.axis()); }

  /// An atom that is outside even so has moved further than the box is long; the next list does not take it.
  void move(const ActionView& view) override {
    std::array<double, 3> lower{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, upper{HUGE_VAL, HUGE_VAL, HUGE_VAL};
    (settings_.upper() ? upper : lower)[settings_.axis()] = place_of(settings_, view.box);
    reflect_at_walls(view.queue, view.atoms.owned_slots, lower, upper, view.id(), slot_vector(view.atoms.x),
                     slot_vector(view.atoms.v));
  }

 private:
  WallSettings settings_;
};

class LennardJonesWall : public Action {
 public:
  LennardJonesWall(std::uint32_t mask, const WallSettings& settings)
      : Action(mask), settings_(settings), wall_(*settings.epsilon, *settings.sigma, *settings.cutoff) {}

  std::optional<EnergyTerm> energy() const override { return EnergyTerm::wall; }
  std::array<bool, 3> breaks_momentum() const override { return only(settings_.axis()); }

  void add_forces(const ActionView& view, bool totals, ForceTotals& sums, ActionSums& more) override {
    const std::size_t axis = settings_.axis();
    const WallPlane plane{static_cast<int>(axis), place_of(settings_, view.box), settings_.upper() ? -1.0 : 1.0};
    const WallSums wall = add_wall_force(view.queue, view.group(mask()), wall_, plane, view.id(),
                                         {view.atoms.x[axis].data()}, {view.atoms.force[axis].data()});
    if (wall.beyond.units() != 0) {
      find_trouble(view, plane, more);
    }
    if (totals) {
      sums.energy2_of(EnergyTerm::wall) += 2 * wall.energy.units();
      force_ = wall.force;
    }
  }
  void columns(const ActionView& view, std::vector<HistoryColumn>& row) const override {
    std::array<FixedSum, 1> force{force_};
    sum_over_ranks(view.comm, force);
    const std::string of_group = settings_.group.empty() ? "" : "_" + settings_.group;
    row.push_back({fmt::format("wall_{}{}_force", settings_.name(), of_group), view.units.force, force[0].value()});
  }

 private:
  void find_trouble(const ActionView& view, const WallPlane& plane, ActionSums& sums) const {
    const SlotGroup group = view.group(mask());
    for (int s = 0; s < view.atoms.owned_slots; ++s) {
      const std::int64_t id = view.id()(s);
      if (id < 0 || !(group.all() || (group.bits(s) & group.mask) != 0)) {
        continue;
      }
      const std::array<double, 3> x{view.atoms.x[0].data()[s], view.atoms.x[1].data()[s], view.atoms.x[2].data()[s]};
      const double d = plane.inward * (x[settings_.axis()] - plane.at);
      const WallTerm term = wall_(d);
      const bool fits = d >= wall_.cutoff ||
                        (d > 0.0 && std::fabs(term.force) < force_limit && std::fabs(term.energy) < energy_limit);
      if (!fits) {
        sums.add({id, fmt::format("in step {} atom {} is at ({:.9g}, {:.9g}, {:.9g}) {}, {} the lj93 wall at the side "
                                  "{}, {} = {:.9g}; a smaller dt may help, or a start with all atoms further inside",
                                  view.step, view.system.user_id(id), x[0], x[1], x[2], view.units.length,
                                  d > 0.0 ? "too close for a force of at most " + fmt::format("{} to", force_limit)
                                          : "on or behind",
                                  settings_.name(), "xyz"[settings_.axis()], plane.at)});
      }
    }
  }

  WallSettings settings_;
  WallLj93 wall_;
  FixedSum force_{34};  // on it, of this rank, when totals were last asked for
};

}  // namespace

std::string WallSettings::name() const { return fmt::format("{}-{}", "xyz"[axis()], upper() ? "high" : "low"); }

void WallSettings::declare(CaseSchema& element) {
  element.key("side", side)
      .required()
      .choices({{"x-low", WallSide::x_low, {}},
                {"x-high", WallSide::x_high, {}},
                {"y-low", WallSide::y_low, {}},
                {"y-high", WallSide::y_high, {}},
                {"z-low", WallSide::z_low, {}},
                {"z-high", WallSide::z_high, {}}})
      .help("of the box, where the wall is");
  element.key("kind", kind)
      .required()
      .choices({{"reflecting", WallKind::reflecting, "mirrors atoms that have crossed it"},
                {"lj93", WallKind::lj93, "Lennard-Jones 9-3, of a half space of particles"}})
      .help("what it does");
  const auto lj = [this] { return kind == WallKind::lj93; };
  const std::string asked = "kind is \"lj93\"", not_lj = "kind is not \"lj93\"";
  element.key("epsilon", epsilon)
      .above(0.0)
      .unit("energy")
      .required_when(lj, asked)
      .active_when(lj, not_lj)
      .help("strength");
  element.key("sigma", sigma).above(0.0).unit("length").required_when(lj, asked).active_when(lj, not_lj).help("range");
  element.key("cutoff", cutoff)
      .above(0.0)
      .unit("length")
      .required_when(lj, asked)
      .active_when(lj, not_lj)
      .help("distance from the wall beyond which it is not felt, and where its energy is zero");
  declare_target(element, *this, false);
}

std::string WallSettings::wrong(const MdCase& c) const {
  if (c.system.periodic[axis()]) {
    return fmt::format("is at the side {}, where the box is periodic: system.periodic must be false along {}.", name(),
                       "xyz"[axis()]);
  }
  if (kind == WallKind::reflecting && !group.empty()) {
    return "is for a group; a reflecting one is for all atoms: leave group out.";
  }
  return {};
}

std::string WallSettings::wrong(const SimulationBox& box) const {
  const bool upright = axis() == 0 ? box.xy == 0.0 && box.xz == 0.0 : axis() == 2 || box.yz == 0.0;
  return upright
             ? std::string()
             : fmt::format("is at the side {}, which is not perpendicular to {}: the box is tilted by ({}, {}, {}).",
                           name(), "xyz"[axis()], box.xy, box.xz, box.yz);
}

std::unique_ptr<Action> WallSettings::make(std::uint32_t mask, int) const {
  if (kind == WallKind::lj93) {
    return std::make_unique<LennardJonesWall>(mask, *this);
  }
  return std::make_unique<ReflectingWall>(*this);
}

}  // namespace halyard::md
