#include "solvers/flow/face_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "kernels/device/error.hpp"

namespace halyard::flow {
namespace {

namespace fs = std::filesystem;

class FaceFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "halyard-faces-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<double> read(const std::string& text) {
    std::ofstream(folder_ / "faces", std::ios::binary) << text;
    return read_face_file(folder_ / "faces");
  }
  /// What is said after the path.
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      const std::string what = error.what(), path = (folder_ / "faces").string() + ": ";
      EXPECT_TRUE(what.starts_with(path)) << what;
      return what.substr(path.size());
    }
    return "";
  }

  fs::path folder_;
};

const std::vector<double> three = {0.0, 0.25, 1.0};

TEST_F(FaceFile, TakesWhatEditorsWrite) {
  EXPECT_EQ(read("0\n0.25\n1\n"), three);
  EXPECT_EQ(read("0\n0.25\n1"), three);          // no end of the last line
  EXPECT_EQ(read("0\r\n0.25\r\n1\r\n"), three);  // CR LF
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "0\n0.25\n1\n"),
            three);                                                            // byte order mark
  EXPECT_EQ(read("# h\xc3\xb6he\n\n \t0.0 \n\t+2.5e-1\n1e0\r\n\r\n"), three);  // comment, blanks, a sign
  EXPECT_EQ(read(""), std::vector<double>());
}

TEST_F(FaceFile, NamesTheLineAndTheByteOfWhatIsNoText) {
  using namespace std::string_literals;
  const std::string rest = " belongs to no number; a plain text file is wanted.";
  EXPECT_EQ(refusal("0\n0.\0005\n1\n"s), "line 2: byte 0x00 at place 3" + rest);
  EXPECT_EQ(refusal("0\n1\0"s), "line 2: byte 0x00 at place 2" + rest);
  EXPECT_EQ(refusal("# \0\n0\n1\n"s), "line 1: byte 0x00 at place 3" + rest);
  EXPECT_EQ(refusal("\xff\xfe"
                    "0\0\n\0"s),
            "line 1: byte 0xff at place 1" + rest);                             // UTF-16
  EXPECT_EQ(refusal("0\n1\xc2\xa0\n"), "line 2: byte 0xc2 at place 2" + rest);  // a no-break space
  EXPECT_EQ(refusal("0\r1\r"), "line 1: byte 0x0d at place 2" + rest);
}

TEST_F(FaceFile, NamesTheLineOfWhatIsNoCoordinate) {
  EXPECT_EQ(refusal("0\n0,5\n1\n"), "line 2: found \"0,5\", expected one coordinate.");
  EXPECT_EQ(refusal("0 1\n"), "line 1: found \"0 1\", expected one coordinate.");
  EXPECT_EQ(refusal("0\n\nnan\n"), "line 3: found \"nan\", expected one coordinate.");
  EXPECT_EQ(refusal("0\n0x1p3\n"), "line 2: found \"0x1p3\", expected one coordinate.");
  EXPECT_EQ(refusal("0\n+-1\n"), "line 2: found \"+-1\", expected one coordinate.");
  EXPECT_EQ(refusal("0\n1e999\n"), "line 2: \"1e999\" is beyond what a double can hold.");
  EXPECT_EQ(refusal("0\n1\n1\n"), "line 3: 1 is not above 1 before it.");
  EXPECT_EQ(refusal(std::string(100, 'a')),
            "line 1: found \"" + std::string(40, 'a') + "...\", expected one coordinate.");
}

TEST_F(FaceFile, MustBeAFile) {
  const auto error_of = [](const fs::path& path) {
    try {
      read_face_file(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(folder_), folder_.string() + ": is a folder; a text file with one coordinate a line is wanted.");
  EXPECT_EQ(error_of(folder_ / "none"), (folder_ / "none").string() + ": cannot be read (No such file or directory).");
}

}  // namespace
}  // namespace halyard::flow
