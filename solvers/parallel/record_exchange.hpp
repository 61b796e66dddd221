#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace halyard {

namespace detail {
/// Sends counts[r] records from `data`, those for rank 0 first, and returns what came from rank 0, 1, ...; `received`
/// gets the counts.
std::vector<std::byte> exchange_records(const Communicator& comm, const std::byte* data,
                                        const std::vector<std::int64_t>& counts, std::size_t record_bytes,
                                        std::vector<std::int64_t>& received);
}  // namespace detail

/// Records that were sent to this rank, those of rank 0 first, in the order in which they were given there.
template <class Record>
struct ReceivedRecords {
  std::vector<Record> records;
  std::vector<std::int64_t> counts;  // from each rank
};

/// Each rank gives every rank, itself included, a list of records. Collective. For what happens now and then: each call
/// costs a message between all pairs of ranks that have something to say, and one count between all pairs.
template <class Record>
ReceivedRecords<Record> exchange_records(const Communicator& comm, const std::vector<std::vector<Record>>& to_rank) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::vector<Record> all;
  std::vector<std::int64_t> counts;
  for (const std::vector<Record>& list : to_rank) {
    counts.push_back(static_cast<std::int64_t>(list.size()));
    all.insert(all.end(), list.begin(), list.end());
  }
  ReceivedRecords<Record> received;
  const std::vector<std::byte> bytes = detail::exchange_records(comm, reinterpret_cast<const std::byte*>(all.data()),
                                                                counts, sizeof(Record), received.counts);
  received.records.resize(bytes.size() / sizeof(Record));
  if (!bytes.empty()) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(received.records.data()));
  }
  return received;
}

}  // namespace halyard
