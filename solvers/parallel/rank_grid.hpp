#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grid/box.hpp"

namespace halyard {

/// Ranks along y and z; x is never split. Rank = cz * py + cy.
struct RankGrid {
  int py = 1;
  int pz = 1;

  bool operator==(const RankGrid&) const = default;
  int ranks() const { return py * pz; }
};

/// The grid of `ranks` ranks whose largest block has the least halo surface; where two are equal, the one with fewer
/// parts along y. `halo` is the number of ghost layers.
/// @throws Error when every grid has a block thinner than its halo, naming the largest rank count that is allowed.
RankGrid choose_rank_grid(const Index3& cells, int ranks, int halo = 1);

/// @throws Error when py x pz is not the number of ranks or a block would be thinner than its halo, naming the largest
/// grid that is allowed. An axis in one part may have any number of cells, also fewer than the halo.
void check_rank_grid(const Index3& cells, const RankGrid& grid, int ranks, int halo = 1);

/// The largest rank count not above `ranks` that choose_rank_grid() accepts.
int largest_rank_count(const Index3& cells, int ranks, int halo = 1);

/// How the global cells are spread over the ranks: x-pencils in a grid of py x pz, parts by even_part().
class Decomposition {
 public:
  Decomposition(const Index3& cells, const std::array<bool, 3>& periodic, const RankGrid& grid, int rank);

  const Index3& cells() const { return cells_; }
  bool periodic(int axis) const { return periodic_[axis]; }
  const RankGrid& grid() const { return grid_; }
  int ranks() const { return grid_.ranks(); }
  int rank() const { return rank_; }
  int cy() const { return rank_ % grid_.py; }
  int cz() const { return rank_ / grid_.py; }
  int rank_at(int cy, int cz) const { return cz * grid_.py + cy; }

  /// The cells that a rank owns.
  Box block(int rank) const { return pencil(0, rank); }
  Box block() const { return block(rank_); }
  Box global() const { return {{0, 0, 0}, cells_}; }
  std::vector<Box> blocks() const { return pencils(0); }
  /// The rank that owns cell (any i, j, k); 0 <= j < cells[1], 0 <= k < cells[2].
  int owner(std::int64_t j, std::int64_t k) const;
  /// True where this rank's block touches the lower (upper) end of the axis, periodic or not.
  bool at_lower(int axis) const { return block().begin[axis] == 0; }
  bool at_upper(int axis) const { return block().end[axis] == cells_[axis]; }
  /// The rank next to this one, dy, dz in {-1, 0, 1}: across periodic ends too, -1 outside the domain.
  int neighbour(int dy, int dz) const;

  /// Boxes whose whole extent along `axis` lies on one rank, for transforms along it. Axis 0: the blocks. Axis 1: x in
  /// py parts by cy, z in pz parts by cz. Axis 2: x in py parts by cy, y in pz parts by cz. Empty where an axis has
  /// fewer cells than parts.
  Box pencil(int axis, int rank) const;
  std::vector<Box> pencils(int axis) const;

 private:
  Index3 cells_;
  std::array<bool, 3> periodic_;
  RankGrid grid_;
  int rank_;
};

}  // namespace halyard
