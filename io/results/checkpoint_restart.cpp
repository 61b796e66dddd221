#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/checkpoint_file.hpp"
#include "io/results/checkpoint_manifest.hpp"
#include "io/results/file.hpp"
#include "io/results/summary.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace fs = std::filesystem;
using namespace checkpoint;
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "\n  " + sentence;
  return text;
}

std::map<std::string, std::string> key_lines(const std::string& key) {
  std::map<std::string, std::string> lines;
  std::istringstream stream(key);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    const std::size_t equals = line.find(" = ");
    lines[line.substr(0, equals)] = equals == std::string::npos ? "" : line.substr(equals + 3);
  }
  return lines;
}

/// Throws where the checkpoint was written under another case key; names the lines that differ.
void require_same_key(const fs::path& file, const std::string& stored, const std::string& here) {
  if (stored == here) return;
  std::string differences;
  const auto there_lines = key_lines(stored), here_lines = key_lines(here);
  std::set<std::string> names;
  for (const auto& [name, value] : there_lines) names.insert(name);
  for (const auto& [name, value] : here_lines) names.insert(name);
  const auto value_of = [](const std::map<std::string, std::string>& lines, const std::string& name) {
    const auto line = lines.find(name);
    return line == lines.end() ? std::string("absent") : line->second;
  };
  for (const std::string& name : names) {
    const std::string there = value_of(there_lines, name), now = value_of(here_lines, name);
    if (there != now)
      differences += fmt::format("{}{} is {} there and {} here", differences.empty() ? "" : "; ", name, there, now);
  }
  if (differences.empty()) differences = "the same lines stand in another order";
  throw Error(fmt::format("{} belongs to another case: {}.", file.string(), differences));
}

/// Throws where the state and the manifest do not list the same arrays and scalars.
void require_same_list(const Manifest& manifest, const State& state) {
  const std::string file = manifest.generation.file.string();
  const char* const advice =
      "the case asks for another state than the one that wrote it. Change it back, or begin anew with --restart never";
  const auto shape_text = [](const Index3& shape, int components) {
    return fmt::format("{} x {} x {} with {} component(s)", shape[0], shape[1], shape[2], components);
  };
  for (const StateArray& array : state.arrays) {
    const auto entry = std::find_if(manifest.arrays.begin(), manifest.arrays.end(),
                                    [&](const ArrayEntry& stored) { return stored.name == array.name; });
    if (entry == manifest.arrays.end())
      throw Error(fmt::format("{} has no array {}, which this run needs: {}.", file, array.name, advice));
    if (entry->shape != array.shape || entry->components != array.components)
      throw Error(fmt::format("{}: array {} is {} there and {} in this run.", file, array.name,
                              shape_text(entry->shape, entry->components), shape_text(array.shape, array.components)));
    if (entry->type != name_of(array.type) || entry->unit != array.unit || entry->centring != name_of(array.centring))
      throw Error(fmt::format("{}: array {} is {} in {} on {} there and {} in {} on {} in this run.", file, array.name,
                              entry->type, entry->unit, entry->centring, name_of(array.type), array.unit,
                              name_of(array.centring)));
  }
  for (const StateScalar& scalar : state.scalars) {
    const auto entry = std::find_if(manifest.scalars.begin(), manifest.scalars.end(),
                                    [&](const ScalarEntry& stored) { return stored.name == scalar.name; });
    if (entry == manifest.scalars.end())
      throw Error(fmt::format("{} has no number {}, which this run needs: {}.", file, scalar.name, advice));
    if (entry->type != type_of(scalar) || entry->unit != scalar.unit)
      throw Error(fmt::format("{}: {} is {} in {} there and {} in {} in this run.", file, scalar.name, entry->type,
                              entry->unit, type_of(scalar), scalar.unit));
  }
  for (const ArrayEntry& entry : manifest.arrays)
    if (std::none_of(state.arrays.begin(), state.arrays.end(),
                     [&](const StateArray& a) { return a.name == entry.name; }))
      throw Error(fmt::format("{} has an array {}, which this run does not need: {}.", file, entry.name, advice));
  for (const ScalarEntry& entry : manifest.scalars)
    if (std::none_of(state.scalars.begin(), state.scalars.end(),
                     [&](const StateScalar& s) { return s.name == entry.name; }))
      throw Error(fmt::format("{} has a number {}, which this run does not need: {}.", file, entry.name, advice));
}

