#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace halyard {

using Rgb = std::array<std::uint8_t, 3>;

/// One colour map: 33 points evenly spaced from the lowest value to the highest, linear between them.
struct ColorMap {
  std::string name;
  std::array<Rgb, 33> points;

  /// The colour at t in [0, 1] (clamped).
  Rgb at(double t) const;
};

/// viridis, plasma, inferno, magma, cividis (van der Walt, Smith, Firing; Nunez et al.; all CC0), coolwarm (Moreland
/// 2009, doi:10.1007/978-3-642-10520-3_9) and gray.
const std::vector<ColorMap>& color_maps();

/// The map of that name. Throws halyard::Error with the names there are.
const ColorMap& color_map(const std::string& name);

}  // namespace halyard
