#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace halyard {

/// One file of a time series that ParaView opens.
struct PvdEntry {
  std::int64_t step = 0;
  std::string time;  // shortest decimal that reads back to the same double
  std::string file;  // relative to the list's folder
};

/// The text of a .pvd file.
std::string pvd_text(std::span<const PvdEntry> entries);

/// The entries of a .pvd file of our own writing up to a step; none where the file does not exist. Throws where the
/// file is cut off or lists a file without a step in its name.
std::vector<PvdEntry> read_pvd(const std::filesystem::path& path, std::int64_t last_step);

/// A string array as VTK's ASCII encoding has it: each string's bytes as numbers, ended by 0.
std::string vtk_strings(std::span<const std::string> strings);

}  // namespace halyard
