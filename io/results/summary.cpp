#include "io/results/summary.hpp"

#include <fmt/core.h>

#include "io/results/file.hpp"

namespace halyard {

Json to_json(const Summary& summary) {
  Json json = Json::object();
  json.set("program", summary.program)
      .set("version", summary.version)
      .set("device", summary.device)
      .set("ranks", summary.ranks)
      .set("threads", summary.threads)
      .set("steps", summary.steps)
      .set("time", summary.time)
      .set("wall_seconds", summary.wall_seconds)
      .set("rate", {{"value", summary.rate}, {"unit", summary.rate_unit}})
      .set("state_hash", hash_text(summary.state_hash))
      .set("end", summary.end);
  for (const auto& [name, value] : summary.more.members()) json.set(name, value);
  return json;
}

void write_summary(const std::filesystem::path& path, const Summary& summary) {
  write_file(path, to_json(summary).text());
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace halyard
