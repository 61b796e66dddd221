#include "io/results/particle_vtk.hpp"

#include <fmt/core.h>

#include <bit>
#include <numeric>

#include "io/results/file.hpp"
#include "io/results/shared_file.hpp"
#include "io/results/xml.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

using Path = std::filesystem::path;

VtkTrajectory::VtkTrajectory(MPI_Comm comm, Path folder, ParticleWriterSettings settings,
                             ParticleDescription description)
    : comm_(comm),
      folder_(std::move(folder)),
      settings_(std::move(settings)),
      description_(std::move(description)),
      list_(folder_ / (settings_.name + ".pvd")) {
  MPI_Comm_rank(comm_, &rank_);
}

void VtkTrajectory::continue_from(std::int64_t step) {
  continue_step_ = step;
  std::int64_t last = -1;
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    entries_ = read_pvd(list_, step);
    if (!entries_.empty()) last = entries_.back().step;
  });
  MPI_Bcast(&last, 1, MPI_INT64_T, 0, comm_);
  last_step_ = last < 0 ? std::nullopt : std::optional(last);
}

std::int64_t VtkTrajectory::write(const ParticleFrame& frame) {
  if (last_step_ && frame.step <= *last_step_) return 0;
  const std::string file = settings_.name + "_" + step_text(frame.step) + ".vtp";
  const Path path = folder_ / file, temporary = folder_ / (file + ".tmp");
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    make_folder(folder_);
    const bool may_replace = continue_step_ && frame.step >= *continue_step_;
    if (!may_replace && std::filesystem::exists(path)) {
      throw Error(path.string() + " exists already and is not overwritten.");
    }
    if (!continue_step_ && entries_.empty() && std::filesystem::exists(list_)) {
      throw Error(list_.string() + " exists already and is not overwritten.");
    }
    std::filesystem::remove(temporary);  // a killed run may have left it
  });
  std::int64_t bytes = 0;
  try {
    bytes = write_file_of(temporary, frame);
  } catch (...) {
    std::error_code code;
    if (rank_ == 0) std::filesystem::remove(temporary, code);
    throw;
  }
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    rename_file(temporary, path);
    entries_.push_back({frame.step, shortest(frame.time), file});
    write_file(list_, pvd_text(entries_));
  });
  last_step_ = frame.step;
  return bytes;
}

namespace {

std::string joined(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + shortest(value);
  return text;
}

}  // namespace

std::int64_t VtkTrajectory::write_file_of(const Path& path, const ParticleFrame& frame) const {
  const bool wide = settings_.precision == FieldPrecision::float64;
  const std::int64_t size = wide ? 8 : 4;
  const char* real = wide ? "Float64" : "Float32";
  const ParticleUnits& units = description_.units;
  std::int64_t offset = 0;  // behind the mark '_' of the appended data
  std::vector<std::int64_t> begins, lengths;
  const auto array = [&](const char* type, const std::string& name, int components, std::int64_t bytes_per_atom,
                         const std::string& unit) {
    begins.push_back(offset);
    lengths.push_back(bytes_per_atom * frame.count);
    offset += 8 + lengths.back();
    std::string text = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"", type,
        name, components, begins.back());
    if (unit.empty()) return text + "/>\n";
    return text +
           fmt::format(
               ">\n          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}</InformationKey>\n"
               "        </DataArray>\n",
               xml_escaped(unit));
  };

  std::vector<std::string> unit_list;
  for (const auto& [name, unit] :
       {std::pair{"coordinates", &units.length}, std::pair{"TimeValue", &units.time},
        std::pair{"velocity", &units.velocity}, std::pair{"force", &units.force}, std::pair{"mass", &units.mass}}) {
    unit_list.push_back(fmt::format("{} {}", name, unit->empty() ? "1" : *unit));
  }
  const md::SimulationBox& box = frame.box;
  const auto& [lx, ly, lz] = box.length;
  const std::array<double, 9> edges{lx, 0.0, 0.0, box.xy, ly, 0.0, box.xz, box.yz, lz};
  std::string header = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "  <PolyData>\n    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Float64\" Name=\"box_origin\" NumberOfComponents=\"3\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Float64\" Name=\"box_edges\" NumberOfComponents=\"3\" NumberOfTuples=\"3\" "
      "format=\"ascii\">{}</DataArray>\n"
      "      <Array type=\"String\" Name=\"units\" NumberOfTuples=\"{}\" format=\"ascii\">{}</Array>\n"
      "      <Array type=\"String\" Name=\"species\" NumberOfTuples=\"{}\" format=\"ascii\">{}</Array>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"0\">\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", shortest(frame.time), frame.step,
      joined(box.origin), joined(edges), unit_list.size(), vtk_strings(unit_list), description_.species.size(),
      vtk_strings(description_.species), frame.count, frame.count);
  // One statement an array: each takes the next offset.
  header += "      <Points>\n";
  header += array(real, "Points", 3, 3 * size, "");
  header += "      </Points>\n      <PointData Scalars=\"type\" Vectors=\"velocity\">\n";
  header += array("Int64", "id", 1, 8, "");
  header += array("Int32", "type", 1, 4, "");
  header += array("Float64", "mass", 1, 8, units.mass);
  header += array(real, "velocity", 3, 3 * size, units.velocity);
  if (settings_.forces) header += array(real, "force", 3, 3 * size, units.force);
  header += array("Int32", "image", 3, 12, "");
  header += "      </PointData>\n      <Verts>\n";
  header += array("Int64", "connectivity", 1, 8, "");
  header += array("Int64", "offsets", 1, 8, "");
  header += "      </Verts>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
  const std::string trailer = "\n  </AppendedData>\n</VTKFile>\n";
  const auto data_begin = static_cast<std::int64_t>(header.size());
  const std::int64_t data_end = data_begin + offset;

  SharedFile file(comm_, path);
  if (rank_ == 0) {
    file.write_at(0, header.data(), header.size());
    file.write_at(data_end, trailer.data(), trailer.size());
    for (std::size_t i = 0; i < begins.size(); ++i) file.write_at(data_begin + begins[i], &lengths[i], 8);
  }
  std::size_t next = 0;
  const auto write = [&](const void* values, std::int64_t bytes_per_atom) {
    const std::int64_t begin = data_begin + begins[next++] + 8 + bytes_per_atom * frame.begin;
    file.write_parts(begin, values, bytes_per_atom * (frame.end - frame.begin), settings_.bytes_per_call);
  };
  std::vector<float> narrow;
  const auto write_reals = [&](std::span<const double> values) {
    if (wide) return write(values.data(), 24);
    narrow.assign(values.begin(), values.end());
    write(narrow.data(), 12);
  };
  std::vector<double> mass;
  for (const std::int32_t type : frame.type) mass.push_back(description_.mass[static_cast<std::size_t>(type)]);
  std::vector<std::int64_t> vertex(static_cast<std::size_t>(frame.end - frame.begin));
  write_reals(frame.position);
  write(frame.id.data(), 8);
  write(frame.type.data(), 4);
  write(mass.data(), 8);
  write_reals(frame.velocity);
  if (settings_.forces) write_reals(frame.force);
  write(frame.image.data(), 12);
  std::iota(vertex.begin(), vertex.end(), frame.begin);
  write(vertex.data(), 8);
  std::iota(vertex.begin(), vertex.end(), frame.begin + 1);
  write(vertex.data(), 8);
  const std::int64_t bytes = data_end + static_cast<std::int64_t>(trailer.size());
  file.finish(bytes);
  return bytes;
}

}  // namespace halyard
