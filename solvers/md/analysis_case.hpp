#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard::md {

/// When an analysis takes samples.
struct SamplingSettings {
  std::optional<std::int64_t> every_steps;  // absent: the analysis is off
  std::optional<std::int64_t> from_stage;   // from 1; absent: the last
  std::int64_t from_step = 0;

  bool on() const { return every_steps.has_value(); }
};

/// [analysis.rdf]
struct RdfSettings : SamplingSettings {
  std::vector<std::array<int, 2>> pairs;  // of types, from 1; none: all
  std::int64_t bins = 200;
  std::optional<double> range;
};

/// [analysis.msd], [analysis.vacf], [analysis.pressure_acf]
struct CorrelationSettings : SamplingSettings {
  std::int64_t lags = 100;
  std::int64_t origins = 10;  // of one over atoms: kept at a time
};

enum class ProfileAxis { x, y, z };

/// [analysis.density_profile]
struct ProfileSettings : SamplingSettings {
  ProfileAxis axis = ProfileAxis::z;
  std::int64_t bins = 100;
};

/// What a run finds out while it goes.
struct AnalysisSettings {
  RdfSettings rdf;
  CorrelationSettings msd, vacf, pressure_acf;
  ProfileSettings density_profile;
};

void declare(CaseSchema& schema, AnalysisSettings& settings);

}  // namespace halyard::md
