#include "solvers/md/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "io/case/schema.hpp"
#include "io/results/file.hpp"
#include "kernels/grid/box.hpp"

namespace halyard::md {

Analysis::Analysis(const OutputSource& source, const OutputPlace& place, std::string name,
                   const SamplingSettings& sampling)
    : source_(source),
      path_(place.folder / "analysis" / (name + ".csv")),
      name_(std::move(name)),
      every_steps_(*sampling.every_steps),
      from_stage_(sampling.from_stage.value_or(static_cast<std::int64_t>(source.settings.stages.size())) - 1),
      from_step_(sampling.from_step) {}

bool Analysis::due(std::int64_t step, double /*time*/) const {
  // The end of the last stage belongs to it: the state there is what its last step made.
  return step % every_steps_ == 0 && step >= from_step_ && source_.stage() >= from_stage_;
}

std::string Analysis::write(std::int64_t step, double time) {
  if (step != last_step_) {
    last_step_ = step;
    sample(time);
    ++samples_;
  }
  return "";
}

std::string Analysis::write_at_end(std::int64_t step, double time) {
  if (due(step, time)) {
    write(step, time);
  }
  if (samples_ == 0) {
    return fmt::format("no sample for analysis.{} was due", name_);
  }
  std::string text;
  for (const std::string& note : table().notes) {
    text += (text.empty() ? "" : "; ") + note;
  }
  return text;
}

void Analysis::flush() {
  if (samples_ == 0) {
    return;
  }
  const AnalysisTable found = table();
  all_ranks(communicator().comm(), [&] {
    if (communicator().rank() != 0) {
      return;
    }
    std::string text =
        fmt::format("# {} sample(s), one every {} step(s), the last of step {}\n", samples_, every_steps_, last_step_);
    for (const std::string& note : found.notes) {
      text += "# " + note + "\n";
    }
    std::string header;
    text += "# units: ";
    for (std::size_t c = 0; c < found.columns.size(); ++c) {
      text += (c == 0 ? "" : ",") + found.columns[c].unit;
      header += (c == 0 ? "" : ",") + found.columns[c].name;
    }
    text += "\n" + header + "\n";
    for (std::size_t r = 0; r < found.columns.front().values.size(); ++r) {
      for (std::size_t c = 0; c < found.columns.size(); ++c) {
        text += (c == 0 ? "" : ",") + shortest(found.columns[c].values[r]);
      }
      text += "\n";
    }
    make_folder(path_.parent_path());
    write_file(path_, text);
  });
}

std::string Analysis::type_name(int type) const {
  std::string name = source_.dynamics.system().names[static_cast<std::size_t>(type)];
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != '+') {
      c = '_';
    }
  }
  return name;
}

void Analysis::add_state(State& state) {
  add_number(state, "samples", samples_);
  add_number(state, "last_step", last_step_);
  add_sums(state);
}

void Analysis::add_number(State& state, const std::string& what, std::int64_t& value) const {
  state.scalars.push_back({fmt::format("analysis_{}_{}", name_, what), "1", &value});
}

void Analysis::add_number(State& state, const std::string& what, double& value) const {
  state.scalars.push_back({fmt::format("analysis_{}_{}", name_, what), "1", &value});
}

void Analysis::add_array(State& state, const std::string& what, ElementType type, void* values,
                         std::size_t words) const {
  const Communicator& comm = communicator();
  const auto [begin, end] = even_part(static_cast<std::int64_t>(words), comm.size(), comm.rank());
  StateArray array;
  array.name = fmt::format("analysis_{}_{}", name_, what);
  array.unit = "1";
  array.centring = Centring::none;
  array.type = type;
  array.shape = {static_cast<std::int64_t>(words), 1, 1};
  array.block = {{begin, 0, 0}, {end, 1, 1}};
  auto* const bytes = static_cast<std::byte*>(values);
  array.get = [bytes, from = begin](std::span<std::byte> to) { std::memcpy(to.data(), bytes + 8 * from, to.size()); };
  array.set = [bytes, words, from = begin, &comm](std::span<const std::byte> part) {
    // Whole numbers or doubles alike: bits are added to zeros.
    std::vector<std::int64_t> all(words, 0);
    std::memcpy(all.data() + from, part.data(), part.size());
    comm.sum(all);
    std::memcpy(bytes, all.data(), 8 * words);
  };
  state.arrays.push_back(std::move(array));
}

