#include "io/results/particle_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/results/file.hpp"
#include "io/results/particle_scene.hpp"
#include "kernels/device/error.hpp"
#include "kernels/grid/box.hpp"
#include "tests/io/results/particle_sample.hpp"
#include "tests/io/scratch_folder.hpp"

namespace halyard {
namespace {

constexpr Rgb red{200, 0, 0}, blue{0, 0, 200}, white{255, 255, 255};

template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

md::SimulationBox cube(double length) {
  md::SimulationBox box;
  box.origin = {-1.0, 2.0, 5.0};
  box.length = {length, length, length};
  return box;
}

/// The pixel of a point given in parts of the picture, from the upper left.
Rgb pixel(const ParticleScene& scene, double across, double down) {
  const std::vector<Rgb> pixels = scene.pixels();
  const auto x = static_cast<std::size_t>(across * scene.width()), y = static_cast<std::size_t>(down * scene.height());
  return pixels[y * static_cast<std::size_t>(scene.width()) + x];
}

bool reddish(const Rgb& color) { return color[0] > color[2] + 50; }
bool bluish(const Rgb& color) { return color[2] > color[0] + 50; }

TEST(ParticleScene, AxesLieAsTheirViewsSay) {
  const md::SimulationBox box = cube(10.0);
  // view, then where a sphere at fraction (0.8, 0.5, 0.5), (0.5, 0.8, 0.5), (0.5, 0.5, 0.8) is seen: across, down
  const std::vector<std::tuple<std::string, std::array<std::array<double, 2>, 3>>> views{
      {"x", {{{0.5, 0.5}, {0.8, 0.5}, {0.5, 0.2}}}},
      {"y", {{{0.8, 0.5}, {0.5, 0.5}, {0.5, 0.2}}}},
      {"z", {{{0.8, 0.5}, {0.5, 0.2}, {0.5, 0.5}}}}};
  for (const auto& [view, places] : views) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ParticleScene scene(box, view_direction(view), 0.0, 400);
      EXPECT_EQ(scene.width(), 400);
      EXPECT_EQ(scene.height(), 400);
      std::array<double, 3> fraction{0.5, 0.5, 0.5};
      fraction[axis] = 0.8;
      const std::array<double, 3> centre = box.position(fraction);
      scene.sphere(centre.data(), 0.8, red);
      EXPECT_TRUE(reddish(pixel(scene, places[axis][0], places[axis][1]))) << view << " axis " << axis;
      EXPECT_EQ(pixel(scene, places[axis][0] + 0.09, places[axis][1]), white);  // the radius is 0.08 of the picture
      EXPECT_EQ(pixel(scene, places[axis][0], places[axis][1] + 0.09), white);
      EXPECT_TRUE(reddish(pixel(scene, places[axis][0] + 0.07, places[axis][1])));
    }
  }
}

TEST(ParticleScene, WhatIsNearHidesWhatIsFar) {
  const md::SimulationBox box = cube(10.0);
  for (const auto& [view, axis, near_fraction] :
       {std::tuple{"x", std::size_t{0}, 0.7}, std::tuple{"y", std::size_t{1}, 0.3},
        std::tuple{"z", std::size_t{2}, 0.7}}) {
    for (const bool near_first : {true, false}) {
      ParticleScene scene(box, view_direction(view), 0.0, 400);
      std::array<double, 3> front{0.5, 0.5, 0.5}, back{0.5, 0.5, 0.5};
      front[axis] = near_fraction;
      back[axis] = 1.0 - near_fraction;
      const std::array<double, 3> a = box.position(front), b = box.position(back);
      if (near_first) scene.sphere(a.data(), 1.0, red);
      scene.sphere(b.data(), 2.0, blue);
      if (!near_first) scene.sphere(a.data(), 1.0, red);
      EXPECT_TRUE(reddish(pixel(scene, 0.5, 0.5))) << view;
      EXPECT_TRUE(bluish(pixel(scene, 0.65, 0.5))) << view;
    }
  }
  // Two that cut one another: each is seen on its own side.
  ParticleScene scene(box, view_direction("z"), 0.0, 400);
  const std::array<double, 3> left = box.position({0.45, 0.5, 0.5}), right = box.position({0.55, 0.5, 0.5});
  scene.sphere(left.data(), 1.0, red);
  scene.sphere(right.data(), 1.0, blue);
  EXPECT_TRUE(reddish(pixel(scene, 0.48, 0.5)));
  EXPECT_TRUE(bluish(pixel(scene, 0.52, 0.5)));
}

