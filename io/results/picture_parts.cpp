#include "io/results/picture_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace halyard::picture {

namespace {

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], about `wanted` of them.
std::vector<double> nice_ticks(double low, double high, int wanted) {
  const double raw = (high - low) / std::max(1, wanted);
  if (!(raw > 0.0) || !std::isfinite(raw)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= raw * 0.999) step = factor * power;
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double n = std::ceil((low - slack) / step); n * step <= high + slack && ticks.size() < 50; n += 1.0) {
    ticks.push_back(n == 0.0 ? 0.0 : n * step);  // no negative zero
  }
  return ticks;
}

}  // namespace

std::string number(double value) { return fmt::format("{:.6g}", value); }

ColorRange automatic_range(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return automatic_range(low, high);
}

ColorRange automatic_range(double low, double high) {
  if (low > high) return {};
  const double most = std::max(-low, high);
  if (low < 0.0 && high > 0.0 && std::min(-low, high) > 0.05 * most) return {-most, most, true};
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {  // round-off alone: no picture of noise
    const double half = low == 0.0 ? 1.0 : 0.5 * std::abs(low);
    return {low - half, high + half, false};
  }
  return {low, high, false};
}

std::vector<Label> labels(double low, double high, int wanted, int font) {
  std::vector<Label> list;
  for (const double value : nice_ticks(low, high, wanted)) list.push_back({value, render_text(number(value), font)});
  return list;
}

void outline(Canvas& canvas, int x, int y, int width, int height) {
  canvas.fill(x - 1, y - 1, width + 2, 1, frame);
  canvas.fill(x - 1, y + height, width + 2, 1, frame);
  canvas.fill(x - 1, y, 1, height, frame);
  canvas.fill(x + width, y, 1, height, frame);
}

int place(double value, double low, double high, int extent) {
  return std::clamp(static_cast<int>(std::lround((value - low) / (high - low) * extent)), 0, extent - 1);
}

void color_bar(Canvas& canvas, int x, int top, int width, int height, const ColorMap& map, double low, double high,
               std::span<const Label> ticks, int tick, int gap) {
  for (int y = 0; y < height; ++y) canvas.fill(x, top + height - 1 - y, width, 1, map.at((y + 0.5) / height));
  outline(canvas, x, top, width, height);
  for (const Label& label : ticks) {
    const int y = top + height - 1 - place(label.value, low, high, height);
    canvas.fill(x + width, y, tick, 1, frame);
    canvas.text(x + width + tick + gap, y, label.text, 0.0, 0.5, ink);
  }
}

}  // namespace halyard::picture
