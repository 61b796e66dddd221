#include "kernels/flow/boundary.hpp"

#include "kernels/device/parallel_for.hpp"

namespace halyard::flow {
namespace HALYARD_BACKEND {

/// The layer of cells at index `at` on `axis`, with the ghosts of the other axes.
inline Range3 layer(const Range3& cells, int axis, int at) {
  Range3 range{cells.i0 - 1, cells.i1 + 1, cells.j0 - 1, cells.j1 + 1, cells.k0 - 1, cells.k1 + 1};
  int* const bounds[3][2] = {{&range.i0, &range.i1}, {&range.j0, &range.j1}, {&range.k0, &range.k1}};
  *bounds[axis][0] = at;
  *bounds[axis][1] = at + 1;
  return range;
}

/// Moves `steps` cells along one axis.
struct Shift {
  int i = 0, j = 0, k = 0;
  KERNEL static Shift along(int axis, int steps) {
    return {axis == 0 ? steps : 0, axis == 1 ? steps : 0, axis == 2 ? steps : 0};
  }
};

/// field = constant + factor * (the value `from` cells away).
struct ReflectInto {
  static constexpr Cost cost{.bytes = 16, .flops = 2};
  double constant, factor;
  Shift from;
  View3<double> field;
  KERNEL void operator()(int i, int j, int k) const {
    field(i, j, k) = constant + factor * field(i + from.i, j + from.j, k + from.k);
  }
};

struct SetValue {
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  double value;
  View3<double> field;
  KERNEL void operator()(int i, int j, int k) const { field(i, j, k) = value; }
};

void fill_boundary(Queue& queue, int axis, const BoundaryPair& boundary, const OwnedEnds& ends,
                   const VectorView<double>& u, const Range3& cells) {
  const View3<double> component[3] = {u.x, u.y, u.z};
  const int n = axis == 0 ? cells.i1 : axis == 1 ? cells.j1 : cells.k1;
  const auto fill_side = [&](const Boundary& side, bool upper) {
    const int ghost = upper ? n : -1;
    const Shift inwards = Shift::along(axis, upper ? -1 : 1);
    for (int c = 0; c < 3; ++c) {
      if (c == axis) {
        continue;
      }
      const GhostRule rule = tangential_ghost(side, c, upper ? ends.upper_gap : ends.lower_gap);
      parallel_for(queue, layer(cells, axis, ghost), ReflectInto{rule.constant, rule.factor, inwards, component[c]});
    }
    // The wall is the face -1 below and n - 1 above.
    parallel_for(queue, layer(cells, axis, upper ? n - 1 : -1), SetValue{0.0, component[axis]});
    if (upper) {
      const Shift two_inwards = Shift::along(axis, -2);
      parallel_for(queue, layer(cells, axis, n), ReflectInto{0.0, -1.0, two_inwards, component[axis]});
    }
  };
  if (ends.lower) {
    fill_side(boundary.lower, false);
  }
  if (ends.upper) {
    fill_side(boundary.upper, true);
  }
}

void fill_zero_gradient(Queue& queue, int axis, const OwnedEnds& ends, const View3<double>& field,
                        const Range3& cells) {
  const int n = axis == 0 ? cells.i1 : axis == 1 ? cells.j1 : cells.k1;
  if (ends.lower) {
    parallel_for(queue, layer(cells, axis, -1), ReflectInto{0.0, 1.0, Shift::along(axis, 1), field});
  }
  if (ends.upper) {
    parallel_for(queue, layer(cells, axis, n), ReflectInto{0.0, 1.0, Shift::along(axis, -1), field});
  }
}

}  // namespace HALYARD_BACKEND

HALYARD_DISPATCH(void, fill_boundary,
                 (Queue & queue, int axis, const BoundaryPair& boundary, const OwnedEnds& ends,
                  const VectorView<double>& u, const Range3& cells),
                 (queue, axis, boundary, ends, u, cells))
HALYARD_DISPATCH(void, fill_zero_gradient,
                 (Queue & queue, int axis, const OwnedEnds& ends, const View3<double>& field, const Range3& cells),
                 (queue, axis, ends, field, cells))

}  // namespace halyard::flow
