#include "kernels/device/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace halyard {

namespace {
constexpr int digit_bits = 32;
constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;
constexpr int lowest_exponent = -1074;  // weight of bit 0 of digit 0: the smallest subnormal
constexpr std::int64_t additions_without_carry = std::int64_t{1} << 30;
}  // namespace

void ExactSum::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  if (biased == 0x7ff) {
    ++digit_[digit_count];
    return;
  }
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = biased == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
  const int shift = std::max(biased, 1) - 1;  // of the mantissa's lowest bit, counted from 2^-1074
  const int first = shift / digit_bits, offset = shift % digit_bits;
  // 53 bits shifted by up to 31: three digits.
  const std::uint64_t low = mantissa << offset;
  const std::uint64_t high = offset == 0 ? 0 : mantissa >> (64 - offset);
  const std::int64_t part[3] = {static_cast<std::int64_t>(low & digit_mask),
                                static_cast<std::int64_t>(low >> digit_bits), static_cast<std::int64_t>(high)};
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  for (int d = 0; d < 3; ++d) {
    digit_[first + d] += sign * part[d];
  }
  if (++pending_ >= additions_without_carry) {
    carry();
  }
}

void ExactSum::add(const ExactSum& other) {
  const auto theirs = other.digits();
  for (int d = 0; d < size; ++d) {
    digit_[d] += theirs[d];
  }
  if (++pending_ >= additions_without_carry) {
    carry();
  }
}

void ExactSum::carry() {
  for (int d = 0; d + 1 < digit_count; ++d) {
    const std::int64_t over = digit_[d] >> digit_bits;  // floor, so the digit left is not negative
    digit_[d] -= over * (std::int64_t{1} << digit_bits);
    digit_[d + 1] += over;
  }
  pending_ = 0;
}

std::array<std::int64_t, ExactSum::size> ExactSum::digits() const {
  ExactSum copy = *this;
  copy.carry();
  return copy.digit_;
}

ExactSum ExactSum::from_digits(std::span<const std::int64_t, size> digits) {
  ExactSum sum;
  std::copy(digits.begin(), digits.end(), sum.digit_.begin());
  sum.carry();
  return sum;
}

double ExactSum::value() const {
  if (digit_[digit_count] != 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  ExactSum magnitude = *this;
  magnitude.carry();
  const bool negative = magnitude.digit_[digit_count - 1] < 0;
  if (negative) {
    for (int d = 0; d < digit_count; ++d) {
      magnitude.digit_[d] = -magnitude.digit_[d];
    }
    magnitude.carry();
  }
  int top = digit_count - 1;
  while (top > 0 && magnitude.digit_[top] == 0) {
    --top;
  }
  // The top digit and two below hold at least 65 significant bits; whatever lies lower only breaks ties (sticky bit).
  const auto digit = [&](int d) { return d < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(magnitude.digit_[d]); };
  const std::uint64_t head = digit(top);
  if (head == 0) {
    return 0.0;
  }
  if (top == digit_count - 1) {
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  const int spare = std::countl_zero(static_cast<std::uint32_t>(head));
  // 64 bits with the leading one on top.
  std::uint64_t window = (head << (32 + spare)) | (digit(top - 1) << spare);
  std::uint64_t below = digit(top - 2);
  if (spare > 0) {
    window |= below >> (digit_bits - spare);
    below &= (std::uint64_t{1} << (digit_bits - spare)) - 1;
  }
  bool sticky = below != 0;
  for (int d = top - 3; d >= 0 && !sticky; --d) {
    sticky = digit(d) != 0;
  }
  const int exponent = lowest_exponent + digit_bits * (top - 1) - spare;  // weight of the window's lowest bit
  // A double keeps 53 of the 64 bits. Of a subnormal the lower ones are zero: nothing lies below the smallest
  // subnormal.
  constexpr int dropped = 11;
  const std::uint64_t rest = window & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t mantissa = window >> dropped;
  if (rest > half || (rest == half && (sticky || (mantissa & 1) != 0))) {
    ++mantissa;
  }
  const double result = std::ldexp(static_cast<double>(mantissa), exponent + dropped);
  return negative ? -result : result;
}

}  // namespace halyard
