#include "io/results/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/file.hpp"
#include "io/results/health.hpp"
#include "io/results/summary.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace fs = std::filesystem;
namespace {

constexpr int manifest_format = 1;
constexpr const char* unfinished = ".partial";  // ends the name of what is not whole yet
constexpr std::size_t verify_bytes = 8u << 20;  // read back at a time
constexpr std::uint64_t metadata_room = 1u << 20;

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

/// Rank 0's text, on every rank.
std::string broadcast(std::string text, MPI_Comm comm) {
  std::int64_t size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return text;
}

std::vector<std::string> broadcast(std::vector<std::string> texts, MPI_Comm comm) {
  std::int64_t size = static_cast<std::int64_t>(texts.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  texts.resize(static_cast<std::size_t>(size));
  for (std::string& text : texts) text = broadcast(std::move(text), comm);
  return texts;
}

bool ends_with(const fs::path& path, std::string_view end) { return path.filename().string().ends_with(end); }

const char* name_of(Centring centring) {
  constexpr std::array names{"cell", "face_x", "face_y", "face_z", "none"};
  return names[static_cast<std::size_t>(centring)];
}

const char* name_of(ElementType type) { return type == ElementType::float64 ? "float64" : "int64"; }

hdf5::Type file_type(ElementType type) {
  return type == ElementType::float64 ? hdf5::Type::float64 : hdf5::Type::int64;
}

const char* type_of(const StateScalar& scalar) {
  return std::holds_alternative<double*>(scalar.value) ? "float64" : "int64";
}

// --- the manifest
// ------------------------------------------------------------------------------------------------------

struct ArrayEntry {
  std::string name, unit, centring, type;
  int components = 1;
  Index3 shape{0, 0, 0};
  std::uint64_t checksum = 0;
  std::uint64_t offset = 0, bytes = 0;  // of the values in the file
};

struct ScalarEntry {
  std::string name, unit, type;
};

struct Manifest {
  Generation generation;
  int ranks = 0;
  std::string written;
  CheckpointLabel label;                // without the case's text, which the HDF5 file has
  std::uint64_t metadata_checksum = 0;  // of the file's bytes outside the values
  std::vector<ArrayEntry> arrays;
  std::vector<ScalarEntry> scalars;
};

std::uint64_t text_checksum(std::string_view text) {
  std::vector<std::byte> padded((text.size() + 7) / 8 * 8);
  std::memcpy(padded.data(), text.data(), text.size());
  const std::int64_t words = static_cast<std::int64_t>(padded.size() / 8);
  return hash_share(std::to_string(text.size()), {words, 1, 1}, 1, Box{{0, 0, 0}, {words, 1, 1}}, padded);
}

constexpr std::string_view checksum_line = "# checksum ";

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

/// Throws Error with the reason, without the file's name, where the text is not what to_text() wrote.
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
      throw Error(fmt::format("its manifest has format {}, this program reads format {}", format, manifest_format));
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
    manifest.label.case_key = string(table, "case_key");
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

// --- checksums of the file
// ----------------------------------------------------------------------------------------------

/// Of every byte of the file outside the arrays' values (these have their own checksums). One process.
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
        throw Error(file_failure("reading", file, errno));
      checksum = checksum * 0x9e3779b97f4a7c15u + text_checksum(bytes);
    }
    position = std::max(position, end);
  }
  return checksum;
}

/// Reads this rank's box of the dataset as it is in the file.
void read_values(const hdf5::Dataset& dataset, ElementType type, const Box& box, std::span<std::byte> values,
                 int components) {
  if (type == ElementType::float64)
    dataset.read(box, std::span(reinterpret_cast<double*>(values.data()), values.size() / 8), components);
  else
    dataset.read(box, std::span(reinterpret_cast<std::int64_t*>(values.data()), values.size() / 8), components);
}

void write_values(hdf5::Dataset& dataset, const StateArray& array, std::span<const std::byte> values) {
  if (array.type == ElementType::float64)
    dataset.write(array.block, std::span(reinterpret_cast<const double*>(values.data()), values.size() / 8),
                  array.components);
  else
    dataset.write(array.block, std::span(reinterpret_cast<const std::int64_t*>(values.data()), values.size() / 8),
                  array.components);
}

