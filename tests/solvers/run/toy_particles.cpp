// halyard-toy-particles: points on a ring of length 1 that drift freely, kept by the rank whose part of the ring they
// are in. A minimisation first (no time passes, speeds halve until the fastest is slow), then stages of drift. Small,
// but with all that the frame asks of a solver without a grid; and with ways to fail on demand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "io/results/file.hpp"
#include "kernels/device/exact_sum.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/run/program.hpp"

namespace halyard {
namespace {

struct Point {
  double x, v;  // [nm], [nm/ps]
};

struct Stage {
  std::int64_t steps = 1;
  double dt = 0.0;
};

struct ToyCase {
  std::int64_t points = 5;
  double speed = 1e3;
  std::vector<Stage> stages;
  std::int64_t frames_every = 4;
  std::optional<std::int64_t> nan_at, no_frame_at, no_flush_at;
  std::string extra_column;
};

void declare(CaseSchema& schema, ToyCase& c) {
  schema.key("ring.points", c.points).default_value(5).at_least(0).help("points on the ring");
  schema.key("ring.speed", c.speed).unit("1/ps").default_value(1e3).help("of the last point before the minimisation");
  schema.key("ring.frames_every", c.frames_every).default_value(4).at_least(1).help("steps between two frames");
  schema.key("ring.nan_at", c.nan_at).help("step that spoils a point");
  schema.key("ring.no_frame_at", c.no_frame_at).help("step whose frame cannot be written");
  schema.key("ring.no_flush_at", c.no_flush_at).help("step from which frames cannot be flushed");
  schema.key("ring.extra_column", c.extra_column).default_value("").help("name of one more column of history.csv");
  schema
      .list("stage", c.stages,
            [](CaseSchema& element, Stage& stage) {
              element.key("steps", stage.steps).required().at_least(0).help("of this stage");
              element.key("dt", stage.dt).unit("ps").required().above(0.0).help("fixed time step");
            })
      .help("Stages of drift after the minimisation.");
}

class ToySolver;

/// frames.txt: a line a frame. Keeps lines back until flush(), as a trajectory keeps its segment.
class Frames final : public Output {
 public:
  Frames(ToySolver& solver, const OutputPlace& place, const Communicator& comm, const ToyCase& settings)
      : solver_(solver),
        path_(place.folder / (place.name + "_frames.txt")),
        comm_(comm),
        cadence_{{}, settings.frames_every},
        no_frame_at_(settings.no_frame_at),
        no_flush_at_(settings.no_flush_at) {}
  bool due(std::int64_t step, double time) const override { return cadence_.due(step, time); }
  std::string write(std::int64_t step, double time) override;
  void continue_from(std::int64_t step) override {
    if (comm_.rank() != 0) {
      return;
    }
    std::ifstream file(path_);
    std::string kept;
    for (std::string line; std::getline(file, line);) {
      kept += std::stoll(line) <= step ? line + "\n" : "";
    }
    std::ofstream(path_) << kept;
  }
  void flush() override {
    if (no_flush_at_ && step_ >= *no_flush_at_) {
      throw Error("Flushing the frames failed.");
    }
    if (comm_.rank() == 0) {
      std::ofstream(path_, std::ios::app) << lines_;
    }
    lines_.clear();
  }

 private:
  ToySolver& solver_;
  std::filesystem::path path_;
  const Communicator& comm_;
  Cadence cadence_;
  std::optional<std::int64_t> no_frame_at_, no_flush_at_;
  std::int64_t step_ = -1;  // of the newest frame
  std::string lines_;
};

class ToySolver final : public Solver {
 public:
  ToySolver(Context& context, const ToyCase& settings) : comm_(context.communicator), settings_(settings) {
    for (std::int64_t id = 0; id < settings_.points; ++id) {
      const Point point{static_cast<double>((5 * id) % settings_.points) / static_cast<double>(settings_.points),
                        settings_.speed * static_cast<double>(id + 1) / static_cast<double>(settings_.points)};
      if (owner(point.x) == comm_.rank()) {
        points_[id] = point;
      }
    }
  }

  void prepare(const StepAhead& ahead) override { ahead_ = ahead; }

