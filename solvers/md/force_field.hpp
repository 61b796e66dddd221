#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "io/case/schema.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "kernels/md/pair_parameters.hpp"
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

  /// The largest distance at which two atoms feel each other.
  double cutoff() const { return cutoff_; }
  /// How far pairs are listed, and ghosts are needed: cutoff and skin.
  double reach() const { return reach_; }
  double skin() const { return reach_ - cutoff_; }

  /// After the atoms have been distributed anew: finds who meets whom.
  void list(const Atoms& atoms, const Domain& domain, const SimulationBox& box);
  /// Sets atoms.force. Ghosts' positions must be up to date. With `totals`, energies and the forces over the sides are
  /// summed, of this rank.
  ForceTotals compute(Queue& queue, const SimulationBox& box, bool totals, Domain& domain, Atoms& atoms) const;

  /// What lies beyond the cutoffs, at this volume: energy, and pressure in energy/volume.
  double tail_energy(double volume) const { return tail_.energy_volume / volume; }
  double tail_pressure(double volume) const { return tail_.pressure_volume2 / (volume * volume); }
  /// The terms that this force field has.
  bool has(EnergyTerm term) const { return term == EnergyTerm::pair; }

  std::int64_t list_bytes() const { return list_.bytes(); }

 private:
  MdCase settings_;
  PairParameters pair_;
  TailCorrection tail_;
  double cutoff_ = 0.0, reach_ = 0.0;
  host::PairList list_;
};

}  // namespace halyard::md
