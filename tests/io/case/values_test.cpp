#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

TEST(CaseValues, DefaultsOfEveryType) {
  const ExampleCase c = read_case(kLeast);
  EXPECT_EQ(c.title, "no title");
  EXPECT_EQ(c.cells, (std::array<std::int64_t, 3>{4, 5, 6}));
  EXPECT_EQ(c.length, (std::array{1.0, 1.0, 1.0}));
  EXPECT_EQ(c.z, (std::array{Boundary::periodic, Boundary::periodic}));
  EXPECT_EQ(c.faces, "/data/run/faces.txt");
  EXPECT_EQ(c.cfl, 0.5);
  EXPECT_EQ(c.dt, std::nullopt);
  EXPECT_EQ(c.steps, 100);
  EXPECT_EQ(c.retries, 3);
  EXPECT_EQ(c.u(1, 2, 3), 0.0);
  EXPECT_FALSE(c.driven);
  EXPECT_EQ(c.format, "vtk");
  EXPECT_EQ(c.fields, (std::vector<std::string>{"u"}));
  EXPECT_TRUE(c.probes.empty());
  EXPECT_EQ(c.lid, std::nullopt);
  EXPECT_TRUE(c.slices.empty());
}

TEST(CaseValues, GivenOfEveryType) {
  const ExampleCase c = read_case(
      "title = \"tab\\tquote\\\"\"\n[domain]\ncells = [500, 5e2, 0x1F]\nlength = [1, 2.5, 1e-3]\nz = [\"wall\", "
      "\"free_slip\"]\n"
      "faces = \"../grid/./z.txt\"\n[fluid]\nviscosity = 3\n[time]\ncfl = 1\ndt = 1e-5\nsteps = 9223372036854775807.0\n"
      "retries = -2147483648\n[initial]\nu = \"x + 10*y + 100*z\"\n[drive]\non = true\nbulk = -1.5\n[output]\nformat = "
      "\"hdf5\"\n"
      "fields = [\"a\", \"b\"]\nprobes = [[1, 2, 3], [0.5, 0.5, 0.5]]\nlid = \"free_slip\"\n"
      "[[output.slice]]\nfield = \"p\"\n[[output.slice]]\nfield = \"q\"\naxis = 0\nposition = 0.25\n");
  EXPECT_EQ(c.title, "tab\tquote\"");
  EXPECT_EQ(c.cells, (std::array<std::int64_t, 3>{500, 500, 31}));
  EXPECT_EQ(c.length, (std::array{1.0, 2.5, 1e-3}));
  EXPECT_EQ(c.z, (std::array{Boundary::wall, Boundary::free_slip}));
  EXPECT_EQ(c.faces, "/data/grid/z.txt");
  EXPECT_EQ(c.viscosity, 3.0);
  EXPECT_EQ(c.cfl, 1.0);
  EXPECT_EQ(c.dt, 1e-5);
  EXPECT_EQ(c.steps, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(c.retries, std::numeric_limits<int>::min());
  EXPECT_EQ(c.u(1, 2, 3), 321.0);
  EXPECT_TRUE(c.driven);
  EXPECT_EQ(c.bulk, -1.5);
  EXPECT_EQ(c.format, "hdf5");
  EXPECT_EQ(c.fields, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(c.probes, (std::vector<std::array<double, 3>>{{1, 2, 3}, {0.5, 0.5, 0.5}}));
  EXPECT_EQ(c.lid, Boundary::free_slip);
  ASSERT_EQ(c.slices.size(), 2u);
  EXPECT_EQ(c.slices[0].field, "p");
  EXPECT_EQ(c.slices[0].axis, 2);
  EXPECT_EQ(c.slices[1].axis, 0);
  EXPECT_EQ(c.slices[1].position, 0.25);
}

TEST(CaseValues, FormulaErrorsAtRunTimeHaveTheKeysPlace) {
  const ExampleCase c = read_case(kLeast + "[initial]\nu = \"1/x\"\n");
  try {
    c.u(0, 0, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "case.toml:6:5: initial.u: \"1/x\" is infinite at x = 0, y = 0, z = 0; it must be finite everywhere "
                 "in the domain.");
  }
}

TEST(CaseValues, ReadsFilesAndStartsPathsAtTheirFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "halyard_case_values";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "case.toml") << kLeast;
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  schema.read_file(folder / "case.toml", {"time.cfl=0.25"});
  EXPECT_EQ(c.viscosity, 1e-3);
  EXPECT_EQ(c.cfl, 0.25);
  EXPECT_EQ(c.faces, folder / "faces.txt");
  // A second reading forgets the first.
  schema.read_file(folder / "case.toml");
  EXPECT_EQ(c.cfl, 0.5);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halyard::test
