#include "io/results/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "io/hdf5/together.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

/// An open file descriptor that closes itself.
struct Descriptor {
  int file = -1;
  explicit Descriptor(int opened) : file(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
};

std::filesystem::path temporary_of(const std::filesystem::path& path) { return path.string() + ".tmp"; }

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::string file_failure(std::string_view action, const std::filesystem::path& path, const std::string& reason) {
  std::error_code code;
  std::filesystem::path place = folder_of(path);
  while (!std::filesystem::exists(place, code) && place.has_relative_path()) place = folder_of(place);
  const std::filesystem::space_info space = std::filesystem::space(place, code);
  const std::string room =
      code ? "" : fmt::format(" ({:.3f} GB free there)", 1e-9 * static_cast<double>(space.available));
  return fmt::format("{} {} failed: {}{}.", action, path.string(), reason, room);
}

std::string file_failure(std::string_view action, const std::filesystem::path& path, int error_code) {
  if (error_code == EACCES || error_code == EPERM || error_code == ENOENT) {  // room has no part in these
    return fmt::format("{} {} failed: {}.", action, path.string(), std::strerror(error_code));
  }
  return file_failure(action, path, std::strerror(error_code));
}

void write_all(int file, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(file_failure("Writing", path, errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = temporary_of(path);
  try {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.file < 0) throw Error(file_failure("Creating", temporary, errno));
    write_all(file.file, text, path);
    if (::fsync(file.file) != 0) throw Error(file_failure("Writing", path, errno));
    const int closed = ::close(file.file);
    file.file = -1;
    if (closed != 0) throw Error(file_failure("Writing", path, errno));
    rename_file(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void require_writable(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) throw Error(path.string() + " cannot be written: it is a folder.");
  const std::filesystem::path temporary = temporary_of(path);
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.file < 0) throw Error(file_failure("Creating", temporary, errno));
  ::unlink(temporary.c_str());
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) throw Error("Reading " + path.string() + " failed: it is a folder.");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(file_failure("Reading", path, errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw Error(file_failure("Reading", path, errno));
  return std::move(text).str();
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw Error(file_failure("Renaming " + from.string() + " to", to, errno));
  }
  // Some file systems cannot sync a folder (EINVAL): the rename stands all the same.
  const Descriptor folder(::open(folder_of(to).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.file >= 0 && ::fsync(folder.file) != 0 && errno != EINVAL) {
    throw Error(file_failure("Renaming to", to, errno));
  }
}

void make_folder(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (!code && std::filesystem::is_directory(path, code)) return;
  throw Error(file_failure("Making folder", path, code ? code.message() : "a file of that name is in the way"));
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string step_text(long long step) { return fmt::format("{:08d}", step); }

std::optional<std::int64_t> step_in_name(const std::string& file) {
  const std::size_t mark = file.rfind('_');
  if (mark == std::string::npos) return std::nullopt;
  std::int64_t step = 0;
  const auto read = std::from_chars(file.data() + mark + 1, file.data() + file.size(), step);
  if (read.ec != std::errc() || read.ptr == file.data() + file.size() || *read.ptr != '.') return std::nullopt;
  return step;
}

void all_ranks(MPI_Comm comm, const std::function<void()>& work) {
  std::string failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "an error without a text.";
  }
  throw_together(comm, failure);
}

}  // namespace halyard
