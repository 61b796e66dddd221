#include "io/results/particle_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/error.hpp"

namespace halyard {

namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector unit(const Vector& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

Vector corner(const md::SimulationBox& box, int index) {
  return box.position({index & 1 ? 1.0 : 0.0, index & 2 ? 1.0 : 0.0, index & 4 ? 1.0 : 0.0});
}

constexpr int color_bits = 24, tile = 8;
constexpr double depth_steps = 549755813888.0;  // 2^39

std::uint32_t packed(const std::array<double, 3>& color) {
  std::uint32_t value = 0;
  for (const double part : color) {
    value = value << 8 | static_cast<std::uint32_t>(std::clamp(part, 0.0, 255.0) + 0.5);
  }
  return value;
}

std::array<double, 3> unpacked(std::int64_t entry) {
  return {static_cast<double>(entry >> 16 & 255), static_cast<double>(entry >> 8 & 255),
          static_cast<double>(entry & 255)};
}

}  // namespace

ParticleScene::ParticleScene(const md::SimulationBox& box, const Vector& towards_viewer, double margin, int pixels) {
  const Vector viewer = unit(towards_viewer);
  const bool along_z = std::abs(viewer[2]) > 0.999999;
  const Vector right = unit(cross(along_z ? Vector{0.0, 1.0, 0.0} : Vector{0.0, 0.0, 1.0}, viewer));
  basis_ = {right, cross(viewer, right), viewer};
  Vector low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (int index = 0; index < 8; ++index) {
    const Vector x = corner(box, index);
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], dot(x, basis_[d]));
      high[d] = std::max(high[d], dot(x, basis_[d]));
    }
  }
  Vector extent;
  for (std::size_t d = 0; d < 3; ++d) {
    middle_[d] = 0.5 * (low[d] + high[d]);
    extent[d] = high[d] - low[d] + 2.0 * margin;
  }
  const double longest = std::max(extent[0], extent[1]);
  if (!(longest > 0.0) || !std::isfinite(longest)) throw Error("A picture's box has no finite size.");
  scale_ = 2.0 * pixels / longest;
  const int step = std::max(2, pixels / 20 / 2 * 2);
  const auto rounded = [&](double length) {
    return std::max(step, static_cast<int>(std::ceil(0.5 * length * scale_ / step - 1e-6)) * step);
  };
  width_ = rounded(extent[0]);
  height_ = rounded(extent[1]);
  reach_ = 0.5 * extent[2] * scale_ + 1.0;
  buffer_.assign(4 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), nothing);
  tiles_ = (2 * width_ + tile - 1) / tile;
  farthest_.assign(static_cast<std::size_t>(tiles_) * static_cast<std::size_t>((2 * height_ + tile - 1) / tile),
                   nothing);
}

Vector ParticleScene::project(const double* x) const {
  const Vector at{x[0], x[1], x[2]};
  return {width_ + (dot(at, basis_[0]) - middle_[0]) * scale_, height_ - (dot(at, basis_[1]) - middle_[1]) * scale_,
          (dot(at, basis_[2]) - middle_[2]) * scale_};
}

std::int64_t ParticleScene::depth_of(double towards_viewer) const {
  const double part = std::clamp(0.5 - 0.5 * towards_viewer / reach_, 0.0, 1.0);
  return static_cast<std::int64_t>(part * (depth_steps - 2.0)) << color_bits;
}

double ParticleScene::towards_viewer(std::int64_t entry) const {
  if (entry == nothing) return -std::numeric_limits<double>::infinity();
  return (1.0 - 2.0 * static_cast<double>(entry >> color_bits) / (depth_steps - 2.0)) * reach_;
}

std::vector<std::size_t> ParticleScene::front_to_back(std::span<const double> points) const {
  std::vector<std::pair<double, std::size_t>> depths;
  for (std::size_t i = 0; 3 * i < points.size(); ++i) {
    const double depth = project(points.data() + 3 * i)[2];
    if (std::isfinite(depth)) depths.emplace_back(-depth, i);
  }
  std::sort(depths.begin(), depths.end());
  std::vector<std::size_t> order;
  for (const auto& entry : depths) order.push_back(entry.second);
  return order;
}

