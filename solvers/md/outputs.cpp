#include "solvers/md/outputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "io/log/format.hpp"
#include "io/results/canvas.hpp"
#include "io/results/file.hpp"
#include "io/results/particle_picture.hpp"
#include "io/results/particle_writer.hpp"
#include "solvers/md/outputs_data.hpp"
#include "solvers/md/outputs_frame.hpp"
#include "solvers/run/plan.hpp"
#include "solvers/run/version.hpp"

namespace halyard::md {

namespace {

std::string name_of(UnitSystem units) {
  return units == UnitSystem::lj ? "lj" : units == UnitSystem::metal ? "metal" : "real";
}

ParticleDescription describe(const OutputSource& source) {
  ParticleDescription description;
  description.species = source.dynamics.system().names;
  description.mass = source.dynamics.system().masses;
  description.units = particle_units(name_of(source.settings.units));
  description.title = source.title;
  description.creator_version = version();
  return description;
}

ParticleWriterSettings writer_settings(const TrajectorySettings& t, const std::string& name) {
  ParticleWriterSettings settings;
  settings.name = name;
  settings.formats = {t.formats.begin(), t.formats.end()};
  settings.frames_per_file = t.frames_per_file;
  settings.precision = t.precision;
  settings.forces = t.forces;
  return settings;
}

/// [output.trajectory]
class TrajectoryOutput final : public Output {
 public:
  TrajectoryOutput(const OutputSource& source, const OutputPlace& place)
      : source_(source),
        cadence_{.every_time = {}, .every_steps = source.settings.output.trajectory.every_steps},
        writer_(source.dynamics.domain().communicator().comm(), place.folder,
                writer_settings(source.settings.output.trajectory, place.name), describe(source)) {}

  bool due(std::int64_t step, double time) const override { return cadence_.due(step, time); }
  std::string write(std::int64_t step, double time) override {
    const bool forces = source_.settings.output.trajectory.forces;
    const AtomBlock block = gather_atoms(source_.dynamics, source_.blocks, forces);
    const WrittenFile file = writer_.write(block.frame(step, time));
    // One line for all frames: they are alike, and may be many.
    return std::exchange(said_, true) ? ""
                                      : fmt::format("trajectory in {}, {} a frame", file.path.filename().string() + "/",
                                                    bytes_text(static_cast<double>(file.bytes)));
  }
  std::string write_at_end(std::int64_t step, double time) override {
    const std::string line = due(step, time) ? "" : write(step, time);
    writer_.finish();
    return line;
  }
  void continue_from(std::int64_t step) override { writer_.continue_from(step); }

 private:
  OutputSource source_;
  Cadence cadence_;
  ParticleWriter writer_;
  bool said_ = false;
};

/// All of [[output.picture]] together: the atoms are gathered once.
class PictureOutput final : public Output {
 public:
  PictureOutput(const OutputSource& source, const OutputPlace& place) : source_(source) {
    std::set<std::string> names;
    const System& system = source.dynamics.system();
    for (const PictureSettings& p : source.settings.output.pictures) {
      ParticlePictureSettings settings;
      settings.name = fmt::format("{}_{}_{}", place.name, p.view, color_name(p.color));
      const std::string name = settings.name;
      for (int n = 2; !names.insert(settings.name).second; ++n) {
        settings.name = fmt::format("{}_{}", name, n);
      }
      settings.direction = view_direction(p.view);
      settings.coloring = p.color == PictureColor::type    ? ParticleColoring::type
                          : p.color == PictureColor::speed ? ParticleColoring::speed
                                                           : ParticleColoring::scalar;
      settings.radius = p.radius;
      if (p.radius.empty()) {
        settings.radius = {picture_radius(
            source.settings.units,
            source.dynamics.box().volume() / static_cast<double>(std::max<std::int64_t>(1, system.count)))};
      }
      settings.colors = p.colors;
      settings.range = p.range;
      settings.pixels = p.pixels;
      pictures_.push_back({std::make_unique<ParticlePicture>(source.dynamics.domain().communicator().comm(),
                                                             place.folder, std::move(settings), describe(source)),
                           Cadence{.every_time = {}, .every_steps = p.every_steps}, p.color});
    }
  }

  bool due(std::int64_t step, double time) const override {
    for (const Picture& picture : pictures_) {
      if (picture.cadence.due(step, time)) {
        return true;
      }
    }
    return false;
  }
  std::string write(std::int64_t step, double time) override { return draw(step, time, true); }
  std::string write_at_end(std::int64_t step, double time) override { return draw(step, time, false); }

 private:
  struct Picture {
    std::unique_ptr<ParticlePicture> picture;
    Cadence cadence;
    PictureColor color;
  };