  void step(double dt) override {
    ++step_;
    energy_.reset();
    if (stage_ < 0) {
      double fastest = 0.0;
      for (auto& [id, point] : points_) {
        point.v *= 0.5;
        fastest = std::max(fastest, point.v);
      }
      if (comm_.max(fastest) < 1.0) {
        enter(0);
      }
    } else {
      for (auto& [id, point] : points_) {
        point.x += dt * point.v;
        point.x -= std::floor(point.x);
      }
      migrate();
      if (step_ - stage_begin_ >= stages()[static_cast<std::size_t>(stage_)].steps) {
        enter(stage_ + 1);
      }
    }
    if (const auto spoilt = points_.find(settings_.points / 2); settings_.nan_at == step_ && spoilt != points_.end()) {
      spoilt->second.v = std::numeric_limits<double>::quiet_NaN();
    }
    if (ahead_.row_due) {
      energy_ = energy();
    }
  }

  double dt() const { return finished() || stage_ < 0 ? 0.0 : stages()[static_cast<std::size_t>(stage_)].dt; }
  std::optional<double> prescribed_dt() const override { return dt(); }
  bool finished() const override { return stage_ >= static_cast<std::int64_t>(stages().size()); }
  std::optional<std::int64_t> last_step() const override {
    if (stage_ < 0) {
      return {};
    }
    std::int64_t last = stage_begin_;
    for (std::size_t s = static_cast<std::size_t>(stage_); s < stages().size(); ++s) {
      last += stages()[s].steps;
    }
    return last;
  }

  State state() override {
    State state;
    const auto add = [&](const std::string& name, const std::string& unit, double Point::*member) {
      StateArray array{.name = name,
                       .unit = unit,
                       .centring = Centring::none,
                       .shape = {settings_.points, 1, 1},
                       .block = block(),
                       .get = [this, member](std::span<std::byte> to) { gather(member, to); },
                       .set = [this, member](std::span<const std::byte> from) { scatter(member, from); }};
      array.describe = [this](std::int64_t id) {
        const auto found = points_.find(id);
        const bool here = found != points_.end();
        return fmt::format("point {} at {} nm", id,
                           comm_.max(here ? found->second.x : -std::numeric_limits<double>::infinity()));
      };
      state.arrays.push_back(std::move(array));
    };
    add("x", "nm", &Point::x);
    add("v", "nm/ps", &Point::v);
    state.scalars = {{"stage", "1", &stage_}, {"stage_begin", "1", &stage_begin_}, {"md_step", "1", &step_}};
    return state;
  }
  void restored() override {
    points_.clear();
    // Here every rank sees all; a real solver hands each point to its owner.
    for (std::int64_t id = 0; id < settings_.points; ++id) {
      if (const Point& point = restored_.at(id); owner(point.x) == comm_.rank()) {
        points_[id] = point;
      }
    }
    restored_.clear();
    energy_.reset();
  }

  std::vector<HistoryColumn> history(double dt) override {
    const bool known = energy_.has_value();
    std::vector<HistoryColumn> row{{"energy", "nm2/ps2", known ? *energy_ : energy()},
                                   {"stage", "1", static_cast<double>(stage_)},
                                   {"known", "1", known ? 1.0 : 0.0},
                                   {"told", "1", ahead_.step == step_ && ahead_.dt == dt ? 1.0 : 0.0}};
    if (!settings_.extra_column.empty()) {
      row.push_back({settings_.extra_column, "1", 1.0});
    }
    return row;
  }
  std::int64_t items() const override { return settings_.points; }
  std::string item_name() const override { return "atom"; }
  std::string time_unit() const override { return "ps"; }
  std::vector<std::unique_ptr<Output>> outputs(const OutputPlace& place) override {
    std::vector<std::unique_ptr<Output>> list;
    list.push_back(std::make_unique<Frames>(*this, place, comm_, settings_));
    return list;
  }

