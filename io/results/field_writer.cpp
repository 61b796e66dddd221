#include "io/results/field_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <set>

#include "io/hdf5/hdf5.hpp"
#include "io/results/file.hpp"
#include "io/results/pvd.hpp"
#include "io/results/shared_file.hpp"
#include "io/results/xml.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

std::size_t value_size(FieldPrecision precision) { return precision == FieldPrecision::float64 ? 8 : 4; }

/// Turns the doubles into floats in place: float i lies before double i, so nothing is overwritten that is still
/// needed.
const float* narrow(std::span<double> values) {
  auto* bytes = reinterpret_cast<std::byte*>(values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    double wide;
    std::memcpy(&wide, bytes + 8 * i, 8);
    const auto value = static_cast<float>(wide);
    std::memcpy(bytes + 4 * i, &value, 4);
  }
  return reinterpret_cast<const float*>(bytes);
}

}  // namespace

FieldWriter::FieldWriter(MPI_Comm comm, std::filesystem::path folder, GridGeometry grid, const Box& block,
                         FieldWriterSettings settings)
    : comm_(comm),
      fields_(std::move(folder) / "fields"),
      grid_(std::move(grid)),
      block_(block),
      settings_(std::move(settings)) {
  MPI_Comm_rank(comm_, &rank_);
  const Index3 cells = grid_.cells();
  for (int axis = 0; axis < 3; ++axis) {
    uniform_ = uniform_ && grid_.uniform[axis];
    if (cells[axis] < 1) throw Error(fmt::format("The grid has no cells along {}.", "xyz"[axis]));
    if (!block_.empty() && (block_.begin[axis] < 0 || block_.end[axis] > cells[axis])) {
      throw Error(fmt::format("The block's cells {} to {} along {} lie outside the grid's {} cells.",
                              block_.begin[axis], block_.end[axis], "xyz"[axis], cells[axis]));
    }
  }
  if (settings_.bytes_per_call < 8 || settings_.bytes_per_call >= (std::size_t{1} << 30)) {
    throw Error(fmt::format("Bytes per call of the fields is {}, but must be from 8 to below 1 GiB.",
                            settings_.bytes_per_call));
  }
  for (char& c : settings_.name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (settings_.name.empty()) settings_.name = "fields";
}

std::int64_t FieldWriter::snapshot_bytes(const Index3& cells, std::int64_t components, FieldPrecision precision) {
  return cells[0] * cells[1] * cells[2] * components * static_cast<std::int64_t>(value_size(precision));
}

void FieldWriter::continue_from(std::int64_t step) {
  continue_step_ = step;
  all_ranks(comm_, [&] {
    if (rank_ == 0) read_index(step);
  });
}

WrittenFile FieldWriter::write(std::int64_t step, double time, std::span<const Quantity> quantities) {
  const double start = MPI_Wtime();
  const bool vtk = settings_.format == FieldFormat::vtk;
  const std::string suffix = vtk ? (uniform_ ? ".vti" : ".vtr") : ".h5";
  const std::string file = settings_.name + "_" + step_text(step) + suffix;
  const std::filesystem::path path = fields_ / file, temporary = fields_ / (file + ".tmp");
  std::int64_t components = 0;
  all_ranks(comm_, [&] {
    std::set<std::string> names;
    for (const Quantity& quantity : quantities) {
      components += quantity.components;
      if (quantity.block != block_)
        throw Error("Quantity " + quantity.name + " lives on another block than the fields.");
      if (quantity.components < 1) throw Error("Quantity " + quantity.name + " has no components.");
      if (!names.insert(quantity.name).second) throw Error("Quantity " + quantity.name + " is to be written twice.");
    }
    if (rank_ != 0) return;
    make_folder(fields_);
    const bool may_replace = continue_step_ && step >= *continue_step_;
    if (!may_replace && std::filesystem::exists(path)) {
      throw Error(path.string() + " exists already and is not overwritten.");
    }
    const std::filesystem::path index = fields_ / (vtk ? "fields.pvd" : "fields.xdmf");
    if (!continue_step_ && entries_.empty() && std::filesystem::exists(index)) {
      throw Error(index.string() + " exists already and is not overwritten.");
    }
    std::filesystem::remove(temporary);  // a killed run may have left it
    const std::int64_t bytes = snapshot_bytes(grid_.cells(), components, settings_.precision);
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(fields_, code);
    if (!code && space.capacity > 0 && space.available < static_cast<std::uintmax_t>(bytes)) {
      throw Error(file_failure("Writing", path, fmt::format("it needs {:.3f} GB", 1e-9 * static_cast<double>(bytes))));
    }
  });

  const auto widest = std::max_element(quantities.begin(), quantities.end(), [](const Quantity& a, const Quantity& b) {
    return a.components < b.components;
  });
  if (widest != quantities.end()) values_.resize(static_cast<std::size_t>(block_.count() * widest->components));
  try {
    if (vtk) {
      write_vtk(temporary, step, time, quantities);
    } else {
      write_hdf5(temporary, step, time, quantities);
    }
  } catch (...) {
    if (rank_ == 0) {
      std::error_code code;
      std::filesystem::remove(temporary, code);
    }
    throw;
  }
  std::vector<double>().swap(values_);

  WrittenFile written{path, 0, 0.0};
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    written.bytes = static_cast<std::int64_t>(std::filesystem::file_size(temporary));
    rename_file(temporary, path);
    const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.step == step; });
    if (same != entries_.end()) entries_.erase(same);
    entries_.push_back({step, shortest(time), file, vtk ? "" : xdmf_grid(step, time, file, quantities)});
    write_file(fields_ / (vtk ? "fields.pvd" : "fields.xdmf"), vtk ? pvd() : xdmf());
  });
  MPI_Bcast(&written.bytes, 1, MPI_INT64_T, 0, comm_);
  written.seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &written.seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return written;
}

