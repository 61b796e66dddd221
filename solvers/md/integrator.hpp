#pragma once
#include <memory>
#include <string>
#include <vector>

#include "io/results/state.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/dynamics.hpp"

namespace halyard::md {

/// What advances the atoms in one stage.
class Integrator {
 public:
  Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  virtual ~Integrator() = default;

  /// One step. step: its number in the run, for random numbers; temperature: wanted now; totals: energies and virial
  /// are asked for after it.
  virtual void step(Dynamics& atoms, double dt, std::int64_t step, double temperature, bool totals) = 0;
  /// With potential and kinetic energy this is conserved, while the temperature asked for is.
  virtual double conserved_part(const Dynamics& /*atoms*/, double /*temperature*/) const { return 0.0; }
  /// Whether that is so: of a minimiser nothing is conserved.
  virtual bool conserves() const { return true; }
  /// The atoms' degrees of freedom that take part in the temperature: forces between atoms leave the momentum as it is.
  virtual double degrees_of_freedom(const Dynamics& atoms) const { return atoms.degrees_of_freedom(); }
  /// A minimiser has come to its end before the stage's last step.
  virtual bool done() const { return false; }
  /// What a restart needs: names start with the stage's.
  virtual std::vector<StateScalar> scalars(const std::string& /*stage*/) { return {}; }
};

std::unique_ptr<Integrator> make_integrator(const StageSettings& stage, const Units& units);

}  // namespace halyard::md
