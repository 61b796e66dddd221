#include "io/log/log.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/log/format.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {
constexpr double live_interval = 0.2;    // s between two updates of the live line
constexpr double sample_interval = 0.1;  // s between two samples of the window, so that it stays short

int terminal_width(std::FILE* stream) {
  const int descriptor = fileno(stream);
  if (isatty(descriptor) == 0) return 0;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
}  // namespace

void RateWindow::add(double wall, std::int64_t step, double fraction) {
  samples_.push_back({wall, step, fraction});
  while (samples_.size() > 2 && samples_[1].wall <= wall - seconds_) samples_.pop_front();
}

double RateWindow::steps_per_second() const {
  if (samples_.size() < 2 || samples_.back().wall <= samples_.front().wall) return 0.0;
  return static_cast<double>(samples_.back().step - samples_.front().step) /
         (samples_.back().wall - samples_.front().wall);
}

double RateWindow::remaining() const {
  if (samples_.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double speed =
      (samples_.back().fraction - samples_.front().fraction) / (samples_.back().wall - samples_.front().wall);
  if (!(speed > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(0.0, 1.0 - samples_.back().fraction) / speed;
}

Log::Log(bool speaks) : Log(speaks, stdout, speaks ? terminal_width(stdout) : 0) {}

Log::Log(bool speaks, std::FILE* output, int width)
    : speaks_(speaks), output_(output), width_(width), start_(std::chrono::steady_clock::now()) {}

Log::~Log() {
  if (!speaks_) return;
  end_progress();
  close();
}

void Log::open(const std::filesystem::path& file, bool append) {
  if (!speaks_) return;
  file_ = std::fopen(file.c_str(), append ? "a" : "w");
  if (file_ == nullptr) throw Error(file.string() + " cannot be opened for writing: " + std::strerror(errno));
  std::fwrite(kept_.data(), 1, kept_.size(), file_);
  std::fflush(file_);
  kept_.clear();
}

void Log::close() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
}

void Log::say(std::FILE* stream, std::string_view line) {
  if (!speaks_) return;
  end_progress();
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
  record(line);
}

void Log::record(std::string_view line) {
  if (!speaks_) return;
  const std::string text = std::string(line) + "\n";
  if (file_ == nullptr) {
    kept_ += text;
    return;
  }
  // A log that cannot be written (full disk) must not end a run that can still save its state; the state's own writers
  // report the disk.
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

void Log::info(std::string_view line) { say(output_, line); }
void Log::note(std::string_view line) { say(output_, "note: " + std::string(line)); }
void Log::warning(std::string_view line) { say(output_, "warning: " + std::string(line)); }
void Log::error(std::string_view line) { say(output_ == stdout ? stderr : output_, line); }

void Log::note_once(const std::string& key, std::string_view line) {
  if (speaks_ && said_.insert(key).second) note(line);
}

void Log::warning_once(const std::string& key, std::string_view line) {
  if (speaks_ && said_.insert(key).second) warning(line);
}

void Log::end_progress() {
  if (!live_) return;
  std::fputs("\r\033[K", output_);  // back to the line's start, erase it
  std::fflush(output_);
  live_ = false;
}

std::string Log::progress_text(const Progress& now) const {
  std::string text = fmt::format("step {:>7}  t = {:<10.6g}  dt = {:<9.3e}", now.step, now.time, now.dt);
  // The solver's first number stands where a narrow terminal shows it, the others come last.
  std::string others;
  bool any = false;
  for (const ProgressNumber& number : now.numbers) {
    if (!std::isfinite(number.value)) continue;
    std::string& to = any ? others : text;
    any = true;
    to += fmt::format("  {} = {:.5g}", number.label, number.value);
    if (!number.unit.empty() && number.unit != "1") to += " " + number.unit;
  }
  const double rate = window_.steps_per_second() * now.items;
  if (rate > 0.0) text += fmt::format("  {:>12}", rate_text(rate, item_name_));
  const double remaining = window_.remaining();
  if (std::isfinite(now.fraction)) text += fmt::format("  {:>3.0f} %", 100.0 * std::clamp(now.fraction, 0.0, 1.0));
  if (std::isfinite(remaining)) text += "  ETA " + duration_text(remaining);
  text += others;
  if (any && now.numbers_step != now.step) text += fmt::format(" (of step {})", now.numbers_step);
  return text;
}

void Log::progress(const Progress& now) {
  if (!speaks_) return;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (last_sample_ < 0.0) {
    last_shown_ = wall;  // nothing to tell before a first stretch is measured
  }
  if (last_sample_ < 0.0 || wall - last_sample_ >= sample_interval) {
    window_.add(wall, now.step, now.fraction);
    last_sample_ = wall;
  }
  if (wall - last_shown_ < (width_ > 0 ? std::min(live_interval, interval_) : interval_)) return;
  last_shown_ = wall;
  const std::string text = progress_text(now);
  if (width_ == 0) {
    say(output_, text);
    return;
  }
  std::fputs(("\r" + text.substr(0, static_cast<std::size_t>(width_ - 1)) + "\033[K").c_str(), output_);
  std::fflush(output_);
  live_ = true;
}

}  // namespace halyard
