#include "solvers/parallel/communicator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard {

namespace {

void allreduce(void* values, std::size_t count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALYARD_MPI_CHECK(MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, operation, comm, &request));
  wait(request);
}

void broadcast_bytes(void* values, std::size_t bytes, int root, MPI_Comm comm) {
  // In parts that an int can count.
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t done = 0; done < bytes; done += most) {
    const int count = static_cast<int>(std::min(most, bytes - done));
    MPI_Request request = MPI_REQUEST_NULL;
    HALYARD_MPI_CHECK(MPI_Ibcast(static_cast<char*>(values) + done, count, MPI_BYTE, root, comm, &request));
    wait(request);
  }
}

/// `sign` 1: largest, -1: smallest. MPI_MAX leaves open what becomes of NaN, so NaNs travel as marks.
void largest(std::span<double> values, double sign, MPI_Comm comm) {
  constexpr std::size_t few = 16;
  std::array<double, 2 * few> place;
  for (std::size_t begin = 0; begin < values.size(); begin += few) {
    const std::size_t n = std::min(few, values.size() - begin);
    for (std::size_t i = 0; i < n; ++i) {
      const double value = values[begin + i];
      place[i] = std::isnan(value) ? -std::numeric_limits<double>::infinity() : sign * value;
      place[n + i] = std::isnan(value) ? 1.0 : 0.0;
    }
    allreduce(place.data(), 2 * n, MPI_DOUBLE, MPI_MAX, comm);
    for (std::size_t i = 0; i < n; ++i) {
      values[begin + i] =
          place[n + i] > 0.0 ? std::numeric_limits<double>::quiet_NaN() : sign * place[i] + 0.0;  // one sign of zero
    }
  }
}

}  // namespace

Communicator::Communicator(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALYARD_MPI_CHECK(MPI_Comm_idup(comm, &comm_, &request));
  wait(request);
  HALYARD_MPI_CHECK(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  HALYARD_MPI_CHECK(MPI_Comm_rank(comm_, &rank_));
  HALYARD_MPI_CHECK(MPI_Comm_size(comm_, &size_));
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (comm_ != MPI_COMM_NULL && finalized == 0) {
    MPI_Comm_free(&comm_);
  }
}

Communicator Communicator::node() const {
  MPI_Comm local = MPI_COMM_NULL;
  HALYARD_MPI_CHECK(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &local));
  Communicator result(local);
  HALYARD_MPI_CHECK(MPI_Comm_free(&local));
  return result;
}

void Communicator::max(std::span<double> values) const { largest(values, 1.0, comm_); }
void Communicator::min(std::span<double> values) const { largest(values, -1.0, comm_); }

double Communicator::max(double value) const {
  max(std::span(&value, 1));
  return value;
}

double Communicator::min(double value) const {
  min(std::span(&value, 1));
  return value;
}

std::int64_t Communicator::max(std::int64_t value) const {
  allreduce(&value, 1, MPI_INT64_T, MPI_MAX, comm_);
  return value;
}

std::int64_t Communicator::min(std::int64_t value) const {
  allreduce(&value, 1, MPI_INT64_T, MPI_MIN, comm_);
  return value;
}

std::int64_t Communicator::sum(std::int64_t value) const {
  sum(std::span(&value, 1));
  return value;
}

void Communicator::sum(std::span<std::int64_t> values) const {
  // As unsigned numbers, whose overflow is defined.
  allreduce(values.data(), values.size(), MPI_UINT64_T, MPI_SUM, comm_);
}

void Communicator::sum(ExactSum& total) const { sum(std::span(&total, 1)); }

void Communicator::sum(std::span<ExactSum> totals) const {
  std::vector<std::int64_t> digits;
  digits.reserve(totals.size() * ExactSum::size);
  for (const ExactSum& total : totals) {
    const auto own = total.digits();
    digits.insert(digits.end(), own.begin(), own.end());
  }
  allreduce(digits.data(), digits.size(), MPI_INT64_T, MPI_SUM, comm_);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    totals[i] = ExactSum::from_digits(
        std::span<const std::int64_t, ExactSum::size>(digits.data() + i * ExactSum::size, ExactSum::size));
  }
}

bool Communicator::any(bool value) const { return max(std::int64_t{value ? 1 : 0}) != 0; }

void Communicator::broadcast(std::span<double> values, int root) const {
  broadcast_bytes(values.data(), values.size_bytes(), root, comm_);
}

void Communicator::broadcast(std::span<std::int64_t> values, int root) const {
  broadcast_bytes(values.data(), values.size_bytes(), root, comm_);
}

void Communicator::broadcast(std::string& text, int root) const {
  std::int64_t length = broadcast(static_cast<std::int64_t>(text.size()), root);
  text.resize(static_cast<std::size_t>(length));
  broadcast_bytes(text.data(), text.size(), root, comm_);
}

double Communicator::broadcast(double value, int root) const {
  broadcast(std::span(&value, 1), root);
  return value;
}

std::int64_t Communicator::broadcast(std::int64_t value, int root) const {
  broadcast(std::span(&value, 1), root);
  return value;
}

void Communicator::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  HALYARD_MPI_CHECK(MPI_Ibarrier(comm_, &request));
  wait(request);
}

void throw_collectively(const Communicator& comm, const std::optional<std::string>& local_error, int exit_code) {
  const std::int64_t none = comm.size();
  const std::int64_t first = comm.min(local_error ? std::int64_t{comm.rank()} : none);
  if (first == none) {
    return;
  }
  std::string message = local_error.value_or("");
  comm.broadcast(message, static_cast<int>(first));
  const bool everywhere = !comm.any(!local_error || *local_error != message);
  if (!everywhere) {
    message = "rank " + std::to_string(first) + " of " + std::to_string(comm.size()) + ": " + message;
  }
  throw CollectiveError(message, exit_code);
}

}  // namespace halyard
