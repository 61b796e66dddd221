#pragma once
#include <array>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

/// Lengths of one axis around a rank's block, local index 0 the block's first cell; every row has the ghosts -1 and n.
/// Beyond a wall the first cell is mirrored, beyond a periodic side the grid goes on.
struct AxisMetrics {
  View1<const double> width;        // [m] of cell i
  View1<const double> inv_width;    // [1/m]
  View1<const double> inv_gap;      // [1/m] 1 / distance of the centres of i and i+1
  View1<const double> gap;          // [m]
  View1<const double> weight_low;   // share of cell i in the volume between the centres of i and i+1
  View1<const double> weight_high;  // share of cell i+1; the two add up to 1
  View1<const double> edge_length;  // [m] inside the domain between the centres of i and i+1: half of gap at a wall
  View1<const double> owned_width;  // [m] width of the block's own cells; 0 for the ghosts
};

struct GridMetrics {
  AxisMetrics x, y, z;
};

/// One axis of the global grid: face coordinates [m] (n + 1, ascending) and whether its ends meet. On a uniform axis
/// every width is length / n to the last bit, whatever the rounding of the faces: the fast Poisson solver relies on it.
struct Axis {
  std::vector<double> faces;
  bool periodic = true;
  bool uniform = true;

  std::int64_t cells() const { return static_cast<std::int64_t>(faces.size()) - 1; }
  double length() const { return faces.back() - faces.front(); }
  /// Width of cell i; -1 and n give the ghosts.
  double width(std::int64_t i) const;
  /// Distance of the centres of i and i + 1, i = -1 ... n - 1 (and the ghosts' -2, n).
  double gap(std::int64_t i) const { return 0.5 * (width(i) + width(i + 1)); }
  double centre(std::int64_t i) const { return 0.5 * (faces[i] + faces[i + 1]); }
  double smallest_width() const;
};

/// Owns the metrics of a block on the queue's device.
class Metrics {
 public:
  Metrics(Queue& queue, const std::array<Axis, 3>& axes, const Box& block);

  const GridMetrics& view() const { return view_; }

 private:
  Buffer<double> values_;
  GridMetrics view_;
};

}  // namespace halyard