/// Reads one generation into the state. Throws on every rank where the file is damaged.
void read_payload(const Manifest& manifest, State& state, MPI_Comm comm, StateBuffer& buffer, RestartReport& report) {
  const fs::path& path = manifest.generation.file;
  all_ranks(comm, [&] {
    if (rank_of(comm) != 0) return;
    if (const std::string fault = fault_of(manifest); !fault.empty()) throw Error(fault);
    // HDF5 sees only a file whose headers are whole.
    if (metadata_checksum(path, manifest.arrays, manifest.generation.bytes) != manifest.metadata_checksum)
      throw Error("the file is damaged (checksum of its headers differs)");
  });
  std::string damage;
  hdf5::File input(path, hdf5::Mode::read, comm);
  {
    const hdf5::Group arrays = input.open_group("arrays");
    for (std::size_t a = 0; a < state.arrays.size() && damage.empty(); ++a) {
      const StateArray& array = state.arrays[a];
      const hdf5::Dataset dataset = arrays.open_dataset(array.name);
      std::span<std::byte> values;
      all_ranks(comm, [&] { values = buffer.room_for(array); });
      read_values(dataset, array.type, array.block, values, array.components);
      const std::uint64_t checksum =
          sum_over_ranks(hash_share(array.name, array.shape, array.components, array.block, values), comm);
      const auto entry = std::find_if(manifest.arrays.begin(), manifest.arrays.end(),
                                      [&](const ArrayEntry& stored) { return stored.name == array.name; });
      if (checksum != entry->checksum)
        damage = fmt::format("array {} is damaged (checksum {} instead of {})", array.name, hash_text(checksum),
                             hash_text(entry->checksum));
      else
        all_ranks(comm, [&] { array.set(values); });
    }
    const hdf5::Group scalars = input.open_group("scalars");
    std::vector<std::uint64_t> bits;
    for (const StateScalar& scalar : state.scalars) bits.push_back(read_scalar(scalars, scalar));
    for (std::size_t n = 0; n < state.scalars.size(); ++n)
      std::visit([&](auto* value) { std::memcpy(value, &bits[n], 8); }, state.scalars[n].value);
    report.case_text = read_case_text(input);
  }
  input.close();
  if (!damage.empty()) throw Error(damage);
}

}  // namespace

RestartRequest RestartRequest::parse(const std::string& text) {
  if (text == "auto") return {Mode::automatic, {}};
  if (text == "required") return {Mode::required, {}};
  if (text == "never") return {Mode::never, {}};
  if (text.empty()) throw Error("--restart is empty; allowed are auto, required, never or a checkpoint's file.");
  return {Mode::file, text};
}

