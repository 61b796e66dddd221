#include "solvers/md/action_freeze.hpp"

#include "kernels/md/ensemble/velocities.hpp"
#include "solvers/md/action.hpp"
#include "solvers/md/fast_atom.hpp"

namespace halyard::md {

namespace {

class Freeze : public Action {
 public:
  Freeze(std::uint32_t mask, const std::array<bool, 3>& components) : Action(mask), components_(components) {}

  std::array<bool, 3> breaks_momentum() const override { return components_; }
  std::array<bool, 3> frozen() const override { return components_; }

  void hold(const ActionView& view) override {
    freeze(view.queue, view.group(mask()), components_, slot_vector(view.atoms.v), slot_vector(view.atoms.force));
  }
  /// Noise has kicked what may not move; the thermostats have counted that as heat.
  void after_noise(const ActionView& view) override {
    const double before = twice_kinetic(view, view.group(mask()));
    hold(view);
    heat_ += 0.5 * (twice_kinetic(view, view.group(mask())) - before);
  }
  double conserved_part() const override { return -heat_; }
  std::vector<StateScalar> scalars(const std::string& name) override { return {{name + "_heat", "energy", &heat_}}; }

 private:
  std::array<bool, 3> components_;
  double heat_ = 0.0;  // that frozen components took up, less than zero
};

}  // namespace

void FreezeSettings::declare(CaseSchema& element) {
  declare_target(element, *this, true);
  element.key("components", components)
      .default_value({true, true, true})
      .help("which of x, y, z do not change: [false, false, true] leaves atoms in their planes");
}

std::unique_ptr<Action> FreezeSettings::make(std::uint32_t mask, int) const {
  return std::make_unique<Freeze>(mask, components);
}

}  // namespace halyard::md
