#pragma once
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "io/results/state.hpp"

namespace halyard::test {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// The first `ranks` of the world, and the others with MPI_COMM_NULL.
class FirstRanks {
 public:
  explicit FirstRanks(int ranks) {
    MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) < ranks ? 0 : MPI_UNDEFINED, 0, &comm_);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;
  ~FirstRanks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A folder that rank 0 of the world makes and removes; barriers on both ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    // In memory where there is such a file system: these tests sync after every file.
    const bool memory = std::filesystem::is_directory("/dev/shm") && ::access("/dev/shm", W_OK) == 0;
    std::string name =
        ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "halyard_XXXXXX")
            .string();
    if (rank_of(MPI_COMM_WORLD) == 0 && ::mkdtemp(name.data()) == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (rank_of(MPI_COMM_WORLD) == 0) std::filesystem::remove_all(path_, ignored);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Every bit of a 64-bit integer stirred (Marsaglia's xorshift with odd multipliers): other than the code under test.
inline std::uint64_t stir(std::uint64_t x) {
  for (int round = 0; round < 3; ++round) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    x = x * 0x2545f4914f6cdd1du + 0x1234567u;
  }
  return x;
}

/// A state whose every value follows from its global index and a seed, on any rank grid: `u` on x faces, `stress` of
/// three components in cells (both of the shape given, x-pencils), `id` of integers over a list, three scalars.
struct SampleState {
  Index3 shape;
  std::int64_t list_size = 29;
  Box pencil, part;
  std::vector<double> u, stress;
  std::vector<std::int64_t> id;
  std::int64_t step = 0;
  double dt = 0.0, next_output = 0.0;

  SampleState(MPI_Comm comm, Index3 cells, std::uint64_t seed = 0) : shape(cells) {
    const int rank = rank_of(comm), ranks = size_of(comm);
    int py = 1;
    for (int n = 1; n * n <= ranks; ++n)
      if (ranks % n == 0) py = n;
    const auto y = even_part(cells[1], py, rank % py), z = even_part(cells[2], ranks / py, rank / py);
    pencil = {{0, y[0], z[0]}, {cells[0], y[1], z[1]}};
    const auto items = even_part(list_size, ranks, rank);
    part = {{items[0], 0, 0}, {items[1], 1, 1}};
    u.resize(static_cast<std::size_t>(pencil.count()));
    stress.resize(static_cast<std::size_t>(pencil.count() * 3));
    id.resize(static_cast<std::size_t>(part.count()));
    if (seed != 0) fill(seed);
  }

  void fill(std::uint64_t seed) {
    const auto number = [seed](std::uint64_t array, std::int64_t index) {
      return static_cast<std::int64_t>(stir(seed * 1000003 + array * 7919 + static_cast<std::uint64_t>(index) * 64));
    };
    std::size_t n = 0;
    for (std::int64_t k = pencil.begin[2]; k < pencil.end[2]; ++k)
      for (std::int64_t j = pencil.begin[1]; j < pencil.end[1]; ++j)
        for (std::int64_t i = 0; i < shape[0]; ++i, ++n) {
          const std::int64_t cell = (k * shape[1] + j) * shape[0] + i;
          u[n] = std::ldexp(static_cast<double>(number(1, cell) >> 11), -52);
          for (int c = 0; c < 3; ++c)
            stress[3 * n + static_cast<std::size_t>(c)] =
                std::ldexp(static_cast<double>(number(2, 3 * cell + c) >> 11), -40);
        }
    for (std::size_t item = 0; item < id.size(); ++item)
      id[item] = number(3, part.begin[0] + static_cast<std::int64_t>(item));
    // An integer with the bits of a NaN is an integer like any other.
    if (!id.empty()) id.front() = part.begin[0] == 0 ? 0x7ff8000000000000 : id.front();
    step = static_cast<std::int64_t>(seed) * 10;
    dt = 1.0 / (3.0 + static_cast<double>(seed));
    next_output = std::numeric_limits<double>::infinity();  // an output that never comes
  }

  template <class T>
  static StateArray array(const std::string& name, const char* unit, Centring centring, int components, Index3 shape,
                          Box block, std::vector<T>& values) {
    StateArray array;
    array.name = name;
    array.unit = unit;
    array.centring = centring;
    array.type = std::is_same_v<T, double> ? ElementType::float64 : ElementType::int64;
    array.components = components;
    array.shape = shape;
    array.block = block;
    // Not memcpy: a rank without a part has null pointers.
    array.get = [&values](std::span<std::byte> out) {
      std::ranges::copy(std::as_bytes(std::span(values)).first(out.size()), out.begin());
    };
    array.set = [&values](std::span<const std::byte> in) {
      std::ranges::copy(in, std::as_writable_bytes(std::span(values)).begin());
    };
    return array;
  }

  State state() {
    State state;
    state.arrays = {array("u", "m/s", Centring::face_x, 1, shape, pencil, u),
                    array("stress", "Pa", Centring::cell, 3, shape, pencil, stress),
                    array("id", "1", Centring::none, 1, {list_size, 1, 1}, part, id)};
    state.scalars = {{"step", "1", &step}, {"dt", "s", &dt}, {"next_output", "s", &next_output}};
    return state;
  }

  /// All bits of this rank.
  std::string bits() const {
    std::string text;
    const auto add = [&text](const void* data, std::size_t bytes) {
      text.append(static_cast<const char*>(data), bytes);
    };
    add(u.data(), 8 * u.size());
    add(stress.data(), 8 * stress.size());
    add(id.data(), 8 * id.size());
    add(&step, 8);
    add(&dt, 8);
    add(&next_output, 8);
    return text;
  }
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Rank 0 alone touches files; the others wait.
template <class Work>
void on_rank_0(Work&& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_of(MPI_COMM_WORLD) == 0) work();
  MPI_Barrier(MPI_COMM_WORLD);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The text of what `work` throws, or "" where it throws nothing.
template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Whether every rank of the communicator has the same text.
inline bool same_on_all_ranks(const std::string& text, MPI_Comm comm) {
  std::string first = text;
  int size = static_cast<int>(first.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, comm);
  first.resize(static_cast<std::size_t>(size));
  MPI_Bcast(first.data(), size, MPI_CHAR, 0, comm);
  int same = text == first ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
  return same == 1;
}

}  // namespace halyard::test