// --- VTK XML
// -----------------------------------------------------------------------------------------------------------

void FieldWriter::write_vtk(const std::filesystem::path& path, std::int64_t step, double time,
                            std::span<const Quantity> quantities) {
  const Index3 cells = grid_.cells();
  const std::size_t size = value_size(settings_.precision);
  const char* type_name = settings_.precision == FieldPrecision::float64 ? "Float64" : "Float32";
  const char* grid_name = uniform_ ? "ImageData" : "RectilinearGrid";
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", cells[0], cells[1], cells[2]);
  std::int64_t offset = 0;  // behind the mark '_' of the appended data
  const auto append = [&offset](std::int64_t bytes) {
    const std::int64_t begin = offset;
    offset += 8 + bytes;
    return begin;
  };

  std::string header = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n",
      grid_name, std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian");
  header += fmt::format("  <{} WholeExtent=\"{}\"", grid_name, extent);
  if (uniform_) {
    std::string origin, spacing;
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<double>& faces = grid_.faces[axis];
      origin += (axis > 0 ? " " : "") + shortest(faces.front());
      spacing += (axis > 0 ? " " : "") + shortest((faces.back() - faces.front()) / static_cast<double>(cells[axis]));
    }
    header += fmt::format(" Origin=\"{}\" Spacing=\"{}\"", origin, spacing);
  }
  std::vector<std::string> units{"coordinates " + grid_.unit, "TimeValue s"};
  for (const Quantity& quantity : quantities) units.push_back(quantity.name + " " + quantity.unit);
  header += fmt::format(
      ">\n    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <Array type=\"String\" Name=\"units\" NumberOfTuples=\"{}\" format=\"ascii\">{}</Array>\n"
      "    </FieldData>\n    <Piece Extent=\"{}\">\n",
      shortest(time), step, units.size(), vtk_strings(units), extent);
  if (!uniform_) {
    header += "      <Coordinates>\n";
    for (int axis = 0; axis < 3; ++axis) {
      header += fmt::format("        <DataArray type=\"Float64\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                            "xyz"[axis], append(8 * (cells[axis] + 1)));
    }
    header += "      </Coordinates>\n";
  }
  std::string active;
  for (const int components : {1, 3}) {
    const auto first = std::find_if(quantities.begin(), quantities.end(),
                                    [&](const Quantity& quantity) { return quantity.components == components; });
    if (first != quantities.end()) {
      active += fmt::format(" {}=\"{}\"", components == 1 ? "Scalars" : "Vectors", xml_escaped(first->name));
    }
  }
  header += fmt::format("      <CellData{}>\n", active);
  std::vector<std::int64_t> offsets;
  for (const Quantity& quantity : quantities) {
    offsets.push_back(append(snapshot_bytes(cells, quantity.components, settings_.precision)));
    header += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\">\n"
        "          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}</InformationKey>\n"
        "        </DataArray>\n",
        type_name, xml_escaped(quantity.name), quantity.components, offsets.back(), xml_escaped(quantity.unit));
  }
  header += fmt::format("      </CellData>\n    </Piece>\n  </{}>\n  <AppendedData encoding=\"raw\">\n_", grid_name);
  const std::string trailer = "\n  </AppendedData>\n</VTKFile>\n";
  const auto data_begin = static_cast<std::int64_t>(header.size());
  const std::int64_t data_end = data_begin + offset;

  SharedFile file(comm_, path);
  if (rank_ == 0) {
    if (!uniform_) {
      for (const std::vector<double>& faces : grid_.faces) {
        const std::uint64_t bytes = 8 * faces.size();
        header.append(reinterpret_cast<const char*>(&bytes), 8);
        header.append(reinterpret_cast<const char*>(faces.data()), bytes);
      }
    }
    file.write_at(0, header.data(), header.size());
    file.write_at(data_end, trailer.data(), trailer.size());
  }
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Quantity& quantity = quantities[i];
    const auto values = std::span(values_).first(static_cast<std::size_t>(block_.count() * quantity.components));
    quantity.compute(values);
    const void* data = values.data();
    if (settings_.precision == FieldPrecision::float32) data = narrow(values);
    const std::int64_t begin = data_begin + offsets[i];
    if (rank_ == 0) {
      const auto bytes = static_cast<std::uint64_t>(snapshot_bytes(cells, quantity.components, settings_.precision));
      file.write_at(begin, &bytes, 8);
    }
    file.write_blocks(begin + 8, cells, block_, quantity.components,
                      settings_.precision == FieldPrecision::float64 ? MPI_DOUBLE : MPI_FLOAT, size, data,
                      settings_.bytes_per_call);
  }
  file.finish(data_end + static_cast<std::int64_t>(trailer.size()));
}

