#include "solvers/run/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <charconv>

#include "kernels/device/error.hpp"
#include "solvers/run/plan.hpp"

namespace halyard {

namespace {
constexpr const char* exit_codes =
    "Exit codes: 0 finished; 1 failed; 2 wrong command line or case, nothing computed;\n"
    "75 stopped early by a signal after a checkpoint: start it again to carry on.";

/// As a TOML string.
std::string toml_string(const std::string& text) {
  std::string toml = "\"";
  for (const char c : text) {
    toml += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return toml + "\"";
}
}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, const std::string& name, const std::string& summary,
                               const std::vector<KeyOption>& key_options) {
  CommandLine line;
  std::string case_file, output, restart = "auto", check;
  std::optional<std::string> steps;
  bool schema = false, version = false;

  CLI::App app(summary, name);
  app.set_help_flag("-h,--help", "print this and exit");
  app.footer(exit_codes);
  app.get_formatter()->column_width(34);
  app.add_option("CASE", case_file, "case file (TOML), or a folder that holds case.toml");
  app.add_option("--set", line.overrides, "set a key of the case, as TOML: --set domain.cells=[64,64,64]; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--output", output, "folder of the results (default: runs/NAME)")->type_name("DIR");
  app.add_flag("--overwrite", line.overwrite, "replace the results of a former run in that folder");
  app.add_option(
         "--restart", restart,
         "auto: carry on from the newest checkpoint, if any; required: fail without one; never: start anew; or a "
         "checkpoint file")
      ->type_name("auto|required|never|FILE");
  app.add_option("--steps", steps, "stop after step N, counted from the start of the first run; sets time.steps")
      ->type_name("N");
  std::vector<std::optional<std::string>> texts(key_options.size());
  for (std::size_t i = 0; i < key_options.size(); ++i) {
    const KeyOption& own = key_options[i];
    app.add_option(own.option, texts[i], own.help + "; sets " + own.key)->type_name(own.value_name);
  }
  app.add_flag(
      "--check{all}", check,
      "read everything, print the resolved case, rank grid, memory and output volume; compute and write nothing");
  app.add_option("--device", line.device, "where kernels run")->type_name("auto|host|cuda");
  app.add_flag("--schema", schema, "print the JSON schema of the case, for editors");
  app.add_flag("--version", version, "print the versions of the program and of what it is built on");

  const auto wrong = [&](const std::string& what) { return Error(fmt::format("{}; see {} --help", what, name)); };
  if (argc <= 1) {
    line.action = CommandLine::Action::help;
    line.text = app.help();
    throw Error("no case file given\n\n" + line.text);
  }
  try {
    app.parse(argc, const_cast<char**>(argv));  // CLI11 2.1 does not write to it
  } catch (const CLI::CallForHelp&) {
    line.action = CommandLine::Action::help;
    line.text = app.help();
    return line;
  } catch (const CLI::ParseError& error) {
    throw wrong(error.what());
  }
  if (version || schema) {
    line.action = version ? CommandLine::Action::version : CommandLine::Action::schema;
    return line;
  }
  if (check == "time" || check == "io") {
    throw wrong("--check=" + check + " comes later; --check alone reads everything and computes nothing");
  }
  if (!check.empty() && check != "all" && check != "true") {
    throw wrong("--check=" + check + " is not known; use --check alone");
  }
  if (case_file.empty()) {
    throw wrong("no case file given");
  }
  if (line.device != "auto" && line.device != "host" && line.device != "cuda") {
    throw wrong("--device " + line.device + ": allowed are auto, host, cuda");
  }
  if (!check.empty()) {
    line.action = CommandLine::Action::check;
  }
  line.case_file = case_file;
  if (std::filesystem::is_directory(line.case_file)) {
    line.case_file /= "case.toml";
  }
  if (steps) {
    std::int64_t number = -1;
    const auto read = std::from_chars(steps->data(), steps->data() + steps->size(), number);
    if (read.ec != std::errc() || read.ptr != steps->data() + steps->size() || number < 0 || number > most_steps) {
      throw wrong(fmt::format("--steps {}: must be a whole number from 0 to {}, in digits", *steps, most_steps));
    }
    line.overrides.push_back(fmt::format("time.steps={}", number));
  }
  for (std::size_t i = 0; i < key_options.size(); ++i) {
    if (texts[i]) {
      line.overrides.push_back(key_options[i].key + "=" + toml_string(*texts[i]));
    }
  }
  if (!output.empty()) {
    line.output = output;
  }
  line.restart = RestartRequest::parse(restart);
  return line;
}

std::string case_name(const std::filesystem::path& case_file) {
  std::string name = case_file.stem().string();
  if (name == "case") {
    name = std::filesystem::absolute(case_file).lexically_normal().parent_path().filename().string();
  }
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') {
      c = '_';
    }
  }
  return name.empty() ? "run" : name;
}

std::filesystem::path default_output(const std::filesystem::path& case_file) {
  return std::filesystem::path("runs") / case_name(case_file);
}

}  // namespace halyard