std::uint64_t sum_over_ranks(std::uint64_t share, MPI_Comm comm) {
  std::uint64_t sum = 0;
  MPI_Allreduce(&share, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

/// The checksum of a dataset as it is on disk, in bounded memory: slabs, each rank another one than it wrote.
/// Collective.
std::uint64_t stored_checksum(const hdf5::Dataset& dataset, const StateArray& array, MPI_Comm comm,
                              std::vector<std::byte>& slab) {
  const std::int64_t ranks = size_of(comm), part = (rank_of(comm) + 1) % ranks;
  const auto longest = std::max_element(array.shape.begin(), array.shape.end()) - array.shape.begin();
  const int axis = array.shape[2] >= ranks ? 2 : static_cast<int>(longest);
  const Box all{{0, 0, 0}, array.shape};
  if (all.count() == 0) return 0;
  const std::int64_t n = array.shape[axis], layer = all.count() / n * array.components * 8;
  const std::int64_t thickness = std::max<std::int64_t>(1, static_cast<std::int64_t>(verify_bytes) / layer);
  const auto [begin, end] = even_part(n, ranks, part);
  const std::int64_t calls = ((n + ranks - 1) / ranks + thickness - 1) / thickness;
  std::uint64_t share = 0;
  for (std::int64_t call = 0; call < calls; ++call) {
    Box box = all;
    box.begin[axis] = std::min(end, begin + call * thickness);
    box.end[axis] = std::min(end, begin + (call + 1) * thickness);
    if (box.empty()) box = Box{};
    slab.resize(static_cast<std::size_t>(box.count() * array.components * 8));
    read_values(dataset, array.type, box, slab, array.components);
    share += hash_share(array.name, array.shape, array.components, box, slab);
  }
  return sum_over_ranks(share, comm);
}

// --- writing
// --------------------------------------------------------------------------------------------------------------

/// Takes the space before HDF5 needs it, so that a full disk or quota is an error here, with the system's text. File
/// systems that cannot reserve (some network ones) say so and are left alone.
void reserve_space(const fs::path& file, std::uint64_t bytes, bool create) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0666);
  if (descriptor < 0) throw Error(file_failure("writing", file, errno));
  int result = 0;
  do {
    result = ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  const int code = errno;
  ::close(descriptor);
  if (result != 0 && (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO))
    throw Error(file_failure(fmt::format("reserving {} bytes for", bytes), file, code));
}

/// Writes the system's cache of the file to disk on every node, and drops it, so that reading back reads the disk.
/// Collective.
void sync_file(const fs::path& file, MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const bool first_of_node = rank_of(node) == 0;
  MPI_Comm_free(&node);
  all_ranks(comm, [&] {
    if (!first_of_node) return;
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) throw Error(file_failure("opening", file, errno));
    const int result = ::fsync(descriptor), code = errno;
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    ::close(descriptor);
    if (result != 0) throw Error(file_failure("writing", file, code));
  });
}

/// The case's text as /case: a string of any length (attributes end at 64 KiB). Rank 0 writes. Collective.
void write_case_text(hdf5::File& file, const std::string& text, MPI_Comm comm) {
  hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, text.size()));
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  hdf5::Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);  // same state, same bytes
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  hdf5::Handle dataset(H5Dcreate2(file.id(), "case", type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                       H5Dclose);
  herr_t result = dataset ? 0 : -1;
  if (dataset && rank_of(comm) == 0)
    result = H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.empty() ? "" : text.data());
  all_ranks(comm, [&] {
    if (result < 0) throw Error(fmt::format("writing the case to {} failed", file.where()));
  });
}

