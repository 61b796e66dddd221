#include "solvers/md/action_force.hpp"

#include "kernels/md/external/constant_force.hpp"
#include "solvers/md/action.hpp"

namespace halyard::md {

namespace {

class ConstantForce : public Action {
 public:
  ConstantForce(std::uint32_t mask, const std::array<double, 3>& value) : Action(mask), value_(value) {}

  std::optional<EnergyTerm> energy() const override { return EnergyTerm::force; }

  void add_forces(const ActionView& view, bool totals, ForceTotals& sums, ActionSums&) override {
    const FixedSum energy = add_constant_force(view.queue, view.group(mask()), value_, view.id(), view.unwrapped(),
                                               slot_vector(view.atoms.force));
    if (totals) {
      sums.energy2_of(EnergyTerm::force) += 2 * energy.units();
    }
  }

 private:
  std::array<double, 3> value_;
};

}  // namespace

void ForceSettings::declare(CaseSchema& element) {
  declare_target(element, *this, true);
  element.key("value", value)
      .required()
      .unit("energy/length")
      .above(-force_limit)
      .below(force_limit)
      .help("on each of its atoms");
}

std::unique_ptr<Action> ForceSettings::make(std::uint32_t mask, int) const {
  return std::make_unique<ConstantForce>(mask, value);
}

}  // namespace halyard::md
