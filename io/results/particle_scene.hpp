#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "io/results/color_map.hpp"
#include "kernels/md/box.hpp"

namespace halyard {

/// Spheres and lines seen from infinity, drawn to a buffer of depth and colour. Sub-pixels are half a pixel wide.
///
/// A sub-pixel is one positive 64-bit number: 39 bits of depth (0 nearest), 24 bits of colour. Of two, the smaller one
/// is seen; so the buffers of several ranks are joined by a minimum, which is the same in any order. (Signed, since
/// MPICH 4.0 takes the minimum of MPI_UINT64_T as of signed numbers.)
class ParticleScene {
 public:
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();

  /// The box and spheres of up to `margin` on its faces fit into the picture; `towards_viewer` need not have length 1.
  ParticleScene(const md::SimulationBox& box, const std::array<double, 3>& towards_viewer, double margin, int pixels);

  int width() const { return width_; }  // in pixels
  int height() const { return height_; }
  std::vector<std::int64_t>& buffer() { return buffer_; }  // [2 height][2 width]

  /// The points' indices, nearest to the viewer first: in this order spheres are drawn fastest, since those behind are
  /// passed over. What is seen does not depend on the order.
  std::vector<std::size_t> front_to_back(std::span<const double> points) const;
  /// Draws one sphere, lit from the upper left. One that is not finite is left out.
  void sphere(const double* centre, double radius, Rgb color);

  /// Darkens what lies between spheres of about `radius`, fades what is far: to be called once, on the joined buffer.
  void shade(double radius);
  /// Draws the box's edges: those of a face that looks at the viewer over everything, the others behind the spheres.
  void edges(const md::SimulationBox& box, Rgb color);

  /// The pixels, top row first, from the sub-pixels.
  std::vector<Rgb> pixels() const;

  /// Directions of the picture: right, up, towards the viewer.
  const std::array<std::array<double, 3>, 3>& basis() const { return basis_; }

 private:
  std::array<double, 3> project(const double* x) const;  // sub-pixels to the right, down, and towards the viewer
  std::int64_t depth_of(double towards_viewer) const;
  double towards_viewer(std::int64_t entry) const;

  std::array<std::array<double, 3>, 3> basis_;
  int width_ = 0, height_ = 0;
  double scale_ = 1.0;                           // sub-pixels per unit of length
  std::array<double, 3> middle_{0.0, 0.0, 0.0};  // of the box, in the picture's directions
  double reach_ = 1.0;                           // sub-pixels from the middle to the nearest and the farthest
  std::vector<std::int64_t> buffer_;
  int tiles_ = 0;                       // of 8 x 8 sub-pixels in a row
  std::vector<std::int64_t> farthest_;  // the largest entry of each tile, or more
};

}  // namespace halyard
