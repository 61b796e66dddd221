#include "solvers/md/domain.hpp"

#include <algorithm>
#include <utility>

#include "kernels/device/profile.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/record_exchange.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard::md {

namespace {

/// A copy of an atom for another rank.
struct GhostRecord {
  std::int64_t id;
  std::int32_t type;
  std::int32_t zone;  // see zone_key
  std::array<double, 3> reference;
};

/// Ghosts with one image and from one side along z form a zone: a column of it has no gap in the middle.
constexpr int zone_keys = host::image_count * 3;
int zone_key(const std::array<int, 3>& image, int offset_z) { return host::image_index(image) * 3 + offset_z + 1; }
std::array<int, 3> image_of_zone(int key) { return host::image_of(key / 3); }

void set_empty(Atoms& atoms, int slot) {
  atoms.id.data()[slot] = empty_slot;
  atoms.type.data()[slot] = 0;
  for (int d = 0; d < 3; ++d) {
    atoms.x[d].data()[slot] = empty_position(slot);
    atoms.reference[d].data()[slot] = empty_position(slot);
    atoms.v[d].data()[slot] = 0.0;
    atoms.force[d].data()[slot] = 0;
    atoms.image[d].data()[slot] = 0;
  }
}

/// Columns for `positions`, as slots from first_slot on.
template <class PositionOf>
ClusterOrder arrange(const SimulationBox& box, double spacing, std::size_t count, PositionOf position_of) {
  std::array<std::vector<double>, 3> fraction;
  for (std::vector<double>& f : fraction) {
    f.resize(count);
  }
  for (std::size_t a = 0; a < count; ++a) {
    const std::array<double, 3> f = box.fraction(position_of(a));
    for (std::size_t d = 0; d < 3; ++d) {
      fraction[d][a] = f[d];
    }
  }
  ClusterOrder order;
  arrange_in_clusters(box, {fraction[0], fraction[1], fraction[2]}, spacing, order);
  return order;
}

}  // namespace

Domain::Domain(const Communicator& comm, const BrickGrid& grid)
    : comm_(comm), grid_(grid), place_(grid.place(comm.rank())) {}

std::array<bool, 3> Domain::self_images(const SimulationBox& box) const {
  std::array<bool, 3> self{};
  for (std::size_t d = 0; d < 3; ++d) {
    self[d] = box.periodic[d] && grid_.parts[d] == 1;
  }
  return self;
}

std::vector<int> Domain::owners(const SimulationBox& box, std::span<const AtomRecord> records) const {
  std::vector<int> owner(records.size(), comm_.rank());
  for (std::size_t a = 0; comm_.size() > 1 && a < records.size(); ++a) {
    const std::array<double, 3> f = box.fraction(records[a].reference);
    owner[a] = grid_.rank_at({grid_.part_of(0, f[0]), grid_.part_of(1, f[1]), grid_.part_of(2, f[2])});
  }
  return owner;
}

void Domain::distribute(const SimulationBox& box, double reach, double spacing, std::vector<AtomRecord> records,
                        std::span<const int> owner, Atoms& atoms) {
  if (comm_.size() > 1) {
    std::vector<std::vector<AtomRecord>> to_rank(static_cast<std::size_t>(comm_.size()));
    std::size_t kept = 0;
    for (std::size_t a = 0; a < records.size(); ++a) {
      if (owner[a] == comm_.rank()) {
        records[kept++] = records[a];
      } else {
        to_rank[static_cast<std::size_t>(owner[a])].push_back(records[a]);
      }
    }
    records.resize(kept);
    const std::vector<AtomRecord> come = exchange_records(comm_, to_rank).records;
    records.insert(records.end(), come.begin(), come.end());
  }
  place_owned(box, spacing, records, atoms);
  exchange_ghosts(box, reach, spacing, atoms);
  update_ghosts(atoms);
}

void Domain::place_owned(const SimulationBox& box, double spacing, const std::vector<AtomRecord>& mine, Atoms& atoms) {
  ClusterOrder order = arrange(box, spacing, mine.size(), [&](std::size_t a) { return mine[a].reference; });
  const auto slots = static_cast<int>(order.atom.size());
  atoms.reserve(slots);
  atoms.owned = static_cast<std::int64_t>(mine.size());
  atoms.owned_slots = atoms.slots = slots;
#pragma omp parallel for schedule(static)
  for (int s = 0; s < slots; ++s) {
    const std::int32_t a = order.atom[static_cast<std::size_t>(s)];
    if (a < 0) {
      set_empty(atoms, s);
      continue;
    }
    const AtomRecord& record = mine[static_cast<std::size_t>(a)];
    atoms.id.data()[s] = record.id;
    atoms.type.data()[s] = record.type;
    for (std::size_t d = 0; d < 3; ++d) {
      atoms.x[d].data()[s] = record.x[d];
      atoms.v[d].data()[s] = record.v[d];
      atoms.reference[d].data()[s] = record.reference[d];
      atoms.image[d].data()[s] = record.image[d];
    }
  }
  zones_.clear();
  zones_.push_back(std::move(order.zone));
}

