#include "io/case/integer.hpp"

#include <cctype>
#include <charconv>

namespace halyard {

ExactInteger exact_integer(std::string_view literal) {
  constexpr const char* too_large = "; a 64-bit integer cannot hold it";
  bool negative = false;
  if (!literal.empty() && (literal[0] == '+' || literal[0] == '-')) {
    negative = literal[0] == '-';
    literal.remove_prefix(1);
  }
  std::string digits, exponent_text;
  long point = 0;  // digits after the point
  bool after_point = false, in_exponent = false;
  for (const char c : literal) {
    if (c == '_') continue;
    if (c == '.') {
      after_point = true;
    } else if (c == 'e' || c == 'E') {
      in_exponent = true;
    } else if (in_exponent) {
      if (c != '+') exponent_text += c;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      digits += c;
      if (after_point) ++point;
    } else {
      return {std::nullopt, ""};  // nan, inf
    }
  }
  digits.erase(0, digits.find_first_not_of('0') == std::string::npos ? digits.size() : digits.find_first_not_of('0'));
  if (digits.empty()) return {0, ""};
  long exponent = 0;
  if (!exponent_text.empty()) {
    const auto [end, code] =
        std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
    if (code != std::errc{} || exponent > 1'000'000 || exponent < -1'000'000)
      return {std::nullopt, exponent_text[0] == '-' ? "; it is not a whole number" : too_large};
  }
  long shift = exponent - point;  // value = digits * 10^shift
  for (; shift < 0 && !digits.empty() && digits.back() == '0'; ++shift) digits.pop_back();
  if (shift < 0) return {std::nullopt, "; it is not a whole number"};
  if (static_cast<long>(digits.size()) + shift > 19) return {std::nullopt, too_large};
  digits.append(static_cast<std::size_t>(shift), '0');
  const std::string number = (negative ? std::string("-") : std::string()).append(digits);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code != std::errc{}) return {std::nullopt, too_large};
  return {value, ""};
}

}  // namespace halyard
