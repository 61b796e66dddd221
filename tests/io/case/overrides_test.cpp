#include <gtest/gtest.h>

#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

TEST(CaseOverrides, ReplaceAndAddValues) {
  const ExampleCase c =
      read_case(kLeast, {"domain.cells=[97,1,1e1]", "time.cfl=0.25", "drive.on = true", "drive.bulk=2"});
  EXPECT_EQ(c.cells, (std::array<std::int64_t, 3>{97, 1, 10}));
  EXPECT_EQ(c.cfl, 0.25);
  EXPECT_TRUE(c.driven);
  EXPECT_EQ(c.bulk, 2.0);
  EXPECT_EQ(c.viscosity, 1e-3);
  EXPECT_EQ(read_case("", {"domain.cells=[1,1,1]", "fluid.viscosity=1"}).viscosity, 1.0);
}

TEST(CaseOverrides, TheLaterWins) {
  EXPECT_EQ(read_case(kLeast, {"time.cfl=0.25", "time.cfl=0.125"}).cfl, 0.125);
  // A wrong value in the file is replaced; the file's other errors stay.
  EXPECT_EQ(read_case(kLeast + "[time]\ncfl = 5\n", {"time.cfl=0.25"}).cfl, 0.25);
}

TEST(CaseOverrides, StringsNeedNoQuotes) {
  const ExampleCase c =
      read_case(kLeast, {"title=a = b", "initial.u=sin(x)", "output.format=hdf5", "domain.faces=a b.txt",
                         "domain.z=[wall, \"free_slip\"]", "output.lid='wall'", "output.fields=[u,p]"});
  EXPECT_EQ(c.title, "a = b");
  EXPECT_EQ(c.u.text(), "sin(x)");
  EXPECT_EQ(c.format, "hdf5");
  EXPECT_EQ(c.faces, "/data/run/a b.txt");
  EXPECT_EQ(c.z, (std::array{Boundary::wall, Boundary::free_slip}));
  EXPECT_EQ(c.lid, Boundary::wall);
  EXPECT_EQ(c.fields, (std::vector<std::string>{"u", "p"}));
  EXPECT_EQ(read_case(kLeast, {"title=5"}).title, "5");
  EXPECT_EQ(read_case(kLeast, {"title="}).title, "");
  EXPECT_EQ(read_case(kLeast, {"initial.u=1.5"}).u(0, 0, 0), 1.5);
}

TEST(CaseOverrides, ListsAsAWhole) {
  const std::string slice = "[[output.slice]]\nfield = \"u\"\n";
  EXPECT_EQ(read_case(kLeast + slice).slices.size(), 1u);
  EXPECT_EQ(read_case(kLeast + slice, {"output.slice=[]"}).slices.size(), 0u);
  const ExampleCase c = read_case(kLeast + slice, {"output.slice=[{field='p', axis=1}, {field='q'}]"});
  ASSERT_EQ(c.slices.size(), 2u);
  EXPECT_EQ(c.slices[0].field, "p");
  EXPECT_EQ(c.slices[0].axis, 1);
  EXPECT_EQ(c.slices[1].axis, 2);
  EXPECT_EQ(errors_of(kLeast, {"output.slice=[{field='p', axis=7}]"}),
            (Lines{"--set output.slice=[{field='p', axis=7}]: output.slice.axis is 7, but must be an integer of at "
                   "least 0 and at most 2."}));
}

TEST(CaseOverrides, HaveTheChecksOfTheFile) {
  EXPECT_EQ(errors_of(kLeast, {"time.cfl=2"}),
            (Lines{"--set time.cfl=2: time.cfl is 2, but must be a number above 0 and at most 1."}));
  EXPECT_EQ(errors_of(kLeast, {"domain.cell=[1,1,1]"}),
            (Lines{"--set domain.cell=[1,1,1]: domain.cell is not a known key; did you mean domain.cells?"}));
  EXPECT_EQ(errors_of(kLeast, {"cfl=1"}), (Lines{"--set cfl=1: cfl is not a known key; cfl belongs in [time]."}));
  EXPECT_EQ(errors_of(kLeast, {"output.format=hdf"}), (Lines{"--set output.format=hdf: output.format is \"hdf\", but "
                                                             "must be \"vtk\" or \"hdf5\"; did you mean \"hdf5\"?"}));
  EXPECT_EQ(errors_of(kLeast, {"domain.cells=[1,1]"}),
            (Lines{"--set domain.cells=[1,1]: domain.cells is an array of 2 values, but must be an array of 3 "
                   "integers, each at least 1."}));
  EXPECT_EQ(errors_of(kLeast, {"domain.cells=[4,4,1]", "domain.z=[wall,wall]"}),
            (Lines{"--set domain.cells=[4,4,1]: domain.cells has 1 cell along z, where walls need at least 2."}));
  EXPECT_EQ(errors_of(kLeast, {"initial.u=sin("}),
            (Lines{"--set initial.u=sin(: initial.u: \"sin(\" is not a formula: it ends too early."}));
}

TEST(CaseOverrides, ErrorsOfTheirOwn) {
  EXPECT_EQ(errors_of(kLeast, {"time.cfl", "=1", "time=2", "time.cfl=", "time.cfl=a", "time.steps=99999999999999999999",
                               "domain.z=[wall", "output.slice.axis=1"}),
            (Lines{"--set time.cfl: an override is written --set table.key=value.",
                   "--set =1: an override is written --set table.key=value.",
                   "--set time=2: time is a table; an override sets one of its keys, as in --set time.key=value.",
                   "--set time.cfl=: no value is given. time.cfl must be a number above 0 and at most 1.",
                   "--set time.cfl=a: a is not a TOML value. time.cfl must be a number above 0 and at most 1.",
                   "--set time.steps=99999999999999999999: 99999999999999999999 is too large for a 64-bit integer. "
                   "time.steps must be an integer of at least 0.",
                   "--set domain.z=[wall: [wall is not a TOML value. domain.z must be an array of 2 strings, each "
                   "\"periodic\", \"wall\" or \"free_slip\".",
                   "--set output.slice.axis=1: the list [[output.slice]] can only be set as a whole, as in --set "
                   "output.slice=[]."}));
  // A value cannot smuggle in a second line of TOML.
  EXPECT_EQ(errors_of(kLeast, {"time.cfl=1\n[x]"}), (Lines{"--set time.cfl=1...: an override must be a single line."}));
}

}  // namespace
}  // namespace halyard::test
