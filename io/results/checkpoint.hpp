#pragma once
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/results/state.hpp"
#include "io/results/state_hash.hpp"

namespace halyard {

/// `--restart auto|required|never|FILE`.
struct RestartRequest {
  enum class Mode { automatic, required, never, file };
  Mode mode = Mode::automatic;
  std::filesystem::path
      file;  // Mode::file: a generation's .h5 or .manifest, or the folder of a run or of its checkpoints

  static RestartRequest parse(const std::string& text);
};

/// What stands beside the state in a checkpoint.
struct CheckpointLabel {
  /// Lines "name = value" of all that the state's meaning depends on: program, grid shape, terms that are on. A restart
  /// under another key is refused and the lines that differ are named.
  std::string case_key;
  std::string case_text;  // the case as resolved
  std::string program;
  std::string version;
  std::string instruction_set;  // of the build, see HALYARD_CPU
  std::string device;
};

/// One generation on disk, as its manifest tells.
struct Generation {
  std::filesystem::path manifest;
  std::filesystem::path file;
  /// Counts the generations of a folder: the highest is the newest, also after a restart from an old one.
  std::int64_t sequence = 0;
  std::int64_t step = 0;
  double time = 0.0;  // in the run's unit of time
  std::uint64_t state_hash = 0;
  std::uint64_t bytes = 0;  // of the file
  std::string case_key;     // CheckpointLabel::case_key
};

/// Writes and rotates the generations in one `checkpoint/` folder: `step_00001234.h5` and `step_00001234.manifest`.
///
/// The HDF5 file holds each array as a contiguous dataset /arrays/<name> [nz][ny][nx] or [nz][ny][nx][components], with
/// attributes unit, centring, checksum; each scalar as an attribute of /scalars; the label, step, time and state hash
/// as attributes of the root; the case as /case. Nothing in it depends on the number of ranks or on the device. The
/// manifest (TOML) holds the size and checksums and a checksum of itself.
class CheckpointWriter {
 public:
  /// Creates the folder, removes temporaries that a killed run left, lists the generations. `keep` >= 1 generations
  /// stay. Collective. Throws Error when the folder cannot be made or read.
  CheckpointWriter(std::filesystem::path folder, int keep, MPI_Comm comm);

  /// Writes one generation: temporary file, checksums, sync, read back and compare, rename, manifest last; then removes
  /// generations beyond the newest `keep`. Collective. On any failure (non-finite value, full disk, ...) every
  /// rank throws the same Error, the temporary is removed and all older generations are as they were.
  /// When the newest generation already holds this very step and state, nothing is written and that one is returned.
  Generation write(std::int64_t step, double time, const State& state, const CheckpointLabel& label,
                   StateBuffer& buffer);

  /// Generations that restore() found damaged: they no longer count among the `keep`, and go once `keep` newer ones are
  /// there.
  void disregard(const std::vector<Generation>& damaged);

  /// Temporaries that the constructor removed.
  const std::vector<std::filesystem::path>& removed() const { return removed_; }
  /// The whole generations in the folder, newest first.
  const std::vector<Generation>& generations() const { return generations_; }

 private:
  std::filesystem::path folder_;
  int keep_;
  MPI_Comm comm_;
  std::vector<std::filesystem::path> removed_;
  std::vector<Generation> generations_;
  std::vector<std::filesystem::path> broken_;  // files of no whole generation
  std::int64_t last_sequence_ = 0;
};

/// Generations that a restart may take, newest first, and what was passed over, each as a sentence with its reason.
struct RestartCandidates {
  RestartRequest request;
  std::filesystem::path folder;
  std::vector<Generation> generations;
  std::vector<std::string> skipped;

  bool new_run() const { return generations.empty(); }
};

/// Looks for generations in `folder` (a run's `checkpoint/`) or takes the one FILE: manifest readable and whole, file
/// there and of the right size. The payload is verified by restore(), while it is read. Reads only; needs no lock.
/// Collective. Throws Error on every rank: `required` and none there; `auto` or `required` and all damaged (never a
/// silent new run); FILE missing or damaged. `auto` with no trace of a checkpoint, and `never`, give a new run.
RestartCandidates find_restart(const std::filesystem::path& folder, const RestartRequest& request, MPI_Comm comm);

/// Throws Error where the newest candidate was written under another case key than `case_key`, with the lines that
/// differ: before anything of the run is touched. restore() asks the same of each that it reads. Local; the same on
/// every rank.
void require_same_case(const RestartCandidates& candidates, const std::string& case_key);

/// Throws Error on every rank where the newest candidate does not hold just the arrays and scalars of `state`, in its
/// shapes and types; restore() asks the same of each that it reads. Collective.
void require_same_state(const RestartCandidates& candidates, const State& state, MPI_Comm comm);

struct RestartReport {
  Generation from;
  std::string version, instruction_set, device;  // that wrote it
  int ranks = 0;                                 // that wrote it
  std::string case_text;                         // as resolved by the run that wrote it
  std::vector<std::string> skipped;              // newer generations that were passed over, with the reason
  std::vector<Generation> damaged;               // of these, the ones found so while reading: for disregard()
  /// "restart from checkpoint/step_00001200.h5, step 1200, t = 0.6 s"
  std::string text(const std::string& time_unit = "s") const;
};

/// Reads the newest whole candidate into `state`: arrays through `set`, scalars in place; each rank its block, on any
/// number of ranks. Checksums are verified before a value is set; a damaged generation is passed over for the next
/// older one, and the report says so. Collective. Throws Error on every rank, with file and name: all damaged; another
/// case key (the lines that differ); an array or scalar that is missing, too many, or of another shape or type; a hash
/// of the restored state that differs from the stored one.
RestartReport restore(const RestartCandidates& candidates, State& state, const CheckpointLabel& label, MPI_Comm comm,
                      StateBuffer& buffer);

}  // namespace halyard
