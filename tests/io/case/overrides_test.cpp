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

TEST(CaseOverrides, OneTableOfAList) {
  const std::string slices = "[[output.slice]]\nfield = \"u\"\n[[output.slice]]\nfield = \"v\"\naxis = 1\n";
  const ExampleCase c = read_case(kLeast + slices, {"output.slice.2.axis=0", "output.slice.1.position=0.5",
                                                    "output.slice.1.field=a b", "output.slice.1.position=0.25"});
  ASSERT_EQ(c.slices.size(), 2u);
  EXPECT_EQ(c.slices[0].field, "a b");  // strings need no quotes there either
  EXPECT_EQ(c.slices[0].position, 0.25);
  EXPECT_EQ(c.slices[0].axis, 2);
  EXPECT_EQ(c.slices[1].axis, 0);
  EXPECT_EQ(c.slices[1].field, "v");
  // Of a list that --set itself gives, whatever comes first.
  EXPECT_EQ(read_case(kLeast, {"output.slice.1.axis=0", "output.slice=[{field='p'}]"}).slices.at(0).axis, 0);
  // A value that is missing in the file.
  EXPECT_EQ(read_case(kLeast + "[[output.slice]]\n", {"output.slice.1.field=u"}).slices.at(0).field, "u");
  EXPECT_EQ(errors_of(kLeast + slices, {"output.slice.1.axis=7", "output.slice.2.axes=1", "output.slice.3.axis=1",
                                        "output.slice.0.axis=1", "output.slice.01.axis=1", "output.slice..axis=1"}),
            (Lines{"--set output.slice.1.axis=7: output.slice.axis is 7, but must be an integer of at least 0 and at "
                   "most 2.",
                   "--set output.slice.2.axes=1: output.slice.axes is not a known key; did you mean output.slice.axis?",
                   "--set output.slice.3.axis=1: 3 is none of the tables of the list [[output.slice]], which are 1, 2.",
                   "--set output.slice.0.axis=1: 0 is none of the tables of the list [[output.slice]], which are 1, 2.",
                   "--set output.slice.01.axis=1: 01 is none of the tables of the list [[output.slice]], which are 1, "
                   "2.",
                   "--set output.slice..axis=1: [[output.slice]] is a list: say which of its tables is meant, by its "
                   "number from 1, as in --set output.slice.1.key=value, or set the list as a whole, as in --set "
                   "output.slice=[]."}));
  EXPECT_EQ(errors_of(kLeast + slices, {"output.slice.2.axis=1", "output.slice.2.position=-1"}),
            (Lines{"--set output.slice.2.position=-1: output.slice.position is negative."}));
  EXPECT_EQ(
      errors_of(kLeast, {"output.slice.1.axis=1"}),
      (Lines{"--set output.slice.1.axis=1: 1 is none of the tables of the list [[output.slice]], which has none."}));
}

struct Part {
  std::string name;
  std::vector<std::int64_t> counts;
  struct Piece {
    double size = 0.0;
  };
  std::vector<Piece> pieces;
};

TEST(CaseOverrides, OneTableByItsNameAndListsWithinLists) {
  std::vector<Part> parts;
  CaseSchema schema;
  schema.list("part", parts, [](CaseSchema& s, Part& part) {
    s.key("name", part.name).default_value("");
    s.key("counts", part.counts).default_value({});
    s.list("piece", part.pieces,
           [](CaseSchema& inner, Part::Piece& piece) { inner.key("size", piece.size).required(); });
  });
  const std::string text =
      "[[part]]\nname = \"head\"\n[[part.piece]]\nsize = 1.0\n[[part.piece]]\nsize = 2.0\n[[part]]\nname = \"tail\"\n";
  schema.read_text(text, "case.toml", "/",
                   {"part.tail.counts=[1,2]", "part.1.piece.2.size=5", "part.head.piece.1.size=7"});
  EXPECT_EQ(parts.at(1).counts, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(parts.at(0).pieces.at(1).size, 5.0);
  EXPECT_EQ(parts.at(0).pieces.at(0).size, 7.0);
  EXPECT_EQ(schema.lines({"part"}),
            "part.1.name = \"head\"\npart.1.counts = []\npart.1.piece.1.size = 7.0\npart.1.piece.2.size = 5.0\n"
            "part.2.name = \"tail\"\npart.2.counts = [1, 2]\n");
  EXPECT_EQ(schema.lines({"part"}, {"part.counts", "part.name"}),
            "part.1.piece.1.size = 7.0\npart.1.piece.2.size = 5.0\n");
  try {
    schema.read_text(text, "case.toml", "/", {"part.trunk.counts=[]", "part.head.piece.3.size=1", "part.x=1"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "--set part.trunk.counts=[]: trunk is none of the tables of the list [[part]], which are 1 (\"head\"), 2 "
        "(\"tail\").\n"
        "--set part.head.piece.3.size=1: 3 is none of the tables of the list [[part.piece]], which are 1, 2.\n"
        "--set part.x=1: [[part]] is a list: say which of its tables is meant, by its number from 1 or its name, as "
        "in --set part.1.key=value, or set the list as a whole, as in --set part=[].");
  }
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
  EXPECT_EQ(
      errors_of(kLeast, {"time.cfl", "=1", "time=2", "time.cfl=", "time.cfl=a", "time.steps=99999999999999999999",
                         "domain.z=[wall", "output.slice.axis=1", "output.slice.2=1"}),
      (Lines{"--set time.cfl: an override is written --set table.key=value.",
             "--set =1: an override is written --set table.key=value.",
             "--set time=2: time is a table; an override sets one of its keys, as in --set time.key=value.",
             "--set time.cfl=: no value is given. time.cfl must be a number above 0 and at most 1.",
             "--set time.cfl=a: a is not a TOML value. time.cfl must be a number above 0 and at most 1.",
             "--set time.steps=99999999999999999999: 99999999999999999999 is too large for a 64-bit integer. "
             "time.steps must be an integer of at least 0.",
             "--set domain.z=[wall: [wall is not a TOML value. domain.z must be an array of 2 strings, each "
             "\"periodic\", \"wall\" or \"free_slip\".",
             "--set output.slice.axis=1: [[output.slice]] is a list: say which of its tables is meant, by its number "
             "from 1, as in --set output.slice.1.axis=value, or set the list as a whole, as in --set "
             "output.slice=[].",
             "--set output.slice.2=1: [[output.slice]] is a list: say which of its tables is meant, by its number "
             "from 1, as in --set output.slice.1.key=value, or set the list as a whole, as in --set "
             "output.slice=[]."}));
  // A value cannot smuggle in a second line of TOML.
  EXPECT_EQ(errors_of(kLeast, {"time.cfl=1\n[x]"}), (Lines{"--set time.cfl=1...: an override must be a single line."}));
}

}  // namespace
}  // namespace halyard::test
