#pragma once
#include <mpi.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/results/checkpoint.hpp"

namespace halyard {

/// The output folder of one run, locked for as long as the object lives:
///
///   .lock  case.toml  history.csv  log.txt  summary.json  fields/  pictures/  checkpoint/
///
/// `.lock` marks the folder as Halyard's, holds host, process and start of the run that has it, and carries a lock that
/// the kernel drops when the process ends in any way (SIGKILL too). Where the file system has no locks, a warning is
/// left and the host and process written there decide.
class RunFolder {
 public:
  struct Options {
    bool overwrite = false;
    RestartRequest restart{};
    std::string program{};  // for the text in .lock
    bool use_locks = true;  // false: as on a file system without locks
  };

  /// Takes or creates the folder. Rank 0 does the work; collective. Throws the same Error on every rank, with the
  /// folder untouched:
  /// - a running run has it (names host and process);
  /// - it holds a former run that no restart continues, and `overwrite` is not given (says what to do). A restart
  /// continues it
  ///   when the mode is auto or required and checkpoint/ has a manifest, or FILE lies in its checkpoint/;
  /// - it has other files and is not a run's folder: refused with `overwrite` too;
  /// - `overwrite` together with a restart that would read what is to be removed (required, or FILE in this folder);
  /// - it is a file, cannot be made or written, is not seen by every rank.
  /// `overwrite` removes what Halyard writes, and nothing else.
  static RunFolder open(const std::filesystem::path& path, const Options& options, MPI_Comm comm);

  RunFolder(RunFolder&&) noexcept;
  RunFolder& operator=(RunFolder&&) noexcept;
  ~RunFolder();  // drops the lock; the folder and .lock stay

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path fields() const { return path_ / "fields"; }
  std::filesystem::path pictures() const { return path_ / "pictures"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoint"; }
  std::filesystem::path history() const { return path_ / "history.csv"; }
  std::filesystem::path log() const { return path_ / "log.txt"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path resolved_case() const { return path_ / "case.toml"; }

  /// Takes back what this object and its run put there, where the folder held no run before: files, and the folders
  /// that open() made. For a start that is refused after the folder was taken; nobody else may have a file open there.
  /// Throws nothing.
  void abandon() noexcept;

  /// The folder holds a former run that a restart is to continue.
  bool continues() const { return continues_; }
  /// Sentences for the log: no locks on this file system, what --overwrite removed.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Lock;
  RunFolder();
  std::filesystem::path path_;
  bool continues_ = false;
  std::vector<std::string> notes_;
  // Rank 0 only:
  std::unique_ptr<Lock> lock_;
  bool held_a_run_ = true;
  std::vector<std::filesystem::path> made_;  // folders, the outer ones first
};

}  // namespace halyard
