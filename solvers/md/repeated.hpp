#pragma once
#include <algorithm>
#include <optional>
#include <vector>

namespace halyard::md {

/// The first of the values that comes a second time.
template <class T>
std::optional<T> repeated(const std::vector<T>& values) {
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (std::find(values.begin(), at, *at) != at) {
      return *at;
    }
  }
  return std::nullopt;
}

}  // namespace halyard::md
