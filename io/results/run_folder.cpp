#include "io/results/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace fs = std::filesystem;
namespace {

constexpr const char* lock_name = ".lock";
constexpr std::string_view lock_title = "Halyard run folder";

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// When the process began, in clock ticks since boot (field 22 of /proc/<pid>/stat): tells a process from a later one
/// of the same number. Empty where there is no such process.
std::string process_birth(const std::string& pid) {
  std::ifstream stream("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(stream, line)) return {};
  const std::size_t name_end = line.rfind(')');  // the second field, in brackets, may hold blanks
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int n = 3; n <= 22; ++n) fields >> field;
  return field;
}

/// "name = value" lines after the title.
std::map<std::string, std::string> read_lock_text(const fs::path& path) {
  std::map<std::string, std::string> entries;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);)
    if (const std::size_t equals = line.find(" = "); equals != std::string::npos)
      entries[line.substr(0, equals)] = line.substr(equals + 3);
  return entries;
}

std::string owner_text(std::map<std::string, std::string> entries) {
  for (const char* key : {"host", "pid", "started"})
    if (entries[key].empty()) entries[key] = "unknown";
  return fmt::format("host {}, process {}, started {}", entries["host"], entries["pid"], entries["started"]);
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", &parts);
  return text.data();
}

bool is_ours(const fs::path& path) {
  std::ifstream stream(path / lock_name);
  std::string line;
  return std::getline(stream, line) && line == lock_title;
}

/// Files below the folder that Halyard wrote, sorted. Names that only look alike (a picture of the user's own) are left
/// alone.
std::vector<fs::path> own_files(const fs::path& folder) {
  // What a kill leaves of a file that was being written ends in .tmp or .partial.
  static const std::regex top(R"((case\.toml|history\.csv|log\.txt|summary\.json)(\.[a-z]+)?)");
  static const std::regex fields(R"((.+_[0-9]{8,}\.(vti|vtr|vtp|h5|hdf|xdmf)|fields\.(pvd|xdmf))(\.tmp|\.partial)?)");
  static const std::regex pictures(R"(.+_[0-9]{8,}\.png(\.tmp|\.partial)?)");
  static const std::regex trajectory(
      R"(.+_[0-9]{8,}\.(h5|vtp)(\.part|\.tmp|\.partial)?|.+\.(pvd|xyz)(\.tmp|\.partial)?)");
  static const std::regex analysis(R"([a-z_]+\.csv(\.tmp|\.partial)?)");
  static const std::regex checkpoints(R"(step_[0-9]{8,}(_[0-9]+)?\.(h5|manifest)(\.partial)?(\.tmp)?)");
  const std::array<std::pair<fs::path, const std::regex*>, 6> places{{{folder, &top},
                                                                      {folder / "fields", &fields},
                                                                      {folder / "pictures", &pictures},
                                                                      {folder / "trajectory", &trajectory},
                                                                      {folder / "analysis", &analysis},
                                                                      {folder / "checkpoint", &checkpoints}}};
  std::vector<fs::path> found;
  for (const auto& [place, pattern] : places) {
    std::error_code code;
    if (!fs::is_directory(place, code)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() && std::regex_match(name, *pattern)) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_generation(const fs::path& path, const fs::path& folder) {
  const std::string extension = path.extension().string();
  return path.parent_path() == folder / "checkpoint" && (extension == ".h5" || extension == ".manifest");
}

/// The first few names, for a message.
std::string listed(const std::vector<fs::path>& paths, const fs::path& folder) {
  std::string text;
  for (std::size_t n = 0; n < std::min<std::size_t>(3, paths.size()); ++n)
    text += (n == 0 ? "" : ", ") + paths[n].lexically_relative(folder).string();
  if (paths.size() > 3) text += fmt::format(" and {} more", paths.size() - 3);
  return text;
}

/// Makes the folder and its parents; each that was missing is added to `made`.
void make_and_note(const fs::path& folder, std::vector<fs::path>& made) {
  std::vector<fs::path> missing;
  std::error_code code;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, code); at = at.parent_path()) missing.push_back(at);
  made.insert(made.end(), missing.rbegin(), missing.rend());
  make_folder(folder);
}

