#pragma once
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/results/quantity.hpp"

namespace halyard {

/// history.csv: a line `# units: ...`, one header line with the column names, then one row a call, every number as the
/// shortest decimal that reads back to the same double. Rank 0 writes and is the one that throws where writing fails
/// (the program's main then ends all ranks); only continue_from is collective.
class HistoryWriter {
 public:
  /// Opens nothing yet: the file is made by the first append. `flush_seconds`: 0 hands every row to the system at once,
  /// otherwise rows wait up to this long.
  HistoryWriter(MPI_Comm comm, std::filesystem::path path, double flush_seconds = 0.0);
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;
  ~HistoryWriter();

  /// Tells that the run continues at `step`: rows above that step are cut off (rewritten under another name, renamed),
  /// an unfinished last row as well; append then goes on after them. Collective. Without this call an existing file is
  /// an error; with it a missing file is not. Throws where the file is no history.
  void continue_from(std::int64_t step);

  /// @throws Error where the continued file has other columns than these, naming those that differ. Does nothing on
  /// ranks other than 0, and where there is no such file.
  void require_columns(std::span<const HistoryColumn> columns) const;

  /// Appends a row. The first column must be `step`, ascending; a step that the file already holds (the first one after
  /// a restart) is not written again. Throws where the names differ from those of the first row or of the continued
  /// file, and where writing fails. May be called on every rank.
  void append(std::span<const HistoryColumn> columns);

  /// Hands waiting rows to the system.
  void flush();

 private:
  void open(std::span<const HistoryColumn> columns);
  void write_out();

  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path path_;
  double flush_seconds_;
  std::chrono::steady_clock::time_point last_write_;
  bool continued_ = false;
  std::optional<std::int64_t> last_step_;
  std::vector<std::string> names_, units_;  // of the file, once known
  bool header_known_ = false;
  std::string buffer_;
  int file_ = -1;
};

}  // namespace halyard
