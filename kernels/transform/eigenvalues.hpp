#pragma once
#include <cstdint>
#include <vector>

namespace halyard {

/// How the cells of one axis are turned into modes: Fourier on a periodic axis, cosine (DCT-II) between walls with zero
/// normal gradient.
enum class Basis { fourier, cosine };

/// The n eigenvalues of the second difference (phi_{i+1} - 2 phi_i + phi_{i-1}) / dx^2 [1/m2] in the order of the modes
/// m = 0 ... n-1: -(2/dx sin(pi m / n))^2 for Fourier (m and n-m are the same to the last bit), -(2/dx sin(pi m /
/// 2n))^2 for cosine modes. Each is rounded once from long double.
std::vector<double> second_difference_eigenvalues(Basis basis, std::int64_t n, double dx);

/// How a row of nx cells along x lies in memory as modes: `modes` complex numbers in blocks of eight, each block as its
/// real parts followed by its imaginary parts; the last block may be narrower. Two kinds of numbers:
///
/// - Fourier: complex mode m = 0 ... nx/2. For even nx, mode 0 holds in its imaginary part the (real) mode nx/2.
/// - otherwise real numbers in their own order (cosine modes, or cells of an axis that is not transformed), of which a
///   block holds 16: the first eight as real parts, the next as imaginary parts; one zero is added where nx is odd.
///
/// A block whose real and imaginary parts are lines of their own (with eigenvalues of their own) is a block of pairs.
class RowModes {
 public:
  static constexpr int block_modes = 8;

  RowModes() = default;
  RowModes(std::int64_t nx, bool complex) : nx_(nx), complex_(complex) {}

  bool complex() const { return complex_; }
  std::int64_t nx() const { return nx_; }
  std::int64_t modes() const { return (nx_ + 1) / 2; }
  std::int64_t doubles() const { return 2 * modes(); }
  std::int64_t blocks() const { return (modes() + block_modes - 1) / block_modes; }
  int width(std::int64_t block) const {
    const std::int64_t left = modes() - block_modes * block;
    return static_cast<int>(left < block_modes ? left : block_modes);
  }
  bool pairs(std::int64_t block) const { return !complex_ || (block == 0 && nx_ % 2 == 0); }
  /// Of the number at place d of the row: the index of its mode, 0 ... nx-1 (Fourier: 0 ... nx/2; padding: 0).
  std::int64_t mode_of(std::int64_t d) const;

 private:
  std::int64_t nx_ = 1;
  bool complex_ = false;
};

}  // namespace halyard
