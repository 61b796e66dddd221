#include "io/results/state_hash.hpp"

#include <algorithm>
#include <cstring>

#include "io/results/file.hpp"

namespace halyard {
namespace {

/// A bijection of 64 bits in which each bit of the input changes each bit of the output with probability near 1/2
/// (splitmix64's finaliser with Stafford's constants, variant 13: Steele, Lea & Flood 2014, OOPSLA, 453).
inline std::uint64_t finalise(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The index is scrambled before it meets the bits, so that no pattern of indices cancels a pattern of values.
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t index, std::uint64_t bits) {
  std::uint64_t key = seed + index * 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
  return finalise(bits ^ key ^ (key >> 32));
}

std::uint64_t seed_of(std::string_view name) {
  std::uint64_t seed = finalise(name.size() + 0x9e3779b97f4a7c15u);
  for (const char letter : name) seed = finalise(seed ^ static_cast<unsigned char>(letter));
  return seed;
}

std::uint64_t hash_run(std::uint64_t seed, std::uint64_t first, const std::byte* values, std::int64_t count) {
  std::uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t n = 0; n < count; ++n) {
    std::uint64_t bits;
    std::memcpy(&bits, values + 8 * n, 8);
    sum += mix(seed, first + static_cast<std::uint64_t>(n), bits);
  }
  return sum;
}

}  // namespace

std::span<std::byte> StateBuffer::room_for(const StateArray& array) {
  const std::size_t bytes = block_bytes(array);
  if (bytes > capacity_) {
    memory_.reset();
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    capacity_ = bytes;
  }
  return {memory_.get(), bytes};
}

std::span<const std::byte> StateBuffer::read(const StateArray& array) {
  const std::span<std::byte> values = room_for(array);
  array.get(values);
  return values;
}

void StateBuffer::read_each(std::span<const StateArray> arrays, MPI_Comm comm,
                            const std::function<void(std::size_t, std::span<const std::byte>)>& use) {
  all_ranks(comm, [&] {
    for (const StateArray& array : arrays) room_for(array);
  });
  all_ranks(comm, [&] {
    for (std::size_t a = 0; a < arrays.size(); ++a) use(a, read(arrays[a]));
  });
}

std::span<const std::byte> StateBuffer::read(const StateArray& array, MPI_Comm comm) {
  std::span<const std::byte> values;
  read_each({&array, 1}, comm, [&](std::size_t, std::span<const std::byte> read) { values = read; });
  return values;
}

std::uint64_t hash_share(std::string_view name, Index3 shape, int components, const Box& box,
                         std::span<const std::byte> values) {
  if (box.empty()) return 0;
  // Rows along x are contiguous in the box and in the global index; long ones (a list of atoms is one row) are cut up.
  constexpr std::int64_t longest_run = 1 << 14;
  const std::uint64_t seed = seed_of(name);
  const std::int64_t row = box.extent(0) * components, rows = box.extent(1) * box.extent(2);
  const std::int64_t runs_per_row = (row + longest_run - 1) / longest_run;
  const std::byte* const data = values.data();
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (rows * row > 65536)
  for (std::int64_t run = 0; run < rows * runs_per_row; ++run) {
    const std::int64_t r = run / runs_per_row, offset = (run % runs_per_row) * longest_run;
    const std::int64_t j = box.begin[1] + r % box.extent(1), k = box.begin[2] + r / box.extent(1);
    const std::int64_t first = ((k * shape[1] + j) * shape[0] + box.begin[0]) * components + offset;
    sum += hash_run(seed, static_cast<std::uint64_t>(first), data + 8 * (r * row + offset),
                    std::min(longest_run, row - offset));
  }
  return sum;
}

std::uint64_t hash_scalar(const StateScalar& scalar) {
  std::uint64_t bits = 0;
  std::visit([&bits](const auto* value) { std::memcpy(&bits, value, 8); }, scalar.value);
  // An array of the same name and one element must not cancel it.
  return mix(~seed_of(scalar.name), 0, bits);
}

std::uint64_t state_hash(const State& state, MPI_Comm comm, StateBuffer& buffer) {
  std::uint64_t share = 0, hash = 0;
  buffer.read_each(state.arrays, comm, [&](std::size_t a, std::span<const std::byte> values) {
    const StateArray& array = state.arrays[a];
    share += hash_share(array.name, array.shape, array.components, array.block, values);
  });
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    for (const StateScalar& scalar : state.scalars) share += hash_scalar(scalar);
  MPI_Allreduce(&share, &hash, 1, MPI_UINT64_T, MPI_SUM, comm);
  return hash;
}

std::uint64_t state_hash(const State& state, MPI_Comm comm) {
  StateBuffer buffer;
  return state_hash(state, comm, buffer);
}

std::optional<std::uint64_t> parse_hash(std::string_view text) {
  if (text.size() != 16) return {};
  std::uint64_t hash = 0;
  for (const char digit : text) {
    if (digit >= '0' && digit <= '9')
      hash = hash * 16 + static_cast<std::uint64_t>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      hash = hash * 16 + static_cast<std::uint64_t>(digit - 'a' + 10);
    else
      return {};
  }
  return hash;
}

}  // namespace halyard
