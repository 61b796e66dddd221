#include "io/results/checkpoint_manifest.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "io/results/file.hpp"
#include "io/results/summary.hpp"

namespace halyard::checkpoint {
namespace fs = std::filesystem;

namespace {

std::uint64_t text_checksum(std::string_view text) {
  std::vector<std::byte> padded((text.size() + 7) / 8 * 8);
  std::memcpy(padded.data(), text.data(), text.size());
  const std::int64_t words = static_cast<std::int64_t>(padded.size() / 8);
  return hash_share(std::to_string(text.size()), {words, 1, 1}, 1, Box{{0, 0, 0}, {words, 1, 1}}, padded);
}

constexpr std::string_view checksum_line = "# checksum ";

}  // namespace

const char* name_of(Centring centring) {
  constexpr std::array names{"cell", "face_x", "face_y", "face_z", "none"};
  return names[static_cast<std::size_t>(centring)];
}

const char* name_of(ElementType type) { return type == ElementType::float64 ? "float64" : "int64"; }

const char* type_of(const StateScalar& scalar) {
  return std::holds_alternative<double*>(scalar.value) ? "float64" : "int64";
}

std::string to_text(const Manifest& manifest) {
  const Generation& generation = manifest.generation;
  toml::table table{
      {"format", manifest_format},
      {"sequence", generation.sequence},
      {"step", generation.step},
      {"time", generation.time},
      {"file", generation.file.filename().string()},
      {"bytes", static_cast<std::int64_t>(generation.bytes)},
      {"state_hash", hash_text(generation.state_hash)},
      {"metadata_checksum", hash_text(manifest.metadata_checksum)},
      {"ranks", manifest.ranks},
      {"written", manifest.written},
      {"program", manifest.label.program},
      {"version", manifest.label.version},
      {"instruction_set", manifest.label.instruction_set},
      {"device", manifest.label.device},
      {"case_key", manifest.label.case_key},
  };
  toml::array arrays, scalars;
  for (const ArrayEntry& array : manifest.arrays)
    arrays.push_back(toml::table{{"name", array.name},
                                 {"unit", array.unit},
                                 {"centring", array.centring},
                                 {"type", array.type},
                                 {"components", array.components},
                                 {"shape", toml::array{array.shape[0], array.shape[1], array.shape[2]}},
                                 {"checksum", hash_text(array.checksum)},
                                 {"offset", static_cast<std::int64_t>(array.offset)},
                                 {"bytes", static_cast<std::int64_t>(array.bytes)}});
  for (const ScalarEntry& scalar : manifest.scalars)
    scalars.push_back(toml::table{{"name", scalar.name}, {"unit", scalar.unit}, {"type", scalar.type}});
  table.insert("array", std::move(arrays));
  table.insert("scalar", std::move(scalars));
  std::ostringstream stream;
  stream << "# Halyard checkpoint: " << generation.file.filename().string() << " is whole.\n" << table << "\n";
  const std::string text = stream.str();
  return text + std::string(checksum_line) + hash_text(text_checksum(text)) + "\n";
}

Manifest parse_manifest(const fs::path& path, const std::string& text) {
  const std::size_t last = text.rfind(checksum_line);
  const std::string_view stored = last == std::string::npos ? std::string_view{} : std::string_view(text).substr(last);
  const auto checksum = stored.size() == checksum_line.size() + 17 && stored.back() == '\n'
                            ? parse_hash(stored.substr(checksum_line.size(), 16))
                            : std::nullopt;
  if (!checksum) throw Error("its manifest is cut off");
  if (*checksum != text_checksum(std::string_view(text).substr(0, last)))
    throw Error("its manifest is damaged (checksum differs)");

  Manifest manifest;
  try {
    const toml::table table = toml::parse(text);
    const auto string = [](const toml::table& from, const char* key) { return from[key].value<std::string>().value(); };
    const auto integer = [](const toml::table& from, const char* key) {
      return from[key].value<std::int64_t>().value();
    };
    const auto hash = [&](const toml::table& from, const char* key) { return parse_hash(string(from, key)).value(); };
    if (const auto format = integer(table, "format"); format != manifest_format)
      throw UnknownFormat(
          fmt::format("its manifest has format {}, this program reads format {}", format, manifest_format));
    Generation& generation = manifest.generation;
    generation.manifest = path;
    generation.file = path.parent_path() / string(table, "file");
    generation.sequence = integer(table, "sequence");
    generation.step = integer(table, "step");
    generation.time = table["time"].value<double>().value();
    generation.state_hash = hash(table, "state_hash");
    generation.bytes = static_cast<std::uint64_t>(integer(table, "bytes"));
    manifest.metadata_checksum = hash(table, "metadata_checksum");
    manifest.ranks = static_cast<int>(integer(table, "ranks"));
    manifest.written = string(table, "written");
    manifest.label.program = string(table, "program");
    manifest.label.version = string(table, "version");
    manifest.label.instruction_set = string(table, "instruction_set");
    manifest.label.device = string(table, "device");
    manifest.label.case_key = manifest.generation.case_key = string(table, "case_key");
    for (const toml::node& node : *table["array"].as_array()) {
      const toml::table& from = *node.as_table();
      ArrayEntry& array = manifest.arrays.emplace_back();
      array.name = string(from, "name");
      array.unit = string(from, "unit");
      array.centring = string(from, "centring");
      array.type = string(from, "type");
      array.components = static_cast<int>(integer(from, "components"));
      for (std::size_t axis = 0; axis < 3; ++axis)
        array.shape[axis] = from["shape"][axis].value<std::int64_t>().value();
      array.checksum = hash(from, "checksum");
      array.offset = static_cast<std::uint64_t>(integer(from, "offset"));
      array.bytes = static_cast<std::uint64_t>(integer(from, "bytes"));
    }
    for (const toml::node& node : *table["scalar"].as_array()) {
      const toml::table& from = *node.as_table();
      manifest.scalars.push_back({string(from, "name"), string(from, "unit"), string(from, "type")});
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    throw Error(fmt::format("its manifest cannot be read ({})", problem.what()));
  }
  return manifest;
}

std::uint64_t metadata_checksum(const fs::path& file, const std::vector<ArrayEntry>& arrays, std::uint64_t size) {
  std::vector<std::array<std::uint64_t, 2>> values;
  for (const ArrayEntry& array : arrays)
    if (array.bytes > 0) values.push_back({array.offset, array.offset + array.bytes});
  values.push_back({size, size});
  std::sort(values.begin(), values.end());
  std::ifstream stream(file, std::ios::binary);
  std::uint64_t checksum = 0, position = 0;
  std::string bytes;
  for (const auto& [begin, end] : values) {
    if (begin > position) {
      bytes.resize(begin - position);
      stream.seekg(static_cast<std::streamoff>(position));
      if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw Error(file_failure("Reading", file, errno));
      checksum = checksum * 0x9e3779b97f4a7c15u + text_checksum(bytes);
    }
    position = std::max(position, end);
  }
  return checksum;
}

std::string fault_of(const Manifest& manifest) {
  struct stat status {};
  const fs::path& file = manifest.generation.file;
  if (::stat(file.c_str(), &status) != 0) return fmt::format("{}: {}", file.filename().string(), std::strerror(errno));
  if (static_cast<std::uint64_t>(status.st_size) != manifest.generation.bytes)
    return fmt::format("the file has {} bytes, its manifest says {}", status.st_size, manifest.generation.bytes);
  return {};
}

bool is_checkpoint_name(const fs::path& path, std::string_view extension) {
  const std::string name = path.filename().string();
  return name.starts_with("step_") && name.ends_with(extension);
}

std::string passed_over(const fs::path& path, std::string reason) {
  while (!reason.empty() && reason.back() == '.') reason.pop_back();
  return fmt::format("{} is passed over: {}.", path.string(), reason);
}

Scan scan_folder(const fs::path& folder, MPI_Comm comm) {
  Scan scan;
  std::vector<std::string> found;  // each with four letters before it that say what it is
  all_ranks(comm, [&] {
    if (rank_of(comm) != 0) return;
    std::error_code code;
    std::vector<fs::path> files;
    if (fs::exists(folder, code)) {
      for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        files.push_back(entry->path());
    }
    if (code) throw Error(file_failure("Reading", folder, code.value()));
    std::sort(files.begin(), files.end());
    std::set<fs::path> named;  // by a manifest, whole or not
    for (const fs::path& path : files) {
      if (!is_checkpoint_name(path, ".manifest")) continue;
      const fs::path file = fs::path(path).replace_extension(".h5");
      named.insert(file);
      found.push_back("trace");
      try {
        const std::string text = read_file(path);
        if (const std::string fault = fault_of(parse_manifest(path, text)); !fault.empty()) throw Error(fault);
        found.push_back("path" + path.string());
        found.push_back("text" + text);
      } catch (const UnknownFormat& problem) {
        found.push_back("skip" + passed_over(path, problem.what()));
      } catch (const std::exception& problem) {
        found.push_back("skip" + passed_over(path, problem.what()));
        found.push_back("file" + path.string());
        found.push_back("file" + file.string());
      }
    }
    for (const fs::path& path : files) {
      if (is_checkpoint_name(path, ".h5") && !named.contains(path)) {
        found.push_back("trace");
        found.push_back("skip" + passed_over(path, "it has no manifest, so it was not finished"));
        found.push_back("file" + path.string());
      } else if (is_checkpoint_name(path, unfinished)) {
        found.push_back("skip" + passed_over(path, "it was not finished"));
      }
    }
  });
  found = broadcast(std::move(found), comm);
  std::string manifest;
  for (const std::string& item : found) {
    const std::string kind = item.substr(0, 4), text = item.substr(4);
    if (kind == "trac") scan.trace = true;
    if (kind == "skip") scan.skipped.push_back(text);
    if (kind == "file") scan.broken.emplace_back(text);
    if (kind == "path") manifest = text;
    if (kind == "text") scan.whole.push_back(parse_manifest(manifest, text).generation);
  }
  std::sort(scan.whole.begin(), scan.whole.end(), [](const Generation& a, const Generation& b) {
    return a.sequence != b.sequence ? a.sequence > b.sequence : a.step > b.step;
  });
  return scan;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

std::string broadcast(std::string text, MPI_Comm comm) {
  std::int64_t size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  text.resize(static_cast<std::size_t>(size));
  if (size > 0) MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return text;
}

std::vector<std::string> broadcast(std::vector<std::string> texts, MPI_Comm comm) {
  std::string packed;  // size, line end, text, size, ...
  for (const std::string& text : texts) packed += std::to_string(text.size()) + "\n" + text;
  packed = broadcast(std::move(packed), comm);
  texts.clear();
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t line_end = packed.find('\n', at);
    const std::size_t size = std::stoull(packed.substr(at, line_end - at));
    texts.push_back(packed.substr(line_end + 1, size));
    at = line_end + 1 + size;
  }
  return texts;
}

}  // namespace halyard::checkpoint