std::string read_case_text(const hdf5::File& file) {
  hdf5::Handle dataset(H5Dopen2(file.id(), "case", H5P_DEFAULT), H5Dclose);
  if (!dataset) throw Error(fmt::format("{} has no case", file.where()));
  hdf5::Handle type(H5Dget_type(dataset.get()), H5Tclose);
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    throw Error(fmt::format("reading the case from {} failed", file.where()));
  text.resize(std::strlen(text.c_str()));
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// The scalars' values of rank 0, as 8 bytes each.
std::vector<std::uint64_t> scalar_bits(const State& state, MPI_Comm comm) {
  std::vector<std::uint64_t> bits;
  for (const StateScalar& scalar : state.scalars)
    std::visit([&](const auto* value) { std::memcpy(&bits.emplace_back(), value, 8); }, scalar.value);
  MPI_Bcast(bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, 0, comm);
  return bits;
}

void write_scalar(hdf5::Group& group, const StateScalar& scalar, std::uint64_t bits) {
  if (std::holds_alternative<double*>(scalar.value)) {
    double value;
    std::memcpy(&value, &bits, 8);
    group.set_attribute(scalar.name, value);
  } else {
    group.set_attribute(scalar.name, static_cast<std::int64_t>(bits));
  }
  group.set_attribute(scalar.name + ".unit", scalar.unit);
}

std::uint64_t read_scalar(const hdf5::Group& group, const StateScalar& scalar) {
  if (std::holds_alternative<std::int64_t*>(scalar.value))
    return static_cast<std::uint64_t>(group.int64_attribute(scalar.name));
  const double value = group.double_attribute(scalar.name);
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

void check_names(const State& state) {
  std::set<std::string> names;
  for (const StateArray& array : state.arrays)
    if (!names.insert(array.name).second) throw Error("two arrays of the state have the name " + array.name + ".");
  names.clear();
  for (const StateScalar& scalar : state.scalars)
    if (!names.insert(scalar.name).second) throw Error("two scalars of the state have the name " + scalar.name + ".");
}

void require_finite(const std::optional<BadValue>& bad, std::int64_t step) {
  if (bad)
    throw Error(
        fmt::format("no checkpoint of step {} is written, since the state is not finite: {}.", step, bad->text()));
}

/// Writes and closes `file`; fills the manifest's arrays, scalars and state hash. Collective.
void write_payload(const fs::path& file, Manifest& manifest, const State& state, MPI_Comm comm, StateBuffer& buffer) {
  const Generation& generation = manifest.generation;
  std::uint64_t expected = metadata_room + manifest.label.case_text.size();
  for (const StateArray& array : state.arrays)
    expected += static_cast<std::uint64_t>(Box{{0, 0, 0}, array.shape}.count() * array.components * 8);
  const auto reserve = [&](bool create) {
    all_ranks(comm, [&] {
      if (rank_of(comm) == 0) reserve_space(file, expected, create);
    });
  };
  reserve(true);

  const std::vector<std::uint64_t> scalars = scalar_bits(state, comm);
  std::optional<BadValue> bad;
  hdf5::File output(file, hdf5::Mode::replace, comm);
  {
    output.set_attribute("halyard_checkpoint", manifest_format);
    output.set_attribute("step", generation.step);
    output.set_attribute("time", generation.time);
    output.set_attribute("program", manifest.label.program);
    output.set_attribute("version", manifest.label.version);
    output.set_attribute("instruction_set", manifest.label.instruction_set);
    output.set_attribute("device", manifest.label.device);
    output.set_attribute("case_key", manifest.label.case_key);
    write_case_text(output, manifest.label.case_text, comm);
    hdf5::Group group = output.create_group("scalars");
    for (std::size_t s = 0; s < state.scalars.size(); ++s) {
      write_scalar(group, state.scalars[s], scalars[s]);
      manifest.scalars.push_back({state.scalars[s].name, state.scalars[s].unit, type_of(state.scalars[s])});
    }
    hdf5::Group arrays = output.create_group("arrays");
    std::vector<hdf5::Dataset> datasets;
    for (const StateArray& array : state.arrays) {
      datasets.push_back(arrays.create_dataset(array.name, file_type(array.type), array.shape, array.components));
      datasets.back().set_attribute("unit", array.unit);
      datasets.back().set_attribute("centring", name_of(array.centring));
    }
    reserve(false);  // HDF5 has cut the file to nothing when it opened it

    std::uint64_t hash = 0;
    for (std::size_t a = 0; a < state.arrays.size() && !bad; ++a) {
      const StateArray& array = state.arrays[a];
      std::span<const std::byte> values;
      all_ranks(comm, [&] { values = buffer.read(array); });
      bad = check_finite(array, values, nullptr, comm);
      if (bad) break;
      ArrayEntry& entry = manifest.arrays.emplace_back();
      entry.name = array.name;
      entry.unit = array.unit;
      entry.centring = name_of(array.centring);
      entry.type = name_of(array.type);
      entry.components = array.components;
      entry.shape = array.shape;
      entry.checksum = sum_over_ranks(hash_share(array.name, array.shape, array.components, array.block, values), comm);
      entry.bytes = static_cast<std::uint64_t>(Box{{0, 0, 0}, array.shape}.count() * array.components * 8);
      write_values(datasets[a], array, values);
      datasets[a].set_attribute("checksum", hash_text(entry.checksum));
      if (entry.bytes > 0) entry.offset = H5Dget_offset(datasets[a].id());
      all_ranks(comm, [&] {
        if (entry.bytes > 0 && entry.offset == HADDR_UNDEF)
          throw Error(fmt::format("HDF5 gives no place for {}.", datasets[a].where()));
      });
      hash += entry.checksum;
    }
    std::uint64_t scalar_hash = 0;
    for (const StateScalar& scalar : state.scalars) scalar_hash += hash_scalar(scalar);
    MPI_Bcast(&scalar_hash, 1, MPI_UINT64_T, 0, comm);
    manifest.generation.state_hash = hash + scalar_hash;
    output.set_attribute("state_hash", hash_text(manifest.generation.state_hash));
  }
  output.close();
  require_finite(bad, generation.step);
}

/// Reads `file` back from disk and compares it with what the manifest and the state hold. Collective.
void verify_payload(const fs::path& file, const Manifest& manifest, const State& state, MPI_Comm comm) {
  std::string differs;
  hdf5::File input(file, hdf5::Mode::read, comm);
  {
    std::vector<std::byte> slab;
    const hdf5::Group arrays = input.open_group("arrays");
    for (std::size_t a = 0; a < state.arrays.size(); ++a) {
      const hdf5::Dataset dataset = arrays.open_dataset(state.arrays[a].name);
      if (stored_checksum(dataset, state.arrays[a], comm, slab) != manifest.arrays[a].checksum)
        differs = dataset.where();
    }
    const std::vector<std::uint64_t> scalars = scalar_bits(state, comm);
    const hdf5::Group group = input.open_group("scalars");
    for (std::size_t s = 0; s < state.scalars.size(); ++s)
      if (read_scalar(group, state.scalars[s]) != scalars[s])
        differs = fmt::format("{}, {}", group.where(), state.scalars[s].name);
    if (read_case_text(input) != manifest.label.case_text) differs = input.where() + "case";
  }
  input.close();
  all_ranks(comm, [&] {
    if (!differs.empty()) throw Error(fmt::format("{} reads back other values than were written.", differs));
  });
}

// --- looking into a folder
// ------------------------------------------------------------------------------------------------

struct Found {
  fs::path manifest;
  std::string text;
};

struct Scan {
  std::vector<Manifest> whole;       // newest first
  std::vector<std::string> skipped;  // sentences
  std::vector<fs::path> broken;      // files that belong to no whole generation
  bool trace = false;                // something that was, or was to become, a whole generation
};

/// Why the generation cannot be whole, as far as manifest and file size tell; empty when nothing speaks against it.
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

/// "<path> is passed over: <reason>."
std::string passed_over(const fs::path& path, std::string reason) {
  while (!reason.empty() && reason.back() == '.') reason.pop_back();
  return fmt::format("{} is passed over: {}.", path.string(), reason);
}

/// Rank 0 looks, every rank gets the result. Collective. A folder that does not exist is empty.
Scan scan_folder(const fs::path& folder, MPI_Comm comm) {
  std::vector<std::string> manifests, texts, skipped, broken;
  std::int64_t trace = 0;
  all_ranks(comm, [&] {
    if (rank_of(comm) != 0) return;
    std::error_code code;
    std::vector<fs::path> files;
    if (fs::exists(folder, code)) {
      for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        files.push_back(entry->path());
    }
    if (code) throw Error(file_failure("reading", folder, code.value()));
    std::sort(files.begin(), files.end());
    std::set<fs::path> named;  // by a manifest, whole or not
    for (const fs::path& path : files) {
      if (!is_checkpoint_name(path, ".manifest")) continue;
      trace = 1;
      named.insert(fs::path(path).replace_extension(".h5"));
      try {
        const std::string text = read_file(path);
        const Manifest manifest = parse_manifest(path, text);
        if (const std::string fault = fault_of(manifest); !fault.empty()) throw Error(fault);
        manifests.push_back(path.string());
        texts.push_back(text);
      } catch (const std::exception& problem) {
        skipped.push_back(passed_over(path, problem.what()));
        broken.push_back(path.string());
        broken.push_back(fs::path(path).replace_extension(".h5").string());
      }
    }
    for (const fs::path& path : files) {
      if (is_checkpoint_name(path, ".h5") && !named.contains(path)) {
        trace = 1;
        skipped.push_back(passed_over(path, "it has no manifest, so it was not finished"));
        broken.push_back(path.string());
      } else if (is_checkpoint_name(path, unfinished)) {
        skipped.push_back(passed_over(path, "it was not finished"));
      }
    }
  });
  manifests = broadcast(std::move(manifests), comm);
  texts = broadcast(std::move(texts), comm);
  Scan scan;
  scan.skipped = broadcast(std::move(skipped), comm);
  for (const std::string& path : broadcast(std::move(broken), comm)) scan.broken.emplace_back(path);
  MPI_Bcast(&trace, 1, MPI_INT64_T, 0, comm);
  scan.trace = trace != 0;
  for (std::size_t m = 0; m < manifests.size(); ++m) scan.whole.push_back(parse_manifest(manifests[m], texts[m]));
  std::sort(scan.whole.begin(), scan.whole.end(), [](const Manifest& a, const Manifest& b) {
    return a.generation.sequence != b.generation.sequence ? a.generation.sequence > b.generation.sequence
                                                          : a.generation.step > b.generation.step;
  });
  return scan;
}

std::vector<Generation> generations_of(const Scan& scan) {
  std::vector<Generation> generations;
  for (const Manifest& manifest : scan.whole) generations.push_back(manifest.generation);
  return generations;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "\n  " + sentence;
  return text;
}

void remove_generation(const Generation& generation) {
  // The manifest goes first: a file without one is known to be unfinished.
  std::error_code ignored;
  fs::remove(generation.manifest, ignored);
  fs::remove(generation.file, ignored);
}

// --- comparing with the state
// -----------------------------------------------------------------------------------------------

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
  const auto shape_text = [](const Index3& shape, int components) {
    return fmt::format("{} x {} x {} with {} component(s)", shape[0], shape[1], shape[2], components);
  };
  for (const StateArray& array : state.arrays) {
    const auto entry = std::find_if(manifest.arrays.begin(), manifest.arrays.end(),
                                    [&](const ArrayEntry& stored) { return stored.name == array.name; });
    if (entry == manifest.arrays.end())
      throw Error(fmt::format("{} has no array {}, which this run needs.", file, array.name));
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
      throw Error(fmt::format("{} has no number {}, which this run needs.", file, scalar.name));
    if (entry->type != type_of(scalar) || entry->unit != scalar.unit)
      throw Error(fmt::format("{}: {} is {} in {} there and {} in {} in this run.", file, scalar.name, entry->type,
                              entry->unit, type_of(scalar), scalar.unit));
  }
  for (const ArrayEntry& entry : manifest.arrays)
    if (std::none_of(state.arrays.begin(), state.arrays.end(),
                     [&](const StateArray& a) { return a.name == entry.name; }))
      throw Error(fmt::format("{} has an array {}, which this run does not know.", file, entry.name));
  for (const ScalarEntry& entry : manifest.scalars)
    if (std::none_of(state.scalars.begin(), state.scalars.end(),
                     [&](const StateScalar& s) { return s.name == entry.name; }))
      throw Error(fmt::format("{} has a number {}, which this run does not know.", file, entry.name));
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

// --- the public part
// ----------------------------------------------------------------------------------------------------------

RestartRequest RestartRequest::parse(const std::string& text) {
  if (text == "auto") return {Mode::automatic, {}};
  if (text == "required") return {Mode::required, {}};
  if (text == "never") return {Mode::never, {}};
  if (text.empty()) throw Error("--restart is empty; allowed are auto, required, never or a checkpoint's file.");
  return {Mode::file, text};
}

CheckpointWriter::CheckpointWriter(fs::path folder, int keep, MPI_Comm comm)
    : folder_(std::move(folder)), keep_(keep), comm_(comm) {
  if (keep_ < 1) throw Error(fmt::format("{} checkpoints are to be kept; at least 1 is needed.", keep_));
  std::vector<std::string> removed;
  all_ranks(comm_, [&] {
    if (rank_of(comm_) != 0) return;
    make_folder(folder_);
    std::error_code code;
    std::vector<fs::path> left;
    for (fs::directory_iterator entry(folder_, code), end; !code && entry != end; entry.increment(code))
      if (is_checkpoint_name(entry->path(), unfinished)) left.push_back(entry->path());
    if (code) throw Error(file_failure("reading", folder_, code.value()));
    std::sort(left.begin(), left.end());
    for (const fs::path& path : left)
      if (fs::remove(path, code)) removed.push_back(path.string());
  });
  for (const std::string& path : broadcast(std::move(removed), comm_)) removed_.emplace_back(path);
  const Scan scan = scan_folder(folder_, comm_);
  generations_ = generations_of(scan);
  broken_ = scan.broken;
  if (!generations_.empty()) last_sequence_ = generations_.front().sequence;
}

void CheckpointWriter::disregard(const std::vector<Generation>& damaged) {
  for (const Generation& generation : damaged) {
    const auto same = [&](const Generation& g) { return g.manifest == generation.manifest; };
    if (std::erase_if(generations_, same) == 0) continue;
    broken_.push_back(generation.manifest);
    broken_.push_back(generation.file);
  }
}

Generation CheckpointWriter::write(std::int64_t step, double time, const State& state, const CheckpointLabel& label,
                                   StateBuffer& buffer) {
  check_names(state);
  if (!generations_.empty() && generations_.front().step == step &&
      state_hash(state, comm_, buffer) == generations_.front().state_hash)
    return generations_.front();

  require_finite(check_finite(State{{}, state.scalars}, nullptr, comm_, buffer), step);
  Manifest manifest;
  manifest.label = label;
  manifest.ranks = size_of(comm_);
  manifest.written = broadcast(utc_now(), comm_);
  Generation& generation = manifest.generation;
  generation.step = step;
  generation.time = time;
  // A run restarted from an older generation comes by a step that the folder already holds: the file of that trajectory
  // stays.
  std::string name = "step_" + step_text(step);
  if (rank_of(comm_) == 0) {
    const std::string plain = name;
    for (int copy = 2; fs::exists(folder_ / (name + ".h5")) || fs::exists(folder_ / (name + ".manifest")); ++copy)
      name = fmt::format("{}_{}", plain, copy);
  }
  name = broadcast(name, comm_);
  generation.file = folder_ / (name + ".h5");
  generation.manifest = folder_ / (name + ".manifest");
  generation.sequence = last_sequence_ + 1;
  const fs::path file_unfinished = generation.file.string() + unfinished;
  const fs::path manifest_unfinished = generation.manifest.string() + unfinished;

  try {
    write_payload(file_unfinished, manifest, state, comm_, buffer);
    sync_file(file_unfinished, comm_);
    verify_payload(file_unfinished, manifest, state, comm_);
    std::uint64_t bytes = 0;
    all_ranks(comm_, [&] {
      if (rank_of(comm_) != 0) return;
      bytes = generation.bytes = fs::file_size(file_unfinished);
      manifest.metadata_checksum = metadata_checksum(file_unfinished, manifest.arrays, generation.bytes);
      write_file(manifest_unfinished, to_text(manifest));
      rename_file(file_unfinished, generation.file);
      rename_file(manifest_unfinished, generation.manifest);
    });
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm_);
    generation.bytes = bytes;
  } catch (...) {
    if (rank_of(comm_) == 0) {
      std::error_code ignored;
      for (const fs::path& path : {manifest_unfinished, file_unfinished, generation.manifest, generation.file})
        fs::remove(path, ignored);
    }
    throw;
  }

  last_sequence_ = generation.sequence;
  generations_.insert(generations_.begin(), generation);
  while (generations_.size() > static_cast<std::size_t>(keep_)) {
    if (rank_of(comm_) == 0) remove_generation(generations_.back());
    generations_.pop_back();
  }
  if (generations_.size() == static_cast<std::size_t>(keep_)) {
    if (rank_of(comm_) == 0) {
      std::error_code ignored;
      for (const fs::path& path : broken_) fs::remove(path, ignored);
    }
    broken_.clear();
  }
  return generation;
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
      if (!ends_with(path, ".h5") && !ends_with(path, ".manifest"))
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
      RestartCandidates inside = find_restart(directory, {Mode::required, {}}, comm);
      inside.request = request;
      return inside;
    }
    manifest = broadcast(std::move(manifest), comm);
    const fs::path path = fs::path(request.file).replace_extension(".manifest");
    candidates.generations.push_back(parse_manifest(path, manifest).generation);
    return candidates;
  }

  const Scan scan = scan_folder(folder, comm);
  candidates.generations = generations_of(scan);
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

std::string RestartReport::text() const {
  return fmt::format("restart from {}, step {}, t = {:.9g} s", from.file.string(), from.step, from.time);
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
