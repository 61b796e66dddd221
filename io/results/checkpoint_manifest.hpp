#pragma once
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/checkpoint.hpp"
#include "kernels/device/error.hpp"

/// The manifest of a generation, and what a checkpoint folder holds by the word of its manifests.
namespace halyard::checkpoint {

inline constexpr int manifest_format = 1;
inline constexpr const char* unfinished = ".partial";  // ends the name of what is not whole yet

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

/// A manifest of a later version of this program: passed over, never removed.
class UnknownFormat : public Error {
  using Error::Error;
};

const char* name_of(Centring centring);
const char* name_of(ElementType type);
const char* type_of(const StateScalar& scalar);

/// The manifest as TOML with a checksum of the text as its last line.
std::string to_text(const Manifest& manifest);

/// Throws Error with the reason, without the file's name, where the text is not what to_text() wrote.
Manifest parse_manifest(const std::filesystem::path& path, const std::string& text);

/// Of every byte of the file outside the arrays' values (these have their own checksums). One process.
std::uint64_t metadata_checksum(const std::filesystem::path& file, const std::vector<ArrayEntry>& arrays,
                                std::uint64_t size);

/// Why the generation cannot be whole, as far as manifest and file size tell; empty when nothing speaks against it.
std::string fault_of(const Manifest& manifest);

/// What a folder holds.
struct Scan {
  std::vector<Generation> whole;              // newest first
  std::vector<std::string> skipped;           // sentences
  std::vector<std::filesystem::path> broken;  // files that belong to no whole generation
  bool trace = false;                         // something that was, or was to become, a whole generation
};

/// Rank 0 looks, every rank gets the result. Collective. A folder that does not exist is empty.
Scan scan_folder(const std::filesystem::path& folder, MPI_Comm comm);

/// step_*<extension>
bool is_checkpoint_name(const std::filesystem::path& path, std::string_view extension);

/// "<path> is passed over: <reason>."
std::string passed_over(const std::filesystem::path& path, std::string reason);

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);
/// Rank 0's text or texts, on every rank. Collective.
std::string broadcast(std::string text, MPI_Comm comm);
std::vector<std::string> broadcast(std::vector<std::string> texts, MPI_Comm comm);

}  // namespace halyard::checkpoint
