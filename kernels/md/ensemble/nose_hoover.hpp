#pragma once
#include <array>

namespace halyard::md {

/// A chain of Nose-Hoover thermostats, propagated as by Martyna, Tuckerman, Tobias & Klein (1996), Mol. Phys. 87, 1117:
/// time-reversible, Suzuki-Yoshida splitting of fourth order (3 weights, or 5). Masses Q_1 = dof kB T tau^2 and
/// Q_k = kB T tau^2: tau is what LAMMPS calls Tdamp; the kinetic energy of a fluid oscillates with a period of about
/// 2 pi tau / sqrt(2).
///
/// `position` and `velocity` are the state (elements beyond `length` stay 0). Scalars only: no atoms, no ranks.
class NoseHooverChain {
 public:
  static constexpr int longest = 10;

  /// @throws Error for a length outside 1..10, weights other than 1, 3 or 5, subcycles below 1, tau not above 0.
  NoseHooverChain(int length, double tau, int weights = 3, int subcycles = 1);

  /// Propagates the chain by `time` (half a step) beside particles whose sum of m v^2 is `twice_kinetic`; returns the
  /// factor for their velocities. dof: degrees of freedom; thermal_energy: kB T of the thermostat.
  double advance(double time, double twice_kinetic, double dof, double thermal_energy);

  /// The chain's part of the conserved quantity: potential + kinetic energy + this is constant while T is.
  double energy(double dof, double thermal_energy) const;

  int length() const { return length_; }

  std::array<double, longest> position{};  // eta_k
  std::array<double, longest> velocity{};  // d eta_k / dt

 private:
  int length_;
  double tau_;
  int weights_, subcycles_;
};

}  // namespace halyard::md
