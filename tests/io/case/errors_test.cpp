#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

TEST(CaseErrors, MissingKeys) {
  EXPECT_EQ(errors_of("[fluid]\n"), (Lines{"case.toml: domain.cells is missing; it must be given, as an array of 3 "
                                           "integers, each at least 1 (cells along x, y, z).",
                                           "case.toml:1:1: fluid.viscosity is missing; it must be given, as a number "
                                           "above 0 [m2/s] (kinematic viscosity)."}));
  EXPECT_EQ(errors_of(kLeast + "[[output.slice]]\naxis = 1\n"),
            (Lines{"case.toml:5:1: output.slice.field is missing; it must be given, as a string (field by name)."}));
}

TEST(CaseErrors, UnknownKeysNameTheNearest) {
  EXPECT_EQ(errors_of(kLeast + "[time]\n  cfk = 1\n"),
            (Lines{"case.toml:6:3: time.cfk is not a known key; did you mean time.cfl?"}));
  // The same name in another table.
  EXPECT_EQ(errors_of(kLeast + "[time]\nviscosity = 1\n"),
            (Lines{"case.toml:6:1: time.viscosity is not a known key; viscosity belongs in [fluid]."}));
  EXPECT_EQ(errors_of("cfl = 1\n" + kLeast), (Lines{"case.toml:1:1: cfl is not a known key; cfl belongs in [time]."}));
  EXPECT_EQ(
      errors_of(kLeast + "[time]\ntitle = \"a\"\n"),
      (Lines{
          "case.toml:6:1: time.title is not a known key; title belongs in the top of the file, before all tables."}));
  // A near name in another table; nothing near.
  EXPECT_EQ(errors_of(kLeast + "[time]\nviscosty = 1\n"),
            (Lines{"case.toml:6:1: time.viscosty is not a known key; did you mean fluid.viscosity?"}));
  EXPECT_EQ(errors_of(kLeast + "[drive]\nquantum = 1\n"),
            (Lines{"case.toml:6:1: drive.quantum is not a known key; [drive] knows on, bulk."}));
  EXPECT_EQ(errors_of("quantum = 1\n" + kLeast),
            (Lines{"case.toml:1:1: quantum is not a known key; known here are title; other keys belong in the tables "
                   "[domain], [fluid], [time], [initial], [drive], [output]."}));
  // Within a list, dotted and inline.
  EXPECT_EQ(errors_of(kLeast + "[[output.slice]]\nfield = \"u\"\naxs = 1\n"),
            (Lines{"case.toml:7:1: output.slice.axs is not a known key; did you mean output.slice.axis?"}));
  EXPECT_EQ(errors_of("domain.cels = 1\n" + std::string("fluid = {viscosity = 1, nu = 2}\ndomain.cells = [1,1,1]\n")),
            (Lines{"case.toml:1:8: domain.cels is not a known key; did you mean domain.cells?",
                   "case.toml:2:25: fluid.nu is not a known key; [fluid] knows viscosity."}));
}

TEST(CaseErrors, UnknownTables) {
  EXPECT_EQ(errors_of(kLeast + "[tiem]\ncfl = 1\n"),
            (Lines{"case.toml:5:2: [tiem] is not a known table; did you mean [time]?"}));
  EXPECT_EQ(errors_of(kLeast + "[output.slices]\nfield = \"u\"\n"),
            (Lines{"case.toml:5:9: [output.slices] is not a known table; did you mean [[output.slice]]?"}));
  EXPECT_EQ(errors_of(kLeast + "[turbulence]\nmodel = 1\n"),
            (Lines{"case.toml:5:2: [turbulence] is not a known table; known are [domain], [fluid], [time], [initial], "
                   "[drive], [output], [[output.slice]]."}));
}

