#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "kernels/grid/box.hpp"
#include "kernels/grid/metrics.hpp"
#include "solvers/flow/case.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::flow {

/// The velocity that [initial] gives, before the projection: formulas and noise, both functions of the global cell, so
/// that no value depends on the rank or thread that computes it.
class InitialVelocity {
 public:
  InitialVelocity(const FlowCase& settings, const std::array<Axis, 3>& axes) : settings_(settings), axes_(axes) {}

  /// Component c [m/s] on the upper c faces of the block's cells, x fastest; an empty span: only looks. Returns the
  /// lowest global cell, x fastest, whose formula gives no velocity (not finite, or beyond kLargestInput); none where
  /// all do. Local.
  static constexpr std::int64_t none = INT64_MAX;
  std::int64_t fill(int c, const Box& block, std::span<double> values) const;

  /// @throws Error on every rank where `spoilt` (of fill(), by component) holds a cell on any: at the position of
  /// initial.u, .v, .w, with the lowest cell, its place and its value. Collective.
  void require_velocity(const Communicator& comm, const CaseSchema& schema, std::array<std::int64_t, 3> spoilt) const;

 private:
  /// [m] where component c of cell i along an axis lives: on its upper face along c, else at its centre.
  double place(int c, int axis, std::int64_t i) const {
    return axis == c ? axes_[axis].faces[i + 1] : axes_[axis].centre(i);
  }

  const FlowCase& settings_;
  const std::array<Axis, 3>& axes_;
};

}  // namespace halyard::flow
