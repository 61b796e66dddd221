#include "io/results/particle_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "io/results/file.hpp"
#include "io/results/particle_scene.hpp"
#include "io/results/picture_parts.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

std::array<double, 3> view_direction(const std::string& name) {
  if (name == "x") return {1.0, 0.0, 0.0};
  if (name == "y") return {0.0, -1.0, 0.0};
  if (name == "z") return {0.0, 0.0, 1.0};
  if (name == "oblique") return ParticlePictureSettings{}.direction;
  throw Error("View \"" + name + "\" is not known; there are x, y, z, oblique.");
}

std::vector<Rgb> species_colors(std::span<const std::string> species) {
  // Near Jmol's, a little darker where those are pale on white.
  static const std::map<std::string, Rgb> elements{
      {"H", {226, 226, 226}},  {"He", {190, 240, 245}}, {"C", {95, 95, 95}},     {"N", {60, 90, 235}},
      {"O", {225, 45, 40}},    {"F", {120, 205, 80}},   {"Ne", {150, 215, 235}}, {"Na", {160, 95, 225}},
      {"Mg", {110, 200, 60}},  {"Al", {180, 158, 158}}, {"Si", {222, 184, 140}}, {"P", {240, 130, 20}},
      {"S", {235, 205, 50}},   {"Cl", {50, 205, 60}},   {"Ar", {92, 184, 205}},  {"K", {143, 64, 212}},
      {"Ca", {90, 210, 40}},   {"Ti", {170, 174, 180}}, {"Cr", {125, 145, 195}}, {"Fe", {215, 105, 55}},
      {"Ni", {90, 190, 95}},   {"Cu", {205, 125, 60}},  {"Zn", {125, 128, 176}}, {"Kr", {95, 170, 205}},
      {"Zr", {130, 205, 205}}, {"Ag", {175, 178, 185}}, {"Xe", {75, 145, 175}},  {"Pt", {190, 190, 205}},
      {"Au", {235, 195, 50}},  {"Pb", {90, 92, 100}}};
  static constexpr std::array<Rgb, 10> palette{{{76, 130, 190},
                                                {240, 140, 45},
                                                {84, 170, 90},
                                                {220, 80, 80},
                                                {105, 185, 180},
                                                {235, 200, 70},
                                                {175, 120, 165},
                                                {245, 155, 170},
                                                {160, 120, 95},
                                                {165, 160, 160}}};
  std::vector<Rgb> colors;
  for (std::size_t type = 0; type < species.size(); ++type) {
    const auto element = elements.find(species[type]);
    colors.push_back(element != elements.end() ? element->second : palette[type % palette.size()]);
  }
  return colors;
}

