#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "io/results/particle_writer.hpp"

namespace halyard::md {

enum class PictureColor { type, speed, force };

/// [output.trajectory]
struct TrajectorySettings {
  std::vector<ParticleFormat> formats;  // none: no trajectory
  std::optional<std::int64_t> every_steps;
  std::int64_t frames_per_file = 100;
  FieldPrecision precision = FieldPrecision::float64;
  bool forces = false;
};

/// One [[output.picture]].
struct PictureSettings {
  std::optional<std::int64_t> every_steps;
  std::string view;
  PictureColor color = PictureColor::type;
  std::optional<std::array<double, 2>> range;
  std::string colors;
  std::vector<double> radius;  // one, or one a type; none: as picture_radius() says
  int pixels = 1000;
};

/// What a run writes of its atoms.
struct OutputSettings {
  TrajectorySettings trajectory;
  std::vector<PictureSettings> pictures;
  std::string data_file;  // in the run's folder; empty: none
};

void declare(CaseSchema& schema, OutputSettings& settings);

}  // namespace halyard::md
