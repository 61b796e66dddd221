#include "io/results/state_hash.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <set>

#include "io/results/summary.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/results/sample_state.hpp"

namespace halyard {
namespace {

using test::SampleState;

State one_array(std::vector<double>& values, int components = 1, const char* name = "a") {
  const auto n = static_cast<std::int64_t>(values.size()) / components;
  State state;
  state.arrays = {SampleState::array(name, "1", Centring::none, components, {n, 1, 1}, {{0, 0, 0}, {n, 1, 1}}, values)};
  return state;
}

std::uint64_t hash_of(std::vector<double> values) { return state_hash(one_array(values), MPI_COMM_SELF); }

TEST(StateHash, IsTheSameOnAnyRanks) {
  for (const Index3 shape : {Index3{5, 7, 11}, Index3{1, 1, 1}, Index3{16, 2, 3}, Index3{3, 1, 2}}) {
    SampleState whole(MPI_COMM_SELF, shape, 3);
    const std::uint64_t expected = state_hash(whole.state(), MPI_COMM_SELF);
    SampleState split(MPI_COMM_WORLD, shape, 3);
    EXPECT_EQ(state_hash(split.state(), MPI_COMM_WORLD), expected);
  }
}

TEST(StateHash, IsTheSameOnAnyThreads) {
  SampleState sample(MPI_COMM_SELF, {70000, 2, 3}, 5);  // rows longer than one run
  const int threads = omp_get_max_threads();
  std::set<std::uint64_t> hashes;
  for (const int n : {1, 2, 3, 5}) {
    omp_set_num_threads(n);
    hashes.insert(state_hash(sample.state(), MPI_COMM_SELF));
  }
  omp_set_num_threads(threads);
  EXPECT_EQ(hashes.size(), 1u);
}

// Boxes cut at odd places add up, also inside rows and for more components.
TEST(StateHash, SharesOfBoxesAddUp) {
  const Index3 shape{7, 5, 3};
  const auto value = [](std::int64_t index) { return test::stir(static_cast<std::uint64_t>(index)); };
  const auto share = [&](const Box& box) {
    std::vector<std::uint64_t> values;
    for (std::int64_t k = box.begin[2]; k < box.end[2]; ++k)
      for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j)
        for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i)
          for (int c = 0; c < 2; ++c) values.push_back(value(((k * shape[1] + j) * shape[0] + i) * 2 + c));
    return hash_share("q", shape, 2, box, std::as_bytes(std::span(values)));
  };
  const std::uint64_t whole = share({{0, 0, 0}, shape});
  EXPECT_EQ(share({{0, 0, 0}, {3, 5, 3}}) + share({{3, 0, 0}, {7, 5, 3}}), whole);
  EXPECT_EQ(share({{0, 0, 0}, {7, 2, 3}}) + share({{0, 2, 0}, {7, 5, 1}}) + share({{0, 2, 1}, {7, 5, 3}}), whole);
  EXPECT_EQ(share({{2, 2, 2}, {2, 5, 3}}), 0u);
}

TEST(StateHash, SeesEveryBit) {
  std::vector<double> values(40);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = 0.1 * static_cast<double>(n * n);
  const std::uint64_t before = hash_of(values);
  std::set<std::uint64_t> seen{before};
  for (std::size_t n = 0; n < values.size(); ++n)
    for (int bit = 0; bit < 64; ++bit) {
      std::vector<double> changed = values;
      changed[n] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(changed[n]) ^ (std::uint64_t{1} << bit));
      EXPECT_TRUE(seen.insert(hash_of(changed)).second) << "value " << n << ", bit " << bit;
    }
}

TEST(StateHash, SeesWhereAValueIs) {
  std::vector<double> values{1.0, 2.0, 3.0, 4.0, 0.0, 6.0, 7.0, 8.0};
  std::set<std::uint64_t> seen{hash_of(values)};
  for (std::size_t a = 0; a < values.size(); ++a)
    for (std::size_t b = a + 1; b < values.size(); ++b) {
      std::vector<double> swapped = values;
      std::swap(swapped[a], swapped[b]);
      EXPECT_TRUE(seen.insert(hash_of(swapped)).second) << a << " and " << b;
    }
  // The same numbers under another name, or another split into components of another shape, are another state.
  EXPECT_TRUE(seen.insert(state_hash(one_array(values, 1, "b"), MPI_COMM_SELF)).second);
}

