#pragma once

namespace halyard::md {

/// Constants of FIRE 2.0; times in the case's unit.
struct FireSettings {
  double dt;  // first time step
  double largest_dt_factor = 10.0;
  double smallest_dt_factor = 0.02;
  double longest_move;  // of an atom in one step [length]
  double alpha = 0.25;  // first share of steering
  double grow = 1.1, shrink = 0.5, fade = 0.99;
  int delay = 20;             // steps downhill before dt grows
  int longest_uphill = 2000;  // consecutive steps uphill before giving up
};

/// The fast inertial relaxation engine: Bitzek, Koskinen, Gaehler, Moseler & Gumbsch (2006), Phys. Rev. Lett. 97,
/// 170201, as improved by Guenole et al. (2020), Comput. Mater. Sci. 175, 109584 (FIRE 2.0, semi-implicit Euler, half a
/// step back after an uphill one). Scalars only; a step is
///   m = decide(F.v, v.v, F.F)
///   if m.back: x -= m.back v / 2 (the last move), v = 0
///   v = m.keep (v + dt F/m) + m.steer F;  then move = limit(largest speed);  x += move v;  new forces
/// All members are the state.
struct Fire {
  double dt = 0.0, alpha = 0.0, last_move = 0.0;
  double downhill = 0.0, uphill = 0.0;  // consecutive steps; whole numbers
  double steps = 0.0;

  explicit Fire(const FireSettings& settings) : dt(settings.dt), alpha(settings.alpha) {}

  struct Decision {
    double back = 0.0;  // 0, or the time of the last move, half of which is to be undone before v = 0
    double keep = 1.0;
    double steer = 0.0;
    bool stuck = false;  // uphill for too long: no minimum to be found this way
  };
  /// F.v, v.v and F.F: sums over all atoms.
  Decision decide(const FireSettings& settings, double force_velocity, double velocity2, double force2);
  /// The time for which positions move: dt, or less so that the fastest atom stays within the longest move.
  double limit(const FireSettings& settings, double largest_speed);
};

}  // namespace halyard::md
