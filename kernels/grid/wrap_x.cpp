#include "kernels/grid/wrap_x.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard {
namespace HALYARD_BACKEND {

struct WrapX {
  static constexpr Cost cost{.bytes = 32, .flops = 0};  // per ghost pair: two in, two out
  int nx;
  View3<double> field;
  KERNEL void operator()(int ghost, int j, int k) const {  // ghost = 0 is the layer next to the cells
    field(-1 - ghost, j, k) = field(nx - 1 - ghost % nx, j, k);
    field(nx + ghost, j, k) = field(ghost % nx, j, k);
  }
};

void wrap_x(Queue& queue, const Index3& extents, std::span<const View3<double>> fields, int width) {
  const Range3 ghosts{0, width, 0, static_cast<int>(extents[1]), 0, static_cast<int>(extents[2])};
  for (const View3<double>& field : fields) {
    parallel_for(queue, ghosts, WrapX{static_cast<int>(extents[0]), field});
  }
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, wrap_x, (Queue & queue, const Index3& extents, std::span<const View3<double>> fields, int width),
                 (queue, extents, fields, width))

}  // namespace halyard
