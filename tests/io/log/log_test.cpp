#include "io/log/log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A stand-in for standard output.
struct Screen {
  std::FILE* file = std::tmpfile();
  ~Screen() { std::fclose(file); }
  std::string text() const {
    std::fflush(file);
    std::string all(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    EXPECT_EQ(std::fread(all.data(), 1, all.size(), file), all.size());
    return all;
  }
};

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("halyard_log_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(LogTest, KeepsWhatWasSaidBeforeTheFileWasOpened) {
  Screen screen;
  {
    Log log(true, screen.file, 0);
    log.info("first");
    log.open(folder_ / "log.txt", false);
    log.note("second");
    log.warning("third");
  }
  EXPECT_EQ(contents(folder_ / "log.txt"), "first\nnote: second\nwarning: third\n");
  EXPECT_EQ(screen.text(), "first\nnote: second\nwarning: third\n");
}

TEST_F(LogTest, AppendsForARestartAndReplacesForANewRun) {
  Screen screen;
  for (const bool append : {false, true, true}) {
    Log log(true, screen.file, 0);
    log.open(folder_ / "log.txt", append);
    log.info("line");
  }
  EXPECT_EQ(contents(folder_ / "log.txt"), "line\nline\nline\n");
  {
    Log log(true, screen.file, 0);
    log.open(folder_ / "log.txt", false);
  }
  EXPECT_EQ(contents(folder_ / "log.txt"), "");
}

TEST_F(LogTest, OtherRanksAreSilent) {
  Screen screen;
  {
    Log log(false, screen.file, 0);
    log.info("no");
    log.warning_once("key", "no");
    log.open(folder_ / "silent.txt", false);
    log.progress({.step = 1});
  }
  EXPECT_EQ(screen.text(), "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "silent.txt"));
}

TEST_F(LogTest, OnceMeansOncePerKey) {
  Screen screen;
  {
    Log log(true, screen.file, 0);
    for (int i = 0; i < 3; ++i) {
      log.warning_once("a", "a " + std::to_string(i));
      log.note_once("b", "b " + std::to_string(i));
    }
  }
  EXPECT_EQ(screen.text(), "warning: a 0\nnote: b 0\n");
}

TEST_F(LogTest, NamesAFileThatCannotBeOpened) {
  Screen screen;
  Log log(true, screen.file, 0);
  try {
    log.open(folder_ / "missing" / "log.txt", false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("missing/log.txt"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST_F(LogTest, PlainProgressComesAtIntervals) {
  Screen screen;
  {
    Log log(true, screen.file, 0);
    log.set_interval(1e6);
    for (int i = 1; i < 1000; ++i) {
      log.progress({.step = i, .time = 0.1 * i, .dt = 0.1, .items = 10.0, .fraction = 1e-3 * i});
    }
  }
  EXPECT_EQ(screen.text(), "");
  {
    Log log(true, screen.file, 0);
    log.set_interval(0.0);
    const std::vector<ProgressNumber> numbers{
        {"T", 85.25, "K"}, {"CFL", 0.45, "1"}, {"P", std::numeric_limits<double>::quiet_NaN(), "bar"}};
    log.progress(
        {.step = 7, .time = 0.7, .dt = 0.1, .items = 10.0, .fraction = 0.25, .numbers = numbers, .numbers_step = 7});
    log.progress({.step = 8, .numbers = numbers, .numbers_step = 7});
    log.progress({.step = 9, .numbers_step = 7});
  }
  const std::string text = screen.text();
  for (const char* part : {"step       7", "t = 0.7", "dt = 1.000e-01", "dt = 1.000e-01  T = 85.25 K",
                           "25 %  CFL = 0.45\n", "CFL = 0.45 (of step 7)\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("P ="), std::string::npos);
  EXPECT_EQ(text.find("of step 7"), text.rfind("of step 7"));  // not where there is nothing to show
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(LogTest, LiveLineIsOneLineAndErasedBeforeOthers) {
  Screen screen;
  {
    Log log(true, screen.file, 40);
    log.set_interval(0.0);
    log.progress({.step = 1, .time = 0.1, .dt = 0.1, .fraction = 0.1});
    log.progress({.step = 2, .time = 0.2, .dt = 0.1, .fraction = 0.2});
    log.info("word");
  }
  const std::string text = screen.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;  // of "word" alone
  EXPECT_TRUE(text.ends_with("\r\033[Kword\n")) << text;
  for (std::size_t at = text.find("step"); at != std::string::npos; at = text.find("step", at + 1)) {
    EXPECT_LE(text.find('\033', at) - at, 39U);  // a longer line would wrap and stay on the screen
  }
}

TEST(RateWindowTest, EtaIsTheMeanOverTheWindowNotTheLastStep) {
  RateWindow window(30.0);
  // 1 s a step of 1/1000 of the run, and every tenth takes 11 s more: output.
  double wall = 0.0;
  window.add(wall, 0, 0.0);
  double lowest = 1e300, highest = 0.0;
  for (int step = 1; step <= 500; ++step) {
    wall += step % 10 == 0 ? 12.0 : 1.0;
    window.add(wall, step, 1e-3 * step);
    if (step > 50) {
      const double eta = window.remaining();
      const double truth = (1000 - step) * 2.1;
      lowest = std::min(lowest, eta / truth);
      highest = std::max(highest, eta / truth);
    }
  }
  // The window of 30 s holds one or two of the slow steps: its mean speed lies within a factor of 2 of the truth, where
  // the last step alone would be off by 2.1 on one side and 5.7 on the other.
  EXPECT_GT(lowest, 0.5);
  EXPECT_LT(highest, 2.0);
}

TEST(RateWindowTest, KnowsNothingFromOneSample) {
  RateWindow window;
  EXPECT_TRUE(std::isnan(window.remaining()));
  EXPECT_EQ(window.steps_per_second(), 0.0);
  window.add(1.0, 5, 0.5);
  EXPECT_TRUE(std::isnan(window.remaining()));
  window.add(3.0, 9, 0.75);
  EXPECT_DOUBLE_EQ(window.steps_per_second(), 2.0);  // 4 steps in 2 s
  EXPECT_DOUBLE_EQ(window.remaining(), 2.0);         // a quarter took 2 s, a quarter is left
  window.add(4.0, 10, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(window.remaining()));
}

}  // namespace
}  // namespace halyard
