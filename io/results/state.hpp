#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/grid/box.hpp"

namespace halyard {

/// Where the values of an array live. `face_x` is the +x face of cell (i, j, k); `none` is for arrays over something
/// else than cells (atoms in the order of their ids along the first axis, say).
enum class Centring { cell, face_x, face_y, face_z, none };

enum class ElementType { float64, int64 };

/// One named array that a restart needs. Values on the host are the rank's owned block without ghosts, x fastest,
/// components innermost, `components * block.count()` elements of 8 bytes.
struct StateArray {
  std::string name;
  std::string unit;
  Centring centring = Centring::cell;
  ElementType type = ElementType::float64;
  int components = 1;
  Index3 shape{0, 0, 0};  // global
  Box block;              // owned by this rank; the blocks of all ranks tile the shape
  /// Device or host -> span, and back. Every rank calls them together, in the order of the list, also where its block
  /// is empty: they may communicate (atoms travel between their owners and the block of ids). One that does throws on
  /// every rank or on none.
  std::function<void(std::span<std::byte>)> get;
  std::function<void(std::span<const std::byte>)> set;
  /// For messages, of an array whose centring is none: what the item at this index is, "atom 17 at (0.1, 2, 3) A".
  /// Collective, the same index and the same answer on every rank, and right while values are not finite. Absent:
  /// "index 17".
  std::function<std::string(std::int64_t item)> describe = {};
};

/// One named number that a restart needs, the same on every rank.
struct StateScalar {
  std::string name;
  std::string unit;
  std::variant<double*, std::int64_t*> value;
};

/// Everything that a restart needs, in a fixed order. Checkpoint, restart, state hash and health check are written once
/// over this list; a solver that adds an array adds one line.
struct State {
  std::vector<StateArray> arrays;
  std::vector<StateScalar> scalars;
};

}  // namespace halyard