TEST(ParticleScene, TheSameInAnyOrderAndFromParts) {
  md::SimulationBox box = cube(10.0);
  box.xy = 2.0;
  box.yz = -3.0;
  std::vector<double> points;
  for (int i = 0; i < 400; ++i) {
    const double f = 0.5 + 0.5 * std::sin(i), g = 0.5 + 0.5 * std::sin(1.7 * i), h = 0.5 + 0.5 * std::cos(2.3 * i);
    for (const double x : box.position({f, g, h})) points.push_back(x);
  }
  points.insert(points.end(), points.begin(), points.begin() + 3);  // two in one place
  const std::size_t n = points.size() / 3;
  const auto draw = [&](ParticleScene& scene, std::size_t i) {
    scene.sphere(points.data() + 3 * i, 0.7, {static_cast<std::uint8_t>(i % 251), 90, 120});
  };
  ParticleScene forwards(box, view_direction("oblique"), 0.7, 400), backwards = forwards, sorted = forwards;
  ParticleScene even = forwards, odd = forwards;
  for (std::size_t i = 0; i < n; ++i) {
    draw(forwards, i);
    draw(backwards, n - 1 - i);
    draw(i % 2 == 0 ? even : odd, i);
  }
  const std::vector<std::size_t> order = sorted.front_to_back(points);
  EXPECT_EQ(order.size(), n);
  for (const std::size_t i : order) draw(sorted, i);
  EXPECT_TRUE(forwards.buffer() == backwards.buffer());
  EXPECT_TRUE(forwards.buffer() == sorted.buffer());
  for (std::size_t i = 0; i < even.buffer().size(); ++i) {
    EXPECT_GE(forwards.buffer()[i], 0);
    even.buffer()[i] = std::min(even.buffer()[i], odd.buffer()[i]);
  }
  EXPECT_TRUE(forwards.buffer() == even.buffer());
}

TEST(ParticleScene, EdgesInFrontAreWholeAndThoseBehindAreHidden) {
  const md::SimulationBox box = cube(10.0);
  ParticleScene scene(box, view_direction("oblique"), 0.0, 400);
  const std::array<double, 3> centre = box.position({0.5, 0.5, 0.5});
  scene.sphere(centre.data(), 20.0, red);  // fills the picture
  scene.edges(box, {0, 0, 0});
  const std::vector<Rgb> pixels = scene.pixels();
  const auto dark_at = [&](const std::array<double, 3>& fraction) {
    const std::array<double, 3> x = box.position(fraction), middle = centre;
    double across = 0.0, up = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      across += (x[d] - middle[d]) * scene.basis()[0][d];
      up += (x[d] - middle[d]) * scene.basis()[1][d];
    }
    // Pixels per length from the box's extent across and up the picture, the longer of which is 400.
    std::array<double, 2> extent{0.0, 0.0};
    for (std::size_t d = 0; d < 3; ++d) {
      extent[0] += 10.0 * std::abs(scene.basis()[0][d]);
      extent[1] += 10.0 * std::abs(scene.basis()[1][d]);
    }
    const double scale = 400.0 / std::max(extent[0], extent[1]);
    const auto px = static_cast<std::size_t>(0.5 * scene.width() + across * scale);
    const auto py = static_cast<std::size_t>(0.5 * scene.height() - up * scale);
    return pixels[py * static_cast<std::size_t>(scene.width()) + px][0] < 60;
  };
  // Seen from +x, -y, +z: the edges that meet at (1, 0, 1) are in front, those at (0, 1, 0) behind.
  EXPECT_TRUE(dark_at({0.5, 0.0, 1.0}));
  EXPECT_TRUE(dark_at({1.0, 0.5, 1.0}));
  EXPECT_TRUE(dark_at({1.0, 0.0, 0.5}));
  EXPECT_FALSE(dark_at({0.5, 1.0, 0.0}));
  EXPECT_FALSE(dark_at({0.0, 0.5, 0.0}));
  EXPECT_FALSE(dark_at({0.0, 1.0, 0.3}));  // its middle is seen behind a front edge
}

