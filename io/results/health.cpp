#include "io/results/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/results/file.hpp"

namespace halyard {
namespace {

std::uint64_t bits_at(std::span<const std::byte> values, std::int64_t n) {
  std::uint64_t bits;
  std::memcpy(&bits, values.data() + 8 * n, 8);
  return bits;
}

/// NaN and infinities have all exponent bits set.
bool finite_bits(std::uint64_t bits) { return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u; }

std::int64_t count_bad(const StateArray& array, std::span<const std::byte> values) {
  if (array.type != ElementType::float64) return 0;
  const std::int64_t n = static_cast<std::int64_t>(values.size() / 8);
  const std::byte* const data = values.data();
  std::int64_t bad = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : bad) if (parallel : n > (1 << 16))
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, data + 8 * i, 8);
    bad += finite_bits(bits) ? 0 : 1;
  }
  return bad;
}

std::optional<std::array<double, 3>> position_of(const StateArray& array, const Index3& cell,
                                                 const GridGeometry* grid) {
  if (grid == nullptr || array.centring == Centring::none) return {};
  std::array<double, 3> position{};
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double>& faces = grid->faces[axis];
    const auto i = static_cast<std::size_t>(cell[axis]);
    if (i + 1 >= faces.size()) return {};
    const bool on_face = static_cast<int>(array.centring) == static_cast<int>(Centring::face_x) + axis;
    position[axis] = on_face ? faces[i + 1] : 0.5 * (faces[i] + faces[i + 1]);
  }
  return position;
}

/// Collective; `count` is the array's over all ranks and above zero. The local block is in the order of the global
/// index, so the rank's first bad value has its lowest index.
BadValue locate(const StateArray& array, std::span<const std::byte> values, std::int64_t count,
                const GridGeometry* grid, MPI_Comm comm) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t mine = none, lowest = none;
  std::uint64_t my_bits = 0, bits = 0;
  const std::int64_t n = static_cast<std::int64_t>(values.size() / 8);
  for (std::int64_t i = 0; i < n; ++i) {
    if (finite_bits(bits_at(values, i))) continue;
    const std::int64_t item = i / array.components;
    const Index3 size = array.block.extents();
    const std::int64_t x = array.block.begin[0] + item % size[0], y = array.block.begin[1] + item / size[0] % size[1],
                       z = array.block.begin[2] + item / size[0] / size[1];
    mine = ((z * array.shape[1] + y) * array.shape[0] + x) * array.components + i % array.components;
    my_bits = bits_at(values, i);
    break;
  }
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT64_T, MPI_MIN, comm);
  if (mine != lowest) my_bits = 0;
  MPI_Allreduce(&my_bits, &bits, 1, MPI_UINT64_T, MPI_BOR, comm);

  BadValue bad;
  bad.array = array.name;
  bad.unit = array.unit;
  bad.centring = array.centring;
  bad.components = array.components;
  bad.component = static_cast<int>(lowest % array.components);
  const std::int64_t item = lowest / array.components;
  bad.cell = {item % array.shape[0], item / array.shape[0] % array.shape[1], item / array.shape[0] / array.shape[1]};
  bad.global_index = lowest;
  bad.position = position_of(array, bad.cell, grid);
  bad.position_unit = grid == nullptr ? "" : grid->unit;
  std::memcpy(&bad.value, &bits, 8);
  bad.count = count;
  if (array.describe) bad.item = array.describe(item);
  return bad;
}

}  // namespace

std::string BadValue::text() const {
  // The sign of a NaN says nothing; printf shows it by chance.
  const char* const shown = std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
  if (scalar) return fmt::format("{} is {}", array, shown);
  std::string text = array;
  if (components > 1) text += fmt::format(", component {} of {},", component, components);
  if (!item.empty())
    text += fmt::format(" is {} for {}", shown, item);
  else if (centring == Centring::none)
    text += fmt::format(" is {} at index {}", shown, global_index / components);
  else
    text += fmt::format(" is {} in cell ({}, {}, {})", shown, cell[0], cell[1], cell[2]);
  if (position)
    text +=
        fmt::format(" at ({:.6g}, {:.6g}, {:.6g}) {}", (*position)[0], (*position)[1], (*position)[2], position_unit);
  if (count > 1) text += fmt::format("; {} values of it are not finite", count);
  return text;
}

std::optional<BadValue> check_finite(const StateArray& array, std::span<const std::byte> values,
                                     const GridGeometry* grid, MPI_Comm comm) {
  const std::int64_t mine = count_bad(array, values);
  std::int64_t count = 0;
  MPI_Allreduce(&mine, &count, 1, MPI_INT64_T, MPI_SUM, comm);
  if (count == 0) return {};
  return locate(array, values, count, grid, comm);
}

std::optional<BadValue> check_finite(const State& state, const GridGeometry* grid, MPI_Comm comm, StateBuffer& buffer) {
  // One reduction for all arrays; the last slot is for the scalars, which are the same everywhere.
  std::vector<std::int64_t> bad(state.arrays.size() + 1, 0);
  std::vector<StateArray> read;  // whole numbers are always well
  std::vector<std::size_t> place;
  for (std::size_t a = 0; a < state.arrays.size(); ++a) {
    if (state.arrays[a].type != ElementType::float64) continue;
    read.push_back(state.arrays[a]);
    place.push_back(a);
  }
  buffer.read_each(read, comm, [&](std::size_t n, std::span<const std::byte> values) {
    bad[place[n]] = count_bad(read[n], values);
  });
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    for (std::size_t s = state.scalars.size(); s-- > 0;) {
      const auto* const value = std::get_if<double*>(&state.scalars[s].value);
      if (value != nullptr && std::isnan(**value)) bad.back() = static_cast<std::int64_t>(s) + 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, bad.data(), static_cast<int>(bad.size()), MPI_INT64_T, MPI_SUM, comm);
  for (std::size_t a = 0; a < state.arrays.size(); ++a) {
    if (bad[a] == 0) continue;
    return locate(state.arrays[a], buffer.read(state.arrays[a], comm), bad[a], grid, comm);
  }
  if (bad.back() == 0) return {};
  BadValue scalar;
  scalar.array = state.scalars[static_cast<std::size_t>(bad.back() - 1)].name;
  scalar.unit = state.scalars[static_cast<std::size_t>(bad.back() - 1)].unit;
  scalar.scalar = true;
  scalar.value = std::numeric_limits<double>::quiet_NaN();
  scalar.count = 1;
  return scalar;
}

}  // namespace halyard
