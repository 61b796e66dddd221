#pragma once
#include <string>
#include <string_view>

namespace halyard {

/// Text as XML holds it in attributes and elements.
std::string xml_escaped(std::string_view text);

/// The value of the first `name="value"` in an element of our own writing; empty where there is none.
std::string xml_attribute(std::string_view element, std::string_view name);

}  // namespace halyard
