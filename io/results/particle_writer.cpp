#include "io/results/particle_writer.hpp"

#include <fmt/core.h>

#include <cctype>

#include "io/results/file.hpp"
#include "io/results/particle_h5md.hpp"
#include "io/results/particle_vtk.hpp"
#include "io/results/particle_xyz.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

ParticleWriter::ParticleWriter(MPI_Comm comm, std::filesystem::path folder, ParticleWriterSettings settings,
                               ParticleDescription description)
    : comm_(comm),
      trajectory_(std::move(folder) / "trajectory"),
      settings_(std::move(settings)),
      description_(std::move(description)) {
  if (settings_.formats.empty()) throw Error("A trajectory needs a format: h5md, vtk or xyz.");
  if (settings_.frames_per_file < 1) {
    throw Error(
        fmt::format("Frames per file of the trajectory is {}, but must be at least 1.", settings_.frames_per_file));
  }
  if (settings_.bytes_per_call < 8 || settings_.bytes_per_call >= (std::size_t{1} << 30)) {
    throw Error(fmt::format("Bytes per call of the trajectory is {}, but must be from 8 to below 1 GiB.",
                            settings_.bytes_per_call));
  }
  for (char& c : settings_.name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (settings_.name.empty()) settings_.name = "particles";
  for (const ParticleFormat format : settings_.formats) {
    if (format == ParticleFormat::h5md) {
      formats_.push_back(std::make_unique<H5mdTrajectory>(comm_, trajectory_, settings_, description_));
    } else if (format == ParticleFormat::vtk) {
      formats_.push_back(std::make_unique<VtkTrajectory>(comm_, trajectory_, settings_, description_));
    } else {
      formats_.push_back(std::make_unique<XyzTrajectory>(comm_, trajectory_, settings_, description_));
    }
  }
}

ParticleWriter::~ParticleWriter() = default;
ParticleWriter::ParticleWriter(ParticleWriter&&) noexcept = default;
ParticleWriter& ParticleWriter::operator=(ParticleWriter&&) noexcept = default;

void ParticleWriter::continue_from(std::int64_t step) {
  for (const auto& format : formats_) format->continue_from(step);
}

WrittenFile ParticleWriter::write(const ParticleFrame& frame) {
  const double start = MPI_Wtime();
  check_frame(comm_, frame, description_, settings_.forces);
  all_ranks(comm_, [&] {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    if (rank != 0) return;
    make_folder(trajectory_);
    const std::int64_t bytes = frame_bytes(frame.count, settings_);
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(trajectory_, code);
    if (!code && space.capacity > 0 && space.available < static_cast<std::uintmax_t>(bytes)) {
      throw Error(file_failure("Writing a frame to", trajectory_ / settings_.name,
                               fmt::format("it needs {:.3f} GB", 1e-9 * static_cast<double>(bytes))));
    }
  });
  WrittenFile written{trajectory_, 0, 0.0};
  for (const auto& format : formats_) written.bytes += format->write(frame);
  written.seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &written.seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return written;
}

void ParticleWriter::finish() {
  for (const auto& format : formats_) format->finish();
}

std::int64_t ParticleWriter::frame_bytes(std::int64_t count, const ParticleWriterSettings& settings) {
  const std::int64_t vectors = settings.forces ? 3 : 2;
  const std::int64_t reals = 3 * vectors * (settings.precision == FieldPrecision::float64 ? 8 : 4);
  std::int64_t per_atom = 0;
  for (const ParticleFormat format : settings.formats) {
    if (format == ParticleFormat::h5md) per_atom += reals + 12;
    if (format == ParticleFormat::vtk) per_atom += reals + 12 + 8 + 4 + 8 + 16;
    if (format == ParticleFormat::xyz) per_atom += 2 * reals + 3 * vectors + 10;
  }
  return per_atom * count;
}

}  // namespace halyard
