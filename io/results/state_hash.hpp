#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/state.hpp"

namespace halyard {

/// Host memory for one array of the state at a time. Grows to the rank's largest array and keeps its pages from call to
/// call; hand the same one to every hash, health check and checkpoint of a run.
class StateBuffer {
 public:
  /// `array.get` into the buffer: the rank's owned block, x fastest, components innermost. Valid until the next call.
  std::span<const std::byte> read(const StateArray& array);
  /// Each array in turn, on all ranks together, handed to `use`: memory is there on every rank before any calls a
  /// `get`, which may communicate. Collective; `use` must not be. @throws Error on every rank where one has no memory
  /// or a get fails.
  void read_each(std::span<const StateArray> arrays, MPI_Comm comm,
                 const std::function<void(std::size_t, std::span<const std::byte>)>& use);
  /// One array on all ranks together, valid until the next call.
  std::span<const std::byte> read(const StateArray& array, MPI_Comm comm);
  /// Room for the rank's block of `array`, contents undefined.
  std::span<std::byte> room_for(const StateArray& array);

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

/// Bytes of the rank's owned block.
inline std::size_t block_bytes(const StateArray& array) {
  return static_cast<std::size_t>(array.components) * static_cast<std::size_t>(array.block.count()) * 8;
}

/// The share of `box` (values x fastest, components innermost) in the hash of the array `name`: the sum mod 2^64 over
/// its values of mix(name, ((k * ny + j) * nx + i) * components + c, bits). Shares of boxes that tile the array add up
/// to the array's hash, in any order. -0.0 and +0.0 differ: bits are bits. Threaded.
std::uint64_t hash_share(std::string_view name, Index3 shape, int components, const Box& box,
                         std::span<const std::byte> values);

/// The share of one scalar, counted once, not once a rank.
std::uint64_t hash_scalar(const StateScalar& scalar);

/// The hash of all owned values and scalars, ghosts excluded: the same on every rank, for any number of ranks and
/// threads and any order of the list. Scalars are taken from rank 0. Collective.
std::uint64_t state_hash(const State& state, MPI_Comm comm, StateBuffer& buffer);
std::uint64_t state_hash(const State& state, MPI_Comm comm);

/// The hash that hash_text (summary.hpp) wrote: 16 lower-case hexadecimal digits; nothing for any other text.
std::optional<std::uint64_t> parse_hash(std::string_view text);

}  // namespace halyard
