#pragma once
#include <filesystem>
#include <vector>

namespace halyard::flow {

/// The ascending face coordinates [m] in a text file: one a line, in decimal; empty lines and lines that begin with #
/// are passed over. A UTF-8 byte order mark, CR LF line ends and a last line without its end are taken.
/// @throws Error "PATH: line 3: ..." with what was found; for what is no text the byte and its place in the line.
std::vector<double> read_face_file(const std::filesystem::path& path);

}  // namespace halyard::flow
