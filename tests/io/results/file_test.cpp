#include "io/results/file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/results/json.hpp"
#include "io/results/xml.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace {

TEST(Shortest, ReadsBackToTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3.0, 1e300, 5e-324, -0.0, 123456789.0, 0.30000000000000004}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
    EXPECT_EQ(std::signbit(std::strtod(shortest(value).c_str(), nullptr)), std::signbit(value));
  }
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(StepText, HasEightDigitsOrMore) {
  EXPECT_EQ(step_text(7), "00000007");
  EXPECT_EQ(step_text(123456789012), "123456789012");
}

TEST(WriteFile, FailuresNamePathReasonAndFreeSpace) {
  try {
    write_file("/dev/null/x.json", "text");
    FAIL() << "wrote below a file";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Creating /dev/null/x.json.tmp failed: Not a directory"), std::string::npos) << text;
  }
  try {
    read_file("/nonexistent/x");
    FAIL() << "read what is not there";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Reading /nonexistent/x failed: No such file or directory.");  // room has no part in it
  }
}

TEST(Json, KeepsOrderEscapesAndRoundTrips) {
  Json json = Json::object();
  json.set("z", 1).set("a", 0.1).set("text", "a \"quote\"\n").set("z", 2).set("none", Json()).set("yes", true);
  json.set("hash", std::uint64_t{18446744073709551615u}).set("list", Json::array().push(1).push(2.5));
  EXPECT_EQ(json.text(),
            "{\n  \"z\": 2,\n  \"a\": 0.1,\n  \"text\": \"a \\\"quote\\\"\\n\",\n  \"none\": null,\n  \"yes\": true,\n"
            "  \"hash\": 18446744073709551615,\n  \"list\": [1, 2.5]\n}\n");
  EXPECT_EQ(Json(std::nan("")).text(), "null\n");
  EXPECT_EQ(Json({{"name", "project"}}).text(), "{\n  \"name\": \"project\"\n}\n");
  EXPECT_THROW(Json(1).set("a", 1), Error);
}

TEST(Xml, EscapesAndFindsAttributes) {
  EXPECT_EQ(xml_escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
  EXPECT_EQ(xml_attribute("<DataSet timestep=\"0.1\" file=\"a.vti\"/>", "file"), "a.vti");
  EXPECT_EQ(xml_attribute("<DataSet/>", "file"), "");
}

}  // namespace
}  // namespace halyard
