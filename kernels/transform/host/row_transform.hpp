#pragma once
#include <optional>
#include <vector>

#include "kernels/transform/eigenvalues.hpp"
#include "kernels/transform/host/lane_fourier.hpp"

namespace halyard::host {

/// Transforms of eight rows of nx real numbers along x, one row a lane.
///
/// Fourier:  X_m = sum_i f_i exp(-2 pi i' i m / nx),           m = 0 ... nx/2
/// cosine:   X_m = sum_i f_i cos(pi m (i + 1/2) / nx),         m = 0 ... nx-1   (DCT-II)
///
/// Even nx: a complex transform of half the length (Sorensen et al. 1987, IEEE Trans. ASSP 35, 849); the cosine
/// transform through Makhoul's permutation (Makhoul 1980, IEEE Trans. ASSP 28, 27). Odd nx: a complex transform with
/// zero imaginary parts. backward(forward(f)) = nx f.
class RowTransform {
 public:
  RowTransform(Basis basis, int nx);

  const RowModes& modes() const { return modes_; }
  /// Doubles of one work buffer (two are needed), aligned to 64 bytes.
  std::size_t work_doubles() const { return static_cast<std::size_t>(complex_stride) * (nx_ + 8); }

  /// rows[lane][0 ... nx) -> modes[lane][0 ... modes().doubles()), laid out as RowModes says; in place where they are
  /// the same. Returns the sum of each row, added up in an order that depends on nx alone.
  Lanes forward(const double* const rows[lane_count], double* const modes[lane_count], double* work,
                double* work2) const;
  void backward(const double* const modes[lane_count], double* const rows[lane_count], double* work,
                double* work2) const;

 private:
  Basis basis_;
  int nx_;
  bool even_;
  RowModes modes_;
  LaneFourier fourier_;
  std::vector<int> place_;       // of cell i in the buffer before the forward transform, in units of eight doubles
  std::vector<int> result_;      // the same after the backward transform
  std::vector<int> mode_place_;  // of the real part of mode m among the lanes of the output, in units of eight doubles
  std::vector<int> mode_place_im_;  // of its imaginary part
  std::vector<double> twiddle_;     // exp(-2 pi i' m / nx), for the split of even lengths
  std::vector<double> quarter_;     // exp(-pi i' m / 2 nx), for the cosine transform
};

}  // namespace halyard::host
