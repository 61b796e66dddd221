#pragma once
#include <cmath>
#include <cstdint>

#include "kernels/device/philox.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

/// What random numbers are for: streams of different purposes never share a number.
enum class RandomPurpose : std::uint32_t {
  velocities = 1,        // initial velocities
  langevin = 2,          // noise of the Langevin thermostat
  velocity_rescale = 3,  // stochastic velocity rescaling
  cell_rescale = 4,      // stochastic cell rescaling
  alloy = 5,             // types drawn on lattice sites
};

/// One stream of random numbers, addressed, not advanced: by item (atom id, 0 for global numbers), step and draw.
struct RandomStream {
  std::uint32_t seed;
  std::uint32_t purpose;

  RandomStream(std::uint32_t seed_, RandomPurpose purpose_)
      : seed(seed_), purpose(static_cast<std::uint32_t>(purpose_)) {}

  /// Four independent words for 0 <= item, 0 <= step < 2^48, draw < 2^16.
  KERNEL Philox4x32::Words words(std::int64_t item, std::int64_t step, std::uint32_t draw = 0) const {
    return Philox4x32::generate(
        {{static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32), static_cast<std::uint32_t>(step),
          static_cast<std::uint32_t>(step >> 32) | (draw << 16)}},
        seed, purpose);
  }
};

/// (2 w + 1) 2^-33: uniform on the midpoints of 2^32 cells of (0, 1), exact, never 0 or 1.
KERNEL double uniform_of(std::uint32_t w) {
  constexpr double anchor = 0x1p52;
  std::uint64_t bits;
  __builtin_memcpy(&bits, &anchor, sizeof bits);
  bits |= w;
  double shifted;
  __builtin_memcpy(&shifted, &bits, sizeof shifted);
  return (shifted - (anchor - 0.5)) * 0x1p-32;
}

/// Four independent normal deviates, mean 0 and variance 1, by Box & Muller (1958), Ann. Math. Statist. 29, 610, from
/// 32-bit uniforms: |z| <= 6.77 (a normal deviate lies beyond once in 8e10), variance right to 1e-10. Same bits in any
/// loop.
struct FourNormals {
  double z[4];
};
KERNEL void box_muller(std::uint32_t first, std::uint32_t second, double& a, double& b) {
  const double radius = std::sqrt(-2.0 * math::log(uniform_of(first)));
  double sine, cosine;
  math::sin_cos_2pi(uniform_of(second), sine, cosine);
  a = radius * cosine;
  b = radius * sine;
}
KERNEL FourNormals four_normals(const Philox4x32::Words& words) {
  FourNormals result;
  box_muller(words.w[0], words.w[1], result.z[0], result.z[1]);
  box_muller(words.w[2], words.w[3], result.z[2], result.z[3]);
  return result;
}

/// Draws from one address of a stream, one after the other: for the few global numbers of thermostats and barostats.
class RandomSequence {
 public:
  RandomSequence(RandomStream stream, std::int64_t step, std::int64_t item = 0)
      : stream_(stream), step_(step), item_(item) {}

  /// Uniform in (0, 1) with 53 bits.
  double uniform();
  double normal();
  /// A gamma deviate of this shape and scale 1; shape > 0. Marsaglia & Tsang (2000), ACM Trans. Math. Softw. 26, 363.
  double gamma(double shape);
  /// The sum of the squares of `count` independent normal deviates, count >= 0: chi squared, exact for any count.
  double sum_of_squares(double count) { return count <= 0.0 ? 0.0 : 2.0 * gamma(0.5 * count); }

 private:
  std::uint32_t word();

  RandomStream stream_;
  std::int64_t step_, item_;
  std::uint32_t draw_ = 0;
  Philox4x32::Words words_{};
  int left_ = 0;
  bool has_spare_ = false;
  double spare_ = 0.0;
};

}  // namespace halyard::md
