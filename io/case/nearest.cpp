#include "io/case/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace halyard {

int edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char p, char q) {
    return std::tolower(static_cast<unsigned char>(p)) == std::tolower(static_cast<unsigned char>(q));
  };
  const std::size_t n = b.size();
  std::vector<int> two_back(n + 1), previous(n + 1), row(n + 1);
  for (std::size_t j = 0; j <= n; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back = previous;
    previous = row;
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const int replaced = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[n];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  int best = std::numeric_limits<int>::max();
  std::string found;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    const int longer = static_cast<int>(std::max(name.size(), candidate.size()));
    if (distance < best && distance <= std::max(1, longer / 3) && 2 * distance < longer) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace halyard
