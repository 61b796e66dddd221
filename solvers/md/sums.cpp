#include "solvers/md/sums.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace halyard::md {

void sum_over_ranks(const Communicator& comm, std::span<Wide> totals) {
  constexpr int digits = 4;  // of 32 bits, the highest signed: up to 2^31 ranks add without a carry
  std::vector<std::int64_t> digit;
  for (Wide rest : totals) {
    for (int d = 0; d < digits - 1; ++d) {
      digit.push_back(static_cast<std::int64_t>(rest & 0xffffffffU));
      rest >>= 32;
    }
    digit.push_back(static_cast<std::int64_t>(rest));
  }
  comm.sum(digit);
  std::size_t at = 0;
  for (Wide& total : totals) {
    total = 0;
    for (int d = 0; d < digits; ++d) {
      total += static_cast<Wide>(digit[at++]) * (static_cast<Wide>(1) << (32 * d));
    }
  }
}

void sum_over_ranks(const Communicator& comm, std::span<FixedSum> totals) {
  std::vector<std::int64_t> digit;
  for (const FixedSum& total : totals) {
    const auto digits = total.digits();
    digit.insert(digit.end(), digits.begin(), digits.end());
  }
  comm.sum(digit);
  std::size_t at = 0;
  for (FixedSum& total : totals) {
    const std::span<const std::int64_t, FixedSum::size> digits(digit.data() + at, FixedSum::size);
    total = FixedSum::from_digits(digits, total.bits());
    at += FixedSum::size;
  }
}

}  // namespace halyard::md
