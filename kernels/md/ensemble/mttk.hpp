#pragma once
#include <array>

#include "kernels/md/ensemble/box_coupling.hpp"
#include "kernels/md/ensemble/nose_hoover.hpp"

namespace halyard::md {

/// The barostat of Martyna, Tobias & Klein (1994), J. Chem. Phys. 101, 4177, split as by Tuckerman, Alejandre,
/// Lopez-Rendon, Jochim & Martyna (2006), J. Phys. A 39, 5629. Each group of n axes has a strain rate w with
///   x' = v + w x,  v' = F/m - (w + Tr w / dof) v,  W w' = sum over its axes of (P - P0) V + (n/dof) sum of m v^2,
/// mass W = n (dof + 3)/3 kB T tau^2, and a Nose-Hoover chain of its own. tau as in NoseHooverChain.
///
/// A step of length dt, with a chain `thermostat` for the atoms:
///   f = half_step_begin(load, dt, ..., thermostat): scale the velocities by f, then
///   v = kick.factor v + kick.weight F/m;  x = drift.factor x + drift.weight v, box * drift.factor;  new forces;
///   v = kick.factor v + kick.weight F/m;  f = half_step_end(load, dt, ..., thermostat), scale the velocities by f.
/// Coordinates are relative to the point that stays at rest. The same kick is used twice: w is constant in between.
///
/// `rate`, `work` and the chains are the state. Potential + kinetic energy + energy() + the thermostat's is conserved.
class MttkBarostat {
 public:
  /// pressure: P0 of each axis [energy/volume], equal within a group. @throws Error as NoseHooverChain, and for
  /// pressures that differ in a group.
  MttkBarostat(BoxCoupling coupling, const std::array<double, 3>& pressure, double tau, int chain_length = 3);

  struct Map {
    std::array<double, 3> factor, weight;
  };

  /// load: at the start of the step. Advances both chains and the rates by dt/2.
  double half_step_begin(const BoxLoad& load, double dt, double dof, double thermal_energy,
                         NoseHooverChain& thermostat);
  /// The exact solution of the velocities' equation over dt/2.
  Map kick(double dt, double dof) const;
  /// The exact solution of the positions' equation over dt.
  Map drift(double dt) const;
  /// To be called once a step with the volume before the drift: counts the work against P0.
  void add_work(double dt, double volume);
  /// load: kinetic part after the second kick.
  double half_step_end(const BoxLoad& load, double dt, double dof, double thermal_energy, NoseHooverChain& thermostat);

  /// Kinetic energy of the box, work against P0, and the box's chains.
  double energy(double dof, double thermal_energy) const;

  void set_pressure(const std::array<double, 3>& pressure) { pressure_ = pressure; }
  int groups() const { return groups_.count; }

  std::array<double, 3> rate{};  // of the groups; [1/time]
  double work = 0.0;
  std::array<NoseHooverChain, 3> chains;  // of the groups

 private:
  double mass(int group, double dof, double thermal_energy) const;
  void advance_chains(double time, double dof, double thermal_energy);
  void advance_rates(const BoxLoad& load, double time, double dof, double thermal_energy);
  double rate_sum() const;

  BoxGroups groups_;
  std::array<double, 3> pressure_;
  double tau_;
};

}  // namespace halyard::md
