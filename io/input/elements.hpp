#pragma once
#include <string_view>

namespace halyard::md {

/// The symbol of an element, "Cu" for 29; empty for numbers that name none.
std::string_view element_symbol(int atomic_number);

}  // namespace halyard::md
