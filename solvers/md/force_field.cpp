#include "solvers/md/force_field.hpp"

#include <cmath>

#include "kernels/device/profile.hpp"
#include "kernels/md/pair_forces.hpp"
#include "solvers/md/eam_settings.hpp"
#include "solvers/md/skin.hpp"
#include "solvers/md/table_settings.hpp"

namespace halyard::md {

ForceField::ForceField(const MdCase& settings, const System& system, const CaseSchema& schema)
    : potential_(settings.pair.potential), bonded_(settings, system, schema) {
  if (potential_ == eam_potential) {
    eam_ = read_eam_model(settings, system, schema);
    cutoff_ = eam_->splines.cutoff();
    if (bonded_.any()) {
      throw schema.error("pair.potential", "is \"eam\", but the atoms have bonds, for which it has no place.");
    }
  } else if (potential_ == tabulated_potential) {
    pair_ = read_pair_tables(settings, static_cast<int>(system.masses.size()), schema, notes_);
    cutoff_ = std::sqrt(pair_.largest_cutoff2());
  } else {
    MdCase complete = settings;
    complete.pair.coefficients = pair_coefficients(settings, system, schema);
    pair_ = make_pair_parameters(complete, static_cast<int>(system.masses.size()), schema);
    tail_ = make_tail(complete, system.atoms_of_type, schema);
    cutoff_ = std::sqrt(pair_.largest_cutoff2());
  }
  // As measured on the benches of LAMMPS (docs/performance.md).
  const ListCosts costs = eam_ ? ListCosts{.pruning = 0.3, .search = 0.8, .renewal = 5.0}
                               : ListCosts{.pruning = 0.5, .search = 3.5, .renewal = bonded_.any() ? 25.0 : 12.0};
  const Skins skins = choose_skins(settings, system, cutoff_, costs);
  reach_ = cutoff_ + skins.list;
  near_reach_ = cutoff_ + skins.near;
}

void ForceField::list(const Atoms& atoms, const Domain& domain, const SimulationBox& box) {
  static KernelRecord& record = kernel_record("PairSearch", {.bytes = 0, .flops = 0});
  bonded_.list(domain.communicator(), atoms, box, reach());
  const KernelTimer timer(record, atoms.owned);
  host::build_pair_list(atoms, box, domain.zones(), domain.self_images(box), reach_, bonded_.exclusions(), list_);
  pruned_ = false;
}

void ForceField::prune(Queue& queue, const SimulationBox& box, const Atoms& atoms) {
  const auto slots = static_cast<std::size_t>(atoms.owned_slots);
  for (std::size_t d = 0; d < 3; ++d) {
    if (near_x_[d].size() < slots) {
      near_x_[d] = Buffer<double>(queue, static_cast<std::size_t>(atoms.capacity()), "positions at pruning");
    }
    copy_bytes(queue, near_x_[d].data(), atoms.x[d].data(), slots * sizeof(double));
  }
  near_box_ = box;
  host::prune_pair_list(atoms, box, list_, near_reach_, near_list_);
  pruned_ = true;
}

FormerPositions ForceField::at_pruning(const SimulationBox& box) const {
  return {slot_vector(near_x_), change_of_box(near_box_, box)};
}

double ForceField::spare_since_pruning(const SimulationBox& box) const {
  constexpr double rounding = 1.0 - 1e-12;  // of distances
  return spare_move(near_reach_ * rounding, cutoff_, change_of_box(near_box_, box));
}

ForceTotals ForceField::compute(Queue& queue, const SimulationBox& box, bool totals, bool clamped, Domain& domain,
                                Atoms& atoms) {
  clear_forces(queue, atoms);
  if (eam_) {
    return compute_eam(queue, box, totals, domain, atoms);
  }
  ForceTotals sums = pair_forces(queue, potential_, pair_, box, pairs(), totals, atoms, clamped);
  sums.add(bonded_.compute(queue, pair_, box, totals, atoms));
  return sums;
}

ForceTotals ForceField::compute_eam(Queue& queue, const SimulationBox& box, bool totals, Domain& domain, Atoms& atoms) {
  const auto slots = static_cast<std::size_t>(atoms.capacity());
  if (density_.size() < slots) {
    density_ = Buffer<std::int64_t>(queue, slots, "electron densities");
    slope_ = Buffer<double>(queue, slots, "embedding slopes");
  }
  ForceTotals sums;
  eam_densities(queue, *eam_, box, pairs(), atoms, density_, sums);
  eam_embed(queue, *eam_, atoms, density_, totals, slope_, sums);
  double* const slope = slope_.data();
  domain.update_ghosts(std::span(&slope, 1));
  eam_forces(queue, *eam_, box, pairs(), slope_, totals, atoms, sums);
  return sums;
}

}  // namespace halyard::md