TEST(CaseErrors, TablesAndListsInTheWrongForm) {
  EXPECT_EQ(errors_of("time = 3\n" + kLeast), (Lines{"case.toml:1:1: time is a table, written as [time]."}));
  EXPECT_EQ(errors_of(kLeast + "[[time]]\ncfl = 1\n"),
            (Lines{"case.toml:5:3: time is a table, given once as [time]."}));
  EXPECT_EQ(
      errors_of(kLeast + "[output.slice]\nfield = \"u\"\n"),
      (Lines{
          "case.toml:5:1: output.slice is a table, but must be a list of tables, each written as [[output.slice]]."}));
  EXPECT_EQ(errors_of(kLeast + "[output]\nslice = [1, 2]\n"),
            (Lines{"case.toml:6:9: output.slice is an array of 2 values, but must be a list of tables, each written as "
                   "[[output.slice]]."}));
  EXPECT_EQ(errors_of(kLeast + "[time.cfl]\na = 1\n"),
            (Lines{"case.toml:5:1: time.cfl is a table, but must be a number above 0 and at most 1."}));
}

TEST(CaseErrors, WrongTypes) {
  EXPECT_EQ(errors_of(kLeast + "[time]\ncfl = \"a\"\ndt = true\nsteps = \"5\"\nretries = [1]\n[drive]\non = 1\n"
                               "[initial]\nu = false\n[output]\nformat = 5\nlid = 1.5\n"),
            (Lines{"case.toml:6:7: time.cfl is the string \"a\", but must be a number above 0 and at most 1.",
                   "case.toml:7:6: time.dt is the boolean true, but must be a number above 0.",
                   "case.toml:8:9: time.steps is the string \"5\", but must be an integer of at least 0.",
                   "case.toml:9:11: time.retries is an array of 1 value, but must be an integer.",
                   "case.toml:11:6: drive.on is 1, but must be true or false.",
                   "case.toml:13:5: initial.u is the boolean false, but must be a formula (a string) or a number.",
                   "case.toml:15:10: output.format is 5, but must be \"vtk\" or \"hdf5\".",
                   "case.toml:16:7: output.lid is 1.5, but must be \"wall\" or \"free_slip\"."}));
  EXPECT_EQ(errors_of("title = 2026-01-01\n" + kLeast),
            (Lines{"case.toml:1:9: title is the date or time 2026-01-01, but must be a string."}));
}

TEST(CaseErrors, Arrays) {
  EXPECT_EQ(
      errors_of("[domain]\ncells = 64\nlength = [1, 2]\nz = \"wall\"\n[fluid]\nviscosity = 1\n"
                "[output]\nfields = []\nprobes = [[1, 2, 3], [1, 2], [1, 2, \"a\"]]\n"),
      (Lines{"case.toml:2:9: domain.cells is 64, but must be an array of 3 integers, each at least 1.",
             "case.toml:3:10: domain.length is an array of 2 values, but must be an array of 3 numbers, each above 0.",
             "case.toml:4:5: domain.z is the string \"wall\", but must be an array of 2 strings, each \"periodic\", "
             "\"wall\" or \"free_slip\".",
             "case.toml:8:10: output.fields has 0 values, but must have at least 1.",
             "case.toml:9:22: element 2 of output.probes is an array of 2 values, but must be an array of 3 numbers.",
             "case.toml:9:37: element 3 of element 3 of output.probes is the string \"a\", but must be a number."}));
  EXPECT_EQ(errors_of(kLeast + "[output]\nfields = [\"a\", \"b\", \"c\", \"d\"]\n"),
            (Lines{"case.toml:6:10: output.fields has 4 values, but must have at most 3."}));
}

TEST(CaseErrors, Ranges) {
  EXPECT_EQ(
      errors_of("[domain]\ncells = [4, 0, 6]\n[fluid]\nviscosity = 0.0\n[time]\ncfl = 1.0000000000000002\nsteps = -1\n"
                "[[output.slice]]\nfield = \"u\"\naxis = 3\n"),
      (Lines{"case.toml:2:13: element 2 of domain.cells is 0, but must be an integer of at least 1.",
             "case.toml:4:13: fluid.viscosity is 0.0, but must be a number above 0.",
             "case.toml:6:7: time.cfl is 1.0000000000000002, but must be a number above 0 and at most 1.",
             "case.toml:7:9: time.steps is -1, but must be an integer of at least 0.",
             "case.toml:10:8: output.slice.axis is 3, but must be an integer of at least 0 and at most 2."}));
}

