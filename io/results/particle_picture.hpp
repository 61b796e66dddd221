#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/results/canvas.hpp"
#include "io/results/particle_frame.hpp"

namespace halyard {

enum class ParticleColoring { type, speed, scalar };

/// Where the viewer stands, as seen from the scene: "x" (y to the right, z up), "y" (from -y: x to the right, z up),
/// "z" (x to the right, y up) or "oblique" (front, right side and top seen). Throws on other names.
std::array<double, 3> view_direction(const std::string& name);

struct ParticlePictureSettings {
  std::string name = "particles";                       // start of the file name
  std::array<double, 3> direction = {0.46, -0.8, 0.4};  // from the scene to the viewer; z is up, y where they agree
  std::vector<double> radius = {0.5};                   // one for all types or one a type, in the case's unit of length
  ParticleColoring coloring = ParticleColoring::type;
  std::string colors = "auto";  // color_map_names(); auto: coolwarm for a symmetric range, else viridis
  std::optional<std::array<double, 2>> range =
      std::nullopt;   // of the colours; else from the 1st to the 99th percentile
  int pixels = 1000;  // of the scene's longer side, at least 400
  bool box = true;    // the box's edges are drawn
};

/// A picture of the atoms as spheres, seen from infinity: `pictures/<name>_<step>.png`, with title, step, time and, by
/// colour, the species or a colour bar. Each rank draws its atoms to depth and colour; the nearest of all ranks is what
/// is seen, atoms in one place by their colour, so that the picture is the same on any number of ranks and in any order
/// of the atoms. Crevices are darkened and distance fades. The scene's shape follows the box, in steps of 1/20 of the
/// longer side, so that the pictures of a box that changes a little are of one size.
class ParticlePicture {
 public:
  /// Throws where the direction is zero, a radius is not positive, radii are neither one nor one a type, or the colour
  /// map is unknown.
  ParticlePicture(MPI_Comm comm, std::filesystem::path folder, ParticlePictureSettings settings,
                  ParticleDescription description);

  const ParticlePictureSettings& settings() const { return settings_; }

  /// Draws the frame. `scalar` (one value an atom of the block, with name and unit for the colour bar) is looked at
  /// where the settings colour by it. Collective. Returns the file, nothing where pictures are off. A picture of the
  /// same name is replaced: it says nothing that the state does not.
  std::optional<std::filesystem::path> write(const ParticleFrame& frame, std::span<const double> scalar = {},
                                             const std::string& scalar_name = "", const std::string& scalar_unit = "");

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path pictures_;
  ParticlePictureSettings settings_;
  ParticleDescription description_;
};

/// The colour of each type where atoms are coloured by type: an element's usual one where the species is an element's
/// symbol, else one of ten that are easy to tell apart.
std::vector<Rgb> species_colors(std::span<const std::string> species);

}  // namespace halyard
