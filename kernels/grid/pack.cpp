#include "kernels/grid/pack.hpp"

#include "kernels/device/buffer.hpp"
#include "kernels/device/parallel_for.hpp"

namespace halyard {
namespace HALYARD_BACKEND {

/// Offset of cell (i, j, k) in a dense array over the range, x fastest.
struct DenseOffset {
  Range3 range;
  KERNEL std::int64_t operator()(int i, int j, int k) const {
    const std::int64_t nx = range.i1 - range.i0, ny = range.j1 - range.j0;
    return (i - range.i0) + nx * ((j - range.j0) + ny * (k - range.k0));
  }
};

struct PackCells {
  static constexpr Cost cost{.bytes = 16, .flops = 0};
  DenseOffset offset;
  int components, component;
  View3<const double> field;
  double* values;
  KERNEL void operator()(int i, int j, int k) const {
    values[offset(i, j, k) * components + component] = field(i, j, k);
  }
};

struct UnpackCells {
  static constexpr Cost cost{.bytes = 16, .flops = 0};
  DenseOffset offset;
  const double* values;
  View3<double> field;
  KERNEL void operator()(int i, int j, int k) const { field(i, j, k) = values[offset(i, j, k)]; }
};

void pack_cells(Queue& queue, std::span<const View3<const double>> components, const Range3& range,
                std::span<double> values) {
  const bool on_host = queue.device() == Device::host;
  Buffer<double> staging;
  if (!on_host) {
    staging = Buffer<double>(queue, values.size(), "packed cells");
  }
  double* const packed = on_host ? values.data() : staging.data();
  for (std::size_t c = 0; c < components.size(); ++c) {
    parallel_for(queue, range,
                 PackCells{{range}, static_cast<int>(components.size()), static_cast<int>(c), components[c], packed});
  }
  if (!on_host) {
    copy_bytes(queue, values.data(), packed, values.size_bytes());
    queue.wait();
  }
}

void unpack_cells(Queue& queue, std::span<const double> values, const View3<double>& field, const Range3& range) {
  const bool on_host = queue.device() == Device::host;
  Buffer<double> staging;
  const double* packed = values.data();
  if (!on_host) {
    staging = Buffer<double>(queue, values.size(), "packed cells");
    copy_bytes(queue, staging.data(), values.data(), values.size_bytes());
    packed = staging.data();
  }
  parallel_for(queue, range, UnpackCells{{range}, packed, field});
  queue.wait();
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, pack_cells,
                 (Queue & queue, std::span<const View3<const double>> components, const Range3& range,
                  std::span<double> values),
                 (queue, components, range, values))
HALYARD_DISPATCH(void, unpack_cells,
                 (Queue & queue, std::span<const double> values, const View3<double>& field, const Range3& range),
                 (queue, values, field, range))

}  // namespace halyard
