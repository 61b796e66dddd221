#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace halyard {

/// Something that a run writes while it goes: snapshots, pictures, a trajectory, an analysis that samples the state.
/// All calls are collective; errors are thrown alike on every rank.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// Whether something is to be written after this step, at this time. Follows from these and the case alone, so that a
  /// restart writes what the uninterrupted run would; a Cadence (plan.hpp) answers for most.
  virtual bool due(std::int64_t step, double time) const = 0;
  /// Writes what is due of the present state. Returns the log's line, "" for none; the loop puts the step before it.
  /// A run that starts, anew or from a checkpoint, writes what is due at its first step too: an output that adds
  /// samples up remembers the step of the last one (as state) and takes no step twice.
  /// @throws Error with path and reason where it cannot be written: the loop saves the state and ends the run.
  virtual std::string write(std::int64_t step, double time) = 0;
  /// The run has come to its end: writes what is not due there but belongs to every end. Not called where a signal ends
  /// the run, since a restart carries on from there.
  virtual std::string write_at_end(std::int64_t step, double time) { return due(step, time) ? "" : write(step, time); }

  /// A restart in the same folder: what was written of later steps than this goes, or may be replaced. Called before
  /// any write. The step is the one before the checkpoint's.
  virtual void continue_from(std::int64_t /*step*/) {}
  /// Hands all that was written to the disk. Called before each checkpoint and when the run ends, however it ends well:
  /// a restart from a checkpoint finds the outputs up to its step.
  virtual void flush() {}
};

/// Where a run's results go.
struct OutputPlace {
  std::filesystem::path folder;  // of the run
  std::string name;              // of the case, for file names
};

}  // namespace halyard
