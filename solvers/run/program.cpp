#include "solvers/run/program.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <limits>
#include <utility>

#include "io/log/format.hpp"
#include "io/results/canvas.hpp"
#include "io/results/file.hpp"
#include "io/results/summary.hpp"
#include "kernels/device/buffer.hpp"
#include "kernels/device/profile.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/clock.hpp"
#include "solvers/run/collectively.hpp"
#include "solvers/run/command_line.hpp"
#include "solvers/run/grid_outputs.hpp"
#include "solvers/run/loop.hpp"
#include "solvers/run/report.hpp"
#include "solvers/run/settings.hpp"
#include "solvers/run/signals.hpp"
#include "solvers/run/version.hpp"

namespace halyard {

namespace {

// Below this much time in the loop [s] rates of kernels mean little, and the copy to compare them with is not measured.
constexpr double least_seconds_to_rate = 1.0;

/// "node1 (4 ranks), node2 (4 ranks)" on rank 0.
std::string hosts(const Communicator& world) {
  constexpr int length = MPI_MAX_PROCESSOR_NAME;
  char name[length] = {};
  int used = 0;
  HALYARD_MPI_CHECK(MPI_Get_processor_name(name, &used));
  std::vector<char> names(world.rank() == 0 ? static_cast<std::size_t>(world.size()) * length : 0);
  HALYARD_MPI_CHECK(MPI_Gather(name, length, MPI_CHAR, names.data(), length, MPI_CHAR, 0, world.comm()));
  std::vector<std::pair<std::string, int>> counts;
  for (std::size_t at = 0; at < names.size(); at += length) {
    const std::string host(&names[at]);
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == host; });
    found == counts.end() ? static_cast<void>(counts.emplace_back(host, 1)) : static_cast<void>(++found->second);
  }
  std::string text;
  for (const auto& [host, ranks] : counts) {
    text += fmt::format("{}{} ({} rank{})", text.empty() ? "" : ", ", host, ranks, ranks == 1 ? "" : "s");
  }
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Reads on rank 0, so that a thousand ranks do not open one file.
std::string read_everywhere(const Communicator& world, const std::filesystem::path& file) {
  std::string text;
  on_every_rank(world, exit_code::bad_case, [&] {
    if (world.rank() != 0) {
      return;
    }
    std::error_code code;
    if (!std::filesystem::exists(file, code)) {
      throw Error("there is no case file " + file.string());
    }
    text = read_file(file);
  });
  world.broadcast(text);
  return text;
}

/// The number of the last step; nothing where that depends on the run.
std::optional<std::int64_t> last_step(const Plan& plan, const Estimate& estimate) {
  const TimePlan& time = plan.time;
  std::optional<std::int64_t> last = plan.schedule == Schedule::by_solver ? estimate.last_step : std::nullopt;
  if (time.dt && time.end) {
    last = static_cast<std::int64_t>(*time.end / *time.dt + 0.5);
  }
  return time.steps ? std::min(*time.steps, last.value_or(*time.steps)) : last;
}

/// Snapshots or rows that a cadence gives by the end, one more there where that is not due; nothing where it depends on
/// the run.
std::optional<std::int64_t> occurrences(const Cadence& cadence, const TimePlan& time,
                                        std::optional<std::int64_t> last_step) {
  if (!cadence.any()) {
    return 1;
  }
  std::int64_t count = 0;
  bool one_at_end = true;
  if (cadence.every_time) {
    if (!time.end && !(time.dt && time.steps)) {
      return std::nullopt;
    }
    double end = time.end.value_or(std::numeric_limits<double>::infinity());
    if (time.dt && last_step) {
      end = std::min(end, *time.dt * static_cast<double>(*last_step));
    }
    count += static_cast<std::int64_t>(end / *cadence.every_time * (1.0 + 1e-12)) + 1;
    one_at_end = one_at_end && !Clock::at_multiple(end, *cadence.every_time);
  }
  if (const std::int64_t every = cadence.every_steps.value_or(0); every > 0) {
    if (!last_step) {
      return std::nullopt;
    }
    count += *last_step / every + 1;
    one_at_end = one_at_end && *last_step % every != 0;
  }
  return count + (one_at_end ? 1 : 0);
}

/// "5 snapshot(s) of velocity", or "snapshot(s) of velocity, how many depends on the run".
std::string counted(std::optional<std::int64_t> count, const std::string& what) {
  return count ? fmt::format("{} {}", *count, what) : what + ", how many depends on the run";
}

/// One run of a program, from the command line on.
class Frame {
 public:
  Frame(MpiSession& session, const Program& program, int argc, char** argv)
      : session_(session),
        world_(session.world()),
        program_(program),
        argc_(argc),
        argv_(argv),
        log_(world_.rank() == 0) {}

