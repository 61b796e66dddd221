#include <fmt/format.h>

#include <algorithm>

#include "solvers/md/analysis.hpp"

namespace halyard::md {

namespace {

constexpr std::size_t components = 5;

/// The five independent components of the pressure tensor without its trace, each with the same autocorrelation in a
/// liquid (Alfe & Gillan 1998, Phys. Rev. Lett. 81, 5161), and the shear viscosity from it (Green-Kubo).
class PressureAutocorrelation final : public Analysis {
 public:
  PressureAutocorrelation(const OutputSource& source, const OutputPlace& place)
      : Analysis(source, place, "pressure_acf", source.settings.analysis.pressure_acf),
        lags_(static_cast<std::size_t>(source.settings.analysis.pressure_acf.lags)),
        last_(components * lags_, 0.0),
        last_time_(lags_, 0.0),
        sums_(lags_, 0.0),
        times_(lags_, 0.0),
        counts_(lags_, 0) {}

  bool needs_totals(std::int64_t step) const override { return step % every_steps() == 0; }

 protected:
  void sample(double time) override {
    const Thermodynamics now = source().dynamics.thermodynamics();
    const double volume = source().dynamics.box().volume();
    const std::array<double, 6> p = now.pressure(volume);
    const std::array<double, components> now5{p[3], p[4], p[5], 0.5 * (p[0] - p[1]), 0.5 * (p[1] - p[2])};
    const auto n = static_cast<std::size_t>(samples());
    std::copy(now5.begin(), now5.end(), last_.begin() + static_cast<std::ptrdiff_t>(components * (n % lags_)));
    last_time_[n % lags_] = time;
    for (std::size_t lag = 0; lag < std::min(n + 1, lags_); ++lag) {
      const std::size_t then = (n - lag) % lags_;
      double sum = 0.0;
      for (std::size_t c = 0; c < components; ++c) {
        sum += now5[c] * last_[components * then + c];
      }
      sums_[lag] += sum / static_cast<double>(components);
      times_[lag] += time - last_time_[then];
      ++counts_[lag];
    }
    volume_ += volume;
    twice_kinetic_ += 2.0 * now.kinetic;
  }

  void add_sums(State& state) override {
    add_array(state, "last", ElementType::float64, last_.data(), last_.size());
    add_array(state, "last_times", ElementType::float64, last_time_.data(), lags_);
    add_array(state, "sums", ElementType::float64, sums_.data(), lags_);
    add_array(state, "times", ElementType::float64, times_.data(), lags_);
    add_array(state, "counts", ElementType::int64, counts_.data(), lags_);
    add_number(state, "volume", volume_);
    add_number(state, "twice_kinetic", twice_kinetic_);
  }

  AnalysisTable table() const override {
    AnalysisTable table;
    std::vector<double> time, origins, acf, viscosity;
    const double dof = source().dynamics.degrees_of_freedom(), unit = units().energy_per_volume;
    const double thermal = dof > 0.0 ? twice_kinetic_ / dof : 0.0;  // k T, times the samples
    for (std::size_t lag = 0; lag < lags_ && counts_[lag] > 0; ++lag) {
      const auto n = static_cast<double>(counts_[lag]);
      time.push_back(times_[lag] / n);
      origins.push_back(n);
      acf.push_back(sums_[lag] / n);
      const double before = viscosity.empty() ? 0.0 : viscosity.back();
      viscosity.push_back(lag == 0 || !(thermal > 0.0)
                              ? 0.0
                              : before +
                                    volume_ / thermal * 0.5 * (time[lag] - time[lag - 1]) * (acf[lag - 1] + acf[lag]));
    }
    for (double& value : acf) {
      value *= unit * unit;
    }
    for (double& value : viscosity) {
      value *= unit;
    }
    const std::string viscosity_unit = units().pressure + " " + units().time;
    if (viscosity.size() > 1) {
      table.notes.push_back(
          fmt::format("shear viscosity {:.6g} {}: integral of the pressure autocorrelation to {:.6g} "
                      "{}",
                      viscosity.back(), viscosity_unit, time.back(), units().time));
    }
    table.columns = {{"time", units().time, time},
                     {"origins", "1", origins},
                     {"pressure_acf", "(" + units().pressure + ")^2", acf},
                     {"viscosity", viscosity_unit, viscosity}};
    return table;
  }

 private:
  std::size_t lags_;
  // The thermodynamic state is the same on every rank, and so are these.
  std::vector<double> last_, last_time_;  // the latest samples: a ring
  std::vector<double> sums_, times_;
  std::vector<std::int64_t> counts_;
  double volume_ = 0.0, twice_kinetic_ = 0.0;  // summed over samples
};

}  // namespace

std::unique_ptr<Analysis> make_pressure_acf(const OutputSource& source, const OutputPlace& place) {
  return std::make_unique<PressureAutocorrelation>(source, place);
}

}  // namespace halyard::md
