#include "io/results/particle_h5md.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

using Path = std::filesystem::path;

const std::string all = "particles/all/";

/// The block's values as the file holds them.
void write_vectors(hdf5::File& file, const std::string& name, std::int64_t frame, const ParticleFrame& atoms,
                   std::span<const double> values) {
  const Box block{{0, atoms.begin, frame}, {3, atoms.end, frame + 1}};
  file.open_dataset(all + name + "/value").write(block, values);
}

/// Whether MDAnalysis, which refuses the others, knows a unit of force.
bool known_force_unit(const std::string& unit) {
  static const std::array<std::string, 7> known{"kJ mol-1 Angstrom-1",   "kJ mol-1 nm-1", "Newton", "N", "J m-1",
                                                "kcal mol-1 Angstrom-1", "kcal mol-1 A-1"};
  return std::find(known.begin(), known.end(), unit) != known.end();
}

void sync_file(const Path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int failed = file < 0 || ::fsync(file) != 0 ? errno : 0;
  if (file >= 0) ::close(file);
  if (failed != 0) throw Error(file_failure("Writing", path, failed));
}

}  // namespace

H5mdTrajectory::H5mdTrajectory(MPI_Comm comm, Path folder, ParticleWriterSettings settings,
                               ParticleDescription description)
    : comm_(comm), folder_(std::move(folder)), settings_(std::move(settings)), description_(std::move(description)) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
}

Path H5mdTrajectory::file_of(std::int64_t first_step) const {
  return folder_ / (settings_.name + "_" + step_text(first_step) + ".h5");
}

Path H5mdTrajectory::part_of(std::int64_t first_step) const { return file_of(first_step).string() + ".part"; }

std::vector<H5mdTrajectory::Item> H5mdTrajectory::items(const Layout& layout) const {
  using hdf5::Type;
  const Type real = layout.wide ? Type::float64 : Type::float32;
  const std::int64_t n = layout.count;
  std::vector<Item> list{{all + "position/step", Type::int64, {}},
                         {all + "position/time", Type::float64, {}},
                         {all + "position/value", real, {n, 3}},
                         {all + "velocity/value", real, {n, 3}},
                         {all + "image/value", Type::int32, {n, 3}}};
  if (layout.forces) list.push_back({all + "force/value", real, {n, 3}});
  list.push_back({all + "box/edges/value", Type::float64, {3}});
  if (layout.triclinic) list.back().dimensions = {3, 3};
  list.push_back({all + "box/origin/value", Type::float64, {3}});
  list.push_back({all + "id", Type::int64, {n}, false});
  list.push_back({all + "species", Type::int32, {n}, false});
  list.push_back({all + "mass", Type::float64, {n}, false});
  return list;
}

template <class Make>
void H5mdTrajectory::build(hdf5::File& file, const Layout& layout, const Make& make) const {
  const ParticleUnits& units = description_.units;
  hdf5::Group header = file.create_group("h5md");
  header.set_attribute("version", std::vector<std::int64_t>{1, 1});
  header.create_group("author").set_variable_attribute("name", description_.author);
  hdf5::Group creator = header.create_group("creator");
  creator.set_variable_attribute("name", description_.creator);
  creator.set_variable_attribute("version", description_.creator_version);
  if (!units.length.empty()) {
    header.create_group("modules/units").set_attribute("version", std::vector<std::int64_t>{1, 0});
  }
  hdf5::Group particles = file.create_group("particles/all");
  particles.set_variable_attribute("title", description_.title);
  particles.set_attribute("identity", layout.identity);
  hdf5::Group box = particles.create_group("box");
  box.set_attribute("dimension", 3);
  std::vector<std::string> boundary;
  std::vector<std::int64_t> flags;
  for (const bool periodic : layout.periodic) {
    boundary.push_back(periodic ? "periodic" : "none");
    flags.push_back(periodic ? 1 : 0);
  }
  box.set_variable_attribute("boundary", boundary);
  box.set_attribute("periodic", flags);  // the same, for continue_from

  for (const Item& item : items(layout)) {
    hdf5::Dataset dataset = make(item);
    const std::string name = item.path.substr(all.size());
    const auto unit = [&](const std::string& text) {
      if (!text.empty()) dataset.set_variable_attribute("unit", text);
    };
    if (name == "position/time") unit(units.time);
    if (name == "position/value" || name.starts_with("box/")) unit(units.length);
    if (name == "velocity/value") unit(units.velocity);
    if (name == "mass") unit(units.mass);
    if (name == "species") dataset.set_variable_attribute("names", description_.species);
    if (name == "force/value" && !units.force.empty()) {
      dataset.set_variable_attribute(known_force_unit(units.force) ? "unit" : "unit_text", units.force);
    }
    if (item.per_frame && name.ends_with("/value") && name != "position/value") {
      const std::string group = item.path.substr(0, item.path.size() - std::string("value").size());
      file.link(all + "position/step", group + "step");
      file.link(all + "position/time", group + "time");
    }
  }
}