/// Throws where the folder has something in it and is not a run's folder.
void refuse_foreign(const fs::path& folder) {
  if (is_ours(folder)) return;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    // An empty .lock: a run was killed, or the disk full, in the moment it took the folder.
    if (name == lock_name && entry.is_regular_file() && entry.file_size() == 0) continue;
    if (name != "lost+found") others.push_back(entry.path());
  }
  std::sort(others.begin(), others.end());
  if (!others.empty())
    throw Error(fmt::format(
        "the output folder {} holds files that are not a Halyard run's ({}); nothing is touched there, also "
        "not by --overwrite: give an empty or a new folder with --output.",
        folder.string(), listed(others, folder)));
}

}  // namespace

/// The open .lock with the kernel's lock on it.
struct RunFolder::Lock {
  fs::path path;
  int descriptor = -1;
  bool found = false;  // the file was there before
  bool taken = false;

  Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (descriptor < 0) return;
    if (named_) {
      try {
        write(fmt::format("{}\nstate = free\nlast run = {}\n", lock_title, owner_text(read_lock_text(path))));
      } catch (const Error&) {  // the lock falls all the same
      }
    }
    ::close(descriptor);
  }

  /// Opens .lock and locks it. Throws where another process has it.
  void take(bool use_locks, std::vector<std::string>& notes) {
    std::error_code missing;
    found = fs::exists(path, missing);
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) throw Error(file_failure("Making", path, errno));
    // An open-file-description lock: unlike a POSIX lock it stays when some library opens and closes the file once
    // more, and unlike flock it works across nodes on NFS. The kernel drops it when the process ends in any way.
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const bool locked = use_locks && ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
    const int code = use_locks ? errno : ENOLCK;
    std::map<std::string, std::string> owner = read_lock_text(path);
    const std::string folder = path.parent_path().string();
    if (locked) {
      taken = true;
      if (owner["state"] == "running")
        notes.push_back(fmt::format("the last run in {} ended without notice ({})", folder, owner_text(owner)));
      return;
    }
    if (code == EAGAIN || code == EACCES)
      throw Error(
          fmt::format("the output folder {} is in use by a running Halyard ({}): wait for it, stop it or give "
                      "another folder with --output.",
                      folder, owner_text(owner)));
    notes.push_back(
        fmt::format("the file system of {} has no locks ({}): only the host and process in {} guard it against a "
                    "second run",
                    folder, std::strerror(code), lock_name));
    taken = owner["state"] != "running";
    if (taken) return;
    if (owner["host"] != host_name())
      throw Error(
          fmt::format("the output folder {} is in use by a Halyard on another host ({}), or that run was killed; if it "
                      "is, delete {} and start again.",
                      folder, owner_text(owner), path.string()));
    const std::string birth = process_birth(owner["pid"]);
    if (!birth.empty() && birth == owner["birth"])
      throw Error(
          fmt::format("the output folder {} is in use by a running Halyard ({}): wait for it, stop it or give "
                      "another folder with --output.",
                      folder, owner_text(owner)));
    taken = true;
  }

  /// No name is left in the file when the lock falls.
  void forget_owner() { named_ = false; }

  void name_owner(const std::string& program) {
    const std::string pid = std::to_string(::getpid());
    write(fmt::format("{}\nstate = running\nprogram = {}\nhost = {}\npid = {}\nbirth = {}\nstarted = {}\n", lock_title,
                      program, host_name(), pid, process_birth(pid), now_text()));
    named_ = true;
  }

 private:
  bool named_ = false;

  // In place: a renamed file would be another one than the locked.
  void write(const std::string& text) {
    const auto size = static_cast<ssize_t>(text.size());
    if (::pwrite(descriptor, text.data(), text.size(), 0) != size || ::ftruncate(descriptor, size) != 0 ||
        ::fsync(descriptor) != 0)
      throw Error(file_failure("Writing", path, errno));
  }
};

RunFolder::RunFolder() = default;
RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder& RunFolder::operator=(RunFolder&&) noexcept = default;
RunFolder::~RunFolder() = default;

