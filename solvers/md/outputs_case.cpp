#include "solvers/md/outputs_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/file.hpp"
#include "io/results/slice_picture.hpp"
#include "solvers/md/repeated.hpp"

namespace halyard::md {

namespace {

void declare_trajectory(CaseSchema& schema, TrajectorySettings& t) {
  const auto table = schema.table("output.trajectory",
                                  "Positions and velocities of all atoms, in the order of their ids. One frame is "
                                  "always written at the end of the run.");
  const auto written = [&t] { return !t.formats.empty(); };
  const std::string not_written = "output.trajectory.formats names none";
  table.key("formats", t.formats)
      .default_value({})
      .choices({{"h5md", ParticleFormat::h5md, "H5MD, for MDAnalysis and VMD"},
                {"vtk", ParticleFormat::vtk, ".vtp and a .pvd, for ParaView"},
                {"xyz", ParticleFormat::xyz, "extended XYZ, for OVITO and ASE"}})
      .help("one or more forms of the same frames; none: no trajectory");
  table.key("every_steps", t.every_steps)
      .at_least(1)
      .active_when(written, not_written)
      .help("a frame at the multiples of this step count; absent: at the end alone");
  table.key("frames_per_file", t.frames_per_file)
      .default_value(100)
      .at_least(1)
      .active_when(
          [&t] { return std::find(t.formats.begin(), t.formats.end(), ParticleFormat::h5md) != t.formats.end(); },
          "output.trajectory.formats does not name \"h5md\"")
      .help("of h5md");
  table.key("precision", t.precision)
      .default_value(FieldPrecision::float64)
      .choices({{"float64", FieldPrecision::float64, {}}, {"float32", FieldPrecision::float32, "half the size"}})
      .active_when(written, not_written)
      .help("of the numbers in the files");
  table.key("forces", t.forces).default_value(false).active_when(written, not_written).help("written too");
  schema.check({"output.trajectory.formats"}, [&t](CaseCheck& check) {
    if (repeated(t.formats)) {
      check.error("output.trajectory.formats", "names a format twice.");
    }
  });
  schema.check({"output.trajectory.formats", "output.trajectory.every_steps"}, [&t](CaseCheck& check) {
    if (t.formats.empty() && t.every_steps && !check.given("output.trajectory.formats")) {
      check.error("output.trajectory.every_steps",
                  "is given, but output.trajectory.formats names no form of the files.");
    }
  });
}

void declare_picture(CaseSchema& schema, PictureSettings& p) {
  schema.key("every_steps", p.every_steps)
      .at_least(1)
      .help("a picture at the multiples of this step count; absent: at the end alone");
  schema.key("view", p.view)
      .default_value("oblique")
      .choices({"x", "y", "z", "oblique"})
      .help("from where the box is seen");
  schema.key("color", p.color)
      .default_value(PictureColor::type)
      .choices(
          {{"type", PictureColor::type, {}}, {"speed", PictureColor::speed, {}}, {"force", PictureColor::force, {}}})
      .help("what the colours mean");
  const auto scaled = [&p] { return p.color != PictureColor::type; };
  schema.key("range", p.range)
      .active_when(scaled, "color is \"type\"")
      .help("lowest and highest value of the colours; absent: from the 1st to the 99th percentile");
  schema.key("colors", p.colors)
      .default_value("auto")
      .choices(color_map_names())
      .active_when(scaled, "color is \"type\"")
      .help("colour map");
  schema.key("radius", p.radius)
      .unit("length")
      .default_value({})
      .above(0.0)
      .help("of the spheres, one for all or one a type; none: 0.5 with units lj, else by the volume per atom");
  schema.key("pixels", p.pixels)
      .default_value(1000)
      .at_least(400)
      .at_most(8000)
      .help("length of the picture's longer side");
  schema.check({"range"}, [&p](CaseCheck& check) {
    if (p.range && !((*p.range)[0] < (*p.range)[1])) {
      check.error("range", "must be [lowest, highest] with lowest < highest.");
    }
  });
}

}  // namespace

void declare(CaseSchema& schema, OutputSettings& settings) {
  declare_trajectory(schema, settings.trajectory);
  schema.list("output.picture", settings.pictures, declare_picture)
      .help("Pictures of the atoms as spheres, drawn during the run. One is always drawn at the end.");
  schema.table("output")
      .key("data_file", settings.data_file)
      .default_value("")
      .help(
          "name of a LAMMPS data file with the atoms at the end of the run, in the run's folder: \"final.data\"; "
          "empty: "
          "none");
  schema.check({"output.data_file"}, [&settings](CaseCheck& check) {
    const std::string& name = settings.data_file;
    if (!name.empty() && (name.find('/') != std::string::npos || !name.ends_with(".data") || name.front() == '.')) {
      check.error("output.data_file",
                  fmt::format("is \"{}\"; it must be a name that ends in .data, without a folder.", name));
    } else if (name.size() > longest_file_name) {
      check.error("output.data_file",
                  fmt::format("is a name of {} bytes; at most {} are possible.", name.size(), longest_file_name));
    }
  });
}

}  // namespace halyard::md
