#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/exact_sum.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/box.hpp"
#include "kernels/transform/eigenvalues.hpp"
#include "kernels/transform/tridiagonal.hpp"

namespace halyard {

/// One axis of the discrete Laplacian.
struct PoissonAxis {
  std::int64_t cells = 1;
  Basis basis = Basis::fourier;  // of a uniform axis
  double dx = 1.0;               // [m] its cell width
  bool tridiagonal = false;      // solved directly: `matrix` holds its n cells
  Tridiagonal matrix;
};

/// A block of an array of cells or modes. Along x it spans the numbers [x_begin, x_end) of rows laid out by RowModes,
/// cut at whole blocks of 16 doubles; `data` points to its first number.
struct ModeArray {
  double* data = nullptr;
  std::int64_t stride_j = 0, stride_k = 0;
  Box box;  // global: x in doubles of the row of modes, y and z in cells or modes

  int ny() const { return static_cast<int>(box.extent(1)); }
  int nz() const { return static_cast<int>(box.extent(2)); }
};

/// The right-hand side by rows, on the host: fill() writes f(0 ... nx-1, j, k) (local indices) to row[0 ... nx-1]. It
/// is called once for each row of the block, by several threads at once and in no particular order, while the ghosts
/// and cells of phi are being overwritten: it may read anything but phi and the scratch. The bits it gives for an
/// element must not depend on where the block ends.
struct RowSource {
  void (*fill)(const void* context, int j, int k, double* row) = nullptr;
  const void* context = nullptr;
};

/// The passes of the fast Poisson solver over one rank's arrays, all in place. Forward passes turn cells into modes,
/// each along an axis that must lie whole on this rank; solve() does the last axis: modes, division by the sum of the
/// three eigenvalues, cells again - or the tridiagonal solve. The factors 1/n of the transforms are applied there. The
/// order of x before y and z is free except that x must be transformed before anything else unless it is the
/// tridiagonal axis.
class PoissonModes {
 public:
  /// @param solve_axis the axis of solve(): the tridiagonal one if there is one
  static std::unique_ptr<PoissonModes> create(Queue& queue, const std::array<PoissonAxis, 3>& axes, int solve_axis);
  virtual ~PoissonModes() = default;

  const RowModes& row_modes() const { return row_modes_; }

  /// Cells -> modes along x (where x is the tridiagonal axis: cells stay, padding is cleared), and then along y as well
  /// where `with_y` is set, plane by plane while a plane is in cache. `source` gives the cells; without it they are in
  /// the array. Adds volume-weighted f to `total`.
  virtual void forward_rows(Queue& queue, const ModeArray& array, const RowSource* source, bool with_y,
                            ExactSum& total) = 0;
  virtual void backward_rows(Queue& queue, const ModeArray& array, bool with_y) = 0;
  /// Along y (axis 1) or z (axis 2).
  virtual void forward_lines(Queue& queue, const ModeArray& array, int axis) = 0;
  virtual void backward_lines(Queue& queue, const ModeArray& array, int axis) = 0;
  virtual void solve(Queue& queue, const ModeArray& array) = 0;

  /// "Fourier 128", "cosine 97 (slow: next fast sizes 100)", "tridiagonal 130".
  std::string axis_description(int axis) const;
  /// The next size with a fast transform along the axis, or its own size where that is fast.
  std::int64_t fast_cells(int axis) const;

 protected:
  PoissonModes(const std::array<PoissonAxis, 3>& axes, int solve_axis);

  std::array<PoissonAxis, 3> axes_;
  int solve_axis_;
  RowModes row_modes_;
  std::array<std::vector<double>, 3> eigenvalue_;  // by mode; x: by place in the row; zeros on the tridiagonal axis
  std::array<std::vector<double>, 3> weight_;      // cell widths, for the volume mean
  double scale_ = 1.0;                             // 1 / product of the transformed lengths
};

}  // namespace halyard
