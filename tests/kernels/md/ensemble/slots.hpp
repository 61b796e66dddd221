#pragma once
// Atoms in slots for the tests of kernels/md/ensemble: every fifth slot is empty, ghosts follow the owned ones.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/ensemble/masses.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md::test {

struct Slots {
  int owned, ghosts = 24;
  Queue queue;
  std::array<std::vector<double>, 3> x, v;
  std::array<std::vector<std::int64_t>, 3> force;
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> type;
  std::vector<std::uint32_t> groups;
  std::vector<double> mass{1.0, 2.5}, inverse_root_mass, acceleration;

  /// `owned` slots with random positions, velocities and forces; with `full` none is empty and there are no ghosts.
  explicit Slots(int owned_, bool full = false, unsigned seed = 1) : owned(owned_) {
    if (full) {
      ghosts = 0;
    }
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const int n = owned + ghosts;
    std::int64_t next = 0;
    for (int s = 0; s < n; ++s) {
      const bool empty = !full && s % 5 == 4 && s < owned;
      id.push_back(empty ? empty_slot : 7 * next++);
      type.push_back(empty ? 0 : static_cast<int>(random() % 2));
      groups.push_back(empty ? 0 : static_cast<std::uint32_t>(random() % 4));
      for (std::size_t a = 0; a < 3; ++a) {
        x[a].push_back(empty ? empty_position(s) : 3.0 * normal(random));
        v[a].push_back(empty ? 0.0 : normal(random));
        force[a].push_back(empty ? 0 : static_cast<std::int64_t>(std::llrint(normal(random) / force_unit)));
      }
    }
    set_masses(mass);
  }
  void set_masses(const std::vector<double>& m) {
    mass = m;
    inverse_root_mass.clear();
    acceleration.clear();
    for (const double value : m) {
      inverse_root_mass.push_back(1.0 / std::sqrt(value));
      acceleration.push_back(1.0 / value);
    }
  }
  int count() const { return owned + ghosts; }

  template <class T>
  static SlotVector<T> view(std::array<std::vector<T>, 3>& a) {
    return {{a[0].data()}, {a[1].data()}, {a[2].data()}};
  }
  SlotVector<double> positions() { return view(x); }
  SlotVector<double> velocities() { return view(v); }
  SlotVector<std::int64_t> forces() { return view(force); }
  View1<const std::int64_t> ids() const { return {id.data()}; }
  View1<const std::int32_t> types() const { return {type.data()}; }
  Masses masses() const { return {{mass.data()}, {inverse_root_mass.data()}, {acceleration.data()}}; }
  SlotGroup all() const { return {owned, {}, 0}; }
  SlotGroup group(std::uint32_t mask) const { return {owned, {groups.data()}, mask}; }
  bool in(const SlotGroup& group, int s) const {
    return s < group.count && (group.all() || (groups[static_cast<std::size_t>(s)] & group.mask) != 0);
  }
  bool atom(int s) const { return id[static_cast<std::size_t>(s)] >= 0; }

  /// F = -k x, rounded as every force is.
  void set_harmonic_forces(double k) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t s = 0; s < force[a].size(); ++s) {
        force[a][s] = id[s] < 0 ? 0 : std::llrint(-k * x[a][s] / force_unit);
      }
    }
  }
  double harmonic_energy(double k) const {
    double sum = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t s = 0; s < static_cast<std::size_t>(owned); ++s) {
        sum += id[s] < 0 ? 0.0 : 0.5 * k * x[a][s] * x[a][s];
      }
    }
    return sum;
  }
};

}  // namespace halyard::md::test
