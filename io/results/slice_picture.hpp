#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/results/canvas.hpp"
#include "io/results/quantity.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

enum class SliceComponent { x, y, z, magnitude };  // of a vector; a one-component quantity is drawn as it is

struct SliceSettings {
  std::string quantity;
  SliceComponent component = SliceComponent::magnitude;
  int axis = 2;           // the plane's normal: 0 x, 1 y, 2 z
  double position = 0.0;  // along the axis; the cells that hold it are drawn (on a face: those above)
  std::optional<std::array<double, 2>> range =
      std::nullopt;             // of the colours; else from the values, symmetric where they change sign
  std::string colors = "auto";  // color_map_names(); auto: coolwarm for a symmetric range, else viridis
  int pixels = 1000;            // of the picture's longer side, at least 800
  std::string name = {};        // start of the file name; empty: <quantity>[_<component>]_<axis>
};

/// "auto" and the colour maps known.
const std::vector<std::string>& color_map_names();

/// Gives each slice without a name one that no other slice has: quantity, component, axis and, where two would be the
/// same, the position.
void name_slices(std::span<SliceSettings> slices);

/// A picture of one plane of cells: `pictures/<name>_<step>.png`, with title, colour bar and axes' extents, cells
/// coloured, stretched grids shown at their true proportions; non-finite values are magenta. Only ranks that hold the
/// plane send their part to rank 0, which draws. The picture is the same on any number of ranks.
class SlicePicture {
 public:
  /// Throws where the position is outside the grid or the colour map or axis is unknown.
  SlicePicture(MPI_Comm comm, std::filesystem::path folder, const GridGeometry& grid, const Box& block,
               SliceSettings settings);

  const SliceSettings& settings() const { return settings_; }

  /// Computes and draws the quantity; time in s. Collective. Returns the file, nothing where pictures are off. A
  /// picture of the same name is replaced: it says nothing that the state does not.
  std::optional<std::filesystem::path> write(std::int64_t step, double time, const Quantity& quantity);
  /// The same from values that the caller has computed (Quantity::compute's layout), to draw several slices of one.
  std::optional<std::filesystem::path> write(std::int64_t step, double time, const Quantity& quantity,
                                             std::span<const double> values);

 private:
  std::vector<double> gather_plane(const Quantity& quantity, std::span<const double> values) const;
  Canvas draw(std::int64_t step, double time, const Quantity& quantity, std::span<const double> plane) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path pictures_;
  GridGeometry grid_;
  Box block_;
  Box plane_;  // the cells drawn, global
  SliceSettings settings_;
};

}  // namespace halyard
