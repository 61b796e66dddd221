#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/device/buffer.hpp"
#include "kernels/device/view.hpp"

namespace halyard::md {

/// Three components of a quantity of each atom, each an array over slots.
template <class T>
struct SlotVector {
  View1<T> x, y, z;

  /// A view that may write is a view that may read.
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator SlotVector<U>() const {
    return {{x.data}, {y.data}, {z.data}};
  }
};
template <class T>
SlotVector<T> slot_vector(std::array<Buffer<T>, 3>& a) {
  return {{a[0].data()}, {a[1].data()}, {a[2].data()}};
}
template <class T>
SlotVector<const T> slot_vector(const std::array<Buffer<T>, 3>& a) {
  return {{a[0].data()}, {a[1].data()}, {a[2].data()}};
}

/// Which slots an operator acts on: the first `count` (the owned ones), of them those whose bits meet the mask; all
/// when there are no bits. Empty slots among them have velocity and force 0 and lie far away.
struct SlotGroup {
  int count = 0;
  View1<const std::uint32_t> bits;
  std::uint32_t mask = 0;

  bool all() const { return bits.data == nullptr; }
};

}  // namespace halyard::md
