#include "io/results/slice_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/results/color_map.hpp"
#include "io/results/file.hpp"
#include "io/results/picture_parts.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

using picture::frame, picture::ink, picture::magenta, picture::number;

const char* component_name(SliceComponent component) {
  switch (component) {
    case SliceComponent::x:
      return "x";
    case SliceComponent::y:
      return "y";
    case SliceComponent::z:
      return "z";
    case SliceComponent::magnitude:
      return "magnitude";
  }
  return "";
}

/// The axes across and up the picture of a plane.
std::array<int, 2> plane_axes(int normal) {
  if (normal == 0) return {1, 2};
  if (normal == 1) return {0, 2};
  return {0, 1};
}

std::string default_name(const SliceSettings& slice) {
  std::string name = slice.quantity;
  if (slice.component != SliceComponent::magnitude) name += std::string("_") + component_name(slice.component);
  return name + "_" + "xyz"[slice.axis];
}

void check_axis(const SliceSettings& slice) {
  if (slice.axis < 0 || slice.axis > 2) throw Error(fmt::format("Slice axis {} is none of 0, 1, 2.", slice.axis));
}

/// Where a picture's pixel centres lie among the cells of one axis: the cell that holds it, and the two cell centres
/// around it with the upper one's weight.
struct Sample {
  std::int64_t cell = 0, lower = 0, upper = 0;
  double weight = 0.0;
};

std::vector<Sample> samples(const std::vector<double>& faces, int pixels) {
  const auto cells = static_cast<std::int64_t>(faces.size()) - 1;
  const auto centre = [&faces](std::int64_t i) {
    return 0.5 * (faces[static_cast<std::size_t>(i)] + faces[static_cast<std::size_t>(i) + 1]);
  };
  std::vector<Sample> list;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const double at = faces.front() + (faces.back() - faces.front()) * (pixel + 0.5) / pixels;
    Sample sample;
    sample.cell =
        std::clamp<std::int64_t>(std::upper_bound(faces.begin(), faces.end(), at) - faces.begin() - 1, 0, cells - 1);
    sample.lower = at < centre(sample.cell) ? sample.cell - 1 : sample.cell;
    sample.upper = sample.lower + 1;
    if (sample.lower < 0 || sample.upper >= cells) {
      sample.lower = sample.upper = sample.cell;
    } else {
      sample.weight = (at - centre(sample.lower)) / (centre(sample.upper) - centre(sample.lower));
    }
    list.push_back(sample);
  }
  return list;
}

}  // namespace

const std::vector<std::string>& color_map_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{"auto"};
    for (const ColorMap& map : color_maps()) list.push_back(map.name);
    return list;
  }();
  return names;
}

void name_slices(std::span<SliceSettings> slices) {
  for (SliceSettings& slice : slices) {
    check_axis(slice);
    if (!slice.name.empty()) continue;
    const std::string name = default_name(slice);
    const auto same = std::count_if(slices.begin(), slices.end(),
                                    [&](const SliceSettings& other) { return default_name(other) == name; });
    slice.name = same > 1 ? name + shortest(slice.position) : name;
    for (const SliceSettings& other : slices) {
      if (&other != &slice && other.name == slice.name) {
        throw Error("Two slices would be written to the same pictures/" + slice.name + "_<step>.png.");
      }
    }
  }
}

