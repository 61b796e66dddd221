#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "fmt/format.h"
#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

TEST(CaseResolved, ReadsAsPeopleExpect) {
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  schema.read_text(kLeast + "[[output.slice]]\nfield = \"u\"\n", "case.toml", "/data/run", {"time.cfl=1"});
  EXPECT_EQ(schema.resolved(), R"(title = "no title"  # shown in pictures

# The box.
[domain]
cells = [4, 5, 6]  # cells along x, y, z
length = [1.0, 1.0, 1.0]  # [m] edges of the box
z = ["periodic", "periodic"]  # lower and upper side
faces = "/data/run/faces.txt"  # file of face coordinates

[fluid]
viscosity = 0.001  # [m2/s] kinematic viscosity

[time]
cfl = 1.0  # convective limit on the time step
# dt is not set  # [s] fixed time step
steps = 100  # stop after so many steps
retries = 3  # a | in the help

[initial]
u = "0"  # [m/s] velocity along x

[drive]
on = false  # drive the flow
# bulk is not set  # bulk velocity

# What is written.
[output]
format = "vtk"  # format of fields
fields = ["u"]  # fields by name
probes = []  # [m] points
# lid is not set  # the lid

[[output.slice]]
field = "u"  # field by name
axis = 2  # normal of the plane
position = 0.0  # along the axis
)");
}

// Reads a text, then its resolved form from another folder: same text again, same notes.
std::pair<ExampleCase, ExampleCase> round_trip(const std::string& text) {
  std::pair<ExampleCase, ExampleCase> cases;
  CaseSchema first, second;
  declare(first, cases.first);
  declare(second, cases.second);
  first.read_text(text, "case.toml", "/data/run");
  second.read_text(first.resolved(), "resolved.toml", "/somewhere/else");
  EXPECT_EQ(second.resolved(), first.resolved());
  EXPECT_EQ(second.notes().size(), first.notes().size());
  return cases;
}

TEST(CaseResolved, RoundTripOfEveryType) {
  const auto [a, b] = round_trip(
      "title = \"q\\\" b\\\\ n\\n t\\t e\u00e9 c\\u0001\"\n[domain]\ncells = [500, 5e2, 31]\nlength = [1, 2.5, 1e-3]\n"
      "z = [\"wall\", \"free_slip\"]\nfaces = \"../grid/z.txt\"\n[fluid]\nviscosity = 3\n[time]\ndt = 1e-5\n"
      "steps = 9223372036854775807\n[initial]\nu = \"sin(x) \"\n[drive]\non = true\nbulk = -1.5\n"
      "[output]\nfields = [\"a\", \"b\"]\nprobes = [[1, 2, 3], [0.5, 0.5, 0.5]]\nlid = \"wall\"\n"
      "[[output.slice]]\nfield = \"p\"\n[[output.slice]]\nfield = \"q\"\naxis = 0\nposition = 0.25\n");
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.viscosity, b.viscosity);
  EXPECT_EQ(a.dt, b.dt);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.u, b.u);
  EXPECT_EQ(a.driven, b.driven);
  EXPECT_EQ(a.bulk, b.bulk);
  EXPECT_EQ(a.fields, b.fields);
  EXPECT_EQ(a.probes, b.probes);
  EXPECT_EQ(a.lid, b.lid);
  ASSERT_EQ(a.slices.size(), b.slices.size());
  EXPECT_EQ(a.slices[1].position, b.slices[1].position);
}

TEST(CaseResolved, DoublesKeepTheirBits) {
  const double values[] = {0.1,
                           1.0 / 3,
                           6.25e-4,
                           1e-320,
                           std::numeric_limits<double>::denorm_min(),
                           std::numeric_limits<double>::min(),
                           std::numeric_limits<double>::max(),
                           1e22,
                           1e23,
                           9007199254740993.0,
                           -0.0,
                           2.2250738585072011e-308,
                           123456789.123456789};
  for (const double value : values) {
    // 17 digits are enough for any double to be read back.
    const auto [a, b] = round_trip(kLeast + fmt::format("[drive]\non = true\nbulk = {:.17e}\n", value));
    EXPECT_EQ(std::memcmp(&a.bulk, &value, sizeof value), 0) << value;
    EXPECT_EQ(std::memcmp(&b.bulk, &value, sizeof value), 0) << value;
  }
}

TEST(CaseResolved, KeysWithoutEffectRaiseNoNewNotes) {
  round_trip(kLeast);
  round_trip(kLeast + "[drive]\nbulk = 1\n");  // one note, before and after

  double a = 0, b = 0;
  const auto declare_two = [&](CaseSchema& schema) {
    schema.key("a", a).required();
    schema.key("b", b).default_value(1.0).active_when([&a] { return a > 0; }, "a is not above 0");
  };
  CaseSchema first, second;
  declare_two(first);
  declare_two(second);
  first.read_text("a = 0", "case.toml", ".");
  EXPECT_EQ(first.resolved(), "a = 0.0\n# no effect: b = 1.0\n");
  second.read_text(first.resolved(), "case.toml", ".");
  EXPECT_TRUE(second.notes().empty());
}

}  // namespace
}  // namespace halyard::test