void H5mdTrajectory::create(const Path& path, std::int64_t frames, const Layout& layout) const {
  hdf5::File file(path, hdf5::Mode::replace, comm_, {settings_.bytes_per_call, {}});
  build(file, layout, [&](const Item& item) {
    std::vector<std::int64_t> dimensions = item.dimensions;
    if (item.per_frame) dimensions.insert(dimensions.begin(), frames);
    return file.create_dataset(item.path, item.type, dimensions);
  });
  file.close();
}

/// The small file that shows the whole frames of a part; by one rank.
void H5mdTrajectory::write_index(const Segment& segment) const {
  const Path path = file_of(segment.first_step), temporary = path.string() + ".tmp";
  const std::string part = part_of(segment.first_step).filename().string();
  {
    hdf5::File file(temporary, hdf5::Mode::replace);
    build(file, segment.layout, [&](const Item& item) {
      std::vector<std::int64_t> dimensions = item.dimensions, source = item.dimensions;
      if (item.per_frame) {
        dimensions.insert(dimensions.begin(), segment.frames);
        source.insert(source.begin(), settings_.frames_per_file);
      }
      const bool empty = std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end();
      return empty ? file.create_dataset(item.path, item.type, dimensions)
                   : file.create_virtual_dataset(item.path, item.type, dimensions, part, item.path, source);
    });
    file.close();
  }
  sync_file(temporary);
  rename_file(temporary, path);
}

/// Copies the first frames of a segment into a file with room for them; every rank copies its part of the atoms.
void H5mdTrajectory::copy(const Path& from, const Path& to, std::int64_t frames, const Layout& layout) const {
  hdf5::File source(from, hdf5::Mode::read, comm_, {settings_.bytes_per_call, {}});
  hdf5::File target(to, hdf5::Mode::read_write, comm_, {settings_.bytes_per_call, {}});
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  for (const Item& item : items(layout)) {
    const hdf5::Dataset in = source.open_dataset(item.path);
    hdf5::Dataset out = target.open_dataset(item.path);
    for (std::int64_t frame = 0; frame < (item.per_frame ? frames : 1); ++frame) {
      // One frame's dimensions behind that of the frames, the slowest of them shared out among the ranks.
      const std::vector<std::int64_t>& sizes = item.dimensions;
      const int axes = static_cast<int>(sizes.size());
      const auto [begin, end] = even_part(axes > 0 ? sizes[0] : 1, ranks_, rank_);
      Box block{{0, 0, 0}, {1, 1, 1}};
      for (int i = 1; i < axes; ++i) block.end[axes - 1 - i] = sizes[static_cast<std::size_t>(i)];
      if (axes > 0) {
        block.begin[axes - 1] = begin;
        block.end[axes - 1] = end;
      }
      if (item.per_frame) {
        block.begin[axes] = frame;
        block.end[axes] = frame + 1;
      }
      if (begin == end) block = {};
      const auto n = static_cast<std::size_t>(block.count());
      if (item.type == hdf5::Type::int64 || item.type == hdf5::Type::int32) {
        integers.resize(n);
        in.read(block, std::span<std::int64_t>(integers));
        out.write(block, std::span<const std::int64_t>(integers));
      } else {
        reals.resize(n);
        in.read(block, std::span<double>(reals));
        out.write(block, std::span<const double>(reals));
      }
    }
  }
  target.close();
}