  /// The exit code. @throws CollectiveError whose message is the last line of the output.
  int go() {
    before_ = std::set_terminate(&Frame::leave_word);
    running_ = this;
    try {
      const int code = act();
      stop_watching();
      return code;
    } catch (const CollectiveError& error) {
      // Nothing but this is caught: where one rank fails alone, destructors on the way would wait for the others.
      stop_watching();
      const bool computed = error.exit_code() != exit_code::bad_case;
      const std::string what = error.what();
      std::string verdict = "failed: " + what;
      if (what.find('\n') != std::string::npos) {
        log_.error(what);
        verdict = "failed: see the messages above";
      }
      if (!computed) {
        verdict +=
            verdict.ends_with('.') || verdict.ends_with('?') ? " (nothing was computed)" : "; nothing was computed";
      }
      log_.record(verdict);
      if (!computed && run_folder_ != nullptr) {
        log_.close();
        run_folder_->abandon();
      } else if (computed && world_.rank() == 0) {
        leave_failure(what);
      }
      throw CollectiveError(verdict, error.exit_code());
    }
  }

 private:
  int act() {
    CommandLine command;
    on_every_rank(world_, exit_code::bad_case, [&] {
      command = parse_command_line(argc_, argv_, program_.name, program_.summary, program_.key_options);
    });
    switch (command.action) {
      case CommandLine::Action::help:
        return print(command.text);
      case CommandLine::Action::version:
        return print(version_text(program_.name));
      case CommandLine::Action::schema: {
        declare();
        return print(schema_.json_schema(program_.name + " case"));
      }
      case CommandLine::Action::check:
      case CommandLine::Action::run:
        break;
    }
    return run(command);
  }

