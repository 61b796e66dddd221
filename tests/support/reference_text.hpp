#pragma once
#include <filesystem>
#include <string>

namespace halyard {

/// The text of a file; of one that ends in .gz, unpacked. Throws Error when it cannot be read.
std::string reference_text(const std::filesystem::path& file);

}  // namespace halyard
