#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halyard {

/// An integer written as a float, read from its digits, so that nothing is rounded on the way.
struct ExactInteger {
  std::optional<std::int64_t> value;
  std::string why_not;  // completes "must be an integer": "; it is not a whole number"
};

/// "5e2" -> 500, "1.50e1" -> 15; none for "500.5", "1e19", "nan", "inf". `literal` is a TOML float.
ExactInteger exact_integer(std::string_view literal);

}  // namespace halyard