void check_analyses(const MdCase& settings, const System& system, const CaseSchema& schema) {
  const auto stages = static_cast<std::int64_t>(settings.stages.size());
  const auto types = static_cast<int>(system.names.size());
  const AnalysisSettings& a = settings.analysis;
  const auto check_stage = [&](const std::string& name, const SamplingSettings& s, bool over_time) {
    if (!s.on()) {
      return;
    }
    const std::string key = fmt::format("analysis.{}.from_stage", name);
    if (s.from_stage && *s.from_stage > stages) {
      throw schema.error(key, fmt::format("is {}, but there are {} stage(s).", *s.from_stage, stages));
    }
    const std::int64_t from = s.from_stage.value_or(stages) - 1;
    const StageSettings& first = settings.stages[static_cast<std::size_t>(from)];
    for (std::int64_t i = from; over_time && i < stages; ++i) {
      const StageSettings& stage = settings.stages[static_cast<std::size_t>(i)];
      if (stage.ensemble == Ensemble::minimise || stage.dt != first.dt) {
        throw schema.error(
            key, fmt::format("makes samples begin with stage {}; stage {} {}, but time differences need one dt from "
                             "there to the end.",
                             from + 1, i + 1,
                             stage.ensemble == Ensemble::minimise ? std::string("is a minimisation")
                                                                  : fmt::format("has another dt, {}", stage.dt)));
      }
    }
  };
  check_stage("rdf", a.rdf, false);
  check_stage("msd", a.msd, true);
  check_stage("vacf", a.vacf, true);
  check_stage("density_profile", a.density_profile, false);
  check_stage("pressure_acf", a.pressure_acf, true);
  for (const std::array<int, 2>& pair : a.rdf.pairs) {
    if (pair[0] > types || pair[1] > types) {
      throw schema.error("analysis.rdf.pairs",
                         fmt::format("names the types [{}, {}], but there are {} type(s).", pair[0], pair[1], types));
    }
  }
  for (int d = 0; a.rdf.on() && d < 3; ++d) {
    const double half = 0.5 * system.box.width(d);
    if (system.box.periodic[static_cast<std::size_t>(d)] && a.rdf.range.value_or(0.0) > half) {
      throw schema.error("analysis.rdf.range",
                         fmt::format("is {}; at most half the width of the periodic box is possible, along {} {:.6g}.",
                                     *a.rdf.range, "xyz"[d], half));
    }
  }
}

std::int64_t analysis_bytes(const MdCase& settings, std::int64_t atoms) {
  const AnalysisSettings& a = settings.analysis;
  std::int64_t bytes = 0;
  for (const CorrelationSettings* c : {&a.msd, &a.vacf}) {
    bytes += c->on() ? c->origins * atoms * 24 + c->lags * 64 : 0;
  }
  bytes += a.pressure_acf.on() ? a.pressure_acf.lags * 72 : 0;
  bytes += a.density_profile.on() ? a.density_profile.bins * 16 : 0;
  // Points with the images around them, and their places in cells.
  bytes += a.rdf.on() ? a.rdf.bins * 16 + atoms * 2 * 100 : 0;
  return bytes;
}

std::vector<std::unique_ptr<Analysis>> make_analyses(const OutputSource& source, const OutputPlace& place) {
  const AnalysisSettings& asked = source.settings.analysis;
  std::vector<std::unique_ptr<Analysis>> analyses;
  if (asked.rdf.on()) {
    analyses.push_back(make_rdf(source, place));
  }
  if (asked.msd.on()) {
    analyses.push_back(make_msd(source, place));
  }
  if (asked.vacf.on()) {
    analyses.push_back(make_vacf(source, place));
  }
  if (asked.density_profile.on()) {
    analyses.push_back(make_density_profile(source, place));
  }
  if (asked.pressure_acf.on()) {
    analyses.push_back(make_pressure_acf(source, place));
  }
  return analyses;
}

}  // namespace halyard::md
