#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/buffer.hpp"
#include "kernels/md/fixed_point.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// Atoms come in clusters of so many consecutive slots; unused slots at a column's end are empty.
constexpr int cluster_size = 8;

constexpr std::int64_t empty_slot = -1;  // the id there

/// Where an empty slot lies: far from everything and from every other one, so that no pair loop needs to ask.
constexpr double empty_position(std::int64_t slot) { return 1e15 + 1e10 * static_cast<double>(slot); }

/// The atoms of a rank by slot, in the case's units: first the owned ones, cluster by cluster, then the ghosts, of
/// which only position, type and id are set. Arrays are `capacity` long.
class Atoms {
 public:
  explicit Atoms(Queue& queue) : queue_(queue) {}

  /// Makes room; what the arrays held is lost where they grow.
  void reserve(int slots_wanted);
  /// Makes room for more slots and keeps what the owned ones hold.
  void grow(int slots_wanted);
  int capacity() const { return capacity_; }

  int owned_slots = 0;     // multiple of cluster_size
  int slots = 0;           // with ghosts; multiple of cluster_size
  std::int64_t owned = 0;  // atoms

  std::array<Buffer<double>, 3> x, v;
  std::array<Buffer<std::int64_t>, 3> force;  // in force_unit
  std::array<Buffer<double>, 3> reference;    // positions for which the pair list is built; of ghosts too
  std::array<Buffer<std::int32_t>, 3> image;  // how often the atom has crossed each periodic side
  Buffer<std::int64_t> id;
  Buffer<std::int32_t> type;

 private:
  void resize(int slots_wanted, int keep);

  Queue& queue_;
  int capacity_ = 0;
};

}  // namespace halyard::md
