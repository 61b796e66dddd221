#pragma once
#include <array>
#include <limits>

#include "kernels/device/error.hpp"
#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

namespace halyard::flow {

enum class BoundaryKind { periodic, no_slip, free_slip };

/// What holds at one side of the box. `velocity` [m/s] is the wall's own; its normal component is zero.
struct Boundary {
  BoundaryKind kind = BoundaryKind::periodic;
  std::array<double, 3> velocity{0.0, 0.0, 0.0};
};

/// The two ends of one axis.
struct BoundaryPair {
  Boundary lower, upper;
};

/// Which ends of an axis belong to this rank's block and are not periodic (periodic ends are
/// filled from the other end: solvers/parallel).
struct OwnedEnds {
  bool lower = false, upper = false;
  /// [m] Distance from the centre of the ghost to that of the cell inside, for conditions that take a length.
  double lower_gap = std::numeric_limits<double>::quiet_NaN(), upper_gap = std::numeric_limits<double>::quiet_NaN();
};

/// Ghost = constant + factor * the value inside.
struct GhostRule {
  double constant, factor;
};

/// The rule for component `c` of the velocity, tangential to a wall; `gap` as in OwnedEnds.
inline GhostRule tangential_ghost(const Boundary& wall, int c, [[maybe_unused]] double gap) {
  switch (wall.kind) {
    case BoundaryKind::no_slip:
      return {2.0 * wall.velocity[c], -1.0};
    case BoundaryKind::free_slip:
      return {0.0, 1.0};
    case BoundaryKind::periodic:
      break;
  }
  throw Error("A periodic side has no wall whose ghosts could be set.");
}

/// Sets the ghosts of the velocity beyond the owned ends of `axis`, and the normal velocity on the wall itself:
/// tangential ghosts by tangential_ghost; normal velocity zero, its ghost beyond the upper wall the mirror image.
/// Covers the ghosts of the other two axes, which must be filled before.
void fill_boundary(Queue& queue, int axis, const BoundaryPair& boundary, const OwnedEnds& ends,
                   const VectorView<double>& u, const Range3& cells);

/// Sets the ghosts of a cell-centred field beyond the owned ends of `axis` to the value inside (zero normal
/// derivative).
void fill_zero_gradient(Queue& queue, int axis, const OwnedEnds& ends, const View3<double>& field, const Range3& cells);

}  // namespace halyard::flow