SlicePicture::SlicePicture(MPI_Comm comm, std::filesystem::path folder, const GridGeometry& grid, const Box& block,
                           SliceSettings settings)
    : comm_(comm),
      pictures_(std::move(folder) / "pictures"),
      grid_(grid),
      block_(block),
      plane_{{0, 0, 0}, grid.cells()},
      settings_(std::move(settings)) {
  MPI_Comm_rank(comm_, &rank_);
  check_axis(settings_);
  const std::vector<double>& faces = grid_.faces[settings_.axis];
  if (!(settings_.position >= faces.front() && settings_.position <= faces.back())) {
    throw Error(fmt::format("The slice of {} at {} = {} lies outside the domain, which reaches from {} to {}.",
                            settings_.quantity, "xyz"[settings_.axis], shortest(settings_.position),
                            shortest(faces.front()), shortest(faces.back())));
  }
  if (settings_.range && !((*settings_.range)[0] < (*settings_.range)[1])) {
    throw Error(fmt::format("The colour range of the slice of {} runs from {} to {}, but must ascend.",
                            settings_.quantity, shortest((*settings_.range)[0]), shortest((*settings_.range)[1])));
  }
  if (settings_.colors != "auto") color_map(settings_.colors);
  settings_.pixels = std::max(800, settings_.pixels);
  if (settings_.name.empty()) settings_.name = default_name(settings_);
  const auto cells = static_cast<std::int64_t>(faces.size()) - 1;
  const std::int64_t index = std::clamp<std::int64_t>(
      std::upper_bound(faces.begin(), faces.end(), settings_.position) - faces.begin() - 1, 0, cells - 1);
  plane_.begin[settings_.axis] = index;
  plane_.end[settings_.axis] = index + 1;
}

std::optional<std::filesystem::path> SlicePicture::write(std::int64_t step, double time, const Quantity& quantity) {
  if (!pictures_available()) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(quantity.block.count() * quantity.components));
  quantity.compute(values);
  return write(step, time, quantity, values);
}

std::vector<double> SlicePicture::gather_plane(const Quantity& quantity, std::span<const double> values) const {
  const Box mine = intersection(block_, plane_);
  std::vector<double> part;
  part.reserve(static_cast<std::size_t>(mine.count()));
  const auto components = static_cast<std::size_t>(quantity.components);
  for (std::int64_t k = mine.begin[2]; k < mine.end[2]; ++k) {
    for (std::int64_t j = mine.begin[1]; j < mine.end[1]; ++j) {
      for (std::int64_t i = mine.begin[0]; i < mine.end[0]; ++i) {
        const std::int64_t cell =
            i - block_.begin[0] + block_.extent(0) * (j - block_.begin[1] + block_.extent(1) * (k - block_.begin[2]));
        const double* value = values.data() + static_cast<std::size_t>(cell) * components;
        if (components == 1) {
          part.push_back(value[0]);
        } else if (settings_.component == SliceComponent::magnitude) {
          double sum = 0.0;
          for (std::size_t c = 0; c < components; ++c) sum += value[c] * value[c];
          part.push_back(std::sqrt(sum));
        } else {
          part.push_back(value[static_cast<int>(settings_.component)]);
        }
      }
    }
  }

  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  const std::array<std::int64_t, 6> bounds{mine.begin[0], mine.begin[1], mine.begin[2],
                                           mine.end[0],   mine.end[1],   mine.end[2]};
  std::vector<std::int64_t> all(rank_ == 0 ? 6 * static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(bounds.data(), 6, MPI_INT64_T, all.data(), 6, MPI_INT64_T, 0, comm_);
  constexpr int tag = 0;
  if (rank_ != 0) {
    if (!mine.empty()) MPI_Send(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, tag, comm_);
    return {};
  }
  const Index3 extents = plane_.extents();
  std::vector<double> plane(static_cast<std::size_t>(plane_.count()), std::numeric_limits<double>::quiet_NaN());
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t* b = all.data() + 6 * static_cast<std::size_t>(rank);
    const Box box{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
    if (box.empty()) continue;
    if (rank > 0) {
      part.resize(static_cast<std::size_t>(box.count()));
      MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, rank, tag, comm_, MPI_STATUS_IGNORE);
    }
    auto value = part.begin();
    for (std::int64_t k = box.begin[2] - plane_.begin[2]; k < box.end[2] - plane_.begin[2]; ++k) {
      for (std::int64_t j = box.begin[1] - plane_.begin[1]; j < box.end[1] - plane_.begin[1]; ++j) {
        for (std::int64_t i = box.begin[0] - plane_.begin[0]; i < box.end[0] - plane_.begin[0]; ++i) {
          plane[static_cast<std::size_t>(i + extents[0] * (j + extents[1] * k))] = *value++;
        }
      }
    }
  }
  return plane;
}

