#include "kernels/md/analysis/pair_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halyard::md {

namespace {

/// Points sorted into cells, cells along x next to each other.
struct Cells {
  std::array<double, 3> lower{}, size{};  // in units of the box edges
  std::array<int, 3> count{1, 1, 1};
  std::array<int, 3> reach{0, 0, 0};  // cells that a distance of `range` may cross
  std::vector<std::int64_t> start;
  std::array<std::vector<double>, 3> x, shift;  // of the points in the order of cells; shift = image * edges
  std::vector<std::int32_t> type;

  int at(const std::array<int, 3>& c) const { return (c[2] * count[1] + c[1]) * count[0] + c[0]; }
  std::array<int, 3> cell_of(const std::array<double, 3>& f) const {
    std::array<int, 3> c{};
    for (std::size_t d = 0; d < 3; ++d) {
      c[d] = std::clamp(static_cast<int>((f[d] - lower[d]) / size[d]), 0, count[d] - 1);
    }
    return c;
  }
};

/// Where the point lies that an image stands for, in units of the edges.
std::array<double, 3> place(const SimulationBox& box, const PairPoints& points, std::size_t a) {
  std::array<double, 3> f = box.fraction({points.x[0][a], points.x[1][a], points.x[2][a]});
  for (std::size_t d = 0; d < 3; ++d) {
    f[d] += points.image[a][d];
  }
  return f;
}

Cells sort_into_cells(const SimulationBox& box, const PairPoints& points, double range) {
  Cells cells;
  std::array<double, 3> upper{};
  cells.lower.fill(std::numeric_limits<double>::infinity());
  upper.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t a = 0; a < points.size(); ++a) {
    const std::array<double, 3> f = place(box, points, a);
    for (std::size_t d = 0; d < 3; ++d) {
      cells.lower[d] = std::min(cells.lower[d], f[d]);
      upper[d] = std::max(upper[d], f[d]);
    }
  }
  // Cells of half the range; fewer and larger ones where most would be empty.
  const double most = std::max(1.0, std::cbrt(2.0 * static_cast<double>(points.size())));
  for (std::size_t d = 0; d < 3; ++d) {
    const double extent = upper[d] - cells.lower[d], width = box.width(static_cast<int>(d));
    const double wanted = std::max(extent * width / (0.5 * range), 1.0);
    cells.count[d] = static_cast<int>(std::min(wanted, most));
    cells.size[d] = extent > 0.0 ? extent / cells.count[d] : 1.0;
    // A hair more than the range, for what rounding does to the places of points beside a cell's side.
    cells.reach[d] = static_cast<int>(
        std::min<double>(cells.count[d], std::floor(1.0 + range * (1.0 + 1e-9) / (width * cells.size[d]) + 1e-9)));
  }
  const std::size_t total = static_cast<std::size_t>(cells.count[0]) * static_cast<std::size_t>(cells.count[1]) *
                            static_cast<std::size_t>(cells.count[2]);
  cells.start.assign(total + 1, 0);
  std::vector<std::int64_t> cell(points.size());
  for (std::size_t a = 0; a < points.size(); ++a) {
    cell[a] = cells.at(cells.cell_of(place(box, points, a)));
    ++cells.start[static_cast<std::size_t>(cell[a]) + 1];
  }
  for (std::size_t c = 0; c < total; ++c) {
    cells.start[c + 1] += cells.start[c];
  }
  std::vector<std::int64_t> next(cells.start.begin(), cells.start.end() - 1);
  for (std::size_t d = 0; d < 3; ++d) {
    cells.x[d].resize(points.size());
    cells.shift[d].resize(points.size());
  }
  cells.type.resize(points.size());
  for (std::size_t a = 0; a < points.size(); ++a) {
    const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(cell[a])]++);
    const std::array<double, 3> shift =
        box.lattice_vector({points.image[a][0], points.image[a][1], points.image[a][2]});
    for (std::size_t d = 0; d < 3; ++d) {
      cells.x[d][to] = points.x[d][a];
      cells.shift[d][to] = shift[d];
    }
    cells.type[to] = points.type[a];
  }
  return cells;
}

