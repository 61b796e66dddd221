#include "solvers/parallel/brick_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/device/error.hpp"

namespace halyard {

namespace {

int largest_parts(double width, double reach) {
  return reach > 0.0 ? static_cast<int>(std::clamp(std::floor(width / reach), 1.0, 1e6)) : 1'000'000;
}

bool fits(const std::array<double, 3>& widths, double reach, const BrickGrid& grid) {
  for (int d = 0; d < 3; ++d) {
    if (grid.parts[d] > 1 && grid.parts[d] > largest_parts(widths[d], reach)) {
      return false;
    }
  }
  return true;
}

std::optional<BrickGrid> best_grid(const std::array<double, 3>& widths, double reach, int ranks) {
  std::optional<BrickGrid> best;
  double least = 0.0;
  for (int px = 1; px <= ranks; ++px) {
    for (int py = 1; ranks % px == 0 && py <= ranks / px; ++py) {
      if (ranks / px % py != 0) {
        continue;
      }
      const BrickGrid grid{{px, py, ranks / px / py}};
      if (!fits(widths, reach, grid)) {
        continue;
      }
      const BrickVolumes volumes = brick_volumes(widths, reach, grid);
      const double ghosts = volumes.with_ghosts - volumes.brick;
      // Cuts along z before cuts along x where both are equal but for rounding.
      if (!best || ghosts < least * (1.0 - 1e-12)) {
        best = grid;
        least = ghosts;
      }
    }
  }
  return best;
}

}  // namespace

int BrickGrid::part_of(int axis, double fraction) const {
  return std::clamp(static_cast<int>(std::floor(fraction * parts[axis])), 0, parts[axis] - 1);
}

BrickVolumes brick_volumes(const std::array<double, 3>& widths, double reach, const BrickGrid& grid) {
  BrickVolumes volumes{1.0, 1.0};
  for (int d = 0; d < 3; ++d) {
    const double edge = widths[d] / grid.parts[d];
    volumes.brick *= edge;
    volumes.with_ghosts *= grid.parts[d] > 1 ? edge + 2.0 * reach : edge;
  }
  return volumes;
}

std::string BrickGrid::text() const { return fmt::format("{} x {} x {}", parts[0], parts[1], parts[2]); }

BrickGrid choose_brick_grid(const std::array<double, 3>& widths, double reach, int ranks) {
  if (const auto best = best_grid(widths, reach, ranks)) {
    return *best;
  }
  int largest = ranks - 1;
  while (largest > 1 && !best_grid(widths, reach, largest)) {
    --largest;
  }
  throw Error(
      fmt::format("{} ranks are too many: each must be at least {:.4g} wide (cutoff and skin) along every edge that is "
                  "cut, and the "
                  "box is {:.4g} x {:.4g} x {:.4g}. The largest number that fits is {}.",
                  ranks, reach, widths[0], widths[1], widths[2], largest));
}

void check_brick_grid(const std::array<double, 3>& widths, double reach, const BrickGrid& grid, int ranks) {
  if (grid.ranks() != ranks) {
    throw Error(fmt::format("is {} = {} ranks, but {} are running.", grid.text(), grid.ranks(), ranks));
  }
  if (!fits(widths, reach, grid)) {
    throw Error(fmt::format(
        "is {}: bricks of {:.4g} x {:.4g} x {:.4g}, of which those along cut edges must be at least {:.4g} (cutoff and "
        "skin) wide; at most {} x {} x {} fit.",
        grid.text(), widths[0] / grid.parts[0], widths[1] / grid.parts[1], widths[2] / grid.parts[2], reach,
        largest_parts(widths[0], reach), largest_parts(widths[1], reach), largest_parts(widths[2], reach)));
  }
}

}  // namespace halyard
