#include "io/results/particle_xyz.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <system_error>
#include <type_traits>

#include "io/results/file.hpp"
#include "io/results/shared_file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

namespace {

using Path = std::filesystem::path;

/// Appends the shortest decimal that reads back to the same number.
template <class T>
void append(std::string& text, T value) {
  char digits[32];
  text += ' ';
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      text += "nan";
      return;
    }
  }
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Where the frames up to a step end in a file of our own writing.
struct Extent {
  std::int64_t bytes = 0;
  std::optional<std::int64_t> last_step;
};

Extent frames_until(const Path& path, std::int64_t step) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(file_failure("Reading", path, "it cannot be opened"));
  Extent extent;
  std::string line, header;
  std::int64_t line_number = 0;
  while (std::getline(in, line) && !in.eof()) {  // a line without an end is where the run was killed
    ++line_number;
    std::int64_t atoms = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), atoms);
    if (read.ec != std::errc() || read.ptr != line.data() + line.size() || atoms < 0) {
      throw Error(fmt::format("{}:{} should be a number of atoms, but is \"{}\": it is no trajectory of this program.",
                              path.string(), line_number, line.substr(0, 60)));
    }
    if (!std::getline(in, header) || in.eof()) break;
    ++line_number;
    const std::size_t mark = header.find(" Step=");
    std::int64_t frame_step = 0;
    if (mark == std::string::npos ||
        std::from_chars(header.data() + mark + 6, header.data() + header.size(), frame_step).ec != std::errc()) {
      throw Error(fmt::format("{}:{} has no Step=: it is no trajectory of this program.", path.string(), line_number));
    }
    if (frame_step > step) break;
    std::int64_t lines = 0;
    while (lines < atoms && std::getline(in, line) && !in.eof()) ++lines;
    if (lines < atoms) break;
    line_number += atoms;
    extent.bytes = in.tellg();
    extent.last_step = frame_step;
  }
  return extent;
}

}  // namespace

XyzTrajectory::XyzTrajectory(MPI_Comm comm, const Path& folder, ParticleWriterSettings settings,
                             ParticleDescription description)
    : comm_(comm),
      path_(folder / (settings.name + ".xyz")),
      settings_(std::move(settings)),
      description_(std::move(description)) {
  MPI_Comm_rank(comm_, &rank_);
  for (std::string& name : description_.species) {
    for (char& c : name) {
      if (static_cast<unsigned char>(c) <= ' ') c = '_';
    }
    if (name.empty()) name = "X";
  }
}

void XyzTrajectory::continue_from(std::int64_t step) {
  begun_ = true;
  std::int64_t found[3] = {0, 0, 0};
  all_ranks(comm_, [&] {
    if (rank_ != 0 || !std::filesystem::exists(path_)) return;
    const Extent extent = frames_until(path_, step);
    if (static_cast<std::int64_t>(std::filesystem::file_size(path_)) > extent.bytes) {
      std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(extent.bytes));
    }
    found[0] = extent.bytes;
    found[1] = extent.last_step ? 1 : 0;
    found[2] = extent.last_step.value_or(0);
  });
  MPI_Bcast(found, 3, MPI_INT64_T, 0, comm_);
  bytes_ = found[0];
  last_step_ = found[1] != 0 ? std::optional(found[2]) : std::nullopt;
}

std::int64_t XyzTrajectory::write(const ParticleFrame& frame) {
  if (last_step_ && frame.step <= *last_step_) return 0;
  all_ranks(comm_, [&] {
    if (rank_ != 0) return;
    make_folder(path_.parent_path());
    if (!std::filesystem::exists(path_)) return;
    if (!begun_) throw Error(path_.string() + " exists already and is not overwritten.");
    if (static_cast<std::int64_t>(std::filesystem::file_size(path_)) > bytes_) {  // of a frame that failed
      std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(bytes_));
    }
  });
  begun_ = true;
  const std::string header = header_of(frame), text = atoms_of(frame);
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  const std::int64_t mine[2] = {frame.begin, static_cast<std::int64_t>(text.size())};
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(ranks));
  MPI_Allgather(mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm_);
  auto total = static_cast<std::int64_t>(header.size());
  std::int64_t offset = bytes_ + total;
  for (std::size_t other = 0; other < all.size(); other += 2) {  // blocks need not be in the order of the ranks
    total += all[other + 1];
    if (all[other] < frame.begin) offset += all[other + 1];
  }
  SharedFile file(comm_, path_, SharedFile::Open::continue_);
  if (rank_ == 0) file.write_at(bytes_, header.data(), header.size());
  file.write_parts(offset, text.data(), static_cast<std::int64_t>(text.size()), settings_.bytes_per_call);
  file.finish(bytes_ + total);
  bytes_ += total;
  last_step_ = frame.step;
  return total;
}

std::string XyzTrajectory::header_of(const ParticleFrame& frame) const {
  const md::SimulationBox& box = frame.box;
  std::string text = fmt::format("{}\nLattice=\"", frame.count);
  const auto list = [&text](std::initializer_list<double> values) {
    std::string numbers;
    for (const double value : values) append(numbers, value);
    text.append(numbers, 1);
  };
  list({box.length[0], 0.0, 0.0, box.xy, box.length[1], 0.0, box.xz, box.yz, box.length[2]});
  text += "\" Origin=\"";
  list({box.origin[0], box.origin[1], box.origin[2]});
  text += "\" Properties=species:S:1:pos:R:3:velo:R:3";
  if (settings_.forces) text += ":forces:R:3";
  text += ":id:I:1 pbc=\"";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += axis > 0 ? " " : "";
    text += box.periodic[axis] ? "T" : "F";
  }
  return text + fmt::format("\" Time={} Step={}\n", shortest(frame.time), frame.step);
}

std::string XyzTrajectory::atoms_of(const ParticleFrame& frame) const {
  const bool wide = settings_.precision == FieldPrecision::float64;
  std::string text;
  const auto vector = [&](std::span<const double> values, std::size_t atom) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (wide) {
        append(text, values[3 * atom + c]);
      } else {
        append(text, static_cast<float>(values[3 * atom + c]));
      }
    }
  };
  for (std::size_t atom = 0; atom < frame.id.size(); ++atom) {
    text += description_.species[static_cast<std::size_t>(frame.type[atom])];
    vector(frame.position, atom);
    vector(frame.velocity, atom);
    if (settings_.forces) vector(frame.force, atom);
    append(text, frame.id[atom]);
    text += '\n';
  }
  return text;
}

}  // namespace halyard
