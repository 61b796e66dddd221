#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/device/backend.hpp"

namespace halyard {

/// A range of local cell indices, half open on each axis; i along x runs fastest. Indices are local to a rank's block
/// and fit in 32 bits; offsets into memory are 64-bit.
struct Range3 {
  int i0 = 0, i1 = 0;
  int j0 = 0, j1 = 0;
  int k0 = 0, k1 = 0;

  KERNEL std::int64_t count() const {
    return i1 > i0 && j1 > j0 && k1 > k0 ? std::int64_t{i1 - i0} * (j1 - j0) * (k1 - k0) : 0;
  }
};

/// A non-owning row of numbers; element 0 is the first owned one, ghosts have negative indices.
template <class T>
struct View1 {
  T* data = nullptr;

  KERNEL T& operator()(int i) const { return data[i]; }
};

/// A non-owning 3-D array, unit stride along i; `data` points to element (0, 0, 0), ghosts have negative indices.
template <class T>
struct View3 {
  T* data = nullptr;
  std::int64_t stride_j = 0, stride_k = 0;  // in elements

  KERNEL T& operator()(int i, int j, int k) const { return data[i + j * stride_j + k * stride_k]; }
  /// The address of (0, j, k).
  KERNEL T* row(int j, int k) const { return data + (j * stride_j + k * stride_k); }
  /// A view that may write is a view that may read.
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) KERNEL operator View3<U>() const {
    return {data, stride_j, stride_k};
  }
};

/// The terms of one cell in a sum of N quantities (what the kernels given to reduce_sum return).
template <int N>
struct Terms {
  double v[N];
};

/// Three components that belong together, each on its own staggered place.
template <class T>
struct VectorView {
  View3<T> x, y, z;

  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) KERNEL operator VectorView<U>() const {
    return {x, y, z};
  }
};

}  // namespace halyard
