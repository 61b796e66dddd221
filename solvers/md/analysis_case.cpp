#include "solvers/md/analysis_case.hpp"

#include <fmt/format.h>

#include <string>

namespace halyard::md {

namespace {

void declare_sampling(const CaseSchema::Table& table, SamplingSettings& s) {
  table.key("every_steps", s.every_steps)
      .at_least(1)
      .help("a sample at the multiples of this step count; absent: no such analysis");
  table.key("from_stage", s.from_stage)
      .at_least(1)
      .active_when([&s] { return s.on(); }, "every_steps is not given")
      .help("samples are taken from the beginning of this stage on, counted from 1; absent: of the last");
  table.key("from_step", s.from_step)
      .default_value(0)
      .at_least(0)
      .active_when([&s] { return s.on(); }, "every_steps is not given")
      .help("nor is one taken before this step, counted from the start of the first run");
}

void declare_correlation(CaseSchema& schema, const std::string& name, const std::string& help, CorrelationSettings& s,
                         bool of_atoms) {
  const auto table = schema.table("analysis." + name, help);
  const auto on = [&s] { return s.on(); };
  const std::string off = "analysis." + name + ".every_steps is not given";
  declare_sampling(table, s);
  table.key("lags", s.lags)
      .default_value(100)
      .at_least(2)
      .at_most(100'000)
      .active_when(on, off)
      .help("number of time differences, 0 included: the longest is (lags - 1) every_steps");
  if (of_atoms) {
    table.key("origins", s.origins)
        .default_value(10)
        .at_least(1)
        .at_most(1000)
        .active_when(on, off)
        .help("initial times kept at once, evenly over the longest difference; each takes 24 bytes an atom");
  }
}

}  // namespace

void declare(CaseSchema& schema, AnalysisSettings& a) {
  const auto rdf = schema.table("analysis.rdf", "Radial distribution functions g(r), and coordination numbers.");
  const auto rdf_on = [&a] { return a.rdf.on(); };
  const std::string rdf_off = "analysis.rdf.every_steps is not given";
  declare_sampling(rdf, a.rdf);
  rdf.key("pairs", a.rdf.pairs)
      .default_value({})
      .at_least(1)
      .active_when(rdf_on, rdf_off)
      .help("pairs of types, [[1, 1], [1, 2]]; none: all");
  rdf.key("bins", a.rdf.bins)
      .default_value(200)
      .at_least(1)
      .at_most(1'000'000)
      .active_when(rdf_on, rdf_off)
      .help("of equal width from 0 to range");
  rdf.key("range", a.rdf.range)
      .unit("length")
      .above(0.0)
      .active_when(rdf_on, rdf_off)
      .help(
          "largest distance, of any ratio to the cutoff; at most half the width of a periodic box. Absent: 2.5 "
          "cutoffs, "
          "or 0.45 widths where that is less");

  declare_correlation(schema, "msd", "Mean squared displacement from many initial times, and diffusion coefficients.",
                      a.msd, true);
  declare_correlation(schema, "vacf", "Velocity autocorrelation, and its integral, the diffusion coefficient.", a.vacf,
                      true);
  declare_correlation(schema, "pressure_acf",
                      "Autocorrelation of the pressure tensor without its trace, and its integral, the viscosity "
                      "(Green-Kubo).",
                      a.pressure_acf, false);

  const auto profile = schema.table("analysis.density_profile", "Number densities along an edge of the box.");
  const auto profile_on = [&a] { return a.density_profile.on(); };
  const std::string profile_off = "analysis.density_profile.every_steps is not given";
  declare_sampling(profile, a.density_profile);
  profile.key("axis", a.density_profile.axis)
      .default_value(ProfileAxis::z)
      .choices({{"x", ProfileAxis::x, {}}, {"y", ProfileAxis::y, {}}, {"z", ProfileAxis::z, {}}})
      .active_when(profile_on, profile_off)
      .help("the slices are parallel to the box's faces across this edge");
  profile.key("bins", a.density_profile.bins)
      .default_value(100)
      .at_least(1)
      .at_most(1'000'000)
      .active_when(profile_on, profile_off)
      .help("slices of equal width over the box");
}

}  // namespace halyard::md
