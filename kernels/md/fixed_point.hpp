#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/device/backend.hpp"

namespace halyard::md {

// Whatever is summed over atoms is summed as integers: a term t becomes round(t 2^bits), and integers may be added in
// any order, by any number of threads and ranks, with one result. `bits` is fixed by the kind of quantity; quantities
// are in the units of the case.
constexpr int kinetic_bits = 36;   // m v v of one atom: < 32768, resolution 1.5e-11
constexpr int momentum_bits = 36;  // m v of one atom

/// Forces are whole multiples of force_unit: sums in any order, over any ranks, give the same bits. A term may be up to
/// force_limit, which overlaps alone exceed (docs/md.md).
constexpr double force_unit = 0x1p-38;
constexpr double force_limit = 0x1p13;
/// The same for the energies of pairs and bonded terms, whose totals have 128 bits.
constexpr double energy_unit = 0x1p-34;
constexpr double energy_limit = 0x1p17;

/// 128-bit whole numbers: totals that no case overflows.
using Wide = __int128;

/// Terms must be smaller than this in magnitude, counted in units of 2^-bits: the conversion below holds up to there,
/// also without the AVX-512 instruction for it, and 2^12 terms add up in 64 bits.
constexpr double fixed_limit = 0x1p51;

KERNEL constexpr double fixed_scale(int bits) { return static_cast<double>(std::int64_t{1} << bits); }

/// The nearest integer (ties to even) of |x| < 2^51; anything elsewhere. Adding 1.5 2^52 leaves the integer in the low
/// bits of the sum, so that it vectorises with any instruction set.
KERNEL std::int64_t round_to_fixed(double x) {
  constexpr double shift = 0x1.8p52;
  const double shifted = x + shift;
  std::int64_t bits, zero;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  __builtin_memcpy(&zero, &shift, sizeof zero);
  return bits - zero;
}

/// False for what round_to_fixed cannot take: too large, infinite, NaN.
KERNEL bool fits_fixed(double x) { return std::fabs(x) < fixed_limit; }

/// A total of fixed-point terms in 128 bits, and the number of terms that did not fit. Any order, any grouping over
/// threads and ranks gives the same bits.
///
/// Over ranks: sum digits() element-wise as 64-bit integers (MPI_SUM of MPI_INT64_T), then from_digits(). Digits are
/// below 2^32 in magnitude up to 2^31 times the rank count of terms, so they also go through a double unchanged.
class FixedSum {
 public:
  static constexpr int size = 5;  // four digits of weight 2^32, the lowest first; then the terms that did not fit

  FixedSum() = default;
  explicit FixedSum(int bits) : bits_(bits) {}

  void add(Wide units) { total_ += units; }
  /// Rounds a term given as a number; counts it as spoilt when it does not fit.
  void add_term(double term) {
    const double x = term * fixed_scale(bits_);
    if (fits_fixed(x)) {
      add(round_to_fixed(x));
    } else {
      ++spoilt_;
    }
  }
  void add(const FixedSum& other) {
    total_ += other.total_;
    spoilt_ += other.spoilt_;
  }
  void add_spoilt(std::int64_t count) { spoilt_ += count; }

  int bits() const { return bits_; }
  /// The total in units of 2^-bits.
  Wide units() const { return total_; }
  /// Terms left out because they were not finite or too large: the caller must stop the run, or say so.
  std::int64_t spoilt() const { return spoilt_; }
  /// The total, correctly rounded; NaN when a term did not fit.
  double value() const {
    return spoilt_ != 0 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(static_cast<double>(total_), -bits_);
  }

  std::array<std::int64_t, size> digits() const {
    std::array<std::int64_t, size> digit{};
    Wide rest = total_;
    for (int d = 0; d < 3; ++d) {
      digit[d] = static_cast<std::int64_t>(rest & 0xffffffffU);
      rest >>= 32;  // towards minus infinity: the digit left is not negative
    }
    digit[3] = static_cast<std::int64_t>(rest);
    digit[4] = spoilt_;
    return digit;
  }
  static FixedSum from_digits(std::span<const std::int64_t, size> digits, int bits) {
    FixedSum sum(bits);
    for (int d = 3; d >= 0; --d) {
      sum.total_ = sum.total_ * (Wide{1} << 32) + digits[static_cast<std::size_t>(d)];
    }
    sum.spoilt_ = digits[4];
    return sum;
  }

  bool operator==(const FixedSum&) const = default;

 private:
  Wide total_ = 0;
  std::int64_t spoilt_ = 0;
  int bits_ = 0;
};

}  // namespace halyard::md