TEST(CaseErrors, NumbersThatAreNone) {
  EXPECT_EQ(
      errors_of(kLeast + "[time]\ncfl = nan\ndt = inf\nsteps = 500.5\nretries = 3e9\n"),
      (Lines{"case.toml:6:7: time.cfl is nan, but must be a number above 0 and at most 1.",
             "case.toml:7:6: time.dt is inf, but must be a number above 0.",
             "case.toml:8:9: time.steps is 500.5, but must be an integer of at least 0; it is not a whole number.",
             "case.toml:9:11: time.retries is 3e9, which a 32-bit integer cannot hold; it must be an integer."}));
  EXPECT_EQ(errors_of(kLeast + "[time]\nsteps = nan\nretries = 1e19\n[initial]\nu = inf\n"),
            (Lines{"case.toml:6:9: time.steps is nan, but must be an integer of at least 0.",
                   "case.toml:7:11: time.retries is 1e19, but must be an integer; a 64-bit integer cannot hold it.",
                   "case.toml:9:5: initial.u is inf, but must be a formula (a string) or a number."}));
}

TEST(CaseErrors, Choices) {
  EXPECT_EQ(errors_of("[domain]\ncells = [4, 5, 6]\nz = [\"wall\", \"perodic\"]\n[fluid]\nviscosity = "
                      "1\n[output]\nformat = \"vtkk\"\nlid = \"open\"\n"),
            (Lines{"case.toml:3:14: element 2 of domain.z is \"perodic\", but must be \"periodic\", \"wall\" or "
                   "\"free_slip\"; did you mean \"periodic\"?",
                   "case.toml:7:10: output.format is \"vtkk\", but must be \"vtk\" or \"hdf5\"; did you mean \"vtk\"?",
                   "case.toml:8:7: output.lid is \"open\", but must be \"wall\" or \"free_slip\"."}));
}

TEST(CaseErrors, FormulasAndPaths) {
  EXPECT_EQ(errors_of("[domain]\ncells = [4, 5, 6]\nfaces = \"\"\n[fluid]\nviscosity = 1\n[initial]\nu = \"sin(x\"\n"),
            (Lines{"case.toml:3:9: domain.faces is empty, but must be a path.",
                   "case.toml:7:5: initial.u: \"sin(x\" is not a formula: a closing parenthesis is missing."}));
}

TEST(CaseErrors, ChecksBetweenKeysPointAtTheKey) {
  const std::string walls = "[domain]\ncells = [4, 4, 1]\nz = [\"wall\", \"wall\"]\n[fluid]\nviscosity = 1\n";
  EXPECT_EQ(errors_of(walls), (Lines{"case.toml:2:9: domain.cells has 1 cell along z, where walls need at least 2."}));
  // Asked although another key is wrong.
  EXPECT_EQ(errors_of(walls + "[time]\ncfl = 2\n"),
            (Lines{"case.toml:2:9: domain.cells has 1 cell along z, where walls need at least 2.",
                   "case.toml:7:7: time.cfl is 2, but must be a number above 0 and at most 1."}));
  // In a list's element.
  EXPECT_EQ(
      errors_of(kLeast + "[[output.slice]]\nfield = \"u\"\n[[output.slice]]\nfield = \"u\"\naxis = 1\nposition = -1\n"),
      (Lines{"case.toml:10:12: output.slice.position is negative."}));
}

TEST(CaseErrors, ChecksAreNotAskedWhileTheirKeysAreWrong) {
  double a = 0, b = 0;
  int asked_a = 0, asked_both = 0;
  CaseSchema schema;
  schema.key("a", a).required();
  schema.key("b", b).required();
  schema.check({"a"}, [&](CaseCheck&) { ++asked_a; });
  schema.check({"a", "b"}, [&](CaseCheck&) { ++asked_both; });
  EXPECT_THROW(schema.read_text("a = 1\nb = true\n", "case.toml", "."), Error);
  EXPECT_EQ(asked_a, 1);
  EXPECT_EQ(asked_both, 0);
  schema.read_text("a = 1\nb = 2\n", "case.toml", ".");
  EXPECT_EQ(asked_both, 1);
}

TEST(CaseErrors, RequiredUnderACondition) {
  EXPECT_EQ(errors_of(kLeast + "[drive]\non = true\n"),
            (Lines{"case.toml:5:1: drive.bulk is missing, and required as drive.on is true; it must be a number."}));
  EXPECT_EQ(errors_of(kLeast + "[drive]\non = true\nbulk = 2\n"), (Lines{}));
}

