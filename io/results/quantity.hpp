#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/grid/box.hpp"

namespace halyard {

/// The global rectilinear grid that fields live on: cells.size = faces.size - 1 on each axis.
struct GridGeometry {
  std::array<std::vector<double>, 3> faces;  // global face coordinates, ascending, n + 1 values
  std::array<bool, 3> uniform{true, true, true};
  std::string unit = "m";

  Index3 cells() const {
    return {static_cast<std::int64_t>(faces[0].size()) - 1, static_cast<std::int64_t>(faces[1].size()) - 1,
            static_cast<std::int64_t>(faces[2].size()) - 1};
  }
};

/// Something that can be written or drawn, by name, computed on request at cell centres. Collective: every rank calls
/// compute for the same quantities in the same order.
struct Quantity {
  std::string name;
  std::string unit;
  std::string description;
  int components = 1;
  Box block;  // the rank's cells
  /// Fills values[(cell * components) + component], cells of the block x fastest, on the host.
  std::function<void(std::span<double>)> compute;
};

/// One column of history.csv at the present step; the list has the same names in the same order at every call.
struct HistoryColumn {
  std::string name;
  std::string unit;  // "1" for dimensionless
  double value = 0.0;
  std::string label{};  // of the progress line, which shows it; empty: it does not
};

}  // namespace halyard