/// bin[k] of the points first + k: `bins` where they are beyond the range.
void bins_of(const Cells& cells, const std::array<double, 3>& x, std::int64_t first, int count, double range2,
             double scale, int bins, std::int32_t* bin) {
  const double *xj = cells.x[0].data() + first, *yj = cells.x[1].data() + first, *zj = cells.x[2].data() + first;
  const double *sx = cells.shift[0].data() + first, *sy = cells.shift[1].data() + first,
               *sz = cells.shift[2].data() + first;
#pragma omp simd
  for (int k = 0; k < count; ++k) {
    const double dx = (x[0] - xj[k]) - sx[k], dy = (x[1] - yj[k]) - sy[k], dz = (x[2] - zj[k]) - sz[k];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double at = std::sqrt(r2 < range2 ? r2 : range2) * scale;
    const std::int32_t n = static_cast<std::int32_t>(at);
    // A distance that rounds to the range belongs to the last bin.
    bin[k] = r2 < range2 ? (n < bins ? n : bins - 1) : bins;
  }
}

}  // namespace

void count_distances(const SimulationBox& box, const PairPoints& points, int types, double range, int bins,
                     std::vector<std::int64_t>& counts) {
  if (points.own == 0) {
    return;
  }
  const Cells cells = sort_into_cells(box, points, range);
  const double range2 = range * range, scale = bins / range;
  const auto row = static_cast<std::size_t>(bins) + 1;  // the last entry: beyond the range
  const auto n_types = static_cast<std::size_t>(types);
#pragma omp parallel
  {
    std::vector<std::int64_t> mine(n_types * n_types * row, 0);
    constexpr int chunk = 512;
    alignas(64) std::int32_t bin[chunk];
#pragma omp for schedule(dynamic, 64)
    for (std::size_t i = 0; i < points.own; ++i) {
      const std::array<double, 3> x{points.x[0][i], points.x[1][i], points.x[2][i]};
      const std::array<int, 3> c = cells.cell_of(box.fraction(x));
      std::int64_t* of_type = mine.data() + static_cast<std::size_t>(points.type[i]) * n_types * row;
      const int from = std::max(0, c[0] - cells.reach[0]), to = std::min(cells.count[0] - 1, c[0] + cells.reach[0]);
      for (int cz = std::max(0, c[2] - cells.reach[2]); cz <= std::min(cells.count[2] - 1, c[2] + cells.reach[2]);
           ++cz) {
        for (int cy = std::max(0, c[1] - cells.reach[1]); cy <= std::min(cells.count[1] - 1, c[1] + cells.reach[1]);
             ++cy) {
          const std::int64_t end = cells.start[static_cast<std::size_t>(cells.at({to, cy, cz})) + 1];
          for (std::int64_t j = cells.start[static_cast<std::size_t>(cells.at({from, cy, cz}))]; j < end; j += chunk) {
            const int count = static_cast<int>(std::min<std::int64_t>(chunk, end - j));
            bins_of(cells, x, j, count, range2, scale, bins, bin);
            const std::int32_t* type = cells.type.data() + j;
            for (int k = 0; k < count; ++k) {
              ++of_type[static_cast<std::size_t>(type[k]) * row + static_cast<std::size_t>(bin[k])];
            }
          }
        }
      }
      --of_type[static_cast<std::size_t>(points.type[i]) * row];  // itself, at distance 0
    }
#pragma omp critical(halyard_md_count_distances)
    for (int a = 0; a < types; ++a) {
      for (int b = 0; b < types; ++b) {
        const std::int64_t* from =
            mine.data() + (static_cast<std::size_t>(a) * n_types + static_cast<std::size_t>(b)) * row;
        std::int64_t* to =
            counts.data() + static_cast<std::size_t>(type_pair(a, b, types)) * static_cast<std::size_t>(bins);
        for (int k = 0; k < bins; ++k) {
          to[k] += from[k];
        }
      }
    }
  }
}

}  // namespace halyard::md
