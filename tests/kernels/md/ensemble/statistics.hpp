#pragma once
#include <cmath>
#include <vector>

namespace halyard::md::test {

/// The mean of a correlated series and its standard error from 64 block means (blocks must be long against the
/// correlation time).
struct BlockMean {
  double mean = 0.0, error = 0.0;

  explicit BlockMean(const std::vector<double>& series) {
    constexpr std::size_t blocks = 64;
    const std::size_t length = series.size() / blocks;
    double square = 0.0;
    for (std::size_t b = 0; b < blocks; ++b) {
      double block = 0.0;
      for (std::size_t i = 0; i < length; ++i) {
        block += series[b * length + i] / static_cast<double>(length);
      }
      mean += block / blocks;
      square += block * block / blocks;
    }
    error = std::sqrt((square - mean * mean) / (blocks - 1));
  }
};

}  // namespace halyard::md::test
