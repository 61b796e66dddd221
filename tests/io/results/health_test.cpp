#include "io/results/health.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "kernels/device/error.hpp"
#include "tests/io/results/sample_state.hpp"

namespace halyard {
namespace {

using test::SampleState;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index3 shape{5, 7, 11};

GridGeometry stretched_grid() {
  GridGeometry grid;
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t n = 0; n <= shape[static_cast<std::size_t>(axis)]; ++n)
      grid.faces[static_cast<std::size_t>(axis)].push_back(static_cast<double>((axis + 1) * n * n));
  return grid;
}

/// Sets a value of the rank that owns the cell.
void put(SampleState& sample, std::vector<double>& values, Index3 cell, double value, int components = 1,
         int component = 0) {
  const Box& box = sample.pencil;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (cell[axis] < box.begin[axis] || cell[axis] >= box.end[axis]) return;
  const std::int64_t item =
      ((cell[2] - box.begin[2]) * box.extent(1) + cell[1] - box.begin[1]) * box.extent(0) + cell[0];
  values[static_cast<std::size_t>(item * components + component)] = value;
}

struct Health : testing::Test {
  SampleState sample{MPI_COMM_WORLD, shape, 2};
  GridGeometry grid = stretched_grid();
  StateBuffer buffer;
  std::optional<BadValue> check() { return check_finite(sample.state(), &grid, MPI_COMM_WORLD, buffer); }
};

TEST_F(Health, AFiniteStateIsWell) {
  EXPECT_FALSE(check());
  put(sample, sample.u, {1, 1, 1}, std::numeric_limits<double>::max());
  put(sample, sample.u, {1, 2, 1}, std::numeric_limits<double>::denorm_min());
  if (!sample.id.empty()) sample.id[0] = std::bit_cast<std::int64_t>(nan);  // an integer like any other
  EXPECT_FALSE(check());
}

TEST_F(Health, FindsTheLowestIndexOnAnyRanks) {
  put(sample, sample.u, {4, 6, 10}, nan);
  put(sample, sample.u, {3, 5, 2}, -infinity);
  put(sample, sample.u, {1, 2, 7}, nan);
  put(sample, sample.stress, {0, 0, 0}, nan, 3);  // later in the list
  const auto bad = check();
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->array, "u");
  EXPECT_EQ(bad->cell, (Index3{3, 5, 2}));
  EXPECT_EQ(bad->global_index, (2 * 7 + 5) * 5 + 3);
  EXPECT_EQ(bad->value, -infinity);
  EXPECT_EQ(bad->count, 3);
  // On the +x face of cell 3: 1 * 4^2; in the middle of faces 2 * 5^2, 2 * 6^2 and 3 * 2^2, 3 * 3^2.
  EXPECT_EQ(*bad->position, (std::array{16.0, 61.0, 19.5}));
  EXPECT_EQ(bad->text(), "u is -inf in cell (3, 5, 2) at (16, 61, 19.5) m; 3 values of it are not finite");
}

TEST_F(Health, NamesTheComponent) {
  put(sample, sample.stress, {2, 6, 9}, nan, 3, 1);
  const auto bad = check();
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->component, 1);
  EXPECT_EQ(*bad->position, (std::array{6.5, 85.0, 271.5}));
  EXPECT_EQ(bad->text(), "stress, component 1 of 3, is nan in cell (2, 6, 9) at (6.5, 85, 271.5) m");
  EXPECT_FALSE(check_finite(sample.state(), nullptr, MPI_COMM_WORLD, buffer)->position);
}

// Each cell in turn: none is at a place where the count or the search does not look.
TEST_F(Health, LooksAtEveryValue) {
  for (std::int64_t cell = 0; cell < shape[0] * shape[1] * shape[2]; cell += 37) {
    const Index3 place{cell % 5, cell / 5 % 7, cell / 35};
    put(sample, sample.u, place, nan);
    const auto bad = check();
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->global_index, cell);
    put(sample, sample.u, place, 1.0);
  }
}

