#pragma once
#include <string>
#include <string_view>

#include "io/case/schema.hpp"

namespace halyard {

/// "text" with TOML's escapes (which are JSON's too).
std::string toml_string(std::string_view text);

/// The shortest decimal that reads back as the same double, always with a point or an exponent.
std::string toml_number(double value);

/// A value as TOML; enumerators by their name in `spec.choices`.
std::string to_toml(const CaseValue& value, const CaseKeySpec& spec);

/// "integer", "3 numbers", "list of strings": the type in documentation.
std::string type_name(const CaseValueType& type);

/// "above 0, at most 1"; empty when any value is allowed. Choices read `"a", "b"`.
std::string allowed_values(const CaseKeySpec& spec);

/// "an integer of at least 1", "an array of 3 numbers, each above 0", "\"a\" or \"b\"": completes "must be ...".
/// `depth` is the number of arrays around the value that is spoken of.
std::string must_be(const CaseKeySpec& spec, std::size_t depth = 0);

/// Names joined as in a sentence: "a, b or c".
std::string one_of(const std::vector<std::string>& names);

/// `"a"`, `"b"`: the names of the choices, quoted.
std::vector<std::string> choice_names(const CaseKeySpec& spec);

}  // namespace halyard