  static const char* color_name(PictureColor color) {
    return color == PictureColor::type ? "type" : color == PictureColor::speed ? "speed" : "force";
  }

  /// Those that are due, or those that are not.
  std::string draw(std::int64_t step, double time, bool due) {
    std::vector<const Picture*> wanted;
    bool forces = false;
    for (const Picture& p : pictures_) {
      if (p.cadence.due(step, time) == due) {
        wanted.push_back(&p);
        forces = forces || p.color == PictureColor::force;
      }
    }
    if (wanted.empty()) {
      return "";
    }
    const AtomBlock block = gather_atoms(source_.dynamics, source_.blocks, forces);
    std::vector<double> force;
    for (std::size_t a = 0; forces && a < block.id.size(); ++a) {
      const double* f = &block.force[3 * a];
      force.push_back(std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    for (const Picture* p : wanted) {
      if (p->color == PictureColor::force) {
        p->picture->write(block.frame(step, time), force, "force", source_.dynamics.units().force);
      } else {
        p->picture->write(block.frame(step, time));
      }
    }
    return "";
  }

  OutputSource source_;
  std::vector<Picture> pictures_;
};

/// output.data_file
class DataFileOutput final : public Output {
 public:
  DataFileOutput(const OutputSource& source, const OutputPlace& place)
      : source_(source), path_(place.folder / source.settings.output.data_file) {
    const Communicator& comm = source.dynamics.domain().communicator();
    all_ranks(comm.comm(), [&] {
      if (comm.rank() == 0) {
        require_writable(path_);
      }
    });
  }

  bool due(std::int64_t, double) const override { return false; }
  std::string write(std::int64_t, double) override { return ""; }
  std::string write_at_end(std::int64_t step, double) override {
    const std::string title =
        fmt::format("{}{}step {}, units {}, {} {}", source_.title, source_.title.empty() ? "" : ", ", step,
                    name_of(source_.settings.units), "halyard-md", version());
    write_data_file(source_.dynamics, source_.blocks, title, path_);
    return path_.filename().string();
  }

 private:
  OutputSource source_;
  std::filesystem::path path_;
};

std::optional<std::int64_t> occurrences(const std::optional<std::int64_t>& every_steps,
                                        std::optional<std::int64_t> last_step) {
  if (!every_steps) {
    return 1;
  }
  if (!last_step) {
    return std::nullopt;
  }
  return *last_step / *every_steps + 1 + (*last_step % *every_steps != 0 ? 1 : 0);
}

}  // namespace

double picture_radius(UnitSystem units, double volume_per_atom) {
  return units == UnitSystem::lj ? 0.5 : 0.55 * std::cbrt(volume_per_atom);
}

std::vector<std::unique_ptr<Output>> make_outputs(const OutputSource& source, const OutputPlace& place) {
  std::vector<std::unique_ptr<Output>> outputs;
  const OutputSettings& asked = source.settings.output;
  if (!asked.trajectory.formats.empty()) {
    outputs.push_back(std::make_unique<TrajectoryOutput>(source, place));
  }
  if (!asked.pictures.empty()) {
    if (pictures_available()) {
      outputs.push_back(std::make_unique<PictureOutput>(source, place));
    } else {
      source.log.note("this build draws no pictures (made without VTK): [[output.picture]] has no effect");
    }
  }
  if (!asked.data_file.empty()) {
    outputs.push_back(std::make_unique<DataFileOutput>(source, place));
  }
  return outputs;
}

std::vector<Estimate::Volume> output_volumes(const MdCase& settings, std::int64_t atoms,
                                             std::optional<std::int64_t> last_step) {
  std::vector<Estimate::Volume> volumes;
  const OutputSettings& asked = settings.output;
  if (!asked.trajectory.formats.empty()) {
    volumes.push_back({"frame(s) of the trajectory", occurrences(asked.trajectory.every_steps, last_step),
                       ParticleWriter::frame_bytes(atoms, writer_settings(asked.trajectory, ""))});
  }
  if (pictures_available()) {
    for (const PictureSettings& p : asked.pictures) {
      // Shaded spheres pack badly.
      volumes.push_back({fmt::format("picture(s) from {}", p.view), occurrences(p.every_steps, last_step),
                         std::int64_t{p.pixels} * p.pixels * 5 / 4});
    }
  }
  if (!asked.data_file.empty()) {
    constexpr std::int64_t line_bytes = 150;  // of an atom and its velocity
    volumes.push_back({asked.data_file, 1, line_bytes * atoms});
  }
  return volumes;
}

}  // namespace halyard::md
