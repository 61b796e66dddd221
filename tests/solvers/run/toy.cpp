// halyard-toy: heat on a periodic ring of cells, dT/dt = a d2T/dz2, by explicit Euler, spread over the ranks. Small,
// but with all that the frame asks of a solver; and with ways to fail on demand.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "io/log/format.hpp"
#include "kernels/device/exact_sum.hpp"
#include "kernels/device/profile.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/run/program.hpp"
#include "solvers/run/signals.hpp"

namespace halyard {
namespace {

struct ToyCase {
  std::int64_t cells = 32;
  double diffusivity = 0.1;
  double milliseconds = 0.0;
  std::optional<std::int64_t> nan_at, fail_at, wait_at;
  int fail_rank = 0;
  bool more_state = false;
};

void declare(CaseSchema& schema, ToyCase& c) {
  schema.key("ring.cells", c.cells).default_value(32).at_least(1).help("cells of the ring");
  schema.key("ring.diffusivity", c.diffusivity).unit("m2/s").default_value(0.1).above(0.0).help("heat diffusivity");
  schema.key("toy.milliseconds", c.milliseconds).default_value(0.0).at_least(0.0).help("that a step sleeps");
  schema.key("toy.nan_at", c.nan_at).help("step that spoils the middle cell");
  schema.key("toy.fail_at", c.fail_at).help("step in which one rank throws");
  schema.key("toy.wait_at", c.wait_at)
      .help("step in which the last rank writes its process id to the file `waiting` and waits for a signal");
  schema.key("toy.more_state", c.more_state).default_value(false).help("one number more in state() than else");
  schema.key("toy.fail_rank", c.fail_rank).default_value(0).at_least(0).help("the rank that throws");
}

class ToySolver final : public Solver {
 public:
  ToySolver(Context& context, const ToyCase& settings)
      : comm_(context.communicator), settings_(settings), record_(kernel_record("Diffuse", {.bytes = 24, .flops = 5})) {
    const auto [begin, end] = even_part(settings.cells, comm_.size(), comm_.rank());
    block_ = {{0, 0, begin}, {1, 1, end}};
    grid_.faces = {std::vector<double>{0.0, 1.0}, {0.0, 1.0}, {}};
    for (std::int64_t k = 0; k <= settings.cells; ++k) {
      grid_.faces[2].push_back(static_cast<double>(k) / static_cast<double>(settings.cells));
    }
    for (std::int64_t k = begin; k < end; ++k) {
      t_.push_back(1.0 + 0.5 * static_cast<double>((7 * k) % settings.cells) / static_cast<double>(settings.cells));
    }
    t_.resize(static_cast<std::size_t>(block_.count()));
  }