std::string FieldWriter::pvd() const {
  std::vector<PvdEntry> list;
  for (const Entry& entry : entries_) list.push_back({entry.step, entry.time, entry.file});
  return pvd_text(list);
}

// --- HDF5 and XDMF
// -----------------------------------------------------------------------------------------------------

void FieldWriter::write_hdf5(const std::filesystem::path& path, std::int64_t step, double time,
                             std::span<const Quantity> quantities) {
  hdf5::File file(path, hdf5::Mode::create, comm_, {settings_.bytes_per_call, {}});
  file.set_attribute("time", time);
  file.set_attribute("time_unit", "s");
  file.set_attribute("step", step);
  for (int axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    const std::vector<double>& faces = grid_.faces[axis];
    std::vector<double> centres(faces.size() - 1);
    for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = 0.5 * (faces[i] + faces[i + 1]);
    const auto write = [&](const std::string& dataset_name, const std::vector<double>& values, const char* centring) {
      const std::int64_t n = static_cast<std::int64_t>(values.size());
      hdf5::Dataset dataset = file.create_dataset(dataset_name, hdf5::Type::float64, {&n, 1});
      dataset.set_attribute("unit", grid_.unit);
      dataset.set_attribute("centring", centring);
      dataset.write_whole(values);
    };
    write(name, faces, "face");
    write(name + "_centre", centres, "cell");
  }
  const bool wide = settings_.precision == FieldPrecision::float64;
  for (const Quantity& quantity : quantities) {
    hdf5::Dataset dataset = file.create_dataset(quantity.name, wide ? hdf5::Type::float64 : hdf5::Type::float32,
                                                grid_.cells(), quantity.components);
    dataset.set_attribute("unit", quantity.unit);
    dataset.set_attribute("centring", "cell");
    dataset.set_attribute("description", quantity.description);
    const auto values = std::span(values_).first(static_cast<std::size_t>(block_.count() * quantity.components));
    quantity.compute(values);
    if (wide) {
      dataset.write(block_, std::span<const double>(values), quantity.components);
    } else {
      dataset.write(block_, std::span(narrow(values), values.size()), quantity.components);
    }
  }
  file.flush();
  file.close();
}

