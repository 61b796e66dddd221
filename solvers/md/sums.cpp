#include "solvers/md/sums.hpp"

#include <cstdint>
#include <vector>

namespace halyard::md {

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

void sum_over_ranks(const Communicator& comm, std::span<Wide> totals) {
  std::vector<FixedSum> sums(totals.size());
  for (std::size_t t = 0; t < totals.size(); ++t) {
    sums[t].add(totals[t]);
  }
  sum_over_ranks(comm, sums);
  for (std::size_t t = 0; t < totals.size(); ++t) {
    totals[t] = sums[t].units();
  }
}

}  // namespace halyard::md