RestartCandidates find_restart(const fs::path& folder, const RestartRequest& request, MPI_Comm comm) {
  RestartCandidates candidates;
  candidates.request = request;
  candidates.folder = folder;
  using Mode = RestartRequest::Mode;
  if (request.mode == Mode::never) return candidates;

  if (request.mode == Mode::file) {
    std::string manifest, directory;
    all_ranks(comm, [&] {
      if (rank_of(comm) != 0) return;
      if (fs::is_directory(request.file)) {
        directory = fs::is_directory(request.file / "checkpoint") ? request.file / "checkpoint" : request.file;
        return;
      }
      fs::path path = request.file;
      if (path.extension() != ".h5" && path.extension() != ".manifest")
        throw Error(fmt::format("--restart {}: neither auto, required or never nor a checkpoint (step_00001234.h5).",
                                path.string()));
      if (!fs::exists(path)) throw Error(fmt::format("--restart {}: there is no such file.", path.string()));
      path.replace_extension(".manifest");
      if (!fs::exists(path))
        throw Error(fmt::format("--restart {}: its manifest {} is not beside it, so that it cannot be verified.",
                                request.file.string(), path.filename().string()));
      try {
        const std::string text = read_file(path);
        if (const std::string fault = fault_of(parse_manifest(path, text)); !fault.empty()) throw Error(fault);
        manifest = text;
      } catch (const std::exception& problem) {
        throw Error(fmt::format("--restart {}: damaged: {}.", request.file.string(), problem.what()));
      }
    });
    directory = broadcast(std::move(directory), comm);
    if (!directory.empty()) {
      RestartCandidates inside = find_restart(directory, {Mode::automatic, {}}, comm);
      if (inside.generations.empty())
        throw Error(fmt::format("--restart {}: there is no checkpoint in this folder.", request.file.string()));
      inside.request = request;
      return inside;
    }
    manifest = broadcast(std::move(manifest), comm);
    const fs::path path = fs::path(request.file).replace_extension(".manifest");
    candidates.generations.push_back(parse_manifest(path, manifest).generation);
    return candidates;
  }

  const Scan scan = scan_folder(folder, comm);
  candidates.generations = scan.whole;
  candidates.skipped = scan.skipped;
  if (!candidates.generations.empty()) return candidates;
  if (scan.trace)
    throw Error(fmt::format("no checkpoint in {} is whole; to begin anew give --restart never --overwrite:{}",
                            folder.string(), joined(scan.skipped)));
  if (request.mode == Mode::required)
    throw Error(
        fmt::format("--restart required: there is no checkpoint in {}.{}", folder.string(), joined(scan.skipped)));
  return candidates;
}

void require_same_case(const RestartCandidates& candidates, const std::string& case_key) {
  if (!candidates.new_run()) {
    require_same_key(candidates.generations.front().file, candidates.generations.front().case_key, case_key);
  }
}

void require_same_state(const RestartCandidates& candidates, const State& state, MPI_Comm comm) {
  if (candidates.new_run()) return;
  const fs::path& path = candidates.generations.front().manifest;
  std::string text;
  all_ranks(comm, [&] {
    if (rank_of(comm) == 0) text = read_file(path);
  });
  require_same_list(parse_manifest(path, broadcast(std::move(text), comm)), state);
}

std::string RestartReport::text(const std::string& time_unit) const {
  return fmt::format("restart from {}, step {}, t = {:.9g} {}", from.file.string(), from.step, from.time, time_unit);
}

RestartReport restore(const RestartCandidates& candidates, State& state, const CheckpointLabel& label, MPI_Comm comm,
                      StateBuffer& buffer) {
  check_names(state);
  if (candidates.generations.empty()) throw Error("there is no checkpoint to restart from.");
  RestartReport report;
  report.skipped = candidates.skipped;
  for (const Generation& generation : candidates.generations) {
    Manifest manifest;
    try {
      std::string text;
      all_ranks(comm, [&] {
        if (rank_of(comm) == 0) text = read_file(generation.manifest);
      });
      manifest = parse_manifest(generation.manifest, broadcast(std::move(text), comm));
    } catch (const Error& problem) {
      report.skipped.push_back(passed_over(generation.file, problem.what()));
      continue;
    }
    // A healthy checkpoint of something else is no reason to look at older ones.
    require_same_key(generation.file, manifest.label.case_key, label.case_key);
    require_same_list(manifest, state);
    try {
      read_payload(manifest, state, comm, buffer, report);
    } catch (const Error& problem) {
      report.skipped.push_back(passed_over(generation.file, problem.what()));
      report.damaged.push_back(generation);
      continue;
    }
    if (const std::uint64_t hash = state_hash(state, comm, buffer); hash != generation.state_hash)
      throw Error(fmt::format("the state restored from {} has the hash {} instead of {}.", generation.file.string(),
                              hash_text(hash), hash_text(generation.state_hash)));
    report.from = generation;
    report.version = manifest.label.version;
    report.instruction_set = manifest.label.instruction_set;
    report.device = manifest.label.device;
    report.ranks = manifest.ranks;
    return report;
  }
  throw Error(fmt::format("no checkpoint of {} is whole; to begin anew give --restart never --overwrite:{}",
                          candidates.request.mode == RestartRequest::Mode::file ? candidates.request.file.string()
                                                                                : candidates.folder.string(),
                          joined(report.skipped)));
}

}  // namespace halyard
