#pragma once
#include <string>

namespace halyard {

/// "0.1.0"
std::string version();

/// The text of --version: the program and all that it is built on, a line each.
std::string version_text(const std::string& program);

}  // namespace halyard