class ParticlePictureTest : public ScratchFolder {};

TEST_F(ParticlePictureTest, TheSameBytesOnAnyNumberOfRanksAndInEveryColouring) {
  if (!pictures_available()) GTEST_SKIP() << "this build draws no pictures";
  for (const ParticleSample& sample : particle_samples()) {
    for (const auto coloring : {ParticleColoring::type, ParticleColoring::speed, ParticleColoring::scalar}) {
      if (sample.count == 0 && coloring == ParticleColoring::scalar) continue;
      ParticlePictureSettings settings;
      settings.name = sample.name + "-" + std::to_string(static_cast<int>(coloring));
      settings.coloring = coloring;
      settings.pixels = 400;
      settings.radius = {1.2, 0.8, 0.5};
      const auto draw = [&](MPI_Comm comm, const std::filesystem::path& where, std::int64_t begin, std::int64_t end) {
        const SampleFrame atoms(sample, 10, begin, end);
        std::vector<double> scalar;
        for (const std::int64_t id : atoms.id) scalar.push_back(static_cast<double>(id) - 10.0);
        return ParticlePicture(comm, where, settings, sample_description("metal"))
            .write(atoms.frame, scalar, "id", "1");
      };
      const std::array<std::int64_t, 2> mine = even_part(sample.count, ranks(), ranks() - 1 - rank());
      const auto together = draw(MPI_COMM_WORLD, folder() / "together", mine[0], mine[1]);
      ASSERT_TRUE(together.has_value());
      EXPECT_EQ(*together, folder() / "together" / "pictures" / (settings.name + "_00000010.png"));
      if (rank() == 0) {
        const auto alone = draw(MPI_COMM_SELF, folder() / "alone", 0, sample.count);
        EXPECT_TRUE(read_file(*together) == read_file(*alone)) << settings.name;
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST_F(ParticlePictureTest, RefusalsAreInWords) {
  const auto make = [&](ParticlePictureSettings settings) {
    return error_of([&] { ParticlePicture(MPI_COMM_WORLD, folder(), std::move(settings), sample_description("lj")); });
  };
  ParticlePictureSettings settings;
  EXPECT_EQ(make(settings), "");
  settings.radius = {0.5, 0.5};
  EXPECT_EQ(make(settings), "A picture of atoms of 3 types has 2 radii, but must have 1 or one a type.");
  settings.radius = {0.5, -0.5, 1.0};
  EXPECT_EQ(make(settings), "The radius of atoms in a picture is -0.5, but must be above 0.");
  settings.radius = {0.5};
  settings.direction = {0.0, 0.0, 0.0};
  EXPECT_EQ(make(settings), "The direction of a picture of atoms has no length.");
  settings.direction = view_direction("x");
  settings.colors = "rainbow";
  EXPECT_NE(make(settings).find("Colour map \"rainbow\" is not known"), std::string::npos);
  settings.colors = "auto";
  settings.range = {1.0, 1.0};
  EXPECT_EQ(make(settings), "The colours' range of a picture of atoms, 1 to 1, must ascend.");
  settings.range = std::nullopt;
  settings.pixels = 100;
  EXPECT_EQ(make(settings), "A picture of atoms has 100 pixels, but must have 400 to 8000.");
  EXPECT_EQ(error_of([] { view_direction("w"); }), "View \"w\" is not known; there are x, y, z, oblique.");
}

TEST(SpeciesColors, ElementsHaveTheirsAndOthersDiffer) {
  const std::vector<std::string> names{"Cu", "1", "2", "O"};
  const std::vector<Rgb> colors = species_colors(names);
  EXPECT_EQ(colors[0], (Rgb{205, 125, 60}));
  EXPECT_EQ(colors[3], (Rgb{225, 45, 40}));
  EXPECT_NE(colors[1], colors[2]);
}

}  // namespace
}  // namespace halyard
