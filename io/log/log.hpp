#pragma once
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halyard {

/// Where a run stands, for the progress line.
struct Progress {
  std::int64_t step = 0;
  double time = 0.0;      // [s]
  double dt = 0.0;        // [s] of the last step
  double cfl = 0.0;       // NaN: not shown
  double items = 0.0;     // work items of one step, for the rate
  double fraction = 0.0;  // of the run done, 0 to 1; NaN: unknown, then no ETA
};

/// What a run says, on standard output and in `<run>/log.txt`. Speaks on one rank only: on the others every call
/// returns at once, so that callers need not ask. Lines said before open() are kept and written when the file is known.
///
/// On a terminal the progress is one live line; elsewhere a plain line at intervals. Not thread-safe.
class Log {
 public:
  /// @param speaks  true on rank 0
  explicit Log(bool speaks);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Writes everything said so far, and from now on, to this file too; `append` keeps what an earlier run wrote.
  /// @throws Error with the path and the system's reason.
  void open(const std::filesystem::path& file, bool append);
  /// Closes the file; lines go to the terminal alone from then on.
  void close();

  void info(std::string_view line);
  /// "note: ..."
  void note(std::string_view line);
  /// "warning: ..."
  void warning(std::string_view line);
  /// The same, but only the first time for this key: what happens each step is said once.
  void note_once(const std::string& key, std::string_view line);
  void warning_once(const std::string& key, std::string_view line);

  /// Seconds between two plain progress lines, where standard output is no terminal.
  void set_interval(double seconds) { interval_ = seconds; }
  /// What the rate counts: "Mcell/s" is "cell".
  void set_item_name(std::string name) { item_name_ = std::move(name); }
  /// Shows where the run stands; cheap, to be called each step. Rate and ETA are means over the last half minute or so,
  /// output and checkpoints included.
  void progress(const Progress& now);
  /// Takes the live line off the terminal; the next line starts clean.
  void end_progress();

  bool speaks() const { return speaks_; }

 private:
  struct Sample {
    double wall, fraction;
    std::int64_t step;
  };
  void write(std::string_view line);
  std::string progress_text(const Progress& now, double wall);
  double wall() const;

  bool speaks_, terminal_;
  int width_ = 80;
  std::FILE* file_ = nullptr;
  std::vector<std::string> kept_;
  std::set<std::string, std::less<>> said_;
  std::chrono::steady_clock::time_point start_;
  double interval_ = 10.0, last_shown_ = -1e300;
  std::string item_name_ = "item";
  std::deque<Sample> samples_;
  bool live_ = false;
};

}  // namespace halyard