std::vector<Domain::Onlooker> Domain::onlookers(const SimulationBox& box) const {
  std::vector<Onlooker> result;
  for (int n = 0; n < host::image_count; ++n) {
    const std::array<int, 3> offset = host::image_of(n);
    std::array<int, 3> to = place_, image{};
    bool exists = offset != std::array<int, 3>{0, 0, 0};
    unsigned near_side = 0;
    for (int d = 0; d < 3; ++d) {
      exists = exists && (offset[d] == 0 || grid_.parts[d] > 1);
      to[d] += offset[d];
      // A brick over the upper side of the box sees this one's atoms below its lower side.
      image[d] = to[d] < 0 ? 1 : to[d] >= grid_.parts[d] ? -1 : 0;
      exists = exists && (image[d] == 0 || box.periodic[d]);
      to[d] += image[d] * grid_.parts[d];
      near_side |= offset[d] < 0 ? 1U << (2 * d) : offset[d] > 0 ? 2U << (2 * d) : 0U;
    }
    if (exists) {
      result.push_back({grid_.rank_at(to), zone_key(image, -offset[2]), near_side});
    }
  }
  return result;
}

void Domain::exchange_ghosts(const SimulationBox& box, double reach, double spacing, Atoms& atoms) {
  neighbours_.clear();
  if (comm_.size() == 1) {
    return;
  }
  std::array<double, 3> near_lower{}, near_upper{};
  for (int d = 0; d < 3; ++d) {
    const double fraction_reach = reach / box.width(d);
    near_lower[d] = static_cast<double>(place_[d]) / grid_.parts[d] + fraction_reach;
    near_upper[d] = static_cast<double>(place_[d] + 1) / grid_.parts[d] - fraction_reach;
  }
  const std::vector<Onlooker> to = onlookers(box);
  std::vector<std::vector<GhostRecord>> to_rank(static_cast<std::size_t>(comm_.size()));
  std::vector<std::vector<std::int32_t>> send_slots(to_rank.size());
  for (int s = 0; s < atoms.owned_slots; ++s) {
    if (atoms.id.data()[s] == empty_slot) {
      continue;
    }
    const std::array<double, 3> x{atoms.reference[0].data()[s], atoms.reference[1].data()[s],
                                  atoms.reference[2].data()[s]};
    const std::array<double, 3> f = box.fraction(x);
    unsigned near = 0;
    for (int d = 0; d < 3; ++d) {
      near |= (f[d] <= near_lower[d] ? 1U : 0U) << (2 * d) | (f[d] >= near_upper[d] ? 2U : 0U) << (2 * d);
    }
    for (const Onlooker& onlooker : to) {
      if ((near & onlooker.near_side) == onlooker.near_side) {
        const auto rank = static_cast<std::size_t>(onlooker.rank);
        to_rank[rank].push_back({atoms.id.data()[s], atoms.type.data()[s], onlooker.zone, x});
        send_slots[rank].push_back(s);
      }
    }
  }
  const ReceivedRecords<GhostRecord> received = exchange_records(comm_, to_rank);

  std::array<std::vector<std::int32_t>, zone_keys> of_zone;
  for (std::size_t a = 0; a < received.records.size(); ++a) {
    of_zone[static_cast<std::size_t>(received.records[a].zone)].push_back(static_cast<std::int32_t>(a));
  }
  std::vector<ClusterOrder> orders(zone_keys);
  int slots = atoms.owned_slots;
  for (int key = 0; key < zone_keys; ++key) {
    const std::vector<std::int32_t>& ghosts = of_zone[static_cast<std::size_t>(key)];
    if (ghosts.empty()) {
      continue;
    }
    ClusterOrder& order = orders[static_cast<std::size_t>(key)];
    order = arrange(box, spacing, ghosts.size(),
                    [&](std::size_t a) { return received.records[static_cast<std::size_t>(ghosts[a])].reference; });
    order.zone.image = image_of_zone(key);
    order.zone.first_cluster = slots / cluster_size;
    slots += static_cast<int>(order.atom.size());
  }
  atoms.grow(slots);
  atoms.slots = slots;
  std::vector<std::int32_t> slot_of(received.records.size());
  for (int key = 0; key < zone_keys; ++key) {
    ClusterOrder& order = orders[static_cast<std::size_t>(key)];
    int slot = order.zone.first_cluster * cluster_size;
    for (const std::int32_t a : order.atom) {
      if (a < 0) {
        set_empty(atoms, slot++);
        continue;
      }
      const auto at = static_cast<std::size_t>(of_zone[static_cast<std::size_t>(key)][static_cast<std::size_t>(a)]);
      const GhostRecord& ghost = received.records[at];
      atoms.id.data()[slot] = ghost.id;
      atoms.type.data()[slot] = ghost.type;
      for (std::size_t d = 0; d < 3; ++d) {
        atoms.reference[d].data()[slot] = ghost.reference[d];
      }
      slot_of[at] = slot++;
    }
    if (!order.atom.empty()) {
      zones_.push_back(std::move(order.zone));
    }
  }

  std::size_t at = 0;
  for (std::size_t rank = 0; rank < to_rank.size(); ++rank) {
    const auto count = static_cast<std::size_t>(received.counts[rank]);
    if (count > 0 || !send_slots[rank].empty()) {
      Neighbour& neighbour = neighbours_.emplace_back();
      neighbour.rank = static_cast<int>(rank);
      neighbour.send_slots = std::move(send_slots[rank]);
      neighbour.receive_slots.assign(slot_of.begin() + static_cast<std::ptrdiff_t>(at),
                                     slot_of.begin() + static_cast<std::ptrdiff_t>(at + count));
      neighbour.send.resize(3 * neighbour.send_slots.size());
      neighbour.receive.resize(3 * count);
    }
    at += count;
  }
}