  void step(double dt) override {
    const KernelTimer timer(record_, block_.count());
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(settings_.milliseconds));
    ++steps_;
    if (settings_.fail_at && steps_ == *settings_.fail_at && comm_.rank() == settings_.fail_rank) {
      throw Error("the toy fails as told");
    }
    if (settings_.wait_at && steps_ == *settings_.wait_at && comm_.rank() == comm_.size() - 1) {
      wait_for_signal();
    }
    const std::vector<double> all = gather();
    const auto n = settings_.cells;
    const double c = dt * settings_.diffusivity * static_cast<double>(n) * static_cast<double>(n);
    for (std::int64_t k = block_.begin[2]; k < block_.end[2]; ++k) {
      const auto at = [&](std::int64_t i) { return all[static_cast<std::size_t>((i + n) % n)]; };
      t_[static_cast<std::size_t>(k - block_.begin[2])] = at(k) + c * ((at(k - 1) - at(k)) + (at(k + 1) - at(k)));
      if (settings_.nan_at && steps_ == *settings_.nan_at && k == n / 2) {
        t_[static_cast<std::size_t>(k - block_.begin[2])] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    swing_ += dt * std::cos(swing_);
  }

  double stable_dt() override {
    double hottest = 0.0;
    for (const double t : t_) {
      hottest = std::max(hottest, t);
    }
    const auto n = static_cast<double>(settings_.cells);
    return 0.3 / (settings_.diffusivity * n * n) / comm_.max(hottest);
  }

  State state() override {
    StateArray t{.name = "temperature",
                 .unit = "K",
                 .shape = {1, 1, settings_.cells},
                 .block = block_,
                 .get = [this](std::span<std::byte> to) { std::memcpy(to.data(), t_.data(), to.size()); },
                 .set = [this](std::span<const std::byte> from) { std::memcpy(t_.data(), from.data(), from.size()); }};
    State state{{t}, {{"swing", "1", &swing_}, {"toy_steps", "1", &steps_}}};
    if (settings_.more_state) {
      state.scalars.push_back({"luck", "1", &luck_});
    }
    return state;
  }
  void restored() override { last_.clear(); }

  std::vector<Quantity> quantities() override {
    return {{"temperature", "K", "temperature", 1, block_,
             [this](std::span<double> to) { std::copy(t_.begin(), t_.end(), to.begin()); }},
            {"heat_flux", "W/m2", "flux", 3, block_, [this](std::span<double> to) {
               for (std::size_t i = 0; i < to.size(); ++i) {
                 to[i] = t_[i / 3] * static_cast<double>(i % 3);
               }
             }}};
  }

  std::vector<HistoryColumn> history(double dt) override {
    ExactSum sum;
    for (const double t : t_) {
      sum.add(t * t);
    }
    comm_.sum(sum);
    return {{"cfl", "1", dt / stable_dt()}, {"energy", "K2", sum.value()}, {"swing", "1", swing_}};
  }

  double relative_change(double time) override {
    const std::vector<double> before = std::exchange(last_, t_);
    const double since = time - std::exchange(last_time_, time);
    if (before.empty() || !(since > 0.0)) {
      return std::numeric_limits<double>::infinity();
    }
    double change = 0.0;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      change = std::max(change, std::abs(t_[i] - before[i]));
    }
    return comm_.max(change) / since;
  }

  const GridGeometry* grid() const override { return &grid_; }
  std::int64_t items() const override { return settings_.cells; }
  std::string item_name() const override { return "cell"; }

 private:
  static void wait_for_signal() {
    std::ofstream("waiting") << getpid() << "\n";
    const auto start = std::chrono::steady_clock::now();
    while (SignalWatch::received() == 0) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60)) {
        throw Error("the toy waited in vain for a signal");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::vector<double> gather() const {
    std::vector<int> counts, starts;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const auto [begin, end] = even_part(settings_.cells, comm_.size(), rank);
      counts.push_back(static_cast<int>(end - begin));
      starts.push_back(static_cast<int>(begin));
    }
    std::vector<double> all(static_cast<std::size_t>(settings_.cells));
    HALYARD_MPI_CHECK(MPI_Allgatherv(t_.data(), static_cast<int>(t_.size()), MPI_DOUBLE, all.data(), counts.data(),
                                     starts.data(), MPI_DOUBLE, comm_.comm()));
    return all;
  }

  const Communicator& comm_;
  ToyCase settings_;
  KernelRecord& record_;
  Box block_;
  GridGeometry grid_;
  std::vector<double> t_, last_;
  double last_time_ = 0.0;
  double swing_ = 0.0, luck_ = 0.0;
  std::int64_t steps_ = 0;
};

}  // namespace
}  // namespace halyard

int main(int argc, char** argv) {
  using namespace halyard;
  ToyCase settings;
  return run_program(
      argc, argv,
      {.name = "halyard-toy",
       .summary = "heat on a ring, to test the frame",
       .item_name = "cell",
       .quantities = {{"temperature", 1}, {"heat_flux", 3}},
       .declare = [&](CaseSchema& schema) { declare(schema, settings); },
       .restart_key = [&](Context&) { return fmt::format("cells = {}\n", settings.cells); },
       .estimate =
           [&](Context& context) {
             if (settings.cells < context.communicator.size()) {
               throw context.schema.error("ring.cells", fmt::format("allows at most {} ranks.", settings.cells));
             }
             return Estimate{.memory = {{"temperature", 8 * settings.cells}, {"work", 8 * settings.cells}},
                             .rank_grid = fmt::format("{} along z", context.communicator.size()),
                             .exchange = "host memory",
                             .cells = {1, 1, settings.cells},
                             .items = settings.cells,
                             .checkpoint_bytes = 8 * settings.cells};
           },
       .create = [&](Context& context) { return std::make_unique<ToySolver>(context, settings); }});
}
