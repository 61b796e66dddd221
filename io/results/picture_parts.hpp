#pragma once
#include <span>
#include <string>
#include <vector>

#include "io/results/canvas.hpp"

/// What the pictures of fields and of particles share.
namespace halyard::picture {

inline constexpr Rgb magenta{255, 0, 255};  // of values that are not finite
inline constexpr Rgb ink{30, 30, 30}, frame{110, 110, 110};

/// A number as pictures show it: 6 digits at most.
std::string number(double value);

/// Of a colour map.
struct ColorRange {
  double low = 0.0, high = 1.0;
  bool symmetric = false;
};

/// From the finite values: symmetric about zero where both signs matter, else from the least to the greatest.
ColorRange automatic_range(std::span<const double> values);
/// The same from the least and the greatest value; low > high where there is none.
ColorRange automatic_range(double low, double high);

/// A number on an axis, at multiples of 1, 2 or 5 times a power of ten.
struct Label {
  double value;
  TextImage text;
};

/// About `wanted` numbers in [low, high].
std::vector<Label> labels(double low, double high, int wanted, int font);

/// A frame around [x, x + width) x [y, y + height).
void outline(Canvas& canvas, int x, int y, int width, int height);

/// The pixel of a value on an axis of `extent` pixels.
int place(double value, double low, double high, int extent);

/// An upright colour bar with its numbers on the right.
void color_bar(Canvas& canvas, int x, int top, int width, int height, const ColorMap& map, double low, double high,
               std::span<const Label> ticks, int tick, int gap);

}  // namespace halyard::picture
