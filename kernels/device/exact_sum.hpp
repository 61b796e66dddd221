#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace halyard {

/// An associative sum of doubles: the exact value, rounded once at the end. Any order, any grouping over threads and
/// ranks gives the same bits (superaccumulator: Kulisch & Miranker 1986, SIAM Review 28, 1; signed 64-bit digits of
/// weight 2^32 spare the carries). Up to 2^30 terms and merges between two calls of digits().
///
/// Over ranks: sum digits() element-wise as 64-bit integers (MPI_SUM of MPI_INT64_T), then from_digits().
class ExactSum {
 public:
  // Digits cover 2^-1074 to 2^1024 with room for carries; the last element counts non-finite terms.
  static constexpr int digit_count = 68;
  static constexpr int size = digit_count + 1;

  void add(double term);
  void add(const ExactSum& other);

  /// The correctly rounded sum; NaN when a term was not finite.
  double value() const;

  /// Carries resolved: each digit but the highest in [0, 2^32), so that 2^30 ranks may be summed.
  std::array<std::int64_t, size> digits() const;
  static ExactSum from_digits(std::span<const std::int64_t, size> digits);

 private:
  void carry();

  std::array<std::int64_t, size> digit_{};
  std::int64_t pending_ = 0;  // additions since the last carry
};

}  // namespace halyard
