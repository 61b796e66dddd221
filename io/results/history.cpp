#include "io/results/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ",")); }

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; true;) {
    const std::size_t end = line.find(',', begin);
    words.emplace_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return words;
    begin = end + 1;
  }
}

constexpr std::string_view units_mark = "# units: ";

}  // namespace

HistoryWriter::HistoryWriter(MPI_Comm comm, std::filesystem::path path, double flush_seconds)
    : comm_(comm),
      path_(std::move(path)),
      flush_seconds_(flush_seconds),
      last_write_(std::chrono::steady_clock::now()) {
  MPI_Comm_rank(comm_, &rank_);
}

HistoryWriter::~HistoryWriter() {
  try {
    flush();
  } catch (const Error&) {
    // A destructor has nobody to tell; whoever needs to know calls flush.
  }
  if (file_ >= 0) ::close(file_);
}

void HistoryWriter::continue_from(std::int64_t step) {
  continued_ = true;
  all_ranks(comm_, [&] {
    if (rank_ != 0 || !std::filesystem::exists(path_)) return;
    const std::string text = read_file(path_);
    std::string kept;
    bool cut = false;
    for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
      const std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) {  // the run was killed while it wrote this row
        cut = true;
        break;
      }
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (number == 1) {
        if (!line.starts_with(units_mark)) {
          throw Error(path_.string() + ":1 does not begin with \"" + std::string(units_mark) +
                      "\": it is no history of this program.");
        }
        units_ = split(std::string_view(line).substr(units_mark.size()));
      } else if (number == 2) {
        names_ = split(line);
      } else {
        std::int64_t row_step = 0;
        const auto read = std::from_chars(line.data(), line.data() + line.size(), row_step);
        if (read.ec != std::errc() || read.ptr == line.data() + line.size() || *read.ptr != ',') {
          throw Error(path_.string() + ":" + std::to_string(number) + " does not begin with a step: \"" + line + "\".");
        }
        if (row_step > step) {
          cut = true;
          continue;
        }
        last_step_ = row_step;
      }
      kept += line + "\n";
    }
    header_known_ = !names_.empty();
    if (cut) write_file(path_, header_known_ ? kept : "");
  });
}

void HistoryWriter::require_columns(std::span<const HistoryColumn> columns) const {
  std::vector<std::string> names;
  for (const HistoryColumn& column : columns) names.push_back(column.name);
  if (!header_known_ || names == names_) return;
  const auto without = [](const std::vector<std::string>& these, const std::vector<std::string>& others) {
    std::vector<std::string> left;
    for (const std::string& name : these) {
      if (std::find(others.begin(), others.end(), name) == others.end()) left.push_back(name);
    }
    return left;
  };
  const std::vector<std::string> gone = without(names_, names), added = without(names, names_);
  std::string what =
      gone.empty() ? "" : fmt::format("has the column(s) {}, which this run does not write", joined(gone));
  if (!added.empty()) {
    what += fmt::format("{}lacks the column(s) {}, which this run writes", what.empty() ? "" : ", and ", joined(added));
  }
  if (what.empty())
    what = fmt::format("has the columns in the order {}, this run in the order {}", joined(names_), joined(names));
  throw Error(path_.string() + " " + what +
              ": it cannot be continued. Change the case back, move the file away or use another output folder.");
}

void HistoryWriter::open(std::span<const HistoryColumn> columns) {
  std::vector<std::string> names, units;
  for (const HistoryColumn& column : columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
  }
  if (names.empty() || names[0] != "step") throw Error("The first column of " + path_.string() + " must be step.");
  require_columns(columns);
  const bool exists = std::filesystem::exists(path_);
  if (exists && !continued_) throw Error(path_.string() + " exists already and is not overwritten.");
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error(file_failure("Creating", path_, errno));
  if (!header_known_) {
    buffer_ = std::string(units_mark) + joined(units) + "\n" + joined(names) + "\n";
    write_out();
  }
  names_ = std::move(names);
  header_known_ = true;
}

void HistoryWriter::append(std::span<const HistoryColumn> columns) {
  if (rank_ != 0) return;
  if (file_ < 0) open(columns);
  bool same = columns.size() == names_.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) same = columns[i].name == names_[i];
  if (!same) throw Error("The columns of " + path_.string() + " changed during the run.");
  const auto step = static_cast<std::int64_t>(columns[0].value);
  if (last_step_ && step <= *last_step_) return;
  last_step_ = step;
  buffer_ += std::to_string(step);
  for (const HistoryColumn& column : columns.subspan(1)) buffer_ += "," + shortest(column.value);
  buffer_ += "\n";
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - last_write_).count() >= flush_seconds_) write_out();
}

void HistoryWriter::write_out() {
  const std::string text = std::exchange(buffer_, {});
  write_all(file_, text, path_);
  last_write_ = std::chrono::steady_clock::now();
}

void HistoryWriter::flush() {
  if (rank_ == 0 && file_ >= 0) write_out();
}

}  // namespace halyard