TEST(CaseErrors, AllAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(
      errors_of("[time]\ncfl = 2\n[domain]\nlenght = 1\ncells = [1, 1, 1.5]\n[output]\nformat = \"x\"\n",
                {"time.steps=-1"}),
      (Lines{
          "case.toml: fluid.viscosity is missing; it must be given, as a number above 0 [m2/s] (kinematic viscosity).",
          "case.toml:2:7: time.cfl is 2, but must be a number above 0 and at most 1.",
          "case.toml:4:1: domain.lenght is not a known key; did you mean domain.length?",
          "case.toml:5:16: element 3 of domain.cells is 1.5, but must be an integer of at least 1; it is not a whole "
          "number.",
          "case.toml:7:10: output.format is \"x\", but must be \"vtk\" or \"hdf5\".",
          "--set time.steps=-1: time.steps is -1, but must be an integer of at least 0."}));
}

TEST(CaseErrors, LaterErrorsHaveTheKeysPlace) {
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  schema.read_text(kLeast, "case.toml", ".", {"time.cfl=0.25"});
  EXPECT_STREQ(schema.error("domain.cells", "needs 2 ranks.").what(), "case.toml:2:9: domain.cells needs 2 ranks.");
  EXPECT_STREQ(schema.error("time.cfl", "is odd.").what(), "--set time.cfl=0.25: time.cfl is odd.");
  EXPECT_STREQ(schema.error("domain.faces", "names no file.").what(), "case.toml:1:1: domain.faces names no file.");
  EXPECT_STREQ(schema.error("time.steps", "are few.").what(), "case.toml: time.steps are few.");
  EXPECT_TRUE(schema.given("domain.cells"));
  EXPECT_FALSE(schema.given("domain.faces"));
  EXPECT_THROW(schema.given("domain.cell"), std::logic_error);
}

TEST(CaseErrors, NotesForWhatHasNoEffect) {
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  schema.read_text("[domain]\ncells = [97, 1, 1]\n[fluid]\nviscosity = 1\n[drive]\nbulk = 1\n", "case.toml", ".");
  EXPECT_EQ(schema.notes(), (Lines{"case.toml:2:9: domain.cells has 97 cells along x; 100 is faster.",
                                   "case.toml:6:8: drive.bulk has no effect, as drive.on is false."}));
  schema.read_text(kLeast, "case.toml", ".");
  EXPECT_EQ(schema.notes(), Lines{});
}

TEST(CaseErrors, FilesThatCannotBeRead) {
  ExampleCase c;
  CaseSchema schema;
  declare(schema, c);
  try {
    schema.read_file("no/such/case.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no/such/case.toml: the case file cannot be read (No such file or directory).");
  }
  try {
    schema.read_file("/");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/ is a folder, but a case file is wanted.");
  }
}

TEST(CaseErrors, DeclarationsThatCannotWork) {
  double a = 0, b = 0;
  Boundary boundary{};
  {
    CaseSchema schema;
    schema.key("a.b", a).required();
    EXPECT_THROW(schema.key("a.b", b), std::logic_error);
    EXPECT_THROW(schema.key("a..b", b), std::logic_error);
    EXPECT_THROW(schema.key("a b", b), std::logic_error);
  }
  const auto reading_throws = [](auto declare_key) {
    CaseSchema schema;
    declare_key(schema);
    EXPECT_THROW(schema.markdown(), std::logic_error);
    EXPECT_THROW(schema.read_text("", "case.toml", "."), std::logic_error);
  };
  reading_throws([&](CaseSchema& s) { s.key("a", a); });
  reading_throws([&](CaseSchema& s) { s.key("a", a).required().default_value(1.0); });
  reading_throws([&](CaseSchema& s) { s.key("a", a).default_value(2.0).at_most(1.0); });
  reading_throws([&](CaseSchema& s) { s.key("a", boundary).required(); });
  reading_throws([&](CaseSchema& s) {
    s.key("a", a).required();
    s.key("a.b", b).required();
  });
}

}  // namespace
}  // namespace halyard::test