ParticlePicture::ParticlePicture(MPI_Comm comm, std::filesystem::path folder, ParticlePictureSettings settings,
                                 ParticleDescription description)
    : comm_(comm),
      pictures_(std::move(folder) / "pictures"),
      settings_(std::move(settings)),
      description_(std::move(description)) {
  MPI_Comm_rank(comm_, &rank_);
  double length2 = 0.0;
  for (const double part : settings_.direction) length2 += part * part;
  if (!(length2 > 0.0) || !std::isfinite(length2)) throw Error("The direction of a picture of atoms has no length.");
  const std::size_t types = description_.species.size();
  if (settings_.radius.size() != 1 && settings_.radius.size() != types) {
    throw Error(fmt::format("A picture of atoms of {} types has {} radii, but must have 1 or one a type.", types,
                            settings_.radius.size()));
  }
  for (const double radius : settings_.radius) {
    if (!(radius > 0.0) || !std::isfinite(radius)) {
      throw Error(fmt::format("The radius of atoms in a picture is {}, but must be above 0.", radius));
    }
  }
  settings_.radius.resize(std::max<std::size_t>(types, 1), settings_.radius.front());
  if (settings_.colors != "auto") color_map(settings_.colors);
  if (settings_.range && !((*settings_.range)[0] < (*settings_.range)[1])) {
    throw Error(fmt::format("The colours' range of a picture of atoms, {} to {}, must ascend.", (*settings_.range)[0],
                            (*settings_.range)[1]));
  }
  if (settings_.pixels < 400 || settings_.pixels > 8000) {
    throw Error(fmt::format("A picture of atoms has {} pixels, but must have 400 to 8000.", settings_.pixels));
  }
  for (char& c : settings_.name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (settings_.name.empty()) settings_.name = "particles";
}

namespace {

/// From the 1st to the 99th percentile of the finite values, so that a few extremes do not take the colours from the
/// others. By counting in bins: exact in any order.
picture::ColorRange usual_range(MPI_Comm comm, std::span<const double> values) {
  double bounds[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    bounds[0] = std::min(bounds[0], value);
    bounds[1] = std::min(bounds[1], -value);
  }
  MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_DOUBLE, MPI_MIN, comm);
  const double low = bounds[0], high = -bounds[1];
  if (!(low < high)) return picture::automatic_range(low, high);
  constexpr int bins = 1000;
  std::array<std::int64_t, bins> count{};
  for (const double value : values) {
    if (std::isfinite(value))
      ++count[static_cast<std::size_t>(std::min(bins - 1.0, (value - low) / (high - low) * bins))];
  }
  MPI_Allreduce(MPI_IN_PLACE, count.data(), bins, MPI_INT64_T, MPI_SUM, comm);
  std::int64_t total = 0, below = 0;
  for (const std::int64_t n : count) total += n;
  double first = low, last = high;
  for (int bin = 0; bin < bins; ++bin) {
    const std::int64_t above = below + count[static_cast<std::size_t>(bin)];
    const double width = (high - low) / bins;
    if (below * 100 <= total && above * 100 > total) first = low + bin * width;
    if (below * 100 < 99 * total && above * 100 >= 99 * total) last = low + (bin + 1) * width;
    below = above;
  }
  return picture::automatic_range(first, last);
}

constexpr Rgb edge_color{70, 75, 85};

/// What is written beside the scene.
struct Legend {
  std::string title, subtitle;
  // By type:
  std::vector<std::pair<std::string, Rgb>> species;
  // By value:
  std::string quantity;
  const ColorMap* map = nullptr;
  picture::ColorRange range;
};

void disc(Canvas& canvas, int x, int y, int diameter, Rgb color) {
  md::SimulationBox box;
  box.periodic = {false, false, false};
  ParticleScene one(box, {0.0, 0.0, 1.0}, 0.0, diameter);
  const double centre[] = {0.5, 0.5, 0.5};
  one.sphere(centre, 0.5, color);
  const std::vector<Rgb> pixels = one.pixels();
  for (int row = 0; row < one.height(); ++row) {
    for (int column = 0; column < one.width(); ++column) {
      canvas.set(x + column, y + row, pixels[static_cast<std::size_t>(row * one.width() + column)]);
    }
  }
}

void line(Canvas& canvas, double x0, double y0, double x1, double y1, double thick, Rgb color) {
  const double lx = x1 - x0, ly = y1 - y0, length2 = lx * lx + ly * ly;
  for (int y = static_cast<int>(std::min(y0, y1) - thick - 1); y <= static_cast<int>(std::max(y0, y1) + thick + 1);
       ++y) {
    for (int x = static_cast<int>(std::min(x0, x1) - thick - 1); x <= static_cast<int>(std::max(x0, x1) + thick + 1);
         ++x) {
      if (x < 0 || y < 0 || x >= canvas.width() || y >= canvas.height()) continue;
      const double px = x + 0.5 - x0, py = y + 0.5 - y0;
      const double along = length2 > 0.0 ? std::clamp((px * lx + py * ly) / length2, 0.0, 1.0) : 0.0;
      const double ex = px - along * lx, ey = py - along * ly;
      const double part = std::clamp(thick + 0.5 - std::sqrt(ex * ex + ey * ey), 0.0, 1.0);
      if (part == 0.0) continue;
      Rgb mixed = canvas.get(x, y);
      for (std::size_t i = 0; i < 3; ++i) {
        mixed[i] = static_cast<std::uint8_t>(part * color[i] + (1.0 - part) * mixed[i] + 0.5);
      }
      canvas.set(x, y, mixed);
    }
  }
}

Canvas draw(const ParticleScene& scene, const Legend& legend) {
  const int pixels = std::max(scene.width(), scene.height());
  const int font = std::max(14, pixels / 48), gap = font / 2, tick = std::max(4, font / 3), bar = font;
  const TextImage title = render_text(legend.title, font + font / 4, true),
                  subtitle = render_text(legend.subtitle, font);
  const int left = font, top = gap + title.height + gap + subtitle.height + gap;
  const int arrow = 2 * font;  // of the axes
  const int bottom = 2 * arrow + 2 * font;

  std::vector<picture::Label> ticks;
  std::vector<TextImage> names;
  TextImage quantity;
  int right = font;
  if (legend.map != nullptr) {
    ticks = picture::labels(legend.range.low, legend.range.high, std::clamp(scene.height() / (5 * font), 2, 8), font);
    quantity = render_text(legend.quantity, font);
    int widest = 0;
    for (const picture::Label& label : ticks) widest = std::max(widest, label.text.width);
    right = std::max(2 * font + bar + tick + gap + widest + font, font + quantity.width + gap);
  } else {
    int widest = 0;
    for (const auto& [name, color] : legend.species) {
      names.push_back(render_text(name, font));
      widest = std::max(widest, names.back().width);
    }
    if (!names.empty()) right = 2 * font + 2 * font + widest;
  }
  const auto even = [](int n) { return n + n % 2; };  // what video coders want
  Canvas canvas(even(std::max(left + scene.width() + right, left + std::max(title.width, subtitle.width) + font)),
                even(top + scene.height() + bottom));
  canvas.text(left, gap, title, 0.0, 0.0, picture::ink);
  canvas.text(left, gap + title.height + gap, subtitle, 0.0, 0.0, picture::ink);
  const std::vector<Rgb> image = scene.pixels();
  for (int y = 0; y < scene.height(); ++y) {
    for (int x = 0; x < scene.width(); ++x) {
      canvas.set(
          left + x, top + y,
          image[static_cast<std::size_t>(y) * static_cast<std::size_t>(scene.width()) + static_cast<std::size_t>(x)]);
    }
  }

  // The axes, at the lower left; the one that points away is drawn first.
  const double x0 = left + 1.3 * arrow, y0 = top + scene.height() + arrow + 1.6 * font;
  static constexpr std::array<Rgb, 3> axis_colors{{{200, 60, 55}, {60, 150, 70}, {60, 95, 200}}};
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scene.basis()[2][a] < scene.basis()[2][b]; });
  for (const std::size_t axis : order) {
    const double dx = scene.basis()[0][axis] * arrow, dy = -scene.basis()[1][axis] * arrow;
    if (dx * dx + dy * dy < 0.01 * arrow * arrow) continue;  // it points at the viewer
    line(canvas, x0, y0, x0 + dx, y0 + dy, std::max(1.0, font / 12.0), axis_colors[axis]);
    const double length = std::sqrt(dx * dx + dy * dy), out = 0.55 * font;
    canvas.text(static_cast<int>(std::lround(x0 + dx + out * dx / length)),
                static_cast<int>(std::lround(y0 + dy + out * dy / length)),
                render_text(std::string(1, "xyz"[axis]), font, true), 0.5, 0.5, axis_colors[axis]);
  }

  if (legend.map != nullptr) {
    const int x = left + scene.width() + 2 * font, height = scene.height() * 3 / 4;
    const int y = top + (scene.height() - height) / 2;
    picture::color_bar(canvas, x, y, bar, height, *legend.map, legend.range.low, legend.range.high, ticks, tick, gap);
    canvas.text(x - font, y - gap, quantity, 0.0, 1.0, picture::ink);
  } else {
    const int x = left + scene.width() + font;
    int y = top + font;
    for (std::size_t i = 0; i < names.size(); ++i) {
      disc(canvas, x, y, font + font / 4, legend.species[i].second);
      canvas.text(x + 2 * font, y + (font + font / 4) / 2, names[i], 0.0, 0.5, picture::ink);
      y += 2 * font;
    }
  }
  return canvas;
}

}  // namespace