void Domain::update_ghosts(Atoms& atoms) {
  const std::array<double*, 3> x{atoms.x[0].data(), atoms.x[1].data(), atoms.x[2].data()};
  update_ghosts(x);
}

void Domain::update_ghosts(std::span<double* const> values) {
  static KernelRecord& record = kernel_record("GhostUpdate", {.bytes = 0, .flops = 0});
  std::int64_t ghosts = 0;
  for (const Neighbour& neighbour : neighbours_) {
    ghosts += static_cast<std::int64_t>(neighbour.receive_slots.size());
  }
  const KernelTimer timer(record, ghosts);
  constexpr int tag = 72;
  const std::size_t n = values.size();
  requests_.clear();
  for (Neighbour& neighbour : neighbours_) {
    neighbour.receive.resize(std::max(neighbour.receive.size(), n * neighbour.receive_slots.size()));
    if (!neighbour.receive_slots.empty()) {
      HALYARD_MPI_CHECK(MPI_Irecv(neighbour.receive.data(), static_cast<int>(n * neighbour.receive_slots.size()),
                                  MPI_DOUBLE, neighbour.rank, tag, comm_.comm(), &requests_.emplace_back()));
    }
  }
  for (Neighbour& neighbour : neighbours_) {
    neighbour.send.resize(std::max(neighbour.send.size(), n * neighbour.send_slots.size()));
    double* to = neighbour.send.data();
    for (const std::int32_t slot : neighbour.send_slots) {
      for (double* const value : values) {
        *to++ = value[slot];
      }
    }
    if (!neighbour.send_slots.empty()) {
      HALYARD_MPI_CHECK(MPI_Isend(neighbour.send.data(), static_cast<int>(n * neighbour.send_slots.size()), MPI_DOUBLE,
                                  neighbour.rank, tag, comm_.comm(), &requests_.emplace_back()));
    }
  }
  wait_all(requests_);
  for (const Neighbour& neighbour : neighbours_) {
    const double* from = neighbour.receive.data();
    for (const std::int32_t slot : neighbour.receive_slots) {
      for (double* const value : values) {
        value[slot] = *from++;
      }
    }
  }
}

std::vector<AtomRecord> Domain::records(const Atoms& atoms) const {
  std::vector<AtomRecord> records;
  records.reserve(static_cast<std::size_t>(atoms.owned));
  for (int s = 0; s < atoms.owned_slots; ++s) {
    if (atoms.id.data()[s] == empty_slot) {
      continue;
    }
    AtomRecord& record = records.emplace_back();
    record.id = atoms.id.data()[s];
    record.type = atoms.type.data()[s];
    for (std::size_t d = 0; d < 3; ++d) {
      record.image[d] = atoms.image[d].data()[s];
      record.x[d] = atoms.x[d].data()[s];
      record.v[d] = atoms.v[d].data()[s];
      record.reference[d] = atoms.reference[d].data()[s];
    }
  }
  return records;
}

}  // namespace halyard::md
