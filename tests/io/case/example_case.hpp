#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard::test {

enum class Boundary { periodic, wall, free_slip };

struct Slice {
  std::string field;
  int axis = 0;
  double position = 0;
};

/// A case with a key of every type that a schema knows.
struct ExampleCase {
  std::string title;
  std::array<std::int64_t, 3> cells{};
  std::array<double, 3> length{};
  std::array<Boundary, 2> z{};
  std::filesystem::path faces;
  double viscosity = 0, cfl = 0;
  std::optional<double> dt;
  std::int64_t steps = 0;
  int retries = 0;
  Expression u;
  bool driven = false;
  double bulk = 0;
  std::string format;
  std::vector<std::string> fields;
  std::vector<std::array<double, 3>> probes;
  std::optional<Boundary> lid;
  std::vector<Slice> slices;
};

inline void declare(CaseSchema& schema, ExampleCase& c) {
  schema.key("title", c.title).default_value("no title").help("shown in pictures");

  auto domain = schema.table("domain", "The box.");
  domain.key("cells", c.cells).required().at_least(1).help("cells along x, y, z");
  domain.key("length", c.length).default_value({1.0, 1.0, 1.0}).above(0.0).unit("m").help("edges of the box");
  domain.key("z", c.z)
      .default_value({Boundary::periodic, Boundary::periodic})
      .choices(
          {{"periodic", Boundary::periodic}, {"wall", Boundary::wall, "no slip"}, {"free_slip", Boundary::free_slip}})
      .help("lower and upper side");
  domain.key("faces", c.faces).default_value("faces.txt").help("file of face coordinates");

  schema.key("fluid.viscosity", c.viscosity).unit("m2/s").required().above(0.0).help("kinematic viscosity");

  auto time = schema.table("time");
  time.key("cfl", c.cfl).default_value(0.5).above(0.0).at_most(1.0).help("convective limit on the time step");
  time.key("dt", c.dt).unit("s").above(0.0).help("fixed time step");
  time.key("steps", c.steps).default_value(100).at_least(0).help("stop after so many steps");
  time.key("retries", c.retries).default_value(3).help("a | in the help");

  schema.key("initial.u", c.u).default_value("0").unit("m/s").help("velocity along x");

  schema.key("drive.on", c.driven).default_value(false).help("drive the flow");
  schema.key("drive.bulk", c.bulk)
      .required_when([&c] { return c.driven; }, "drive.on is true")
      .active_when([&c] { return c.driven; }, "drive.on is false")
      .help("bulk velocity");

  auto output = schema.table("output", "What is written.");
  output.key("format", c.format).default_value("vtk").choices({"vtk", "hdf5"}).help("format of fields");
  output.key("fields", c.fields).default_value({"u"}).count_at_least(1).count_at_most(3).help("fields by name");
  output.key("probes", c.probes).default_value({}).unit("m").help("points");
  output.key("lid", c.lid).choices({{"wall", Boundary::wall}, {"free_slip", Boundary::free_slip}}).help("the lid");
  output
      .list("slice", c.slices,
            [](CaseSchema& s, Slice& slice) {
              s.key("field", slice.field).required().help("field by name");
              s.key("axis", slice.axis).default_value(2).at_least(0).at_most(2).help("normal of the plane");
              s.key("position", slice.position).default_value(0.0).help("along the axis");
              s.check({"axis", "position"}, [&slice](CaseCheck& check) {
                if (slice.axis == 1 && slice.position < 0) check.error("position", "is negative.");
              });
            })
      .help("pictures of planes");

  schema.check({"domain.cells", "domain.z"}, [&c](CaseCheck& check) {
    if (c.cells[2] == 1 && c.z[0] == Boundary::wall)
      check.error("domain.cells", "has 1 cell along z, where walls need at least 2.");
    if (c.cells[0] == 97) check.note("domain.cells", "has 97 cells along x; 100 is faster.");
  });
}

}  // namespace halyard::test
