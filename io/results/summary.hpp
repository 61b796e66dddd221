#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "io/results/json.hpp"

namespace halyard {

/// What every run leaves in summary.json; other programs rely on the names.
struct Summary {
  std::string program;
  std::string version;
  std::string device;
  int ranks = 1;
  int threads = 1;  // of each rank
  std::int64_t steps = 0;
  double time = 0.0;          // [s] reached
  double wall_seconds = 0.0;  // of this start
  double rate = 0.0;
  std::string rate_unit;         // "Mcell/s"
  std::uint64_t state_hash = 0;  // written as 16 hexadecimal digits
  std::string end;               // "finished", "signal", "walltime", ...
  Json more = Json::object();    // further members, written after these in their order (host, kernels, phases, ...)
};

/// The summary as JSON, members in the order above: rate is {"value": ..., "unit": ...}.
Json to_json(const Summary& summary);

/// Writes the summary under a temporary name and renames it. One rank calls it. Throws with path and system message.
void write_summary(const std::filesystem::path& path, const Summary& summary);

/// 16 lower-case hexadecimal digits, as in summary.json, log and checkpoints.
std::string hash_text(std::uint64_t hash);

}  // namespace halyard