  int print(const std::string& text) {
    on_every_rank(world_, exit_code::failure, [&] {
      if (world_.rank() == 0) {
        const std::string whole = text.ends_with('\n') ? text : text + "\n";
        if (std::fputs(whole.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
          throw Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
        }
      }
    });
    return exit_code::finished;
  }

  void declare() {
    declare_plan(schema_, plan_, program_);
    program_.declare(schema_);
  }

  int run(const CommandLine& command) {
    const auto start = std::chrono::steady_clock::now();
    on_every_rank(world_, exit_code::failure, [] { check_host_instruction_set(); });
    const std::string started = utc_now();

    const std::string text = read_everywhere(world_, command.case_file);
    on_every_rank(world_, exit_code::bad_case, [&] {
      check_program(text, command.case_file.string(), program_.name);
      declare();
      schema_.read_text(text, command.case_file.string(), std::filesystem::absolute(command.case_file).parent_path(),
                        command.overrides);
    });

    DeviceChoice device;
    on_every_rank(world_, exit_code::bad_case, [&] {
      if (program_.host_only && command.device == "cuda") {
        throw Error("--device cuda: " + program_.name + " runs on the host alone so far; leave --device out");
      }
      device = choose_device(program_.host_only ? "host" : command.device, session_.node_rank());
      queue_ = std::make_unique<Queue>(device.device);
    });

    log_.set_interval(plan_.log_every_seconds);
    log_.set_item_name(program_.item_name);
    Context context{world_, *queue_, log_, plan_, schema_, std::filesystem::absolute(command.case_file).parent_path()};
    const std::string host_list = hosts(world_);
    Estimate estimate;
    std::string restart_key = "program = " + program_.name + "\n";

    log_.info(fmt::format("{} {}, {}", program_.name, version(), started));
    if (!plan_.title.empty()) {
      log_.info(plan_.title);
    }
    log_.info("case " + command.case_file.string());
    log_.info("hosts " + host_list);
    log_.info(fmt::format("device {}; {} rank{} x {} thread{}; instruction set {}", device.name, world_.size(),
                          world_.size() == 1 ? "" : "s", session_.threads(), session_.threads() == 1 ? "" : "s",
                          host_instruction_set()));
    if (!device.reason.empty() && command.device == "auto") {
      log_.info(device.reason);
    }
    if (session_.oversubscribed()) {
      log_.warning("more ranks than cores on this node: the run is slower than it need be");
    }
    for (const std::string& note : schema_.notes()) {
      log_.note(note);
    }
    on_every_rank(world_, exit_code::bad_case, [&] {
      estimate = program_.estimate(context);
      if (program_.restart_key) {
        restart_key += program_.restart_key(context);
      }
    });
    log_.info("rank grid " + estimate.rank_grid);
    if (!estimate.exchange.empty()) {
      log_.info("exchange " + estimate.exchange);
    }
    if (command.action == CommandLine::Action::check) {
      return check(estimate);
    }

    const std::filesystem::path output = command.output.value_or(default_output(command.case_file));
    std::optional<RestartCandidates> candidates;
    collectively(exit_code::bad_case, [&] {
      // A checkpoint that is named is looked at before the folder is taken, and --overwrite empties it.
      if (command.restart.mode == RestartRequest::Mode::file) {
        candidates = find_restart({}, command.restart, world_.comm());
        require_same_case(*candidates, restart_key);
      }
      run_folder_ = std::make_unique<RunFolder>(RunFolder::open(
          output, {.overwrite = command.overwrite, .restart = command.restart, .program = program_.name},
          world_.comm()));
      if (!candidates) {
        candidates = find_restart(run_folder_->checkpoints(), command.restart, world_.comm());
        require_same_case(*candidates, restart_key);
      }
    });
    folder_ = run_folder_->path();
    const std::string resolved = schema_.resolved();
    on_every_rank(world_, exit_code::failure, [&] { log_.open(run_folder_->log(), run_folder_->continues()); });
    const auto write_case = [&] {
      on_every_rank(world_, exit_code::failure, [&] {
        if (world_.rank() == 0) {
          write_file(run_folder_->resolved_case(), resolved);
        }
      });
    };
    if (!run_folder_->continues()) {
      write_case();
    }
    for (const std::string& note : run_folder_->notes()) {
      log_.note(note);
    }
    for (const std::string& skipped : candidates->skipped) {
      log_.warning(skipped);
    }
    log_.info("output " + folder_.string() + "; the case with its defaults is case.toml there");

    summary_.program = program_.name;
    summary_.version = version();
    summary_.device = device.name;
    summary_.ranks = world_.size();
    summary_.threads = session_.threads();
    summary_.rate_unit = "M" + program_.item_name + "/s";
    summary_.more.set("hosts", host_list).set("started", started).set("instruction_set", host_instruction_set());

    const SignalWatch signals;
    start_ = start;
    solver_ = program_.create(context);
    std::vector<std::unique_ptr<Output>> outputs;
    collectively(exit_code::bad_case, [&] {
      const OutputPlace place{folder_, case_name(command.case_file)};
      outputs = grid_outputs(world_, log_, plan_, *solver_, place);
      for (std::unique_ptr<Output>& own : solver_->outputs(place)) {
        outputs.push_back(std::move(own));
      }
    });
    loop_ = std::make_unique<Loop>(Loop::Parts{.communicator = world_,
                                               .queue = *queue_,
                                               .log = log_,
                                               .plan = plan_,
                                               .solver = *solver_,
                                               .outputs = std::move(outputs),
                                               .folder = *run_folder_,
                                               .label = {.case_key = restart_key,
                                                         .case_text = resolved,
                                                         .program = program_.name,
                                                         .version = version(),
                                                         .instruction_set = host_instruction_set(),
                                                         .device = device.name}},
                                   phases_);
    loop_->start(*candidates);
    if (run_folder_->continues()) {
      write_case();  // until here that of the run that is there
    }
    reset_kernel_records();  // the table is of the loop alone
    phases_.setup = seconds_since(start) - phases_.loop();
    const std::string end = loop_->run();
    return report(*loop_, phases_, estimate, end, *queue_);
  }

  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  int check(const Estimate& estimate) {
    std::string text = "\nThe case with its defaults:\n\n" + schema_.resolved();
    if (!text.ends_with('\n')) {
      text += "\n";
    }
    text +=
        fmt::format("\n{} {}s in all\nmemory of the largest rank:\n", count_text(estimate.items), program_.item_name);
    std::int64_t total = 0;
    for (const Estimate::Memory& kind : estimate.memory) {
      text += fmt::format("  {:<28} {:>10}\n", kind.name, bytes_text(static_cast<double>(kind.bytes)));
      total += kind.bytes;
    }
    text += fmt::format("  {:<28} {:>10}\n", "together", bytes_text(static_cast<double>(total)));

    for (const std::string& remark : estimate.remarks) {
      text += remark + "\n";
    }
    const std::optional<std::int64_t> last = last_step(plan_, estimate);
    text += fmt::format("last step: {}\n", last             ? std::to_string(*last)
                                           : plan_.time.end ? "depends on dt, which follows from the state"
                                                            : "depends on the state");

    text += "output:\n";
    const auto volume = [&](const std::string& what, std::optional<std::int64_t> count, double bytes) {
      text += fmt::format("  {}", counted(count, what + " of " + bytes_text(bytes)));
      text += count ? fmt::format(", {} in all\n", bytes_text(bytes * static_cast<double>(*count))) : "\n";
    };
    int components = 0;
    for (const std::string& name : plan_.fields.quantities) {
      for (const QuantityName& quantity : program_.quantities) {
        components += quantity.name == name ? quantity.components : 0;
      }
    }
    if (components > 0) {
      volume("snapshot(s)", occurrences(plan_.fields.cadence, plan_.time, last),
             static_cast<double>(FieldWriter::snapshot_bytes(estimate.cells, components, plan_.fields.precision)));
    } else if (!program_.quantities.empty()) {
      text += "  no fields\n";
    }
    for (const SlicePlan& slice : plan_.slices) {
      if (!pictures_available()) {
        text += "  no pictures of " + slice.quantity + ": this build is made without VTK\n";
        continue;
      }
      text += fmt::format("  {}\n",
                          counted(occurrences(slice.cadence, plan_.time, last), "picture(s) of " + slice.quantity));
    }
    for (const Estimate::Volume& own : estimate.outputs) {
      volume(own.name, own.count, static_cast<double>(own.bytes));
    }
    text += fmt::format("  {}\n", counted(occurrences(plan_.history, plan_.time, last), "row(s) of history.csv"));
    text += fmt::format("  checkpoints: {} generation(s) of {}\n", plan_.checkpoint.keep,
                        bytes_text(static_cast<double>(estimate.checkpoint_bytes)));
    text += "\nchecked: the case is valid; nothing was computed or written";
    log_.info(text);
    return exit_code::finished;
  }

  int report(Loop& loop, const Phases& phases, const Estimate& estimate, const std::string& end, Queue& queue) {
    const std::vector<KernelTotal> kernels = gather_kernels(world_, kernel_records());
    const std::uint64_t hash = loop.hash();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const std::int64_t resident = world_.sum(std::int64_t{usage.ru_maxrss} * 1024);
    const std::int64_t buffers = world_.sum(pool_statistics().bytes_peak);
    double bandwidth = 0.0;
    const bool any_kernel = world_.any(!kernels.empty());
    const double loop_seconds = world_.max(phases.loop());
    if (any_kernel && loop_seconds >= least_seconds_to_rate) {
      bandwidth = measure_all_ranks(queue);
    }
    fill_summary(loop, end, hash);
    summary_.more.set("step_rate", Json{{"value", 1e-6 * loop.step_rate()}, {"unit", summary_.rate_unit}})
        .set("first_step", loop.first_step())
        .set("items", estimate.items)
        .set("rank_grid", estimate.rank_grid)
        .set("buffer_bytes", buffers)
        .set("resident_bytes", resident)
        .set("copy_bytes_per_second", bandwidth)
        .set("phases", phase_json(phases))
        .set("kernels", kernel_json(kernels, bandwidth));
    on_every_rank(world_, exit_code::failure, [&] {
      if (world_.rank() == 0) {
        write_summary(folder_ / "summary.json", summary_);
      }
    });

    log_.info("");
    if (!kernels.empty()) {
      log_.info(kernel_table(kernels, phases.step, bandwidth));
    }
    log_.info(phase_table(phases));
    log_.info(fmt::format("memory: buffers {}, processes {} at most, all ranks",
                          bytes_text(static_cast<double>(buffers)), bytes_text(static_cast<double>(resident))));
    const std::int64_t steps = loop.clock().step();
    log_.info(fmt::format("{}: {} steps, t = {}, {}, state {}, {}", end == "signal" ? "stopped by a signal" : end,
                          steps, shortest(loop.clock().time()), rate_text(loop.rate(), program_.item_name),
                          hash_text(hash), folder_.string()));
    return end == "signal" ? exit_code::stopped_early : exit_code::finished;
  }

  /// All ranks copy at once, as in a run. After the run, so that its memory counts in no peak and short runs go
  /// without.
  double measure_all_ranks(Queue& queue) {
    world_.barrier();
    std::int64_t bytes_per_second = 0;
    try {
      bytes_per_second = static_cast<std::int64_t>(measure_copy_bandwidth(queue));
    } catch (const Error&) {
      // No memory left for it: the table does without.
    }
    const bool all = world_.min(bytes_per_second) > 0;
    const std::int64_t total = world_.sum(bytes_per_second);
    return all ? static_cast<double>(total) : 0.0;
  }

  void fill_summary(const Loop& loop, const std::string& end, std::uint64_t hash) {
    summary_.steps = loop.clock().step();
    summary_.time = loop.clock().time();
    summary_.wall_seconds = seconds_since(start_);
    summary_.rate = 1e-6 * loop.rate();
    summary_.state_hash = hash;
    summary_.end = end;
  }

  /// The way out of a rank that fails alone: nothing is unwound, but the folder hears of it before all ranks end.
  static void leave_word() {
    if (const std::exception_ptr error = std::current_exception(); running_ != nullptr && error) {
      Frame& frame = *std::exchange(running_, nullptr);
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& known) {
        frame.append_to_log(
            fmt::format("failed: rank {} of {}: {}\n", frame.world_.rank(), frame.world_.size(), known.what()));
        frame.leave_failure(known.what());
      } catch (...) {
        frame.leave_failure("an exception of unknown type");
      }
      before_();
    }
    std::abort();
  }
  void stop_watching() {
    running_ = nullptr;
    std::set_terminate(before_);
  }

