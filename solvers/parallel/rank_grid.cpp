#include "solvers/parallel/rank_grid.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/device/error.hpp"

namespace halyard {

namespace {

/// Whether n cells may be cut into so many parts.
bool splits(std::int64_t n, int parts, int halo) { return parts == 1 || n / parts >= std::max(halo, 1); }

/// Ghost cells that the largest block receives from other ranks, per cell along x and ghost layer.
std::int64_t halo_surface(const Index3& cells, const RankGrid& grid) {
  const auto largest_part = [](std::int64_t n, int parts) { return (n + parts - 1) / parts; };
  return (grid.py > 1 ? 2 * largest_part(cells[2], grid.pz) : 0) +
         (grid.pz > 1 ? 2 * largest_part(cells[1], grid.py) : 0);
}

std::optional<RankGrid> best_grid(const Index3& cells, int ranks, int halo) {
  std::optional<RankGrid> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int py = 1; py <= ranks; ++py) {
    const RankGrid grid{py, ranks / py};
    if (ranks % py != 0 || !splits(cells[1], grid.py, halo) || !splits(cells[2], grid.pz, halo)) {
      continue;
    }
    const std::int64_t surface = halo_surface(cells, grid);
    if (surface < least) {
      least = surface;
      best = grid;
    }
  }
  return best;
}

std::string text_of(const RankGrid& grid) { return std::to_string(grid.py) + " x " + std::to_string(grid.pz); }

std::string text_of(const Index3& cells) {
  return std::to_string(cells[0]) + " x " + std::to_string(cells[1]) + " x " + std::to_string(cells[2]) + " cells";
}

int most_parts(std::int64_t n, int halo) {
  return static_cast<int>(std::clamp<std::int64_t>(n / std::max(halo, 1), 1, std::numeric_limits<int>::max()));
}

}  // namespace

RankGrid choose_rank_grid(const Index3& cells, int ranks, int halo) {
  if (const auto best = best_grid(cells, ranks, halo)) {
    return *best;
  }
  const int allowed = largest_rank_count(cells, ranks, halo);
  const RankGrid grid = choose_rank_grid(cells, allowed, halo);
  throw Error(std::to_string(ranks) + " ranks are too many for " + text_of(cells) +
              ": in every rank grid a block would be thinner than its halo of " + std::to_string(halo) +
              "; the largest number of ranks up to " + std::to_string(ranks) + " that fits is " +
              std::to_string(allowed) + " (rank grid py x pz = " + text_of(grid) + ")");
}

void check_rank_grid(const Index3& cells, const RankGrid& grid, int ranks, int halo) {
  if (grid.py < 1 || grid.pz < 1 || std::int64_t{grid.py} * grid.pz != ranks) {
    throw Error("the rank grid py x pz = " + text_of(grid) + " is not made of the " + std::to_string(ranks) +
                " ranks of this run");
  }
  if (!splits(cells[1], grid.py, halo) || !splits(cells[2], grid.pz, halo)) {
    throw Error("the rank grid py x pz = " + text_of(grid) + " cuts " + text_of(cells) +
                " into blocks thinner than their halo of " + std::to_string(halo) +
                "; the largest grid allowed is py x pz = " +
                text_of(RankGrid{most_parts(cells[1], halo), most_parts(cells[2], halo)}));
  }
}

int largest_rank_count(const Index3& cells, int ranks, int halo) {
  while (ranks > 1 && !best_grid(cells, ranks, halo)) {
    --ranks;
  }
  return ranks;
}

Decomposition::Decomposition(const Index3& cells, const std::array<bool, 3>& periodic, const RankGrid& grid, int rank)
    : cells_(cells), periodic_(periodic), grid_(grid), rank_(rank) {}

int Decomposition::owner(std::int64_t j, std::int64_t k) const {
  const auto part_of = [](std::int64_t n, std::int64_t parts, std::int64_t item) {
    // The first n mod parts parts hold one item more (even_part).
    const std::int64_t base = n / parts, larger = n % parts, in_larger = larger * (base + 1);
    return static_cast<int>(item < in_larger ? item / (base + 1) : larger + (item - in_larger) / base);
  };
  return rank_at(part_of(cells_[1], grid_.py, j), part_of(cells_[2], grid_.pz, k));
}

int Decomposition::neighbour(int dy, int dz) const {
  const auto moved = [](int at, int step, int parts, bool periodic) {
    const int to = at + step;
    return to >= 0 && to < parts ? to : periodic ? (to + parts) % parts : -1;
  };
  const int y = moved(cy(), dy, grid_.py, periodic_[1]), z = moved(cz(), dz, grid_.pz, periodic_[2]);
  return y < 0 || z < 0 ? -1 : rank_at(y, z);
}

Box Decomposition::pencil(int axis, int rank) const {
  const int y = rank % grid_.py, z = rank / grid_.py;
  Box box = global();
  const auto cut = [&](int along, int parts, int part) {
    const auto range = even_part(cells_[along], parts, part);
    box.begin[along] = range[0];
    box.end[along] = range[1];
  };
  cut(axis == 0 ? 1 : 0, grid_.py, y);
  cut(axis == 2 ? 1 : 2, grid_.pz, z);
  return box;
}

std::vector<Box> Decomposition::pencils(int axis) const {
  std::vector<Box> all;
  for (int rank = 0; rank < ranks(); ++rank) {
    all.push_back(pencil(axis, rank));
  }
  return all;
}

}  // namespace halyard
