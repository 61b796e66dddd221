#include "solvers/md/force_field.hpp"

#include <cmath>

#include "kernels/md/pair_forces.hpp"

namespace halyard::md {

ForceField::ForceField(const MdCase& settings, const System& system, const CaseSchema& schema)
    : settings_(settings),
      pair_(make_pair_parameters(settings, static_cast<int>(system.masses.size()), schema)),
      tail_(make_tail(settings, system.atoms_of_type, schema)),
      cutoff_(std::sqrt(pair_.largest_cutoff2())) {
  // Long enough that lists last some ten steps, short enough that few pairs are listed in vain.
  constexpr double skin_of_cutoff = 0.12;
  reach_ = cutoff_ + settings.skin.value_or(skin_of_cutoff * cutoff_);
}

void ForceField::list(const Atoms& atoms, const Domain& domain, const SimulationBox& box) {
  host::build_pair_list(atoms, box, domain.zones(), domain.self_images(box), reach_, {}, list_);
}

ForceTotals ForceField::compute(Queue& queue, const SimulationBox& box, bool totals, Domain& /*domain*/,
                                Atoms& atoms) const {
  clear_forces(queue, atoms);
  return pair_forces(queue, settings_.pair.potential, pair_, box, list_, totals, atoms);
}

}  // namespace halyard::md