/// Turns a segment whose values lie in the part into one plain file of its whole frames.
void H5mdTrajectory::close(Segment& segment) const {
  const Path path = file_of(segment.first_step), part = part_of(segment.first_step);
  if (segment.frames < settings_.frames_per_file) {
    const Path temporary = path.string() + ".tmp";
    create(temporary, segment.frames, segment.layout);
    copy(part, temporary, segment.frames, segment.layout);
    all_ranks(comm_, [&] {
      if (rank_ != 0) return;
      rename_file(temporary, path);
      std::filesystem::remove(part);
    });
  } else {
    all_ranks(comm_, [&] {
      if (rank_ == 0) rename_file(part, path);
    });
  }
  segment.filling = false;
}

/// First steps of the files "<name>_<step><suffix>", ascending.
std::vector<std::int64_t> H5mdTrajectory::first_steps(const std::string& suffix) const {
  std::vector<std::int64_t> steps;
  if (!std::filesystem::exists(folder_)) return steps;
  const std::string start = settings_.name + "_";
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(start) || !file.ends_with(suffix)) continue;
    std::int64_t step = 0;
    const char* end = file.data() + file.size() - suffix.size();
    const auto read = std::from_chars(file.data() + start.size(), end, step);
    if (read.ec == std::errc() && read.ptr == end) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void H5mdTrajectory::continue_from(std::int64_t step) {
  continued_ = true;
  segment_.reset();
  last_step_.reset();
  struct Found {
    std::int64_t first_step = -1, frames = 0, kept = 0, last_step = 0, count = 0, identity = 0;
    std::int64_t triclinic = 0, forces = 0, wide = 0, is_virtual = 0, periodic[3] = {0, 0, 0};
  } found;
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    for (const char* suffix : {".h5", ".h5.part", ".h5.tmp"}) {
      for (const std::int64_t first : first_steps(suffix)) {
        if (first > step) std::filesystem::remove(file_of(first).string() + std::string(suffix).substr(3));
      }
    }
    const std::vector<std::int64_t> files = first_steps(".h5");
    for (const std::int64_t first : first_steps(".h5.part")) {  // killed before its first frame was whole
      if (!std::filesystem::exists(file_of(first))) std::filesystem::remove(part_of(first));
    }
    if (files.empty()) return;
    found.first_step = files.back();
    const Path path = file_of(found.first_step);
    const hdf5::File file(path, hdf5::Mode::read);
    const hdf5::Dataset step_set = file.open_dataset(all + "position/step");
    const hdf5::Dataset position = file.open_dataset(all + "position/value");
    std::vector<std::int64_t> steps(static_cast<std::size_t>(step_set.dimensions().at(0)));
    step_set.read_whole(steps);
    found.frames = static_cast<std::int64_t>(steps.size());
    found.kept = std::upper_bound(steps.begin(), steps.end(), step) - steps.begin();
    if (found.kept == 0 || steps[0] != found.first_step) {
      throw Error(path.string() + " does not begin with the step in its name: it is no trajectory of this program.");
    }
    found.last_step = steps[static_cast<std::size_t>(found.kept) - 1];
    found.count = position.dimensions().at(1);
    found.identity = file.open_group(all).int64_attribute("identity");
    found.triclinic = file.open_dataset(all + "box/edges/value").dimensions().size() == 3;
    found.forces = file.has(all + "force");
    found.wide = position.type() == hdf5::Type::float64;
    found.is_virtual = step_set.is_virtual();
    const std::vector<std::int64_t> periodic = file.open_group(all + "box").int64s_attribute("periodic");
    for (std::size_t axis = 0; axis < 3; ++axis) found.periodic[axis] = periodic.at(axis);
  });
  MPI_Bcast(&found, sizeof found, MPI_BYTE, 0, comm_);
  if (found.first_step < 0) return;
  Segment segment{found.first_step, found.kept, {}, false};
  segment.layout = {found.count,          found.identity,
                    found.triclinic != 0, {found.periodic[0] != 0, found.periodic[1] != 0, found.periodic[2] != 0},
                    found.forces != 0,    found.wide != 0};
  const Path path = file_of(found.first_step), part = part_of(found.first_step);
  if (found.is_virtual != 0 || found.kept < found.frames) {
    const Path temporary = path.string() + ".tmp";
    create(temporary, found.kept, segment.layout);
    copy(found.is_virtual != 0 ? part : path, temporary, found.kept, segment.layout);
    all_ranks(comm_, [&] {
      if (rank_ == 0) rename_file(temporary, path);
    });
  }
  all_ranks(comm_, [&] {
    if (rank_ == 0) std::filesystem::remove(part);
  });
  segment_ = segment;
  last_step_ = found.last_step;
}

