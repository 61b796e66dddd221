#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "io/results/quantity.hpp"
#include "io/results/state.hpp"
#include "io/results/state_hash.hpp"

namespace halyard {

/// A value of the state that is NaN or infinite.
struct BadValue {
  std::string array;  // or the name of a scalar
  std::string unit;
  bool scalar = false;
  Centring centring = Centring::cell;
  int components = 1;
  int component = 0;
  Index3 cell{0, 0, 0};                           // global, from 0
  std::int64_t global_index = 0;                  // ((k * ny + j) * nx + i) * components + component
  std::optional<std::array<double, 3>> position;  // of the cell's centre, or of its +x, +y, +z face
  std::string position_unit;
  std::string item;  // StateArray::describe of it, where the array has that
  double value = 0.0;
  std::int64_t count = 0;  // non-finite values in this array, over all ranks

  /// "velocity_x is nan in cell (3, 4, 5) at (0.1, 0.2, 0.3) m; 17 values of it are not finite", or
  /// "velocity, component 2 of 3, is nan for atom 17 at (0.1, 2, 3) A".
  std::string text() const;
};

/// The first value of the state that is not finite: in the first array of the list that has one, at the lowest global
/// index, whatever the number of ranks; nothing when all is well. Of scalars only NaN counts (a due time may be
/// infinite); they are looked at after the arrays, on rank 0. Costs one `get` of each array and a threaded count; a
/// value is looked for only where the count is not zero. Collective; the same result on every rank. `grid`: for
/// positions; may be null. `buffer`: keep it from call to call.
std::optional<BadValue> check_finite(const State& state, const GridGeometry* grid, MPI_Comm comm, StateBuffer& buffer);

/// The same for one array whose owned block is already at hand in `values`.
std::optional<BadValue> check_finite(const StateArray& array, std::span<const std::byte> values,
                                     const GridGeometry* grid, MPI_Comm comm);

}  // namespace halyard
