#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/bonded_forces.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/system.hpp"

namespace halyard::md {

/// The coefficients of pairs that a data file gives, where the case gives none: else those of the case.
/// @throws Error at the line of the file that does not fit the potential.
std::vector<PairCoefficients> pair_coefficients(const MdCase& settings, const System& system, const CaseSchema& schema);

/// The bonded terms of this rank's atoms, and their forces.
class Bonded {
 public:
  /// @param system must outlive this object
  /// @throws Error at the position of a key, or the line of the data file, whose coefficients do not fit.
  Bonded(const MdCase& settings, const System& system, const CaseSchema& schema);

  /// Whether the system has terms with this energy.
  bool has(EnergyTerm term) const {
    for (std::size_t k = 0; k < bonded_kinds; ++k) {
      if (energy_term_of(static_cast<BondedKind>(k)) == term) {
        return system_->topology.counts[k] > 0;
      }
    }
    return false;
  }
  bool any() const {
    return has(EnergyTerm::bond) || has(EnergyTerm::angle) || has(EnergyTerm::dihedral) || has(EnergyTerm::improper);
  }
  /// How far ghosts must reach for terms to find their atoms: a quarter more than the longest term at the start.
  double reach() const { return reach_; }
  /// U'' at the minimum of the stiffest bond [energy/length^2]; 0 without bonds.
  double stiffest_bond() const;

  /// Terms go where their atoms go: call it before atoms change ranks. owner[k]: the rank that records[k], one of this
  /// rank's atoms, is sent to. Collective.
  void follow(const Communicator& comm, std::span<const AtomRecord> records, std::span<const int> owner);
  /// After atoms and ghosts have got their slots. `reach` is how far ghosts reach. Collective.
  /// @throws CollectiveError naming the atoms of a term that is too long, or lacks an atom.
  void list(const Communicator& comm, const Atoms& atoms, const SimulationBox& box, double reach);
  /// Those of this rank's atoms: a copy of a term for each of its atoms here.
  std::span<const BondedTerm> terms() const { return terms_; }
  /// The pairs that the pair list must leave out.
  const Exclusions& exclusions() const { return list_.exclusions; }

  /// Adds forces. `table`: of the case's pair potential.
  ForceTotals compute(Queue& queue, const PairParameters& table, const SimulationBox& box, bool totals, Atoms& atoms);
  /// What the last compute() found broken, on any rank: "bond of atoms 3 and 4"; else empty. Collective.
  std::string broken(const Communicator& comm) const;

 private:
  std::string name_of(const BondedTerm& term) const;

  const System* system_;
  std::string potential_;
  BondedModel model_;
  double reach_ = 0.0;
  std::vector<BondedTerm> terms_;
  host::BondedList list_;
  std::array<std::int64_t, 5> broken_{-1, -1, -1, -1, -1};
};

}  // namespace halyard::md
