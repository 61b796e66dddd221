#include "io/log/format.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace halyard {

namespace {
/// Three significant digits of a value below 1000, without an exponent.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

struct Prefixed {
  double value;
  const char* prefix;
};
Prefixed prefixed(double value) {
  static constexpr std::array<const char*, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  while (value >= 999.5 && i + 1 < prefixes.size()) {
    value /= 1000.0;
    ++i;
  }
  return {value, prefixes[i]};
}
}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0.0) return "-" + duration_text(-seconds);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minutes = whole / 60, hours = minutes / 60, days = hours / 24;
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, whole % 60);
  if (hours < 24) return fmt::format("{} h {:02} min", hours, minutes % 60);
  return fmt::format("{} d {:02} h", days, hours % 24);
}

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "unknown";
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  const Prefixed p = prefixed(bytes);
  return three_digits(p.value) + " " + p.prefix + "B";
}

std::string rate_text(double items_per_second, const std::string& item) {
  if (!std::isfinite(items_per_second)) return "unknown";
  const Prefixed p = prefixed(items_per_second);
  return three_digits(p.value) + " " + p.prefix + item + "/s";
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const int first = count < 0 ? 1 : 0;
  for (int i = static_cast<int>(digits.size()) - 3; i > first; i -= 3) digits.insert(static_cast<std::size_t>(i), " ");
  return digits;
}

}  // namespace halyard