TEST(StateHash, TellsZerosApart) { EXPECT_NE(hash_of({0.0, 1.0}), hash_of({-0.0, 1.0})); }

TEST(StateHash, SeesScalarsAndTheirNames) {
  double a = 1.0, b = 2.0;
  std::int64_t n = 5;
  const auto hash = [](std::vector<StateScalar> scalars) {
    return state_hash(State{{}, std::move(scalars)}, MPI_COMM_WORLD);
  };
  std::set<std::uint64_t> seen;
  seen.insert(hash({{"a", "1", &a}, {"b", "1", &b}, {"n", "1", &n}}));
  seen.insert(hash({{"b", "1", &a}, {"a", "1", &b}, {"n", "1", &n}}));
  seen.insert(hash({{"a", "1", &a}, {"b", "1", &b}}));
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(hash({{"n", "1", &n}, {"a", "1", &a}}), hash({{"a", "1", &a}, {"n", "1", &n}}));
  // A scalar and an array of one value, of the same name and bits, are two things.
  std::vector<double> one{a};
  EXPECT_NE(state_hash(one_array(one), MPI_COMM_SELF), state_hash(State{{}, {{"a", "1", &a}}}, MPI_COMM_SELF));
}

// One bit of a value changes each bit of the hash with probability 1/2.
TEST(StateHash, MixesWell) {
  std::array<int, 64> flips{};
  int samples = 0;
  for (int value = 0; value < 200; ++value)
    for (int bit = 0; bit < 64; ++bit, ++samples) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(1.0 + 0.001 * value);
      const std::uint64_t before = hash_of({0.5, std::bit_cast<double>(bits)});
      const std::uint64_t after = hash_of({0.5, std::bit_cast<double>(bits ^ (std::uint64_t{1} << bit))});
      for (int out = 0; out < 64; ++out)
        flips[static_cast<std::size_t>(out)] += static_cast<int>(((before ^ after) >> out) & 1);
    }
  // 12800 fair draws deviate by a standard deviation of 57; six of them bound all 64 output bits.
  for (int out = 0; out < 64; ++out)
    EXPECT_NEAR(flips[static_cast<std::size_t>(out)], samples / 2, 340) << "bit " << out;
}

// Checkpoints of older versions hold this hash: a change of the definition is a change of the format. The number comes
// from the definition written down a second time, in Python's integers.
TEST(StateHash, DefinitionIsPinned) {
  std::vector<double> u{1.0, -0.0, 2.5, 1e300, -3.0, 0.1};
  double dt = 0.125;
  std::int64_t step = -7;
  State state;
  state.arrays = {SampleState::array("u", "m/s", Centring::cell, 2, {3, 1, 1}, {{0, 0, 0}, {3, 1, 1}}, u)};
  state.scalars = {{"dt", "s", &dt}, {"step", "1", &step}};
  EXPECT_EQ(hash_text(state_hash(state, MPI_COMM_SELF)), "ab321d96e091fc4d");
}

TEST(StateHash, TextHas16Digits) {
  EXPECT_EQ(hash_text(0x1fu), "000000000000001f");
  for (const std::uint64_t hash : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}})
    EXPECT_EQ(parse_hash(hash_text(hash)), hash);
  EXPECT_FALSE(parse_hash("1f"));
  EXPECT_FALSE(parse_hash("00000000000000zz"));
  EXPECT_FALSE(parse_hash("00000000000000001"));
}

TEST(StateHash, AFailureOnOneRankIsAnErrorOnAll) {
  SampleState sample(MPI_COMM_WORLD, {5, 7, 11}, 1);
  State state = sample.state();
  if (test::rank_of(MPI_COMM_WORLD) == test::size_of(MPI_COMM_WORLD) - 1)
    state.arrays[1].get = [](std::span<std::byte>) { throw Error("the copy of stress failed."); };
  EXPECT_EQ(test::error_of([&] { state_hash(state, MPI_COMM_WORLD); }), "the copy of stress failed.");
}

}  // namespace
}  // namespace halyard
