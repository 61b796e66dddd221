#pragma once
// The device's loops, the same interface as host/parallel_for.hpp.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/cuda/launch.cuh"
#include "kernels/device/exact_sum.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

namespace halyard::cuda {

namespace detail {

constexpr int block_x = 64, block_y = 4;
constexpr int warp = 32;

template <class K, class... More>
KernelRecord& record_of() {
  static KernelRecord& record =
      kernel_record(kernel_name(typeid(K).name()),
                    {(K::cost.bytes + ... + More::cost.bytes), (K::cost.flops + ... + More::cost.flops)});
  return record;
}

template <class... K>
__global__ void __launch_bounds__(block_x* block_y) for_each_cell(const Range3 range, K... kernel) {
  const int i = range.i0 + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= range.i1) {
    return;
  }
  // The launch has at most 65535 blocks along y and z.
  // Not unrolled: the larger kernels would spill.
#pragma unroll 1
  for (int k = range.k0 + static_cast<int>(blockIdx.z); k < range.k1; k += static_cast<int>(gridDim.z)) {
#pragma unroll 1
    for (int j = range.j0 + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < range.j1;
         j += static_cast<int>(gridDim.y * blockDim.y)) {
      (kernel(i, j, k), ...);
    }
  }
}

/// One warp a row; lane partial sums, then a fixed tree: the same bits at every run.
template <std::size_t N, class K>
__global__ void sum_rows(const K kernel, const Range3 range, double* rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  const int nj = range.j1 - range.j0, nk = range.k1 - range.k0;
  if (row >= nj * nk) {
    return;
  }
  const int j = range.j0 + row % nj, k = range.k0 + row / nj;
  double sum[N] = {};
  for (int i = range.i0 + static_cast<int>(threadIdx.x); i < range.i1; i += warp) {
    const auto value = kernel(i, j, k);
    for (std::size_t c = 0; c < N; ++c) {
      sum[c] += value.v[c];
    }
  }
  for (std::size_t c = 0; c < N; ++c) {
    for (int offset = warp / 2; offset > 0; offset /= 2) {
      sum[c] += __shfl_down_sync(0xffffffffU, sum[c], offset);
    }
    if (threadIdx.x == 0) {
      rows[static_cast<std::int64_t>(row) * N + c] = sum[c];
    }
  }
}

template <class K>
__global__ void max_rows(const K kernel, const Range3 range, double floor, double* rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  const int nj = range.j1 - range.j0, nk = range.k1 - range.k0;
  if (row >= nj * nk) {
    return;
  }
  const int j = range.j0 + row % nj, k = range.k0 + row / nj;
  double largest = floor;
  for (int i = range.i0 + static_cast<int>(threadIdx.x); i < range.i1; i += warp) {
    const double value = static_cast<double>(kernel(i, j, k));
    largest = value > largest ? value : largest;
  }
  for (int offset = warp / 2; offset > 0; offset /= 2) {
    const double other = __shfl_down_sync(0xffffffffU, largest, offset);
    largest = other > largest ? other : largest;
  }
  if (threadIdx.x == 0) {
    rows[row] = largest;
  }
}

template <class K>
struct AsNumber {
  K kernel;
  __device__ double operator()(int i, int j, int k) const { return kernel(i, j, k) ? 1.0 : 0.0; }
};

template <class K>
struct AsTerms {
  K kernel;
  __device__ Terms<1> operator()(int i, int j, int k) const { return {{kernel(i, j, k)}}; }
};

/// Row results, brought to the host: what fixed-order sums need. One wait.
template <std::size_t N, class LaunchRows>
std::vector<double> row_results(Queue& queue, const Range3& range, LaunchRows launch_rows) {
  const std::int64_t rows = std::int64_t{range.j1 - range.j0} * (range.k1 - range.k0);
  std::vector<double> result(static_cast<std::size_t>(rows) * N);
  if (rows == 0 || range.i1 <= range.i0) {
    result.clear();
    return result;
  }
  Buffer<double> device_rows(queue, result.size(), "row sums", MemoryKind::device);
  constexpr int rows_per_block = 8;
  const dim3 block(warp, rows_per_block);
  const dim3 grid(static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block));
  launch_rows(grid, block, device_rows.data());
  copy_bytes(queue, result.data(), device_rows.data(), device_rows.bytes());
  queue.wait();
  return result;
}

}  // namespace detail

template <class K, class... More>
void parallel_for(Queue& queue, const Range3& range, const K& kernel, const More&... more) {
  const KernelTimer timer(detail::record_of<K, More...>(), range.count());
  if (range.count() == 0) {
    return;
  }
  const dim3 block(detail::block_x, detail::block_y);
  const auto blocks = [](int n, int per_block) { return static_cast<unsigned>((n + per_block - 1) / per_block); };
  constexpr unsigned most = 65535;
  const dim3 grid(blocks(range.i1 - range.i0, detail::block_x),
                  std::min(blocks(range.j1 - range.j0, detail::block_y), most),
                  std::min(static_cast<unsigned>(range.k1 - range.k0), most));
  launch(queue, grid, block, detail::for_each_cell<K, More...>, range, kernel, more...);
}

template <class K>
double reduce_max(Queue& queue, const Range3& range, const K& kernel, double floor) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
  const auto rows = detail::row_results<1>(queue, range, [&](dim3 grid, dim3 block, double* out) {
    launch(queue, grid, block, detail::max_rows<K>, kernel, range, floor, out);
  });
  double largest = floor;
  for (const double row : rows) {
    largest = std::max(largest, row);
  }
  return largest + 0.0;  // -0 becomes +0, as on the host
}

template <std::size_t N, class K>
void reduce_sum(Queue& queue, const Range3& range, const K& kernel, ExactSum (&total)[N]) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
  const auto rows = detail::row_results<N>(queue, range, [&](dim3 grid, dim3 block, double* out) {
    launch(queue, grid, block, detail::sum_rows<N, K>, kernel, range, out);
  });
  for (std::size_t r = 0; r < rows.size(); ++r) {
    total[r % N].add(rows[r]);
  }
}

template <class K>
std::int64_t count_if(Queue& queue, const Range3& range, const K& kernel) {
  const KernelTimer timer(detail::record_of<K>(), range.count());
  const detail::AsTerms<detail::AsNumber<K>> ones{{kernel}};
  const auto rows = detail::row_results<1>(queue, range, [&](dim3 grid, dim3 block, double* out) {
    launch(queue, grid, block, detail::sum_rows<1, detail::AsTerms<detail::AsNumber<K>>>, ones, range, out);
  });
  double count = 0.0;
  for (const double row : rows) {
    count += row;  // whole numbers below 2^53
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace halyard::cuda
