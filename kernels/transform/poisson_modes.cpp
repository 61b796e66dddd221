#include "kernels/transform/poisson_modes.hpp"

#include "kernels/device/error.hpp"
#include "kernels/transform/cuda/poisson_modes.hpp"
#include "kernels/transform/host/lane_fourier.hpp"
#include "kernels/transform/host/poisson_modes.hpp"

namespace halyard {

PoissonModes::PoissonModes(const std::array<PoissonAxis, 3>& axes, int solve_axis)
    : axes_(axes),
      solve_axis_(solve_axis),
      row_modes_(axes[0].cells, !axes[0].tridiagonal && axes[0].basis == Basis::fourier) {
  for (int a = 0; a < 3; ++a) {
    const PoissonAxis& axis = axes_[a];
    if (axis.tridiagonal && a != solve_axis) {
      throw Error("the Poisson solver was given a tridiagonal axis that is not its last one");
    }
    const auto n = static_cast<std::size_t>(axis.cells);
    weight_[a].assign(n, axis.dx);
    if (axis.tridiagonal) {
      eigenvalue_[a].assign(n, 0.0);
      weight_[a] = axis.matrix.width;
    } else {
      eigenvalue_[a] = second_difference_eigenvalues(axis.basis, axis.cells, axis.dx);
      scale_ /= static_cast<double>(axis.cells);
    }
  }
  std::vector<double> by_place(static_cast<std::size_t>(row_modes_.doubles()));
  for (std::int64_t d = 0; d < row_modes_.doubles(); ++d) {
    // Padding: anything that can be divided by.
    by_place[d] = row_modes_.complex() || d < axes_[0].cells ? eigenvalue_[0][row_modes_.mode_of(d)] : -1.0;
  }
  eigenvalue_[0] = by_place;
}

std::unique_ptr<PoissonModes> PoissonModes::create(Queue& queue, const std::array<PoissonAxis, 3>& axes,
                                                   int solve_axis) {
#ifdef HALYARD_CUDA
  if (queue.device() == Device::cuda) {
    return cuda::create_poisson_modes(queue, axes, solve_axis);
  }
#endif
  return host::create_poisson_modes(queue, axes, solve_axis);
}

std::int64_t PoissonModes::fast_cells(int axis) const {
  const std::int64_t n = axes_[axis].cells;
  if (axes_[axis].tridiagonal) {
    return n;
  }
  for (std::int64_t size = n;; ++size) {
    const bool halved = axis == 0 && size % 2 == 0;
    const auto length = static_cast<int>(halved ? size / 2 : size);
    if (host::next_fast_size(length) == length) {
      return size;
    }
  }
}

std::string PoissonModes::axis_description(int axis) const {
  const PoissonAxis& a = axes_[axis];
  const std::string kind = a.tridiagonal ? "tridiagonal" : a.basis == Basis::fourier ? "Fourier" : "cosine";
  return kind + " " + std::to_string(a.cells);
}

}  // namespace halyard