std::optional<std::filesystem::path> ParticlePicture::write(const ParticleFrame& frame, std::span<const double> scalar,
                                                            const std::string& scalar_name,
                                                            const std::string& scalar_unit) {
  if (!pictures_available()) return std::nullopt;
  check_frame(comm_, frame, description_, false);
  const std::size_t atoms = frame.id.size();
  const bool by_type = settings_.coloring == ParticleColoring::type;
  all_ranks(comm_, [&] {
    if (settings_.coloring == ParticleColoring::scalar && scalar.size() != atoms) {
      throw Error(fmt::format("A picture of {} atoms is to be coloured by {} values of {}.", atoms, scalar.size(),
                              scalar_name));
    }
  });

  Legend legend;
  std::vector<double> speed;
  std::span<const double> values = scalar;
  if (settings_.coloring == ParticleColoring::speed) {
    for (std::size_t i = 0; i < atoms; ++i) {
      const double *v = frame.velocity.data() + 3 * i, v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
      speed.push_back(std::sqrt(v2));
    }
    values = speed;
  }
  if (!by_type) {
    if (settings_.range) {
      const double low = (*settings_.range)[0], high = (*settings_.range)[1];
      legend.range = {low, high, low == -high};
    } else {
      legend.range = usual_range(comm_, values);
    }
    legend.map = &color_map(settings_.colors != "auto" ? settings_.colors
                            : legend.range.symmetric   ? "coolwarm"
                                                       : "viridis");
    const bool is_speed = settings_.coloring == ParticleColoring::speed;
    const std::string unit = is_speed ? description_.units.velocity : scalar_unit;
    legend.quantity = (is_speed ? "speed" : scalar_name) + (unit.empty() ? "" : " [" + unit + "]");
  }

  const std::vector<Rgb> colors = species_colors(description_.species);
  const double largest = *std::max_element(settings_.radius.begin(), settings_.radius.end());
  ParticleScene scene(frame.box, settings_.direction, largest, settings_.pixels);
  for (const std::size_t i : scene.front_to_back(frame.position)) {
    const auto type = static_cast<std::size_t>(frame.type[i]);
    Rgb color = colors[type];
    if (!by_type) {
      color = std::isfinite(values[i])
                  ? legend.map->at((values[i] - legend.range.low) / (legend.range.high - legend.range.low))
                  : picture::magenta;
    }
    scene.sphere(frame.position.data() + 3 * i, settings_.radius[type], color);
  }
  std::vector<std::int64_t>& buffer = scene.buffer();
  MPI_Reduce(rank_ == 0 ? MPI_IN_PLACE : buffer.data(), buffer.data(), static_cast<int>(buffer.size()), MPI_INT64_T,
             MPI_MIN, 0, comm_);

  const std::filesystem::path path = pictures_ / (settings_.name + "_" + step_text(frame.step) + ".png");
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    legend.title = description_.title.empty() ? settings_.name : description_.title;
    const std::string& time_unit = description_.units.time;
    legend.subtitle = fmt::format("t = {}{}     step {}     {} atoms", picture::number(frame.time),
                                  time_unit.empty() ? "" : " " + time_unit, frame.step, frame.count);
    if (by_type) {
      for (std::size_t type = 0; type < std::min<std::size_t>(colors.size(), 12); ++type) {
        legend.species.emplace_back(description_.species[type], colors[type]);
      }
    }
    scene.shade(largest);
    if (settings_.box) scene.edges(frame.box, edge_color);
    make_folder(pictures_);
    write_png(path, draw(scene, legend));
  });
  return path;
}

}  // namespace halyard
