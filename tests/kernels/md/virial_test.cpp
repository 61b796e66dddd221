#include "kernels/md/virial.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>

namespace halyard::md {
namespace {

TEST(PositionForceSum, IsExactOnAnyNumberOfThreads) {
  Queue queue;
  Atoms atoms(queue);
  constexpr int slots = 808;
  atoms.reserve(slots + 80);
  atoms.owned_slots = slots;
  atoms.slots = slots + 80;  // ghosts do not count
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  std::array<Wide, 6> wanted{};
  std::array<long double, 6> plain{};
  for (int s = 0; s < slots + 80; ++s) {
    const bool empty = s % 7 == 3;
    atoms.id.data()[s] = empty ? empty_slot : s;
    for (std::size_t a = 0; a < 3; ++a) {
      atoms.x[a].data()[s] = empty ? empty_position(s) : 0x1p23 * u(random);
      atoms.force[a].data()[s] = empty ? 12345 : std::llrint(0x1p51 * u(random));
    }
    for (std::size_t c = 0; c < 6 && !empty && s < slots; ++c) {
      const double x = atoms.x[first[c]].data()[s];
      const auto f = atoms.force[second[c]].data()[s];
      wanted[c] += static_cast<Wide>(std::llrint(std::ldexp(x, 38))) * f;
      plain[c] += static_cast<long double>(x) * static_cast<long double>(f) * 0x1p-38L;
    }
  }
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    const std::array<Wide, 6> found = position_force_sum(queue, atoms);
    EXPECT_TRUE(found == wanted);
    for (std::size_t c = 0; c < 6; ++c) {
      // Positions are rounded to 2^-38 of 2^23: 1e-18 of each product; long doubles to 1e-19.
      EXPECT_NEAR(static_cast<double>(found[c]) * virial_unit, static_cast<double>(plain[c]), 800.0 * 0x1p36 * 1e-17);
    }
  }
  omp_set_num_threads(1);
}

TEST(PositionForceSum, OfNoAtoms) {
  Queue queue;
  Atoms atoms(queue);
  EXPECT_TRUE(position_force_sum(queue, atoms) == (std::array<Wide, 6>{}));
}

}  // namespace
}  // namespace halyard::md
