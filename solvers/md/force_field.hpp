#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/eam_forces.hpp"
#include "kernels/md/ensemble/positions.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/closest_pair.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "kernels/md/pair_parameters.hpp"
#include "solvers/md/bonded.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/pair_settings.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// The potential energy of a system, and its forces.
class ForceField {
 public:
  /// @throws Error at the position of a key whose value does not fit the system.
  ForceField(const MdCase& settings, const System& system, const CaseSchema& schema);

  /// What a user should know of the potential's files, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The largest distance at which two atoms feel each other.
  double cutoff() const { return cutoff_; }
  /// How far ghosts are needed: cutoff and skin, or the reach of bonded terms.
  double reach() const { return std::max(reach_, bonded_.reach()); }
  /// How far pairs are listed: cutoff and skin; and how far those that the list is pruned to.
  double list_reach() const { return reach_; }
  double pruned_reach() const { return near_reach_; }
  /// U'' at the minimum of the stiffest bond [energy/length^2]; 0 without bonds.
  double stiffest_bond() const { return bonded_.stiffest_bond(); }

  /// What this force field knows of each atom goes where its record goes. Collective; before atoms change ranks.
  void follow(const Domain& domain, std::span<const AtomRecord> records, std::span<const int> owner) {
    bonded_.follow(domain.communicator(), records, owner);
  }
  /// After the atoms have been distributed anew: finds who meets whom, at atoms.reference.
  void list(const Atoms& atoms, const Domain& domain, const SimulationBox& box);
  /// Shortens the list to the pairs that are nearly within the cutoff at atoms.x, ghosts included. From then on forces
  /// are right as long as no atom moves by more than spare_since_pruning().
  void prune(Queue& queue, const SimulationBox& box, const Atoms& atoms);
  /// Undoes it: where atoms move so fast that it does not pay.
  void take_whole_list() { pruned_ = false; }
  bool pruned() const { return pruned_; }
  /// Where the owned atoms were at the last prune(), in the present box.
  FormerPositions at_pruning(const SimulationBox& box) const;
  double spare_since_pruning(const SimulationBox& box) const;
  /// Sets atoms.force. Ghosts' positions must be up to date. With `totals`, energies and the forces over the sides are
  /// summed, of this rank. `clamped`: pairs that are too near have a bounded force (pair_forces()).
  ForceTotals compute(Queue& queue, const SimulationBox& box, bool totals, bool clamped, Domain& domain, Atoms& atoms);
  /// Where the tables of electron densities end; 0 without.
  double density_end() const { return eam_ ? eam_->splines.view().rho_max : 0.0; }

  /// What lies beyond the cutoffs, at this volume: energy, and pressure in energy/volume.
  double tail_energy(double volume) const { return tail_.energy_volume / volume; }
  double tail_pressure(double volume) const { return tail_.pressure_volume2 / (volume * volume); }
  /// The terms that this force field has.
  bool has(EnergyTerm term) const {
    switch (term) {
      case EnergyTerm::pair:
        return true;
      case EnergyTerm::embedding:
        return eam_.has_value();
      default:
        return bonded_.has(term);
    }
  }

  /// Of a bonded term that has no force, on any rank: its kind and atoms; else empty. Collective.
  std::string broken_term(const Domain& domain) const { return bonded_.broken(domain.communicator()); }

  /// Of this rank's pairs the one that is nearest to, or furthest below, the distance that its types allow.
  host::ClosestPair closest_pair(const Atoms& atoms, const SimulationBox& box) const {
    return eam_ ? host::closest_pair(atoms, box, list_, eam_->safe_r2, static_cast<int>(eam_->element.size()))
                : host::closest_pair(atoms, box, list_, pair_.safe2, pair_.types);
  }

  /// Those of this rank's atoms (Bonded::terms).
  std::span<const BondedTerm> bonded_terms() const { return bonded_.terms(); }

 private:
  ForceTotals compute_eam(Queue& queue, const SimulationBox& box, bool totals, Domain& domain, Atoms& atoms);
  const host::PairList& pairs() const { return pruned_ ? near_list_ : list_; }

  std::string potential_;
  std::vector<std::string> notes_;
  PairParameters pair_;  // of pair potentials
  TailCorrection tail_;
  std::optional<EamModel> eam_;
  Bonded bonded_;
  Buffer<std::int64_t> density_;
  Buffer<double> slope_;
  double cutoff_ = 0.0, reach_ = 0.0, near_reach_ = 0.0;
  host::PairList list_, near_list_;  // all pairs up to reach_, and those of them that were within near_reach_
  bool pruned_ = false;              // forces are of near_list_
  std::array<Buffer<double>, 3> near_x_;
  SimulationBox near_box_;
};

}  // namespace halyard::md