  /// summary.json of a run that failed. What cannot be written now is not worth a second error.
  void leave_failure(const std::string& reason) noexcept {
    if (folder_.empty()) {
      return;
    }
    try {
      if (loop_ != nullptr) {
        fill_summary(*loop_, "failed", 0);
      }
      summary_.end = "failed";
      summary_.more.set("reason", reason);
      write_summary(folder_ / "summary.json", summary_);
    } catch (...) {
    }
  }

  void append_to_log(const std::string& line) noexcept {
    if (folder_.empty()) {
      return;
    }
    try {
      std::ofstream(folder_ / "log.txt", std::ios::app) << line;
    } catch (...) {
    }
  }

  static inline Frame* running_ = nullptr;
  static inline std::terminate_handler before_ = nullptr;

  MpiSession& session_;
  const Communicator& world_;
  const Program& program_;
  int argc_;
  char** argv_;
  Log log_;
  Plan plan_;
  CaseSchema schema_;
  std::filesystem::path folder_;
  Summary summary_;
  std::chrono::steady_clock::time_point start_;
  Phases phases_;
  // Members, so that they outlive an error: its report reads the loop, in a folder still locked.
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<RunFolder> run_folder_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  return run_guarded(argc, argv, [&](MpiSession& session) { return Frame(session, program, argc, argv).go(); });
}

}  // namespace halyard
