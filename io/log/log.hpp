#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halyard {

/// A number that a solver shows in the progress line: "T = 85.1 K".
struct ProgressNumber {
  std::string label;
  double value = 0.0;  // NaN: not shown
  std::string unit;    // "1" or empty: none
};

/// Where a run stands, for the progress line. NaN: unknown, not shown.
struct Progress {
  std::int64_t step = 0;
  double time = 0.0;
  double dt = 0.0;                            // of the last step
  double items = 0.0;                         // work items of one step, for the rate
  double fraction = 0.0;                      // of the run done, 0 to 1; NaN: no ETA
  std::span<const ProgressNumber> numbers{};  // of the solver
  std::int64_t numbers_step = 0;              // that they are of
};

/// Mean speed over a window of wall-clock time, so that the ETA neither jumps with each step nor forgets that output
/// takes time too (needs: an estimate from the last step alone jumps).
class RateWindow {
 public:
  /// Samples older than `seconds` leave the window; the two newest always stay.
  explicit RateWindow(double seconds = 30.0) : seconds_(seconds) {}
  void add(double wall, std::int64_t step, double fraction);
  /// Steps per second of wall clock; 0 until there are two samples at different times.
  double steps_per_second() const;
  /// Seconds until fraction is 1; NaN while unknown.
  double remaining() const;

 private:
  struct Sample {
    double wall;
    std::int64_t step;
    double fraction;
  };
  double seconds_;
  std::deque<Sample> samples_;
};

/// What a run says, on standard output and in `<run>/log.txt`. Speaks on one rank only: on the others every call
/// returns at once, so that callers need not ask. Lines said before open() are kept and written when the file is known.
///
/// On a terminal the progress is one live line; elsewhere a plain line at intervals. Not thread-safe.
class Log {
 public:
  /// @param speaks  true on rank 0
  explicit Log(bool speaks);
  /// For tests: says it all to `output`, which is taken for a terminal `width` columns wide where width > 0.
  Log(bool speaks, std::FILE* output, int width);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Writes everything said so far, and from now on, to this file too; `append` keeps what an earlier run wrote.
  /// @throws Error with the path and the system's reason.
  void open(const std::filesystem::path& file, bool append);

  /// Lets go of the file, so that it can be removed.
  void close();

  /// One line, or several with '\n' between them.
  void info(std::string_view line);
  /// "note: ..."
  void note(std::string_view line);
  /// "warning: ..."
  void warning(std::string_view line);
  /// As it is, on standard error and in the file.
  void error(std::string_view line);
  /// To the file alone.
  void record(std::string_view line);
  /// As note and warning, but only the first time for this key: what happens each step is said once.
  void note_once(const std::string& key, std::string_view line);
  void warning_once(const std::string& key, std::string_view line);

  /// Seconds between two plain progress lines, where standard output is no terminal.
  void set_interval(double seconds) { interval_ = seconds; }
  /// What the rate counts: "cell" gives Mcell/s.
  void set_item_name(std::string name) { item_name_ = std::move(name); }
  /// Shows where the run stands; cheap, to be called after each step. Rate and ETA are means over the last half minute,
  /// output and checkpoints included.
  void progress(const Progress& now);
  /// Takes the live line off the terminal, so that what follows starts on a clean one.
  void end_progress();

  bool speaks() const { return speaks_; }

 private:
  void say(std::FILE* stream, std::string_view line);
  std::string progress_text(const Progress& now) const;

  bool speaks_;
  std::FILE* output_;
  int width_;  // of the terminal; 0: none
  std::FILE* file_ = nullptr;
  std::string kept_;
  std::set<std::string, std::less<>> said_;
  std::chrono::steady_clock::time_point start_;
  double interval_ = 10.0, last_shown_ = 0.0;
  std::string item_name_ = "item";
  RateWindow window_;
  double last_sample_ = -1.0;
  bool live_ = false;
};

}  // namespace halyard