  /// One number of all points in the order of ids, on every rank.
  std::vector<double> all(double Point::*member) const {
    // Ids that are elsewhere have the bits 0, so that a sum of integers gathers.
    std::vector<std::int64_t> bits(static_cast<std::size_t>(settings_.points));
    const auto& from = restored_.empty() ? points_ : restored_;
    for (const auto& [id, point] : from) {
      if (restored_.empty() || (block().begin[0] <= id && id < block().end[0])) {
        std::memcpy(&bits[static_cast<std::size_t>(id)], &(point.*member), 8);
      }
    }
    HALYARD_MPI_CHECK(
        MPI_Allreduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_INT64_T, MPI_SUM, comm_.comm()));
    std::vector<double> values(bits.size());
    std::memcpy(values.data(), bits.data(), 8 * bits.size());
    return values;
  }
  std::string frame() const { return fmt::format("{}", fmt::join(all(&Point::x), " ")); }

 private:
  const std::vector<Stage>& stages() const { return settings_.stages; }
  int owner(double x) const { return std::min(comm_.size() - 1, static_cast<int>(x * comm_.size())); }
  Box block() const {
    const auto [begin, end] = even_part(settings_.points, comm_.size(), comm_.rank());
    return {{begin, 0, 0}, {end, 1, 1}};
  }
  void enter(std::int64_t stage) {
    stage_ = stage;
    stage_begin_ = step_;
    while (!finished() && stages()[static_cast<std::size_t>(stage_)].steps == 0) {
      ++stage_;
    }
  }
  double energy() const {
    ExactSum sum;
    for (const auto& [id, point] : points_) {
      sum.add(0.5 * point.v * point.v);
    }
    comm_.sum(sum);
    return sum.value();
  }
  void migrate() {
    const std::vector<double> x = all(&Point::x), v = all(&Point::v);
    points_.clear();
    for (std::int64_t id = 0; id < settings_.points; ++id) {
      const auto at = static_cast<std::size_t>(id);
      if (owner(x[at]) == comm_.rank()) {
        points_[id] = {x[at], v[at]};
      }
    }
  }
  void gather(double Point::*member, std::span<std::byte> to) const {
    const std::vector<double> values = all(member);
    std::memcpy(to.data(), values.data() + block().begin[0], to.size());
  }
  void scatter(double Point::*member, std::span<const std::byte> from) {
    std::vector<std::int64_t> bits(static_cast<std::size_t>(settings_.points));
    std::memcpy(bits.data() + block().begin[0], from.data(), from.size());
    HALYARD_MPI_CHECK(
        MPI_Allreduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_INT64_T, MPI_SUM, comm_.comm()));
    for (std::int64_t id = 0; id < settings_.points; ++id) {
      std::memcpy(&(restored_[id].*member), &bits[static_cast<std::size_t>(id)], 8);
    }
  }

  const Communicator& comm_;
  ToyCase settings_;
  std::map<std::int64_t, Point> points_;    // by id, those of this rank's part of the ring
  std::map<std::int64_t, Point> restored_;  // between set and restored(), all
  StepAhead ahead_;
  std::optional<double> energy_;
  std::int64_t step_ = 0, stage_ = -1, stage_begin_ = 0;
};

std::string Frames::write(std::int64_t step, double time) {
  step_ = step;
  if (step == no_frame_at_) {
    throw Error("Writing the frame failed.");
  }
  lines_ += fmt::format("{} {} {}\n", step, shortest(time), solver_.frame());
  return step == 0 ? "the first frame" : "";
}

}  // namespace
}  // namespace halyard

int main(int argc, char** argv) {
  using namespace halyard;
  ToyCase settings;
  return run_program(argc, argv,
                     {.name = "halyard-toy-particles",
                      .summary = "points on a ring, to test the frame",
                      .item_name = "atom",
                      .rank_axes = 3,
                      .schedule = Schedule::by_solver,
                      .history_every_steps = 3,
                      .declare = [&](CaseSchema& schema) { declare(schema, settings); },
                      .restart_key = [&](Context&) { return fmt::format("points = {}\n", settings.points); },
                      .estimate =
                          [&](Context& context) {
                            return Estimate{.memory = {{"points", 24 * settings.points}},
                                            .outputs = {{"frame(s) of frames.txt", {}, 8 * settings.points}},
                                            .remarks = {"ring of 1 nm"},
                                            .rank_grid = fmt::format("{} along the ring", context.communicator.size()),
                                            .items = settings.points,
                                            .checkpoint_bytes = 16 * settings.points};
                          },
                      .create = [&](Context& context) { return std::make_unique<ToySolver>(context, settings); }});
}
