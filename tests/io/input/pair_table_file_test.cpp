#include "io/input/pair_table_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/device/error.hpp"

namespace halyard::md {
namespace {

const char* const three = "1 1.0 4.0 8.0\n2 1.5 2.0 3.0\n3 2.0 0.0 0.0\n";

std::string failure(const std::string& text) {
  try {
    parse_pair_tables(text, "a.table");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PairTableFile, TwoSectionsWithCommentsBlankLinesAndCarriageReturns) {
  const auto sections = parse_pair_tables(
      "\xef\xbb\xbf# DATE: 2020 UNITS: lj\r\n\r\nFIRST  # of two\r\nN 3\r\n\r\n1 1.0 4.0 8.0\r\n2 1.25 2.0 3.0 # "
      "row\r\n"
      "3 2.0 0.0 0.0\r\n\r\n# more\r\n\r\nSECOND\r\nFPRIME 12.0 0.5 N 2\r\n1 0.5 1 2\r\n2 .75e0 -1 -2",
      "a.table");
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].keyword, "FIRST");
  EXPECT_EQ(sections[0].line, 3);
  EXPECT_EQ(sections[0].r, (std::vector<double>{1.0, 1.25, 2.0}));
  EXPECT_EQ(sections[0].energy, (std::vector<double>{4.0, 2.0, 0.0}));
  EXPECT_EQ(sections[0].force, (std::vector<double>{8.0, 3.0, 0.0}));
  EXPECT_EQ(sections[1].keyword, "SECOND");
  EXPECT_EQ(sections[1].r, (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(sections[1].force, (std::vector<double>{2.0, -2.0}));
}

TEST(PairTableFile, RAndRsqSayWhereTheRowsAre) {
  const auto r = parse_pair_tables("A\nN 4 R 1.0 2.0\n1 1.0 1 1\n2 1.33 1 1\n3 1.67 1 1\n4 2.0 1 1\n", "a")[0].r;
  EXPECT_EQ(r, (std::vector<double>{1.0, 1.0 + 1.0 / 3.0, 1.0 + 2.0 / 3.0, 2.0}));
  const auto q = parse_pair_tables("A\nRSQ 1.0 2.0 N 4\n1 1.0 1 1\n2 1.41 1 1\n3 1.73 1 1\n4 2.0 1 1\n", "a")[0].r;
  EXPECT_EQ(q, (std::vector<double>{1.0, std::sqrt(2.0), std::sqrt(3.0), 2.0}));
}

TEST(PairTableFile, MistakesNameTheLine) {
  EXPECT_EQ(failure(""),
            "a.table: has no section; expected a keyword, a line 'N 500 R 1.0 10.0', and rows 'number r U F'");
  EXPECT_EQ(failure("A\n"), "a.table:1: the file ends, expected the parameters of section A ('N 500 R 1.0 10.0')");
  EXPECT_EQ(failure("A\nR 1 2\n"), "a.table:2: expected 'N' with the number of rows of section A; found: \"R 1 2\"");
  EXPECT_EQ(failure("A\nN 1\n"),
            "a.table:2: expected 'N' once, and behind it a whole number of rows, 2 at least; found: \"N 1\"");
  EXPECT_NE(failure("A\nN 3 N 3\n").find("a.table:2: expected 'N' once"), std::string::npos);
  EXPECT_NE(failure("A\nN 3.0\n").find("a.table:2: expected 'N' once"), std::string::npos);
  EXPECT_NE(failure("A\nN 3 R 2 1\n").find("a.table:2: expected 'R' or 'RSQ' once"), std::string::npos);
  EXPECT_NE(failure("A\nN 3 R 0 1\n").find("a.table:2: expected 'R' or 'RSQ' once"), std::string::npos);
  EXPECT_NE(failure("A\nN 3 R 1 2 RSQ 1 2\n").find("'RSQ' has none such"), std::string::npos);
  EXPECT_NE(failure("A\nN 3 FPRIME 1 x\n").find("a.table:2: expected 'FPRIME' once"), std::string::npos);
  EXPECT_EQ(failure("A\nN 4 BITMAP 1 2\n"),
            "a.table:2: BITMAP cannot be read; write the table with R or RSQ; found: \"N 4 BITMAP 1 2\"");
  EXPECT_EQ(failure("A\nN 3 r 1 2\n"), "a.table:2: expected N, R, RSQ or FPRIME, not 'r'; found: \"N 3 r 1 2\"");
  EXPECT_EQ(failure(std::string("A\nN 4\n") + three), "a.table:5: the file ends after 3 of the 4 rows of section A");
  EXPECT_EQ(failure(std::string("A\nN 999999999999\n") + three),
            "a.table:5: the file ends after 3 of the 999999999999 rows of section A");
  EXPECT_EQ(failure(std::string("A\nN 2\n") + three),
            "a.table:5: section A has its 2 rows before this line; expected the keyword of the next section; found: "
            "\"3 2.0 0.0 0.0\"");
  EXPECT_EQ(failure(std::string("A\nN 3\n") + three + "A\n"),
            "a.table:6: section A is there already, on line 1; found: \"A\"");
  EXPECT_EQ(failure("1 1.0 1 1\n"), "a.table:1: expected the keyword of a section; found: \"1 1.0 1 1\"");
  EXPECT_EQ(
      failure("A\nN 2\n1 1.0 1 nan\n"),
      "a.table:3: expected row 1 of 2 of section A: 'number r U F', the last three finite; found: \"1 1.0 1 nan\"");
  EXPECT_NE(failure("A\nN 2\n1 1.0 1\n").find("a.table:3: expected row 1 of 2"), std::string::npos);
  EXPECT_NE(failure("A\nN 2\n1 1.0 1 1 1\n").find("a.table:3: expected row 1 of 2"), std::string::npos);
  EXPECT_EQ(failure("A\nN 2\n2 1.0 1 1\n"), "a.table:3: expected row 1 of 2 of section A, not 2; found: \"2 1.0 1 1\"");
  EXPECT_EQ(failure("A\nN 2\n1 1.0 1 1\n2 1.0 1 1\n"),
            "a.table:4: expected r above 1, as distances rise from row to row; found: \"2 1.0 1 1\"");
  EXPECT_NE(failure("A\nN 2\n1 0.0 1 1\n").find("a.table:3: expected r above 0"), std::string::npos);
  EXPECT_EQ(failure("A\nN 3 R 1 2\n1 1.0 1 1\n2 1.8 1 1\n"),
            "a.table:4: row 2 has r = 1.8, but by R it is at 1.5; found: \"2 1.8 1 1\"");
}

}  // namespace
}  // namespace halyard::md
