#include "kernels/grid/metrics.hpp"

#include <algorithm>

namespace halyard {

double Axis::width(std::int64_t i) const {
  const std::int64_t n = cells();
  if (uniform) {
    return length() / static_cast<double>(n);
  }
  if (i < 0) {
    i = periodic ? (i % n + n) % n : std::min(-1 - i, n - 1);
  } else if (i >= n) {
    i = periodic ? i % n : std::max<std::int64_t>(2 * n - 1 - i, 0);
  }
  return faces[i + 1] - faces[i];
}

double Axis::smallest_width() const {
  double smallest = width(0);
  for (std::int64_t i = 1; i < cells(); ++i) {
    smallest = std::min(smallest, width(i));
  }
  return smallest;
}

Metrics::Metrics(Queue& queue, const std::array<Axis, 3>& axes, const Box& block) {
  constexpr int rows_per_axis = 8;
  std::array<std::int64_t, 3> row_size{};
  std::int64_t total = 0;
  for (int a = 0; a < 3; ++a) {
    row_size[a] = block.extent(a) + 2;
    total += rows_per_axis * row_size[a];
  }
  values_ = Buffer<double>(queue, static_cast<std::size_t>(total), "grid metrics");
  std::vector<double> host(static_cast<std::size_t>(total));
  std::array<AxisMetrics*, 3> views{&view_.x, &view_.y, &view_.z};
  std::int64_t offset = 0;
  for (int a = 0; a < 3; ++a) {
    const Axis& axis = axes[a];
    const auto add_row = [&](View1<const double>& row, auto value) {
      for (std::int64_t i = -1; i <= block.extent(a); ++i) {
        host[offset + i + 1] = value(block.begin[a] + i);
      }
      row.data = values_.data() + offset + 1;
      offset += row_size[a];
    };
    AxisMetrics& m = *views[a];
    add_row(m.width, [&](std::int64_t i) { return axis.width(i); });
    add_row(m.inv_width, [&](std::int64_t i) { return 1.0 / axis.width(i); });
    add_row(m.gap, [&](std::int64_t i) { return axis.gap(i); });
    add_row(m.inv_gap, [&](std::int64_t i) { return 1.0 / axis.gap(i); });
    add_row(m.weight_low, [&](std::int64_t i) { return 0.5 * axis.width(i) / axis.gap(i); });
    add_row(m.weight_high, [&](std::int64_t i) { return 0.5 * axis.width(i + 1) / axis.gap(i); });
    add_row(m.edge_length, [&](std::int64_t i) {
      const bool at_wall = !axis.periodic && (i == -1 || i == axis.cells() - 1);
      return at_wall ? 0.5 * axis.gap(i) : axis.gap(i);
    });
    add_row(m.owned_width, [&](std::int64_t i) {
      const bool owned = i >= block.begin[a] && i < block.end[a];
      return owned ? axis.width(i) : 0.0;
    });
  }
  copy_bytes(queue, values_.data(), host.data(), values_.bytes());
  queue.wait();
}

}  // namespace halyard
