#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/case/expression.hpp"

namespace halyard {

/// What one key of a case can hold, whatever its C++ type: the form in which schema and TOML reader meet.
/// Enumerators are held as integers, paths as strings.
struct CaseValue {
  std::variant<bool, std::int64_t, double, std::string, Expression, std::vector<CaseValue>> data;
  bool operator==(const CaseValue&) const = default;
};

enum class CaseScalar { boolean, integer, real, string, choice, path, expression };

/// The type of a key: a scalar, or arrays of it. `extents` is outermost first, -1 for any length.
struct CaseValueType {
  CaseScalar scalar = CaseScalar::boolean;
  int integer_bits = 64;
  std::vector<std::int64_t> extents;
  bool optional = false;
};

/// How the C++ type T maps to CaseValue: describe, load and store. Scalar is the innermost type, which ranges and
/// choices refer to; Value is T without std::optional, which defaults refer to.
template <class T>
struct CaseTraits;

template <>
struct CaseTraits<bool> {
  using Scalar = bool;
  using Value = bool;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::boolean; }
  static void load(const CaseValue& from, bool& to) { to = std::get<bool>(from.data); }
  static CaseValue store(bool from) { return {from}; }
};

template <std::signed_integral T>
struct CaseTraits<T> {
  using Scalar = T;
  using Value = T;
  static void describe(CaseValueType& type) {
    type.scalar = CaseScalar::integer;
    type.integer_bits = 8 * sizeof(T);
  }
  static void load(const CaseValue& from, T& to) { to = static_cast<T>(std::get<std::int64_t>(from.data)); }
  static CaseValue store(T from) { return {std::int64_t{from}}; }
};

template <>
struct CaseTraits<double> {
  using Scalar = double;
  using Value = double;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::real; }
  static void load(const CaseValue& from, double& to) { to = std::get<double>(from.data); }
  static CaseValue store(double from) { return {from}; }
};

template <>
struct CaseTraits<std::string> {
  using Scalar = std::string;
  using Value = std::string;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::string; }
  static void load(const CaseValue& from, std::string& to) { to = std::get<std::string>(from.data); }
  static CaseValue store(const std::string& from) { return {from}; }
};

template <>
struct CaseTraits<std::filesystem::path> {
  using Scalar = std::filesystem::path;
  using Value = std::filesystem::path;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::path; }
  static void load(const CaseValue& from, std::filesystem::path& to) { to = std::get<std::string>(from.data); }
  static CaseValue store(const std::filesystem::path& from) { return {from.string()}; }
};

template <>
struct CaseTraits<Expression> {
  using Scalar = Expression;
  using Value = Expression;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::expression; }
  static void load(const CaseValue& from, Expression& to) { to = std::get<Expression>(from.data); }
  static CaseValue store(const Expression& from) { return {from}; }
};

template <class T>
requires std::is_enum_v<T>
struct CaseTraits<T> {
  using Scalar = T;
  using Value = T;
  static void describe(CaseValueType& type) { type.scalar = CaseScalar::choice; }
  static void load(const CaseValue& from, T& to) { to = static_cast<T>(std::get<std::int64_t>(from.data)); }
  static CaseValue store(T from) { return {static_cast<std::int64_t>(from)}; }
};

template <class T, std::size_t N>
struct CaseTraits<std::array<T, N>> {
  using Scalar = typename CaseTraits<T>::Scalar;
  using Value = std::array<T, N>;
  static void describe(CaseValueType& type) {
    type.extents.push_back(static_cast<std::int64_t>(N));
    CaseTraits<T>::describe(type);
  }
  static void load(const CaseValue& from, Value& to) {
    const auto& elements = std::get<std::vector<CaseValue>>(from.data);
    for (std::size_t i = 0; i < N; ++i) CaseTraits<T>::load(elements.at(i), to[i]);
  }
  static CaseValue store(const Value& from) {
    std::vector<CaseValue> elements;
    for (const T& element : from) elements.push_back(CaseTraits<T>::store(element));
    return {std::move(elements)};
  }
};

template <class T>
struct CaseTraits<std::vector<T>> {
  using Scalar = typename CaseTraits<T>::Scalar;
  using Value = std::vector<T>;
  static void describe(CaseValueType& type) {
    type.extents.push_back(-1);
    CaseTraits<T>::describe(type);
  }
  static void load(const CaseValue& from, Value& to) {
    to.clear();
    for (const CaseValue& element : std::get<std::vector<CaseValue>>(from.data)) {
      T value{};
      CaseTraits<T>::load(element, value);
      to.push_back(std::move(value));
    }
  }
  static CaseValue store(const Value& from) {
    std::vector<CaseValue> elements;
    for (const T& element : from) elements.push_back(CaseTraits<T>::store(element));
    return {std::move(elements)};
  }
};

template <class T>
struct CaseTraits<std::optional<T>> {
  using Scalar = typename CaseTraits<T>::Scalar;
  using Value = T;
  static void describe(CaseValueType& type) {
    CaseTraits<T>::describe(type);
    type.optional = true;
  }
  static void load(const CaseValue& from, std::optional<T>& to) {
    T value{};
    CaseTraits<T>::load(from, value);
    to = std::move(value);
  }
  static CaseValue store(const T& from) { return CaseTraits<T>::store(from); }
};

/// A scalar type that ranges (above, at_most, ...) can be set on.
template <class T>
concept CaseNumber = std::same_as<T, double> ||(std::signed_integral<T> && !std::same_as<T, bool>);

}  // namespace halyard
