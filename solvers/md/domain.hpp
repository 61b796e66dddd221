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
  /// For each record the rank whose brick its `reference` lies in.
  std::vector<int> owners(const SimulationBox& box, std::span<const AtomRecord> records) const;

  /// Hands the records to their owners, sorts them into clusters, and finds and sorts the ghosts within `reach` of each
  /// brick. Sets atoms.x and atoms.reference, ghosts included. `spacing` as in arrange_in_clusters().
  void distribute(const SimulationBox& box, double reach, double spacing, std::vector<AtomRecord> records,
                  std::span<const int> owner, Atoms& atoms);
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
  /// A brick that sees some of the owned atoms as ghosts.
  struct Onlooker {
    int rank = 0;
    int zone = 0;            // of its ghosts, see zone_key()
    unsigned near_side = 0;  // it sees the atoms near all of these sides: bit 2 * axis lower, 2 * axis + 1 upper
  };
  std::vector<Onlooker> onlookers(const SimulationBox& box) const;

  const Communicator& comm_;
  BrickGrid grid_;
  std::array<int, 3> place_;
  std::vector<ClusterZone> zones_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;  // of one update, kept so that a steady step allocates nothing
};

}  // namespace halyard::md
