#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/device/host/lanes.hpp"

namespace halyard::host {

/// Eight complex discrete Fourier transforms of length n side by side,
///
///   X_m = sum over i of x_i exp(-2 pi i' i m / n)   (i' the imaginary unit; inverse: +, neither is normalised).
///
/// In place, mixed radix 8, 4, 2, 3, 5 and direct sums for other primes up to 127, decimation in time (Cooley & Tukey
/// 1965, Math. Comput. 19, 297); lengths with larger prime factors by FFTW. The same operations on every lane whatever
/// is in the others, so that a line's bits depend on the line alone. Twiddle factors are rounded once from long double.
class LaneFourier {
 public:
  explicit LaneFourier(int n);

  int size() const { return n_; }
  /// False where the length has a prime factor above 5.
  bool is_fast() const { return fast_; }
  /// Element i of the input lies at slot()[i] of the buffer (complex_stride doubles each); the output is in order.
  const std::vector<int>& slot() const { return slot_; }
  /// The buffer is aligned to 64 bytes.
  void transform(double* buffer, bool inverse) const;

 private:
  struct Pass {
    int radix, length;     // joins `radix` transforms of this length
    std::int64_t twiddle;  // first of (radix - 1) complex numbers for each k in [0, length)
    std::int64_t roots;    // of cos and sin(2 pi j / radix), j = 0 ... radix-1
  };
  struct Fallback;

  int n_;
  bool fast_ = true;
  std::vector<Pass> passes_;
  std::vector<double> twiddles_;
  std::vector<int> slot_;
  std::shared_ptr<Fallback> fallback_;
};

/// The least n' >= n without prime factors above 5.
int next_fast_size(int n);

}  // namespace halyard::host
