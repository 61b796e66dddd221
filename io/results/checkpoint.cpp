#include "io/results/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "io/hdf5/hdf5.hpp"
#include "io/results/checkpoint_file.hpp"
#include "io/results/checkpoint_manifest.hpp"
#include "io/results/file.hpp"
#include "io/results/health.hpp"
#include "io/results/summary.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace fs = std::filesystem;
using namespace checkpoint;
namespace {

constexpr std::uint64_t metadata_room = 1u << 20;  // reserved for HDF5's own

/// Takes the space before HDF5 needs it, so that a full disk or quota is an error here, with the system's text: a
/// collective write that fails on one rank makes HDF5 wait forever on the others. File systems that cannot reserve
/// (some network ones) are asked what is free.
void reserve_space(const fs::path& file, std::uint64_t bytes, bool create) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0666);
  if (descriptor < 0) throw Error(file_failure("Writing", file, errno));
  int result = 0;
  do {
    result = ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  const int code = errno;
  ::close(descriptor);
  const bool cannot_reserve = result != 0 && (code == EOPNOTSUPP || code == ENOSYS);
  std::error_code unknown;
  const std::uintmax_t free = cannot_reserve ? fs::space(file, unknown).available : bytes;
  const bool full = result != 0 && (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO);
  if (full || (!unknown && free < bytes))
    throw Error(file_failure(fmt::format("Reserving {} bytes for", bytes), file, full ? code : ENOSPC));
}

/// Gives back what was reserved beyond the file's end.
void release_reserve(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || ::truncate(file.c_str(), status.st_size) != 0)
    throw Error(file_failure("Writing", file, errno));
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
    if (descriptor < 0) throw Error(file_failure("Opening", file, errno));
    const int result = ::fsync(descriptor), code = errno;
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    ::close(descriptor);
    if (result != 0) throw Error(file_failure("Writing", file, code));
  });
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
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
      const std::span<const std::byte> values = buffer.read(array, comm);
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
  all_ranks(comm, [&] {
    if (rank_of(comm) == 0) release_reserve(file);
  });
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

void remove_generation(const Generation& generation) {
  // The manifest goes first: a file without one is known to be unfinished.
  std::error_code ignored;
  fs::remove(generation.manifest, ignored);
  fs::remove(generation.file, ignored);
}

}  // namespace

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
    if (code) throw Error(file_failure("Reading", folder_, code.value()));
    std::sort(left.begin(), left.end());
    for (const fs::path& path : left)
      if (fs::remove(path, code)) removed.push_back(path.string());
  });
  for (const std::string& path : broadcast(std::move(removed), comm_)) removed_.emplace_back(path);
  Scan scan = scan_folder(folder_, comm_);
  generations_ = std::move(scan.whole);
  broken_ = std::move(scan.broken);
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
  generation.case_key = label.case_key;
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

}  // namespace halyard
