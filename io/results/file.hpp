#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace halyard {

/// "writing <path> failed: <system's text for errno code>; <n> GB free there" as a sentence for an Error.
std::string file_failure(std::string_view action, const std::filesystem::path& path, int error_code);
std::string file_failure(std::string_view action, const std::filesystem::path& path, const std::string& reason);

/// Writes the text to an open file descriptor; throws, naming `path`, where not all of it can be written.
void write_all(int file, std::string_view text, const std::filesystem::path& path);

/// Writes the text under a temporary name beside `path`, syncs and renames it over `path`: a reader sees the old file
/// or the new one, whole. Throws with path, system message and free space; the temporary file is removed.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Bytes that a name given to write_file may have: most file systems take 255, and the temporary name is longer.
constexpr std::size_t longest_file_name = 255 - 4;

/// Throws where write_file could not write `path` now: the folder takes no files, the name is too long, a folder of
/// that name is in the way. Leaves everything as it is.
void require_writable(const std::filesystem::path& path);

/// The whole file. Throws with path and system message.
std::string read_file(const std::filesystem::path& path);

/// Renames within a folder and syncs the folder, so that the new name survives a crash.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes a folder and its parents where missing. Throws with path and system message.
void make_folder(const std::filesystem::path& path);

/// The shortest decimal that reads back to the same double ("nan", "inf", "-inf" for the others).
std::string shortest(double value);

/// A step as the results' file names have it: 8 digits or more.
std::string step_text(long long step);

/// The step in "<anything>_<step>.<suffix>", the names that results have.
std::optional<std::int64_t> step_in_name(const std::string& file);

/// Runs `work` on every rank; where it throws on any, throws the message of the lowest such rank on all. Collective.
/// `work` must not hold collective calls after a point where only some ranks may throw.
void all_ranks(MPI_Comm comm, const std::function<void()>& work);

}  // namespace halyard
