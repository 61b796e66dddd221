#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/grid/box.hpp"
#include "kernels/md/atoms.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/record_exchange.hpp"

namespace halyard::md {

/// Values of atoms in the order of their ids, spread over the ranks in even parts: what files and checkpoints see,
/// whatever rank an atom is on.
class IdBlocks {
 public:
  IdBlocks(const Communicator& comm, std::int64_t count) : comm_(comm), count_(count) {
    const auto part = even_part(count, comm.size(), comm.rank());
    begin_ = part[0];
    end_ = part[1];
  }

  const Communicator& communicator() const { return comm_; }
  std::int64_t count() const { return count_; }
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  /// The rank whose block holds the id.
  int rank_of(std::int64_t id) const {
    const std::int64_t base = count_ / comm_.size(), larger = count_ % comm_.size(), first = larger * (base + 1);
    return static_cast<int>(id < first ? id / (base + 1) : larger + (id - first) / base);
  }

  /// The records, each on the rank whose block holds its id. Collective.
  std::vector<AtomRecord> to_blocks(const std::vector<AtomRecord>& records) const {
    std::vector<std::vector<AtomRecord>> to_rank(static_cast<std::size_t>(comm_.size()));
    for (const AtomRecord& record : records) {
      to_rank[static_cast<std::size_t>(rank_of(record.id))].push_back(record);
    }
    return exchange_records(comm_, to_rank).records;
  }

  /// block[3 * (id - begin) + d] = values[d] of the atom; values are arrays over slots. Collective.
  template <class T, class From>
  void collect(const Atoms& atoms, const std::array<const From*, 3>& values, std::span<T> block) const {
    struct Item {
      std::int64_t id;
      std::array<T, 3> value;
    };
    std::vector<std::vector<Item>> to_rank(static_cast<std::size_t>(comm_.size()));
    for (int s = 0; s < atoms.owned_slots; ++s) {
      const std::int64_t id = atoms.id.data()[s];
      if (id != empty_slot) {
        to_rank[static_cast<std::size_t>(rank_of(id))].push_back(
            {id, {static_cast<T>(values[0][s]), static_cast<T>(values[1][s]), static_cast<T>(values[2][s])}});
      }
    }
    for (const Item& item : exchange_records(comm_, to_rank).records) {
      for (std::size_t d = 0; d < 3; ++d) {
        block[3 * static_cast<std::size_t>(item.id - begin_) + d] = item.value[d];
      }
    }
  }

 private:
  const Communicator& comm_;
  std::int64_t count_, begin_ = 0, end_ = 0;
};

}  // namespace halyard::md
