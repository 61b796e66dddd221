#pragma once
#include <array>
#include <string>

namespace halyard {

/// Ranks as bricks of a box cut in even parts along its three edges. Rank = (cz * py + cy) * px + cx.
struct BrickGrid {
  std::array<int, 3> parts{1, 1, 1};

  bool operator==(const BrickGrid&) const = default;
  int ranks() const { return parts[0] * parts[1] * parts[2]; }
  std::array<int, 3> place(int rank) const {
    return {rank % parts[0], rank / parts[0] % parts[1], rank / (parts[0] * parts[1])};
  }
  int rank_at(const std::array<int, 3>& c) const { return (c[2] * parts[1] + c[1]) * parts[0] + c[0]; }
  /// The part that a fraction of an edge in [0, 1) belongs to; what lies beyond belongs to the last (or first).
  int part_of(int axis, double fraction) const;
  std::string text() const;
};

/// The volume of one brick, alone and with what lies within `reach` over the sides that have a neighbour.
struct BrickVolumes {
  double brick, with_ghosts;
};
BrickVolumes brick_volumes(const std::array<double, 3>& widths, double reach, const BrickGrid& grid);

/// The grid of `ranks` bricks with the least volume of ghosts, whose bricks are at least `reach` wide along every edge
/// that is cut. widths: distances between opposite faces of the box.
/// @throws Error when there is none, naming the largest number of ranks that is allowed.
BrickGrid choose_brick_grid(const std::array<double, 3>& widths, double reach, int ranks);

/// @throws Error when the grid does not fit the number of ranks, or a brick is thinner than `reach`, naming both
/// lengths and the largest grid.
void check_brick_grid(const std::array<double, 3>& widths, double reach, const BrickGrid& grid, int ranks);

}  // namespace halyard
