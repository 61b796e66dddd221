#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halyard {

/// A JSON value to be written: members keep their order, doubles are the shortest decimals that read back to the same
/// value, non-finite ones become null.
///   Json kernels = Json::array();
///   kernels.push({{"name", "project"}, {"seconds", 1.25}});
///   summary.set("kernels", kernels);
class Json {
 public:
  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(long long value) : value_(std::int64_t{value}) {}
  Json(unsigned value) : value_(std::uint64_t{value}) {}
  Json(std::uint64_t value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  /// An object: {{"name", value}, ...}.
  Json(std::initializer_list<std::pair<std::string, Json>> members);
  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }
  template <class Range>
  static Json array_of(const Range& values) {
    Json array = Json::array();
    for (const auto& value : values) array.push(Json(value));
    return array;
  }

  /// Sets a member of an object (replacing one of that name); a null becomes an object.
  Json& set(std::string name, Json value);
  /// Appends to an array; a null becomes an array.
  Json& push(Json value);
  const std::vector<std::pair<std::string, Json>>& members() const;

  /// The text, two spaces an indent; arrays of plain numbers and strings on one line.
  std::string text() const;

 private:
  using Object = std::vector<std::pair<std::string, Json>>;
  using Array = std::vector<Json>;
  explicit Json(Object value) : value_(std::move(value)) {}
  explicit Json(Array value) : value_(std::move(value)) {}
  void print(std::string& out, int depth) const;
  bool plain() const;

  std::variant<std::monostate, bool, double, std::int64_t, std::uint64_t, std::string, Array, Object> value_;
};

}  // namespace halyard
