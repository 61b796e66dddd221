#include "solvers/run/command_line.hpp"

#include <gtest/gtest.h>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

CommandLine parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "halyard-toy");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), "halyard-toy", "a toy");
}

std::string failure(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, TakesEveryOption) {
  const CommandLine line = parse({"--set", "a.b=[1,2, 3]", "box.toml", "--set", "c=\"x\"", "--output", "out",
                                  "--overwrite", "--restart", "required", "--steps", "12", "--device", "host"});
  EXPECT_EQ(line.action, CommandLine::Action::run);
  EXPECT_EQ(line.case_file, "box.toml");
  EXPECT_EQ(line.overrides, (std::vector<std::string>{"a.b=[1,2, 3]", "c=\"x\"", "time.steps=12"}));
  EXPECT_EQ(line.output, "out");
  EXPECT_TRUE(line.overwrite);
  EXPECT_EQ(line.restart.mode, RestartRequest::Mode::required);
  EXPECT_EQ(line.device, "host");
}

TEST(CommandLine, DefaultsAndFiles) {
  const CommandLine line = parse({"box.toml"});
  EXPECT_TRUE(line.overrides.empty());
  EXPECT_FALSE(line.output);
  EXPECT_FALSE(line.overwrite);
  EXPECT_EQ(line.restart.mode, RestartRequest::Mode::automatic);
  EXPECT_EQ(line.device, "auto");
  EXPECT_EQ(parse({"a.toml", "--restart", "old/step_00000010.h5"}).restart.file, "old/step_00000010.h5");
  EXPECT_EQ(parse({"/tmp"}).case_file, "/tmp/case.toml");
}

TEST(CommandLine, Actions) {
  EXPECT_EQ(parse({"a.toml", "--check"}).action, CommandLine::Action::check);
  EXPECT_EQ(parse({"--check", "a.toml"}).case_file, "a.toml");  // not taken for the value of --check
  EXPECT_EQ(parse({"--schema"}).action, CommandLine::Action::schema);
  EXPECT_EQ(parse({"--version"}).action, CommandLine::Action::version);
  const CommandLine help = parse({"--help"});
  EXPECT_EQ(help.action, CommandLine::Action::help);
  for (const char* part : {"CASE", "--set", "--restart", "--check", "75"}) {
    EXPECT_NE(help.text.find(part), std::string::npos) << help.text;
  }
}

TEST(CommandLine, AProgramsOwnOptionsSetKeys) {
  const std::vector<KeyOption> own{{"--write-data", "output.data_file", "FILE", "write it"}};
  const auto with = [&own](std::vector<const char*> arguments) {
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), "halyard-toy", "a toy", own);
  };
  EXPECT_EQ(with({"halyard-toy", "box.toml", "--write-data", "a \"b\"\\c"}).overrides,
            (std::vector<std::string>{"output.data_file=\"a \\\"b\\\"\\\\c\""}));
  EXPECT_TRUE(with({"halyard-toy", "box.toml"}).overrides.empty());
  EXPECT_NE(with({"halyard-toy", "--help"}).text.find("sets output.data_file"), std::string::npos);
  EXPECT_NE(failure({"box.toml", "--write-data", "x"}), "");
}

TEST(CommandLine, SaysWhatIsWrong) {
  EXPECT_NE(failure({}).find("Usage"), std::string::npos);
  EXPECT_NE(failure({"--overwrite"}).find("no case file"), std::string::npos);
  EXPECT_NE(failure({"a.toml", "--wrong"}).find("--wrong"), std::string::npos);
  for (const char* steps : {"-1", "ten", "", "1.5", "12x", "9007199254740993", "99999999999999999999", "0x10"}) {
    EXPECT_EQ(failure({"a.toml", "--steps", steps}),
              std::string("--steps ") + steps +
                  ": must be a whole number from 0 to 9007199254740992, in digits; see halyard-toy --help");
  }
  EXPECT_EQ(parse({"a.toml", "--steps", "9007199254740992"}).overrides.at(0), "time.steps=9007199254740992");
  EXPECT_EQ(parse({"a.toml", "--steps", "0"}).overrides.at(0), "time.steps=0");
  EXPECT_NE(failure({"a.toml", "--device", "gpu"}).find("auto, host, cuda"), std::string::npos);
  EXPECT_NE(failure({"a.toml", "--check=time"}).find("comes later"), std::string::npos);
  EXPECT_NE(failure({"a.toml", "--check=io"}).find("comes later"), std::string::npos);
  EXPECT_NE(failure({"a.toml", "b.toml"}).find("b.toml"), std::string::npos);
  EXPECT_NE(failure({"a.toml", "--set"}).find("--set"), std::string::npos);
}

TEST(CommandLine, NamesTheRunAfterTheCase) {
  EXPECT_EQ(case_name("cases/taylor-green/case.toml"), "taylor-green");
  EXPECT_EQ(case_name("a/b c.toml"), "b_c");
  EXPECT_EQ(default_output("cases/taylor-green/case.toml"), "runs/taylor-green");
}

}  // namespace
}  // namespace halyard
