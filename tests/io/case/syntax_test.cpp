#include <gtest/gtest.h>

#include "tests/io/case/read_case.hpp"

namespace halyard::test {
namespace {

TEST(CaseSyntax, AcceptsWindowsLinesByteOrderMarkAndNoLastNewline) {
  const ExampleCase plain = read_case(kLeast);
  std::string windows = "\xef\xbb\xbf";
  for (const char c : kLeast) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const ExampleCase same = read_case(windows);
  EXPECT_EQ(same.cells, plain.cells);
  EXPECT_EQ(same.viscosity, plain.viscosity);
  EXPECT_EQ(read_case("\xef\xbb\xbf[domain]\r\ncells = [1, 2, 3]\r\n[fluid]\r\nviscosity = 2").viscosity, 2.0);
  EXPECT_EQ(errors_of("\xef\xbb\xbftitle = 5\n" + kLeast), (Lines{"case.toml:1:9: title is 5, but must be a string."}));
  // Lines and columns are those that an editor shows.
  EXPECT_EQ(errors_of("\xef\xbb\xbf"
                      "cfl = 1\r\n[domain]\r\ncells = [0, 2, 3]\r\n[fluid]\r\nviscosity = -1"),
            (Lines{"case.toml:1:1: cfl is not a known key; cfl belongs in [time].",
                   "case.toml:3:10: element 1 of domain.cells is 0, but must be an integer of at least 1.",
                   "case.toml:5:13: fluid.viscosity is -1, but must be a number above 0."}));
}

TEST(CaseSyntax, ColumnsCountCharacters) {
  EXPECT_EQ(errors_of("title = \"\u00e9\u00e9\"\n" + kLeast + "[output]\nfields = [\"\u00e9\", 1]\n"),
            (Lines{"case.toml:7:16: element 2 of output.fields is 1, but must be a string."}));
}

TEST(CaseSyntax, AllBrokenLinesAndTheOtherErrorsAtOnce) {
  EXPECT_EQ(errors_of("[domain]\ncells = [4, 5, 6]\nfaces = faces.txt\n[fluid]\nviscosity = 1.\n[time]\ncfl = .5\n"
                      "steps = 99999999999999999999\ndt = 1e999\nretries = 007\n[drive]\non = True\nbulk =\n"
                      "[initial]\nu = sin(2*pi*x)\n[output]\nformat = \"vtk\nlid = \"open\"\nfromat = 1\n"),
            (Lines{"case.toml:3:9: faces.txt is not a value; a string needs quotes: faces = \"faces.txt\".",
                   "case.toml:5:13: 1. is not a number in TOML: a digit is needed on both sides of the point.",
                   "case.toml:7:7: .5 is not a number in TOML: a digit is needed on both sides of the point.",
                   "case.toml:8:9: 99999999999999999999 is too large for a 64-bit integer.",
                   "case.toml:9:6: 1e999 is not a number that a double can hold.",
                   "case.toml:10:11: 007: a number must not start with 0.",
                   "case.toml:12:6: True is not a value; write true.", "case.toml:13:7: bulk has no value.",
                   "case.toml:15:5: sin(2*pi*x) is not a value; a string needs quotes: u = \"sin(2*pi*x)\".",
                   "case.toml:17:14: the string is not closed on its line, or holds a control character.",
                   "case.toml:18:7: output.lid is \"open\", but must be \"wall\" or \"free_slip\".",
                   "case.toml:19:1: output.fromat is not a known key; did you mean output.format?"}));
}

TEST(CaseSyntax, GivenTwice) {
  EXPECT_EQ(errors_of("[fluid]\nviscosity = 1\n# comment\nviscosity = 2\n[domain]\ncells = [1, 1, 1]\n"),
            (Lines{"case.toml:4:13: viscosity is given twice, first on line 2; keep one."}));
  EXPECT_EQ(errors_of(kLeast + "[fluid]\n"),
            (Lines{"case.toml:5:1: the table [fluid] is given twice, first on line 3; put its keys together."}));
}

TEST(CaseSyntax, OffendingCharactersAndBytes) {
  EXPECT_EQ(
      errors_of(kLeast + "[time]\ncfl = \u22121\n"),
      (Lines{
          "case.toml:6:7: unexpected character \u2212 (U+2212, bytes 0xe2 0x88 0x92); for a minus sign write '-'."}));
  EXPECT_EQ(
      errors_of("title = \u201ca\u201d\n" + kLeast),
      (Lines{
          "case.toml:1:9: unexpected character \u201c (U+201C, bytes 0xe2 0x80 0x9c); write straight quotes (\")."}));
  EXPECT_EQ(errors_of(kLeast + "title = \"\xe9\"\n"),
            (Lines{"case.toml:5:10: the byte 0xe9 is not UTF-8; save the file as UTF-8."}));
  EXPECT_EQ(errors_of(std::string("\xff\xfe[\0", 4)),
            (Lines{"case.toml:1:1: the file is in UTF-16; save it as UTF-8."}));
}

TEST(CaseSyntax, BrokenBeyondALine) {
  // What follows cannot be judged, so nothing is said of missing keys.
  EXPECT_EQ(errors_of("[domain]\ncells = [4,\n"), (Lines{"case.toml:2:13: an array is not closed by ]."}));
  EXPECT_EQ(errors_of("[domain\ncells = [4, 5, 6]\n"),
            (Lines{"case.toml:1:8: this is not TOML: table header: expected ']', saw '\\n'."}));
  EXPECT_EQ(errors_of("cells 4\n"), (Lines{"case.toml:1:7: this is not TOML: key-value pair: expected '=', saw '4'."}));
}

}  // namespace
}  // namespace halyard::test
