#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace halyard {

/// A triple of 64-bit cell counts or cell indices in the order x, y, z.
using Index3 = std::array<std::int64_t, 3>;

/// A half-open range [begin, end) of global cell indices on each axis. x runs fastest wherever a box is stored.
struct Box {
  Index3 begin{0, 0, 0};
  Index3 end{0, 0, 0};

  bool operator==(const Box&) const = default;

  std::int64_t extent(int axis) const { return end[axis] - begin[axis]; }
  Index3 extents() const { return {extent(0), extent(1), extent(2)}; }
  bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  std::int64_t count() const { return empty() ? 0 : extent(0) * extent(1) * extent(2); }
};

/// The cells that two boxes share; empty() where they share none.
inline Box intersection(const Box& a, const Box& b) {
  Box common;
  for (int axis = 0; axis < 3; ++axis) {
    common.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    common.end[axis] = std::max(common.begin[axis], std::min(a.end[axis], b.end[axis]));
  }
  return common;
}

/// Part `index` of `parts` of n items, as even as possible: the first n mod parts parts hold one item more.
inline std::array<std::int64_t, 2> even_part(std::int64_t n, std::int64_t parts, std::int64_t index) {
  const std::int64_t base = n / parts, larger = n % parts;
  const std::int64_t begin = index * base + std::min(index, larger);
  return {begin, begin + base + (index < larger ? 1 : 0)};
}

}  // namespace halyard
