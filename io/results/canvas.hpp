#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/results/color_map.hpp"

namespace halyard {

/// A line of text as coverage (0 to 255) a pixel, top row first.
struct TextImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
};

/// The text in a font of about `size` pixels, drawn by VTK's FreeType without a display. Empty where pictures are off.
TextImage render_text(const std::string& text, int size, bool bold = false);

/// A white picture, top row first; drawing outside of it is cut off.
class Canvas {
 public:
  Canvas(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  void set(int x, int y, Rgb color);
  Rgb get(int x, int y) const;
  /// Fills [x, x + width) x [y, y + height).
  void fill(int x, int y, int width, int height, Rgb color);
  /// Draws the text with its box's left edge at x - anchor_x * width, its top at y - anchor_y * height.
  void text(int x, int y, const TextImage& text, double anchor_x, double anchor_y, Rgb color);
  const std::vector<std::uint8_t>& rgb() const { return rgb_; }

 private:
  int width_, height_;
  std::vector<std::uint8_t> rgb_;
};

/// Writes the picture as PNG under a temporary name and renames it. Throws with path and system message, and where
/// pictures are off.
void write_png(const std::filesystem::path& path, const Canvas& canvas);

/// Whether this build draws pictures (VTK found at configure time).
bool pictures_available();

}  // namespace halyard
