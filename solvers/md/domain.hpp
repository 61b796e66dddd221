#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/cluster_zone.hpp"
#include "solvers/parallel/brick_grid.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// An atom on its way to another rank, or before it has a slot.
struct AtomRecord {
  std::int64_t id = 0;  // from 0, in the order of the ids that the user gave
  std::int32_t type = 0;
  std::array<std::int32_t, 3> image{};
  std::array<double, 3> x{}, v{};
  std::array<double, 3> reference{};  // where it is sorted in: x when a list is built anew
};

/// Which rank owns which atom, and the ghosts: bricks of the box in units of its edges. Atoms and ghosts are sorted
/// into clusters. Positions of ghosts are those of their owners, not shifted: pairs carry the shift (kernels/md).
class Domain {
 public:
  /// Collective, as all that follows.
  Domain(const Communicator& comm, const BrickGrid& grid);

  const Communicator& communicator() const { return comm_; }
  /// The rank that owns what lies there, inside the box.
  int rank_of(const SimulationBox& box, const std::array<double, 3>& x) const;

  /// Hands the records to their owners by `reference`, sorts them into clusters, and finds and sorts the ghosts within
  /// `reach` of each brick. Sets atoms.x and atoms.reference, ghosts included. `spacing` as in arrange_in_clusters().
  void distribute(const SimulationBox& box, double reach, double spacing, std::vector<AtomRecord> records,
                  Atoms& atoms);
  /// Brings the positions of the ghosts up to date: one message for each neighbouring rank.
  void update_ghosts(Atoms& atoms);
  /// The same for any number of values per atom: values[c] is an array over slots.
  void update_ghosts(std::span<double* const> values);

  /// The owned atoms as records, in the order of their slots.
  std::vector<AtomRecord> records(const Atoms& atoms) const;

  std::span<const ClusterZone> zones() const { return zones_; }
  /// Axes that are periodic and not cut: pairs reach over those sides without ghosts.
  std::array<bool, 3> self_images(const SimulationBox& box) const;
  const BrickGrid& grid() const { return grid_; }

 private:
  /// A rank that ghosts come from, or go to.
  struct Neighbour {
    int rank = 0;
    std::vector<std::int32_t> send_slots, receive_slots;  // in the order of the message
    std::vector<double> send, receive;
  };

  void place_owned(const SimulationBox& box, double spacing, const std::vector<AtomRecord>& mine, Atoms& atoms);
  void exchange_ghosts(const SimulationBox& box, double reach, double spacing, Atoms& atoms);

  const Communicator& comm_;
  BrickGrid grid_;
  std::array<int, 3> place_;
  std::vector<ClusterZone> zones_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;  // of one update, kept so that a steady step allocates nothing
};

}  // namespace halyard::md