void ParticleScene::sphere(const double* centre, double radius, Rgb color) {
  const Vector at = project(centre);
  if (!std::isfinite(at[0]) || !std::isfinite(at[1]) || !std::isfinite(at[2])) return;
  const int columns = 2 * width_, rows = 2 * height_;
  const double r = std::max(radius * scale_, 0.75);  // an atom is seen however small it is
  if (at[0] < -r || at[1] < -r || at[0] > columns + r || at[1] > rows + r) return;
  // Light from the upper left, halfway to the viewer; Blinn's half vector for the highlight.
  const Vector light = unit({-0.5, 0.65, 0.75}), half = unit({light[0], light[1], light[2] + 1.0});
  const double r2 = r * r, inverse = 1.0 / r;
  const int first_row = std::max(0, static_cast<int>(std::ceil(at[1] - r - 0.5)));
  const int last_row = std::min(rows - 1, static_cast<int>(std::floor(at[1] + r - 0.5)));
  const int first_column = std::max(0, static_cast<int>(std::floor(at[0] - r)));
  const int last_column = std::min(columns - 1, static_cast<int>(std::floor(at[0] + r)));
  const std::int64_t nearest = depth_of(at[2] + r);
  bool hidden = true;
  const auto each_tile = [&](const auto& visit) {
    for (int y = first_row / tile; y <= last_row / tile; ++y) {
      for (int x = first_column / tile; x <= last_column / tile; ++x) {
        visit(x, y,
              farthest_[static_cast<std::size_t>(y) * static_cast<std::size_t>(tiles_) + static_cast<std::size_t>(x)]);
      }
    }
  };
  each_tile([&](int, int, std::int64_t farthest) { hidden = hidden && farthest < nearest; });
  if (hidden) return;
  for (int row = first_row; row <= last_row; ++row) {
    const double dy = row + 0.5 - at[1], span2 = r2 - dy * dy;
    if (span2 < 0.0) continue;
    const double span = std::sqrt(span2);
    const int first = std::max(0, static_cast<int>(std::ceil(at[0] - span - 0.5)));
    const int last = std::min(columns - 1, static_cast<int>(std::floor(at[0] + span - 0.5)));
    std::int64_t* line = buffer_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
    for (int column = first; column <= last; ++column) {
      const double dx = column + 0.5 - at[0];
      const double dz = std::sqrt(std::max(0.0, span2 - dx * dx));
      const std::int64_t depth = depth_of(at[2] + dz);
      if (depth > line[column]) continue;
      const Vector normal{dx * inverse, -dy * inverse, dz * inverse};
      const double lit = std::max(0.0, dot(normal, light));
      double shine = std::max(0.0, dot(normal, half));
      for (int square = 0; square < 5; ++square) shine *= shine;  // to the 32nd power
      const double bright = 0.52 + 0.60 * lit, white = 80.0 * shine;
      const std::int64_t entry =
          depth | packed({bright * color[0] + white, bright * color[1] + white, bright * color[2] + white});
      line[column] = std::min(line[column], entry);
    }
  }
  each_tile([&](int tile_x, int tile_y, std::int64_t& farthest) {
    farthest = 0;
    for (int row = tile_y * tile; row < std::min(rows, (tile_y + 1) * tile); ++row) {
      const std::int64_t* line = buffer_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
      for (int column = tile_x * tile; column < std::min(columns, (tile_x + 1) * tile); ++column) {
        farthest = std::max(farthest, line[column]);
      }
    }
  });
}

void ParticleScene::shade(double radius) {
  const auto columns = static_cast<std::size_t>(2 * width_);
  // Depth a pixel: the nearest of its four sub-pixels.
  std::vector<double> near(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const std::int64_t* sub = buffer_.data() + static_cast<std::size_t>(2 * y) * columns + 2 * x;
      const std::int64_t first = std::min(std::min(sub[0], sub[1]), std::min(sub[columns], sub[columns + 1]));
      near[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
          towards_viewer(first);
    }
  }
  // Screen-space ambient occlusion: how much of two rings around a pixel lies before it.
  const double r = std::clamp(0.5 * radius * scale_, 1.5, 40.0);  // pixels
  struct Offset {
    int x, y;
    double slope;  // rise that hides half the sky, in sub-pixels
  };
  std::vector<Offset> offsets;
  constexpr double sine[] = {0.0, 0.38268343236508977, 0.7071067811865476, 0.9238795325112867, 1.0};
  for (const double ring : {0.6 * r, 1.4 * r}) {
    for (int i = 0; i < 16; ++i) {
      const int quarter = i / 4, part = i % 4;
      double cosine = sine[4 - part], sinus = sine[part];
      for (int turn = 0; turn < quarter; ++turn) {
        const double old = cosine;
        cosine = -sinus;
        sinus = old;
      }
      offsets.push_back(
          {static_cast<int>(std::lround(ring * cosine)), static_cast<int>(std::lround(ring * sinus)), 2.0 * ring});
    }
  }
  const double nearest = [&] {
    double value = -std::numeric_limits<double>::infinity();
    for (const double depth : near) value = std::max(value, depth);
    return value;
  }();
  constexpr double background = 255.0;
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const double depth =
          near[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
      if (!std::isfinite(depth)) continue;
      double hidden = 0.0;
      for (const Offset& offset : offsets) {
        const int px = x + offset.x, py = y + offset.y;
        if (px < 0 || py < 0 || px >= width_ || py >= height_) continue;
        const double rise =
            near[static_cast<std::size_t>(py) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(px)] -
            depth;
        if (rise > 0.0) hidden += rise / (rise + offset.slope);
      }
      const double light = 1.0 - 0.80 * hidden / static_cast<double>(offsets.size());
      const double fade = 0.25 * std::clamp((nearest - depth) / (2.0 * reach_), 0.0, 1.0);
      for (const std::size_t place : {std::size_t{0}, std::size_t{1}, columns, columns + 1}) {
        std::int64_t& entry =
            buffer_[static_cast<std::size_t>(2 * y) * columns + static_cast<std::size_t>(2 * x) + place];
        if (entry == nothing) continue;
        std::array<double, 3> color = unpacked(entry);
        for (double& part : color) part = part * light * (1.0 - fade) + background * fade;
        entry = entry >> color_bits << color_bits | packed(color);
      }
    }
  }
}