std::int64_t H5mdTrajectory::write(const ParticleFrame& frame) {
  if (last_step_ && frame.step <= *last_step_) return 0;
  Layout layout;
  layout.count = frame.count;
  layout.identity = static_cast<std::int64_t>(particle_identity(comm_, frame));
  layout.triclinic = !frame.box.orthogonal();
  layout.periodic = frame.box.periodic;
  layout.forces = settings_.forces;
  layout.wide = settings_.precision == FieldPrecision::float64;
  if (segment_ && segment_->layout.triclinic) layout.triclinic = true;  // tilts may pass through 0

  if (segment_ && (segment_->layout != layout || segment_->frames >= settings_.frames_per_file)) {
    if (segment_->filling) close(*segment_);
    segment_.reset();
  }
  const bool begins = !segment_;
  Segment segment = begins ? Segment{frame.step, 0, layout, false} : *segment_;
  const Path path = file_of(segment.first_step), part = part_of(segment.first_step);
  if (!segment.filling) {
    all_ranks(comm_, [&] {
      if (rank_ != 0) return;
      make_folder(folder_);
      if (!continued_ && !last_step_) {
        const std::vector<std::int64_t> files = first_steps(".h5");
        if (!files.empty()) throw Error(file_of(files[0]).string() + " exists already and is not overwritten.");
      }
    });
    create(part, settings_.frames_per_file, layout);
    if (!begins) copy(path, part, segment.frames, layout);  // the .h5 stays what counts until the next frame is whole
  }

  const std::int64_t k = segment.frames;
  const bool first = rank_ == 0;
  {
    hdf5::File file(part, hdf5::Mode::read_write, comm_, {settings_.bytes_per_call, {}});
    if (begins) {
      const Box block{{frame.begin, 0, 0}, {frame.end, 1, 1}};
      std::vector<double> mass;
      for (const std::int32_t type : frame.type) mass.push_back(description_.mass[static_cast<std::size_t>(type)]);
      file.open_dataset(all + "id").write(block, frame.id);
      file.open_dataset(all + "species").write(block, frame.type);
      file.open_dataset(all + "mass").write(block, std::span<const double>(mass));
    }
    write_vectors(file, "position", k, frame, frame.position);
    write_vectors(file, "velocity", k, frame, frame.velocity);
    if (layout.forces) write_vectors(file, "force", k, frame, frame.force);
    file.open_dataset(all + "image/value").write({{0, frame.begin, k}, {3, frame.end, k + 1}}, frame.image);
    const Box none, entry = first ? Box{{k, 0, 0}, {k + 1, 1, 1}} : none;
    const Box row = first ? Box{{0, k, 0}, {3, k + 1, 1}} : none, plane = first ? Box{{0, 0, k}, {3, 3, k + 1}} : none;
    const md::SimulationBox& box = frame.box;
    const auto& [lx, ly, lz] = box.length;
    const std::vector<double> edges = layout.triclinic
                                          ? std::vector<double>{lx, 0.0, 0.0, box.xy, ly, 0.0, box.xz, box.yz, lz}
                                          : std::vector<double>{lx, ly, lz};
    const auto mine = [&](std::span<const double> values) { return first ? values : std::span<const double>{}; };
    file.open_dataset(all + "box/edges/value").write(layout.triclinic ? plane : row, mine(edges));
    file.open_dataset(all + "box/origin/value").write(row, mine(box.origin));
    file.open_dataset(all + "position/time").write(entry, mine({&frame.time, 1}));
    file.open_dataset(all + "position/step").write(entry, std::span<const std::int64_t>(&frame.step, first ? 1 : 0));
    file.close();
  }
  segment.filling = true;
  ++segment.frames;
  if (segment.frames == settings_.frames_per_file) {
    close(segment);
  } else {
    all_ranks(comm_, [&] {
      if (first) write_index(segment);
    });
  }
  segment_ = segment;
  last_step_ = frame.step;
  std::int64_t per_atom = 3 * ((layout.forces ? 3 : 2) * (layout.wide ? 8 : 4) + 4);
  if (begins) per_atom += 8 + 4 + 8;
  return per_atom * frame.count;
}

void H5mdTrajectory::finish() {
  if (segment_ && segment_->filling) close(*segment_);
}

}  // namespace halyard
