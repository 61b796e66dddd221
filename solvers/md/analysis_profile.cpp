#include <fmt/format.h>

#include <cmath>

#include "solvers/md/analysis.hpp"

namespace halyard::md {

namespace {

/// Atoms per volume in slices across an edge of the box.
class DensityProfile final : public Analysis {
 public:
  DensityProfile(const OutputSource& source, const OutputPlace& place)
      : Analysis(source, place, "density_profile", source.settings.analysis.density_profile),
        axis_(static_cast<std::size_t>(source.settings.analysis.density_profile.axis)),
        bins_(static_cast<std::size_t>(source.settings.analysis.density_profile.bins)),
        types_(source.dynamics.system().names.size()),
        counts_(types_ * bins_, 0) {}

 protected:
  void sample(double /*time*/) override {
    const Dynamics& dynamics = source().dynamics;
    const SimulationBox& box = dynamics.box();
    std::vector<std::int64_t> counts(counts_.size(), 0);
    for (AtomRecord& record : dynamics.domain().records(dynamics.atoms())) {
      wrap(box, record);
      const double at = box.fraction(record.x)[axis_] * static_cast<double>(bins_);
      if (at >= 0.0 && at <= static_cast<double>(bins_)) {  // outside: beyond a side that is not periodic
        const std::size_t bin = std::min(static_cast<std::size_t>(at), bins_ - 1);
        ++counts[static_cast<std::size_t>(record.type) * bins_ + bin];
      }
    }
    communicator().sum(counts);
    for (std::size_t n = 0; n < counts.size(); ++n) {
      counts_[n] += counts[n];
    }
    inverse_volume_ += 1.0 / box.volume();
    length_ += box.length[axis_];
    origin_ += box.origin[axis_];
  }

  void add_sums(State& state) override {
    add_array(state, "counts", ElementType::int64, counts_.data(), counts_.size());
    add_number(state, "inverse_volume", inverse_volume_);
    add_number(state, "length", length_);
    add_number(state, "origin", origin_);
  }

  AnalysisTable table() const override {
    AnalysisTable table;
    const auto n_samples = static_cast<double>(samples());
    std::vector<double> place(bins_), all(bins_, 0.0);
    std::vector<std::vector<double>> of_type(types_, std::vector<double>(bins_));
    for (std::size_t b = 0; b < bins_; ++b) {
      place[b] = (origin_ + (static_cast<double>(b) + 0.5) / static_cast<double>(bins_) * length_) / n_samples;
      std::int64_t count = 0;
      const auto density = [&](std::int64_t n) {
        return static_cast<double>(n) / n_samples * static_cast<double>(bins_) * (inverse_volume_ / n_samples);
      };
      for (std::size_t t = 0; t < types_; ++t) {
        count += counts_[t * bins_ + b];
        of_type[t][b] = density(counts_[t * bins_ + b]);
      }
      all[b] = density(count);
    }
    const std::string unit = "1/" + units().length + "3";
    table.columns = {{std::string(1, "xyz"[axis_]), units().length, place}, {"density", unit, all}};
    for (std::size_t t = 0; types_ > 1 && t < types_; ++t) {
      table.columns.push_back({"density_" + type_name(static_cast<int>(t)), unit, of_type[t]});
    }
    return table;
  }

 private:
  std::size_t axis_, bins_, types_;
  std::vector<std::int64_t> counts_;                           // type * bins + bin; the same on every rank
  double inverse_volume_ = 0.0, length_ = 0.0, origin_ = 0.0;  // summed over samples
};

}  // namespace

std::unique_ptr<Analysis> make_density_profile(const OutputSource& source, const OutputPlace& place) {
  return std::make_unique<DensityProfile>(source, place);
}

}  // namespace halyard::md
