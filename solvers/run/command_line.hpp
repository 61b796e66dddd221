#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/results/checkpoint.hpp"

namespace halyard {

/// An option of a program that sets a key of its case to a text: --write-data FILE for output.data_file = "FILE".
struct KeyOption {
  std::string option, key, value_name, help;
};

/// What the command line of a program asks for.
struct CommandLine {
  enum class Action { run, check, schema, version, help };

  Action action = Action::run;
  std::filesystem::path case_file;     // CASE; of a folder, the case.toml in it
  std::vector<std::string> overrides;  // --set table.key=value, then --steps as time.steps=N and the program's own
  std::optional<std::filesystem::path> output;
  bool overwrite = false;
  RestartRequest restart;
  std::string device = "auto";
  std::string text;  // of --help
};

/// Parses without printing. `name` and `summary` are the program's.
/// @throws Error with a sentence for the user, and the usage, for what it does not understand.
CommandLine parse_command_line(int argc, const char* const* argv, const std::string& name, const std::string& summary,
                               const std::vector<KeyOption>& key_options = {});

/// The folder a run goes to when --output is not given: runs/NAME, NAME being the case file's name or, for case.toml,
/// that of its folder.
std::filesystem::path default_output(const std::filesystem::path& case_file);
/// NAME as above, with other characters than letters, digits, '-', '_', '.' made '_'.
std::string case_name(const std::filesystem::path& case_file);

}  // namespace halyard