std::string FieldWriter::xdmf_grid(std::int64_t step, double time, const std::string& file,
                                   std::span<const Quantity> quantities) const {
  const Index3 cells = grid_.cells();
  std::string text = fmt::format("      <Grid Name=\"step {}\" GridType=\"Uniform\">\n", step);
  text += fmt::format("        <Time Value=\"{}\"/>\n", shortest(time));
  text += fmt::format("        <Topology TopologyType=\"{}\" Dimensions=\"{} {} {}\"/>\n",
                      uniform_ ? "3DCoRectMesh" : "3DRectMesh", cells[2] + 1, cells[1] + 1, cells[0] + 1);
  if (uniform_) {
    std::string origin, spacing;
    for (const int axis : {2, 1, 0}) {  // XDMF wants z y x here, and x, y, z in VXVYVZ
      const std::vector<double>& faces = grid_.faces[axis];
      origin += (axis < 2 ? " " : "") + shortest(faces.front());
      spacing += (axis < 2 ? " " : "") + shortest((faces.back() - faces.front()) / static_cast<double>(cells[axis]));
    }
    text += "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n";
    for (const std::string& triple : {origin, spacing}) {
      text += fmt::format(
          "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">{}</DataItem>\n",
          triple);
    }
  } else {
    text += "        <Geometry GeometryType=\"VXVYVZ\">\n";
    for (int axis = 0; axis < 3; ++axis) {
      text += fmt::format(
          "          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" "
          "Format=\"HDF\">{}:/{}</DataItem>\n",
          cells[axis] + 1, file, "xyz"[axis]);
    }
  }
  text += "        </Geometry>\n";
  for (const Quantity& quantity : quantities) {
    const char* kind = "Matrix";
    if (quantity.components == 1) kind = "Scalar";
    if (quantity.components == 3) kind = "Vector";
    if (quantity.components == 6) kind = "Tensor6";
    if (quantity.components == 9) kind = "Tensor";
    text += fmt::format(
        "        <Attribute Name=\"{0}\" AttributeType=\"{1}\" Center=\"Cell\">\n"
        "          <DataItem Dimensions=\"{2} {3} {4}{5}\" NumberType=\"Float\" Precision=\"{6}\" "
        "Format=\"HDF\">{7}:/{0}</DataItem>\n        </Attribute>\n",
        xml_escaped(quantity.name), kind, cells[2], cells[1], cells[0],
        quantity.components > 1 ? fmt::format(" {}", quantity.components) : "", value_size(settings_.precision), file);
  }
  return text + "      </Grid>\n";
}

std::string FieldWriter::xdmf() const {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
      "    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (const Entry& entry : entries_) text += entry.grid;
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

// --- the list of snapshots, after a restart
// ------------------------------------------------------------------------------

void FieldWriter::read_index(std::int64_t last_step) {
  entries_.clear();
  const bool vtk = settings_.format == FieldFormat::vtk;
  if (vtk) {
    for (PvdEntry& entry : read_pvd(fields_ / "fields.pvd", last_step)) {
      entries_.push_back({entry.step, std::move(entry.time), std::move(entry.file), ""});
    }
    return;
  }
  const std::filesystem::path path = fields_ / "fields.xdmf";
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_file(path);
  // The list is our own writing: one <Grid> element a snapshot.
  const std::string begin_mark = "      <Grid Name=\"step ";
  const std::string end_mark = "      </Grid>\n";
  for (std::size_t begin = text.find(begin_mark); begin != std::string::npos; begin = text.find(begin_mark, begin)) {
    const std::size_t end = text.find(end_mark, begin);
    if (end == std::string::npos) throw Error(path.string() + " is cut off; move it away to continue without it.");
    const std::string element = text.substr(begin, end + end_mark.size() - begin);
    begin = end;
    Entry entry;
    entry.time = xml_attribute(element, "Time Value");
    const std::size_t data = element.rfind(".h5:/");
    const std::size_t name = element.rfind('>', data) + 1;
    if (data != std::string::npos) entry.file = element.substr(name, data + 3 - name);
    entry.grid = element;
    const std::optional<std::int64_t> step = step_in_name(entry.file);
    if (!step) throw Error(path.string() + " lists a file without a step in its name: \"" + entry.file + "\".");
    entry.step = *step;
    if (entry.step <= last_step) entries_.push_back(std::move(entry));
  }
}

}  // namespace halyard