void RunFolder::abandon() noexcept {
  try {
    std::error_code code;
    if (!held_a_run_)
      for (const fs::path& file : own_files(path_)) fs::remove(file, code);
    if (lock_ && lock_->taken && !lock_->found) {
      lock_->forget_owner();
      fs::remove(lock_->path, code);
    }
    lock_.reset();
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, code);  // empty ones alone
    made_.clear();
  } catch (...) {  // what cannot be removed stays
  }
}

RunFolder RunFolder::open(const fs::path& path, const Options& options, MPI_Comm comm) {
  using Mode = RestartRequest::Mode;
  RunFolder folder;
  folder.path_ = path;
  if (path.empty()) throw Error("the name of the output folder is empty; give one with --output.");

  const auto take = [&] {
    if (options.overwrite && options.restart.mode == Mode::required)
      throw Error("--overwrite removes the checkpoints that --restart required needs: give one of the two.");
    std::error_code code;
    if (fs::exists(path, code) && !fs::is_directory(path, code))
      throw Error(fmt::format("the output folder {} is a file: give another one with --output.", path.string()));
    make_and_note(path, folder.made_);
    refuse_foreign(path);
    folder.lock_ = std::make_unique<Lock>();
    folder.lock_->path = path / lock_name;
    folder.lock_->take(options.use_locks, folder.notes_);

    const std::vector<fs::path> files = own_files(path);
    folder.held_a_run_ = !files.empty();
    const bool restart_is_here =
        options.restart.mode == Mode::file &&
        (fs::equivalent(options.restart.file.parent_path().empty() ? "." : options.restart.file.parent_path(),
                        path / "checkpoint", code) ||
         fs::equivalent(options.restart.file, path, code) ||
         fs::equivalent(options.restart.file, path / "checkpoint", code));
    if (options.overwrite) {
      if (restart_is_here)
        throw Error(
            fmt::format("--overwrite removes {}, which --restart names: give one of the two, or another --output.",
                        options.restart.file.string()));
    } else {
      const bool by_mode =
          (options.restart.mode == Mode::automatic || options.restart.mode == Mode::required) &&
          std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return is_generation(file, path); });
      folder.continues_ = restart_is_here || by_mode;
      // Nothing to overwrite and nothing to continue, but --restart required: find_restart says that nothing is there.
      if (!files.empty() && !folder.continues_ && options.restart.mode != Mode::required) {
        const bool checkpoints =
            std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return is_generation(file, path); });
        throw Error(
            fmt::format("the output folder {} holds a former run ({}){}: {}--overwrite replaces it, --output names "
                        "another folder.",
                        path.string(), listed(files, path),
                        checkpoints ? " and this start does not continue it" : " without a checkpoint to continue from",
                        checkpoints ? "--restart auto continues it, " : ""));
      }
    }
    folder.lock_->name_owner(options.program);
    if (options.overwrite && !files.empty()) {
      for (const fs::path& file : files)
        if (!fs::remove(file, code) && code) throw Error(file_failure("Removing", file, code.value()));
      folder.notes_.push_back(
          fmt::format("--overwrite: {} files of a former run removed from {}", files.size(), path.string()));
    }
    for (const fs::path& part : {folder.fields(), folder.pictures(), folder.checkpoints()})
      make_and_note(part, folder.made_);
  };
  all_ranks(comm, [&] {
    if (rank_of(comm) != 0) return;
    try {
      take();
    } catch (...) {
      folder.abandon();
      throw;
    }
  });

  int continues = folder.continues_ ? 1 : 0;
  MPI_Bcast(&continues, 1, MPI_INT, 0, comm);
  folder.continues_ = continues != 0;
  all_ranks(comm, [&] {
    std::error_code code;
    if (!fs::exists(path / lock_name, code))
      throw Error(
          fmt::format("the output folder {} was made by rank 0 but rank {} on host {} does not see it: give one on a "
                      "file system that all nodes share.",
                      path.string(), rank_of(comm), host_name()));
  });
  return folder;
}

}  // namespace halyard
