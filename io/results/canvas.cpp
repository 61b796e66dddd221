#include "io/results/canvas.hpp"

#include <cmath>

namespace halyard {

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      rgb_(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255) {}

void Canvas::set(int x, int y, Rgb color) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const std::size_t place =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
  for (std::size_t i = 0; i < 3; ++i) rgb_[place + i] = color[i];
}

Rgb Canvas::get(int x, int y) const {
  const std::size_t place =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
  return {rgb_.at(place), rgb_.at(place + 1), rgb_.at(place + 2)};
}

void Canvas::fill(int x, int y, int width, int height, Rgb color) {
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) set(column, row, color);
  }
}

void Canvas::text(int x, int y, const TextImage& text, double anchor_x, double anchor_y, Rgb color) {
  const int left = x - static_cast<int>(std::lround(anchor_x * text.width));
  const int top = y - static_cast<int>(std::lround(anchor_y * text.height));
  for (int row = 0; row < text.height; ++row) {
    for (int column = 0; column < text.width; ++column) {
      const int px = left + column, py = top + row;
      if (px < 0 || py < 0 || px >= width_ || py >= height_) continue;
      const int part = text.coverage[static_cast<std::size_t>(row) * static_cast<std::size_t>(text.width) +
                                     static_cast<std::size_t>(column)];
      Rgb mixed = get(px, py);
      for (std::size_t i = 0; i < 3; ++i) {
        mixed[i] = static_cast<std::uint8_t>((part * color[i] + (255 - part) * mixed[i] + 127) / 255);
      }
      set(px, py, mixed);
    }
  }
}

}  // namespace halyard
