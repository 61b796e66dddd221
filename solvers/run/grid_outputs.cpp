#include "solvers/run/grid_outputs.hpp"

#include <fmt/format.h>

#include <map>

#include "io/log/format.hpp"
#include "io/results/field_writer.hpp"
#include "io/results/slice_picture.hpp"
#include "solvers/run/settings.hpp"

namespace halyard {

namespace {

Quantity find_quantity(const std::vector<Quantity>& quantities, const std::string& name) {
  for (const Quantity& quantity : quantities) {
    if (quantity.name == name) {
      return quantity;
    }
  }
  throw Error("the quantity " + name + " is declared, but the solver does not give it");
}

/// [output.fields]
class FieldOutput final : public Output {
 public:
  FieldOutput(MPI_Comm comm, const OutputPlace& place, const GridGeometry& grid, const FieldsPlan& plan,
              std::vector<Quantity> quantities)
      : cadence_(plan.cadence),
        quantities_(std::move(quantities)),
        writer_(comm, place.folder, grid, quantities_.front().block,
                {.name = place.name, .format = plan.format, .precision = plan.precision}) {}

  bool due(std::int64_t step, double time) const override { return cadence_.due(step, time); }
  std::string write(std::int64_t step, double time) override {
    const WrittenFile file = writer_.write(step, time, quantities_);
    return fmt::format("{}, {} in {} ({}/s)", file.path.filename().string(),
                       bytes_text(static_cast<double>(file.bytes)), duration_text(file.seconds),
                       bytes_text(1e9 * file.gigabytes_per_second()));
  }
  void continue_from(std::int64_t step) override { writer_.continue_from(step); }

 private:
  Cadence cadence_;
  std::vector<Quantity> quantities_;
  FieldWriter writer_;
};

/// All of [[output.slice]] together: a quantity drawn twice is computed once.
class SliceOutput final : public Output {
 public:
  void add(std::unique_ptr<SlicePicture> picture, Quantity quantity, const Cadence& cadence) {
    slices_.push_back({std::move(picture), std::move(quantity), cadence});
  }

  bool due(std::int64_t step, double time) const override {
    for (const Slice& slice : slices_) {
      if (slice.cadence.due(step, time)) {
        return true;
      }
    }
    return false;
  }
  std::string write(std::int64_t step, double time) override { return draw(step, time, true); }
  std::string write_at_end(std::int64_t step, double time) override { return draw(step, time, false); }

 private:
  struct Slice {
    std::unique_ptr<SlicePicture> picture;
    Quantity quantity;
    Cadence cadence;
  };

  /// Those that are due, or those that are not.
  std::string draw(std::int64_t step, double time, bool due) {
    std::map<std::string, std::vector<double>> values;
    for (Slice& slice : slices_) {
      if (slice.cadence.due(step, time) != due) {
        continue;
      }
      const bool first = !values.contains(slice.quantity.name);
      std::vector<double>& computed = values[slice.quantity.name];
      if (first) {
        computed.resize(static_cast<std::size_t>(slice.quantity.components * slice.quantity.block.count()));
        slice.quantity.compute(computed);
      }
      slice.picture->write(step, time, slice.quantity, computed);
    }
    return "";
  }

  std::vector<Slice> slices_;
};

}  // namespace

std::vector<std::unique_ptr<Output>> grid_outputs(const Communicator& communicator, Log& log, const Plan& plan,
                                                  Solver& solver, const OutputPlace& place) {
  std::vector<std::unique_ptr<Output>> outputs;
  const GridGeometry* const grid = solver.grid();
  if (grid == nullptr) {
    return outputs;
  }
  const MPI_Comm comm = communicator.comm();
  const std::vector<Quantity> quantities = solver.quantities();
  std::vector<Quantity> written;
  for (const std::string& name : plan.fields.quantities) {
    written.push_back(find_quantity(quantities, name));
  }
  if (!written.empty()) {
    outputs.push_back(std::make_unique<FieldOutput>(comm, place, *grid, plan.fields, std::move(written)));
  }
  std::vector<SliceSettings> settings;
  for (const SlicePlan& slice : plan.slices) {
    settings.push_back(slice_settings(slice));
  }
  name_slices(settings);
  auto slices = std::make_unique<SliceOutput>();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Quantity drawn = find_quantity(quantities, settings[i].quantity);
    auto picture = std::make_unique<SlicePicture>(comm, place.folder, *grid, drawn.block, settings[i]);
    slices->add(std::move(picture), std::move(drawn), plan.slices[i].cadence);
  }
  if (!settings.empty()) {
    if (pictures_available()) {
      outputs.push_back(std::move(slices));
    } else {
      log.note("this build draws no pictures (made without VTK): [[output.slice]] has no effect");
    }
  }
  return outputs;
}

}  // namespace halyard