TEST_F(Health, AScalarMayBeInfiniteButNotNan) {
  sample.next_output = -infinity;
  EXPECT_FALSE(check());
  sample.dt = nan;
  const auto bad = check();
  ASSERT_TRUE(bad);
  EXPECT_TRUE(bad->scalar);
  EXPECT_EQ(bad->text(), "dt is nan");
}

TEST_F(Health, AListHasNoPosition) {
  std::vector<double> mass(static_cast<std::size_t>(sample.part.count()), 1.0);
  if (sample.part.begin[0] <= 17 && 17 < sample.part.end[0])
    mass[static_cast<std::size_t>(17 - sample.part.begin[0])] = infinity;
  State state;
  state.arrays = {SampleState::array("mass", "kg", Centring::none, 1, {sample.list_size, 1, 1}, sample.part, mass)};
  const auto bad = check_finite(state, &grid, MPI_COMM_WORLD, buffer);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->text(), "mass is inf at index 17");
}

TEST_F(Health, AnItemOfAListIsDescribed) {
  std::vector<double> force(static_cast<std::size_t>(3 * sample.part.count()), 1.0);
  for (const std::int64_t item : {19, 5, 22})
    if (sample.part.begin[0] <= item && item < sample.part.end[0])
      force[static_cast<std::size_t>(3 * (item - sample.part.begin[0]) + 1)] = nan;
  State state;
  state.arrays = {SampleState::array("force", "N", Centring::none, 3, {sample.list_size, 1, 1}, sample.part, force)};
  // As a particle solver does: the owner, wherever it is, tells the others.
  state.arrays[0].describe = [&](std::int64_t item) {
    double x = sample.part.begin[0] == 0 ? 0.5 * static_cast<double>(item) : 0.0;
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return "atom " + std::to_string(100 + item) + " at (" + std::to_string(x).substr(0, 3) + ", 0, 0) A";
  };
  const auto bad = check_finite(state, nullptr, MPI_COMM_WORLD, buffer);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->global_index, 3 * 5 + 1);
  EXPECT_EQ(bad->text(),
            "force, component 1 of 3, is nan for atom 105 at (2.5, 0, 0) A; 3 values of it are not finite");
}

// A get that communicates is called by every rank, in the order of the list, also where the block is empty.
TEST_F(Health, GetsThatCommunicateMeet) {
  const std::int64_t sizes[] = {0, 1, 2};
  int order = 0;
  State state;
  std::vector<std::vector<double>> values(3);
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto [begin, end] = even_part(sizes[a], test::size_of(MPI_COMM_WORLD), test::rank_of(MPI_COMM_WORLD));
    StateArray array = SampleState::array("a" + std::to_string(a), "1", Centring::none, 1, {sizes[a], 1, 1},
                                          Box{{begin, 0, 0}, {end, 1, 1}}, values[static_cast<std::size_t>(a)]);
    array.get = [&order, a](std::span<std::byte> out) {
      std::int64_t all[2] = {a, -a};
      MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
      EXPECT_EQ(all[0], a);
      EXPECT_EQ(all[1], -a);
      ++order;
      const double one = 1.0;
      for (std::size_t at = 0; at < out.size(); at += 8) std::memcpy(out.data() + at, &one, 8);
    };
    state.arrays.push_back(array);
  }
  EXPECT_FALSE(check_finite(state, nullptr, MPI_COMM_WORLD, buffer));
  EXPECT_EQ(order, 3);
  const std::uint64_t hash = state_hash(state, MPI_COMM_WORLD, buffer);
  EXPECT_EQ(order, 6);
  const std::string text = std::to_string(hash);
  EXPECT_TRUE(test::same_on_all_ranks(text, MPI_COMM_WORLD));
}

}  // namespace
}  // namespace halyard
