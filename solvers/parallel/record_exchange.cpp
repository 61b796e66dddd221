#include "solvers/parallel/record_exchange.hpp"

#include <numeric>

#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard::detail {

namespace {

/// A record as one MPI element, so that counts are of records and fit in an int.
class RecordType {
 public:
  explicit RecordType(std::size_t bytes) {
    HALYARD_MPI_CHECK(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_));
    HALYARD_MPI_CHECK(MPI_Type_commit(&type_));
  }
  ~RecordType() { MPI_Type_free(&type_); }
  RecordType(const RecordType&) = delete;
  RecordType& operator=(const RecordType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

std::vector<std::byte> exchange_records(const Communicator& comm, const std::byte* data,
                                        const std::vector<std::int64_t>& counts, std::size_t record_bytes,
                                        std::vector<std::int64_t>& received) {
  constexpr int tag = 71;
  received.assign(counts.size(), 0);
  MPI_Request counting = MPI_REQUEST_NULL;
  HALYARD_MPI_CHECK(
      MPI_Ialltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, comm.comm(), &counting));
  wait(counting);
  const std::int64_t total = std::accumulate(received.begin(), received.end(), std::int64_t{0});
  std::vector<std::byte> result(static_cast<std::size_t>(total) * record_bytes);
  const RecordType type(record_bytes);
  std::vector<MPI_Request> requests;
  std::byte* to = result.data();
  const std::byte* from = data;
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t count = received[static_cast<std::size_t>(r)];
    if (count > 0 && r != comm.rank()) {
      HALYARD_MPI_CHECK(
          MPI_Irecv(to, static_cast<int>(count), type.get(), r, tag, comm.comm(), &requests.emplace_back()));
    }
    to += static_cast<std::size_t>(count) * record_bytes;
  }
  to = result.data();
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t count = counts[static_cast<std::size_t>(r)];
    const std::size_t bytes = static_cast<std::size_t>(count) * record_bytes;
    if (r == comm.rank()) {
      std::copy(from, from + bytes, to);
    } else if (count > 0) {
      HALYARD_MPI_CHECK(
          MPI_Isend(from, static_cast<int>(count), type.get(), r, tag, comm.comm(), &requests.emplace_back()));
    }
    from += bytes;
    to += static_cast<std::size_t>(received[static_cast<std::size_t>(r)]) * record_bytes;
  }
  wait_all(requests);
  return result;
}

}  // namespace halyard::detail