void ParticleScene::edges(const md::SimulationBox& box, Rgb color) {
  const std::int64_t ink =
      packed({static_cast<double>(color[0]), static_cast<double>(color[1]), static_cast<double>(color[2])});
  const int columns = 2 * width_, rows = 2 * height_;
  const double thick = 1.5 * std::max(1.0, std::max(width_, height_) / 1000.0);  // half of a line, in sub-pixels
  // Which of each pair of faces looks at the viewer: bit `axis` as in corner(), set for the upper one; none for a face
  // seen from its edge.
  const std::array<Vector, 3> sides{
      {{box.length[0], 0.0, 0.0}, {box.xy, box.length[1], 0.0}, {box.xz, box.yz, box.length[2]}}};
  std::array<double, 3> facing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facing[axis] = dot(unit(cross(sides[(axis + 1) % 3], sides[(axis + 2) % 3])), basis_[2]);
  }
  const auto is_front = [&](int from, int along) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int bit = 1 << axis;
      if (bit == along) continue;
      if (facing[axis] > 1e-9 && (from & bit) != 0) return true;
      if (facing[axis] < -1e-9 && (from & bit) == 0) return true;
    }
    return false;
  };
  for (int from = 0; from < 8; ++from) {
    for (const int axis : {1, 2, 4}) {
      if ((from & axis) != 0) continue;
      const bool front = is_front(from, axis);
      const Vector a = project(corner(box, from).data()), b = project(corner(box, from | axis).data());
      const double lx = b[0] - a[0], ly = b[1] - a[1], length2 = lx * lx + ly * ly;
      const int first_row = std::max(0, static_cast<int>(std::floor(std::min(a[1], b[1]) - thick)));
      const int last_row = std::min(rows - 1, static_cast<int>(std::ceil(std::max(a[1], b[1]) + thick)));
      for (int row = first_row; row <= last_row; ++row) {
        // Columns near the line in this row.
        double left = std::min(a[0], b[0]) - thick, right = std::max(a[0], b[0]) + thick;
        if (std::abs(ly) > 1.0) {
          const double x = a[0] + (row + 0.5 - a[1]) / ly * lx;
          const double wide = thick * std::sqrt(length2) / std::abs(ly) + thick;
          left = std::max(left, x - wide);
          right = std::min(right, x + wide);
        }
        for (int column = std::max(0, static_cast<int>(std::floor(left)));
             column <= std::min(columns - 1, static_cast<int>(std::ceil(right))); ++column) {
          const double px = column + 0.5 - a[0], py = row + 0.5 - a[1];
          const double along = length2 > 0.0 ? std::clamp((px * lx + py * ly) / length2, 0.0, 1.0) : 0.0;
          const double ex = px - along * lx, ey = py - along * ly;
          if (ex * ex + ey * ey > thick * thick) continue;
          const double at = a[2] + along * (b[2] - a[2]);
          std::int64_t& entry = buffer_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                                        static_cast<std::size_t>(column)];
          if (!front && towards_viewer(entry) > at) continue;
          entry = depth_of(at) | ink;
        }
      }
    }
  }
}

std::vector<Rgb> ParticleScene::pixels() const {
  const auto columns = static_cast<std::size_t>(2 * width_);
  std::vector<Rgb> out;
  out.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(width_); ++x) {
      const std::size_t place = 2 * y * columns + 2 * x;
      std::array<double, 3> sum{0.0, 0.0, 0.0};
      for (const std::size_t sub : {place, place + 1, place + columns, place + columns + 1}) {
        const std::array<double, 3> color =
            buffer_[sub] == nothing ? std::array<double, 3>{255.0, 255.0, 255.0} : unpacked(buffer_[sub]);
        for (std::size_t i = 0; i < 3; ++i) sum[i] += color[i];
      }
      Rgb pixel;
      for (std::size_t i = 0; i < 3; ++i) pixel[i] = static_cast<std::uint8_t>(0.25 * sum[i] + 0.5);
      out.push_back(pixel);
    }
  }
  return out;
}

}  // namespace halyard
