#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <vector>

namespace halyard::test {

/// Numbers in [-1, 1), the same at every run.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63;
  }

 private:
  std::uint64_t state_;
};

struct Free {
  void operator()(double* p) const { std::free(p); }
};
using AlignedBuffer = std::unique_ptr<double[], Free>;

inline AlignedBuffer aligned(std::size_t doubles) {
  auto* p = static_cast<double*>(std::aligned_alloc(64, (doubles * sizeof(double) + 63) / 64 * 64));
  for (std::size_t i = 0; i < doubles; ++i) {
    p[i] = 0.0;
  }
  return AlignedBuffer(p);
}

using LongComplex = std::complex<long double>;

/// exp(-2 pi i' j / n), j = 0 ... n-1.
inline std::vector<LongComplex> roots_of_unity(std::int64_t n) {
  std::vector<LongComplex> roots;
  for (std::int64_t j = 0; j < n; ++j) {
    const long double angle =
        -2.0L * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

/// sum of x_i exp(-2 pi i' i m / n), term by term in long double.
inline std::vector<LongComplex> direct_fourier(const std::vector<LongComplex>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto roots = roots_of_unity(n);
  std::vector<LongComplex> result(x.size());
  for (std::int64_t m = 0; m < n; ++m) {
    for (std::int64_t i = 0; i < n; ++i) {
      const LongComplex w = roots[i * m % n], v = x[i];
      result[m] += LongComplex(v.real() * w.real() - v.imag() * w.imag(), v.real() * w.imag() + v.imag() * w.real());
    }
  }
  return result;
}

/// sum of x_i cos(pi m (i + 1/2) / n), term by term in long double.
inline std::vector<LongComplex> direct_cosine(const std::vector<LongComplex>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto roots = roots_of_unity(4 * n);
  std::vector<LongComplex> result(x.size());
  for (std::int64_t m = 0; m < n; ++m) {
    for (std::int64_t i = 0; i < n; ++i) {
      result[m] += x[i] * roots[(2 * i + 1) * m % (4 * n)].real();
    }
  }
  return result;
}

/// The round-off of a fast transform of n numbers below 1: eps log2(n) sqrt(n) (Higham 2002, Accuracy and
/// Stability, 24.1) times 4 for the split and twiddle steps around it; direct O(n^2) sums in FFTW's prime lengths stay
/// below it too.
inline double transform_tolerance(int n) {
  return 4.0 * 2.3e-16 * (1.0 + std::log2(static_cast<double>(n))) * std::sqrt(static_cast<double>(n));
}

}  // namespace halyard::test