std::optional<std::filesystem::path> SlicePicture::write(std::int64_t step, double time, const Quantity& quantity,
                                                         std::span<const double> values) {
  if (!pictures_available()) return std::nullopt;
  all_ranks(comm_, [&] {
    if (quantity.block != block_ || values.size() != static_cast<std::size_t>(block_.count() * quantity.components)) {
      throw Error("Quantity " + quantity.name + " does not fill the block that its slice is drawn from.");
    }
    if (quantity.components > 1 && settings_.component != SliceComponent::magnitude &&
        static_cast<int>(settings_.component) >= quantity.components) {
      throw Error(fmt::format("Quantity {} has {} components and none called {}.", quantity.name, quantity.components,
                              component_name(settings_.component)));
    }
  });
  const std::vector<double> plane = gather_plane(quantity, values);
  const std::filesystem::path path = pictures_ / (settings_.name + "_" + step_text(step) + ".png");
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    make_folder(pictures_);
    write_png(path, draw(step, time, quantity, plane));
  });
  return path;
}

Canvas SlicePicture::draw(std::int64_t step, double time, const Quantity& quantity,
                          std::span<const double> plane) const {
  const auto [across, up] = plane_axes(settings_.axis);
  const std::vector<double>&faces_across = grid_.faces[across], &faces_up = grid_.faces[up];
  const double length_across = faces_across.back() - faces_across.front();
  const double length_up = faces_up.back() - faces_up.front();
  // Beyond 20 to 1 the narrow side would be a line: it is drawn wider than it is, and the title says so.
  constexpr double widest_ratio = 20.0;
  const double ratio = length_up / length_across;
  const double shown = std::clamp(ratio, 1.0 / widest_ratio, widest_ratio);
  const int pixels = settings_.pixels;
  const int width = shown > 1.0 ? static_cast<int>(std::lround(pixels / shown)) : pixels;
  const int height = shown > 1.0 ? pixels : static_cast<int>(std::lround(pixels * shown));

  picture::ColorRange range = picture::automatic_range(plane);
  if (settings_.range) {
    const auto [low, high] = *settings_.range;
    range = {low, high, low == -high};
  }
  const ColorMap& map = color_map(settings_.colors != "auto" ? settings_.colors
                                  : range.symmetric          ? "coolwarm"
                                                             : "viridis");
  const auto color = [&](double value) { return map.at((value - range.low) / (range.high - range.low)); };

  const int font = std::max(14, pixels / 48), gap = font / 2, tick = std::max(4, font / 3);
  std::string what = quantity.name;
  std::replace(what.begin(), what.end(), '_', ' ');
  if (quantity.components > 1) what += std::string(" ") + component_name(settings_.component);
  const TextImage title = render_text(fmt::format("{} [{}]", what, quantity.unit), font + font / 4, true);
  const TextImage subtitle =
      render_text(fmt::format("t = {} s     {} = {} {}     step {}{}", number(time), "xyz"[settings_.axis],
                              number(settings_.position), grid_.unit, step, shown != ratio ? "     not to scale" : ""),
                  font);
  const bool bar_below = 2 * height < width;
  const int bar = font;  // the colour bar's thickness

  using picture::Label;
  const auto labels = [&](double low, double high, int wanted) { return picture::labels(low, high, wanted, font); };
  const auto most = [](const std::vector<Label>& list, int TextImage::*extent) {
    int largest = 0;
    for (const Label& label : list) largest = std::max(largest, label.text.*extent);
    return largest;
  };
  const int apart = 5 * font;  // least distance of two numbers
  const std::vector<Label> ticks_across =
      labels(faces_across.front(), faces_across.back(), std::clamp(width / apart, 1, 6));
  const std::vector<Label> ticks_up = labels(faces_up.front(), faces_up.back(), std::clamp(height / (3 * font), 1, 6));
  const std::vector<Label> ticks_bar = labels(range.low, range.high, bar_below ? 6 : std::clamp(height / apart, 2, 8));
  const TextImage name_across = render_text(fmt::format("{} [{}]", "xyz"[across], grid_.unit), font);
  const TextImage name_up = render_text(fmt::format("{} [{}]", "xyz"[up], grid_.unit), font);

  const int left = gap + std::max(name_up.width, most(ticks_up, &TextImage::width)) + tick + gap;
  const int top = gap + title.height + gap + subtitle.height + gap + font;
  const int below = tick + gap + most(ticks_across, &TextImage::height) + gap + name_across.height + gap;
  const int bar_room = bar + tick + gap + most(ticks_bar, bar_below ? &TextImage::height : &TextImage::width) + gap;
  const int right = bar_below ? 2 * font : 2 * gap + bar_room;
  Canvas canvas(std::max(left + width + right, left + std::max(title.width, subtitle.width) + gap),
                top + height + below + (bar_below ? gap + bar_room : 0));

  canvas.text(left, gap, title, 0.0, 0.0, ink);
  canvas.text(left, gap + title.height + gap, subtitle, 0.0, 0.0, ink);

  const std::vector<Sample> columns = samples(faces_across, width), rows = samples(faces_up, height);
  const auto n = static_cast<std::int64_t>(faces_across.size()) - 1;
  const auto at = [&](std::int64_t i, std::int64_t j) { return plane[static_cast<std::size_t>(i + n * j)]; };
  for (int y = 0; y < height; ++y) {
    const Sample& row = rows[static_cast<std::size_t>(height - 1 - y)];
    for (int x = 0; x < width; ++x) {
      const Sample& column = columns[static_cast<std::size_t>(x)];
      const double own = at(column.cell, row.cell);
      if (!std::isfinite(own)) {
        canvas.set(left + x, top + y, magenta);
        continue;
      }
      const double lower =
          (1.0 - column.weight) * at(column.lower, row.lower) + column.weight * at(column.upper, row.lower);
      const double upper =
          (1.0 - column.weight) * at(column.lower, row.upper) + column.weight * at(column.upper, row.upper);
      const double value = (1.0 - row.weight) * lower + row.weight * upper;
      canvas.set(left + x, top + y, color(std::isfinite(value) ? value : own));  // a bad neighbour stays its own cell's
    }
  }

  const auto outline = [&canvas](int x, int y, int w, int h) { picture::outline(canvas, x, y, w, h); };
  const auto place = picture::place;
  outline(left, top, width, height);
  for (const Label& label : ticks_across) {
    const int x = left + place(label.value, faces_across.front(), faces_across.back(), width);
    canvas.fill(x, top + height, 1, tick, frame);
    canvas.text(x, top + height + tick + gap, label.text, 0.5, 0.0, ink);
  }
  for (const Label& label : ticks_up) {
    const int y = top + height - 1 - place(label.value, faces_up.front(), faces_up.back(), height);
    canvas.fill(left - tick, y, tick, 1, frame);
    canvas.text(left - tick - gap, y, label.text, 1.0, 0.5, ink);
  }
  canvas.text(left + width / 2, top + height + below - gap, name_across, 0.5, 1.0, ink);
  canvas.text(left - tick - gap, top - gap - font / 3, name_up, 1.0, 1.0, ink);

  if (bar_below) {
    const int y = top + height + below + gap;
    for (int x = 0; x < width; ++x) canvas.fill(left + x, y, 1, bar, map.at((x + 0.5) / width));
    outline(left, y, width, bar);
    for (const Label& label : ticks_bar) {
      const int x = left + place(label.value, range.low, range.high, width);
      canvas.fill(x, y + bar, 1, tick, frame);
      canvas.text(x, y + bar + tick + gap, label.text, 0.5, 0.0, ink);
    }
  } else {
    picture::color_bar(canvas, left + width + 2 * gap, top, bar, height, map, range.low, range.high, ticks_bar, tick,
                       gap);
  }
  return canvas;
}

}  // namespace halyard
