#include "io/results/pvd.hpp"

#include <fmt/core.h>

#include <optional>

#include "io/results/file.hpp"
#include "io/results/xml.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

std::string pvd_text(std::span<const PvdEntry> entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <Collection>\n";
  for (const PvdEntry& entry : entries) {
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", entry.time, entry.file);
  }
  return text + "  </Collection>\n</VTKFile>\n";
}

std::vector<PvdEntry> read_pvd(const std::filesystem::path& path, std::int64_t last_step) {
  std::vector<PvdEntry> entries;
  if (!std::filesystem::exists(path)) return entries;
  const std::string text = read_file(path), begin_mark = "    <DataSet ", end_mark = "/>\n";
  for (std::size_t begin = text.find(begin_mark); begin != std::string::npos; begin = text.find(begin_mark, begin)) {
    const std::size_t end = text.find(end_mark, begin);
    if (end == std::string::npos) throw Error(path.string() + " is cut off; move it away to continue without it.");
    const std::string element = text.substr(begin, end + end_mark.size() - begin);
    begin = end;
    PvdEntry entry{0, xml_attribute(element, "timestep"), xml_attribute(element, "file")};
    const std::optional<std::int64_t> step = step_in_name(entry.file);
    if (!step) throw Error(path.string() + " lists a file without a step in its name: \"" + entry.file + "\".");
    entry.step = *step;
    if (entry.step <= last_step) entries.push_back(std::move(entry));
  }
  return entries;
}

std::string vtk_strings(std::span<const std::string> strings) {
  std::string out;
  for (const std::string& text : strings) {
    for (const char c : text) out += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
    out += "0 ";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace halyard
