#pragma once
#include <array>

#include "kernels/md/ensemble/box_coupling.hpp"
#include "kernels/md/normal_random.hpp"

namespace halyard::md {

/// Stochastic cell rescaling (Bernetti & Bussi 2020, J. Chem. Phys. 153, 114107), to first order in time. For each
/// group of n axes with strain e (its edges grow by exp(e/n)), in the sense of Ito,
///   de = -(n beta / 3 tau) (P0 - P) dt + sqrt(2 n beta kB T / (3 tau V)) dW,
/// which leaves exp(-(U + P0 V)/kB T) dV invariant (all edges: their product dx dy dz). Isotropic, e is log V and this
/// is the paper's equation, stepped as there in sqrt(V), whose noise does not depend on V: sqrt(V'/V) = 1 + y/2 with
///   y = (beta/tau) (P - P0 + kB T/2V) dt + noise;  with several groups each has its y and e_g = y_g log(V'/V) / sum of
///   y.
/// Positions are scaled with the box and velocities by the inverse, about the middle of a drift.
///
/// A barostat step, of length dt between two forces:
///   factor = begin(load at its start, ...)       one number per axis
///   kick dt/2; drift dt/2; positions and box * factor, velocities / factor; drift dt/2; new forces; kick dt/2
///   end(load at its end)
/// It may stand for several steps: `time` is then their sum.
///
/// `work`, the state, makes potential + kinetic energy + work conserved: the paper's effective energy, from the ratio
/// of the probabilities of the step and of its reverse. It holds the work against P0. Exact but for the error that the
/// time step makes with the atoms.
class CellRescaling {
 public:
  /// pressure: P0 of each axis [energy/volume], equal within a group; compressibility [volume/energy], an estimate: it
  /// sets the speed, not the result. @throws Error where tau or compressibility is not above 0, pressures differ in a
  /// group.
  CellRescaling(BoxCoupling coupling, const std::array<double, 3>& pressure, double compressibility, double tau);

  /// Draws the strains of this step and returns the factors of the edges.
  std::array<double, 3> begin(const BoxLoad& load, double time, double thermal_energy, RandomSequence& random);
  /// Adds to `work`. Positions, velocities and forces are those at the end of the step begun.
  void end(const BoxLoad& load);

  void set_pressure(const std::array<double, 3>& pressure) { pressure_ = pressure; }

  double work = 0.0;

 private:
  struct Move {  // the drift and the width of y over `time`
    double drift, width;
  };
  Move move_of(int group, const BoxLoad& load) const;

  BoxGroups groups_;
  std::array<double, 3> pressure_;
  double mobility_;  // beta / (3 tau)
  // The step begun: nothing of it lives on after end().
  double time_ = 0.0, thermal_energy_ = 0.0, volume_ = 0.0;
  double growth_ = 0.0;                   // log(V'/V)
  std::array<double, 3> y_{}, normal_{};  // of the groups
  std::array<double, 3> strain_{};        // of the axes
};

}  // namespace halyard::md
