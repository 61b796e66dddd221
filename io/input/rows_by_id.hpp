#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace halyard::md {

constexpr std::size_t listed = 10;  // of many mistakes of one kind, so many are named

/// Names the first ten of a list of mistakes.
class Mistakes {
 public:
  void add(std::int64_t line, std::string text) {
    if (count_++ == 0) line_ = line;
    if (texts_.size() < listed) texts_.push_back(std::move(text));
  }
  bool none() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  std::int64_t line() const { return line_; }
  std::string list() const {
    std::string all = count_ > listed ? fmt::format("the first {}: ", listed) : std::string();
    for (std::size_t i = 0; i < texts_.size(); ++i) all += (i == 0 ? "" : ", ") + texts_[i];
    return all;
  }

 private:
  std::size_t count_ = 0;
  std::int64_t line_ = 0;
  std::vector<std::string> texts_;
};

inline const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// Rows in the order of their ids. Throws through `twice` when an id comes twice.
template <class Row, class Twice>
void sort_by_id(std::vector<Row>& rows, std::vector<std::int64_t>& row_lines, Twice twice) {
  const auto strictly_below = [](const Row& a, const Row& b) { return a.id < b.id; };
  const auto not_below = [](const Row& a, const Row& b) { return a.id >= b.id; };
  if (std::adjacent_find(rows.begin(), rows.end(), not_below) == rows.end()) return;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return strictly_below(rows[a], rows[b]); });
  std::vector<Row> sorted(rows.size());
  std::vector<std::int64_t> sorted_lines(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[i] = rows[order[i]];
    sorted_lines[i] = row_lines[order[i]];
  }
  rows.swap(sorted);
  row_lines.swap(sorted_lines);
  Mistakes mistakes;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].id == rows[i - 1].id)
      mistakes.add(row_lines[i], fmt::format("{} (lines {} and {})", rows[i].id, row_lines[i - 1], row_lines[i]));
  if (!mistakes.none()) twice(mistakes);
}

}  // namespace halyard::md
