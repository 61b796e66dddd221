#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/md/analysis.hpp"
#include "solvers/md/sums.hpp"

namespace halyard::md {

namespace {

// Terms of sums over atoms are whole multiples of this, totals have 128 bits: no order of atoms shows.
constexpr double term_scale = 0x1p48;
constexpr double largest_term = 0x1p100;  // times the scale

/// What is correlated: a vector of each atom, now and at an initial time.
class AtomCorrelation : public Analysis {
 public:
  AtomCorrelation(const OutputSource& source, const OutputPlace& place, const std::string& name,
                  const CorrelationSettings& settings)
      : Analysis(source, place, name, settings),
        lags_(settings.lags),
        spacing_((settings.lags + settings.origins - 1) / settings.origins),
        slots_(static_cast<std::size_t>((lags_ + spacing_ - 1) / spacing_)),
        types_(source.dynamics.system().names.size()),
        origins_(slots_),
        origin_sample_(slots_, -1),
        origin_time_(slots_, 0.0),
        sums_(static_cast<std::size_t>(lags_) * types_, 0),
        counts_(static_cast<std::size_t>(lags_), 0),
        times_(static_cast<std::size_t>(lags_), 0.0),
        atoms_of_type_(types_, 0) {
    const IdBlocks& blocks = source.blocks;
    for (std::vector<double>& origin : origins_) {
      origin.assign(3 * static_cast<std::size_t>(blocks.end() - blocks.begin()), 0.0);
    }
    for (const AtomRecord& record : source.dynamics.domain().records(source.dynamics.atoms())) {
      ++atoms_of_type_[static_cast<std::size_t>(record.type)];
    }
    communicator().sum(atoms_of_type_);
  }

 protected:
  /// The vector of an atom.
  virtual std::array<double, 3> vector_of(const AtomRecord& record) const = 0;
  /// What is averaged.
  virtual double term(const std::array<double, 3>& now, const std::array<double, 3>& then) const = 0;

  void sample(double time) override {
    const IdBlocks& blocks = source().blocks;
    const Dynamics& dynamics = source().dynamics;
    const std::int64_t n = samples();
    const std::vector<AtomRecord> records = blocks.to_blocks(dynamics.domain().records(dynamics.atoms()));
    if (n % spacing_ == 0) {
      const std::size_t slot = static_cast<std::size_t>(n / spacing_) % slots_;
      origin_sample_[slot] = n;
      origin_time_[slot] = time;
      for (const AtomRecord& record : records) {
        const std::array<double, 3> v = vector_of(record);
        std::copy(v.begin(), v.end(), origins_[slot].begin() + 3 * (record.id - blocks.begin()));
      }
    }
    std::vector<Wide> sums(slots_ * types_ + 1, 0);
    Wide& spoilt = sums.back();
    for (const AtomRecord& record : records) {
      const std::array<double, 3> v = vector_of(record);
      const auto type = static_cast<std::size_t>(record.type);
      for (std::size_t slot = 0; slot < slots_; ++slot) {
        if (lag_of(slot) < 0) {
          continue;
        }
        const double* then = &origins_[slot][3 * static_cast<std::size_t>(record.id - blocks.begin())];
        const double scaled = term_scale * term(v, {then[0], then[1], then[2]});
        if (std::fabs(scaled) < 0x1p62) {
          sums[slot * types_ + type] += static_cast<std::int64_t>(scaled);
        } else if (std::fabs(scaled) < largest_term) {
          sums[slot * types_ + type] += static_cast<Wide>(scaled);
        } else {
          ++spoilt;
        }
      }
    }
    sum_over_ranks(communicator(), sums);
    if (spoilt != 0) {
      throw Error(
          fmt::format("analysis.{} met {} value(s) that are not finite.", name(), static_cast<std::int64_t>(spoilt)));
    }
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      if (const std::int64_t lag = lag_of(slot); lag >= 0) {
        const auto at = static_cast<std::size_t>(lag);
        for (std::size_t type = 0; type < types_; ++type) {
          sums_[at * types_ + type] += sums[slot * types_ + type];
        }
        ++counts_[at];
        times_[at] += time - origin_time_[slot];
      }
    }
  }

  void add_sums(State& state) override {
    static_assert(sizeof(Wide) == 2 * sizeof(std::int64_t));
    const IdBlocks& blocks = source().blocks;
    add_array(state, "sums", ElementType::int64, sums_.data(), 2 * sums_.size());
    add_array(state, "counts", ElementType::int64, counts_.data(), counts_.size());
    add_array(state, "times", ElementType::float64, times_.data(), times_.size());
    add_array(state, "origin_samples", ElementType::int64, origin_sample_.data(), slots_);
    add_array(state, "origin_times", ElementType::float64, origin_time_.data(), slots_);
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      StateArray array;
      array.name = fmt::format("analysis_{}_origin_{}", name(), slot + 1);
      array.unit = "1";
      array.centring = Centring::none;
      array.components = 3;
      array.shape = {blocks.count(), 1, 1};
      array.block = {{blocks.begin(), 0, 0}, {blocks.end(), 1, 1}};
      std::vector<double>& values = origins_[slot];
      array.get = [&values](std::span<std::byte> to) {
        std::copy_n(reinterpret_cast<const std::byte*>(values.data()), to.size(), to.data());
      };
      array.set = [&values](std::span<const std::byte> from) {
        std::copy_n(from.data(), from.size(), reinterpret_cast<std::byte*>(values.data()));
      };
      state.arrays.push_back(std::move(array));
    }
  }

  /// How many time differences have a value.
  std::size_t filled() const {
    std::size_t n = 0;
    while (n < counts_.size() && counts_[n] > 0) {
      ++n;
    }
    return n;
  }
  std::vector<double> times() const {
    std::vector<double> times(filled());
    for (std::size_t n = 0; n < times.size(); ++n) {
      times[n] = times_[n] / static_cast<double>(counts_[n]);
    }
    return times;
  }
  std::vector<double> origins_of_lags() const {
    return {counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(filled())};
  }
  /// Averages over the atoms of a type, or over all: type = -1.
  std::vector<double> averages(int type) const {
    std::vector<double> values(filled());
    for (std::size_t n = 0; n < values.size(); ++n) {
      Wide sum = 0;
      std::int64_t atoms = 0;
      for (std::size_t t = 0; t < types_; ++t) {
        if (type < 0 || t == static_cast<std::size_t>(type)) {
          sum += sums_[n * types_ + t];
          atoms += atoms_of_type_[t];
        }
      }
      values[n] = atoms > 0 ? static_cast<double>(sum) / term_scale /
                                  (static_cast<double>(atoms) * static_cast<double>(counts_[n]))
                            : 0.0;
    }
    return values;
  }
  /// The groups that have columns: all atoms, and where there are several types each of them.
  std::vector<std::pair<int, std::string>> groups() const {
    std::vector<std::pair<int, std::string>> groups{{-1, ""}};
    for (std::size_t t = 0; types_ > 1 && t < types_; ++t) {
      groups.emplace_back(static_cast<int>(t), "_" + type_name(static_cast<int>(t)));
    }
    return groups;
  }
  std::string of_group(const std::string& suffix) const { return suffix.empty() ? "" : " of " + suffix.substr(1); }
  /// Of a diffusion coefficient.
  std::string diffusion_unit() const { return fmt::format("{}2/{}", units().length, units().time); }

 private:
  /// The time difference to the origin in this slot, in samples; -1 where it is none.
  std::int64_t lag_of(std::size_t slot) const {
    const std::int64_t lag = samples() - origin_sample_[slot];
    return origin_sample_[slot] >= 0 && lag < lags_ ? lag : -1;
  }

  std::int64_t lags_, spacing_;  // of origins, in samples
  std::size_t slots_, types_;
  std::vector<std::vector<double>> origins_;  // 3 an atom of this rank's block of ids
  std::vector<std::int64_t> origin_sample_;
  std::vector<double> origin_time_;
  std::vector<Wide> sums_;  // lag * types + type
  std::vector<std::int64_t> counts_;
  std::vector<double> times_;  // differences, summed
  std::vector<std::int64_t> atoms_of_type_;
};

/// <|x(t) - x(0)|^2> of positions that have not been wrapped.
class MeanSquaredDisplacement final : public AtomCorrelation {
 public:
  MeanSquaredDisplacement(const OutputSource& source, const OutputPlace& place)
      : AtomCorrelation(source, place, "msd", source.settings.analysis.msd) {}

 protected:
  std::array<double, 3> vector_of(const AtomRecord& record) const override {
    const std::array<double, 3> edges =
        source().dynamics.box().lattice_vector({record.image[0], record.image[1], record.image[2]});
    return {record.x[0] + edges[0], record.x[1] + edges[1], record.x[2] + edges[2]};
  }
  double term(const std::array<double, 3>& now, const std::array<double, 3>& then) const override {
    const double x = now[0] - then[0], y = now[1] - then[1], z = now[2] - then[2];
    return x * x + y * y + z * z;
  }
  AnalysisTable table() const override {
    AnalysisTable table;
    const std::vector<double> t = times();
    table.columns = {{"time", units().time, t}, {"origins", "1", origins_of_lags()}};
    for (const auto& [type, suffix] : groups()) {
      const std::vector<double> msd = averages(type);
      // Einstein's relation: the slope of the second half, by least squares.
      const std::size_t first = t.size() / 2;
      double n = 0.0, st = 0.0, sm = 0.0, stt = 0.0, stm = 0.0;
      for (std::size_t i = first; i < t.size(); ++i) {
        n += 1.0;
        st += t[i];
        sm += msd[i];
        stt += t[i] * t[i];
        stm += t[i] * msd[i];
      }
      if (const double spread = n * stt - st * st; n >= 2.0 && spread > 0.0) {
        table.notes.push_back(fmt::format(
            "diffusion coefficient{} {:.6g} {}: slope / 6 of the mean squared displacement from {:.6g} to "
            "{:.6g} {}",
            of_group(suffix), (n * stm - st * sm) / spread / 6.0, diffusion_unit(), t[first], t.back(), units().time));
      }
      table.columns.push_back({"msd" + suffix, units().length + "2", msd});
    }
    return table;
  }
};

/// <v(t) v(0)>, and a third of its integral (Green-Kubo): the diffusion coefficient.
class VelocityAutocorrelation final : public AtomCorrelation {
 public:
  VelocityAutocorrelation(const OutputSource& source, const OutputPlace& place)
      : AtomCorrelation(source, place, "vacf", source.settings.analysis.vacf) {}

 protected:
  std::array<double, 3> vector_of(const AtomRecord& record) const override { return record.v; }
  double term(const std::array<double, 3>& now, const std::array<double, 3>& then) const override {
    return now[0] * then[0] + now[1] * then[1] + now[2] * then[2];
  }
  AnalysisTable table() const override {
    AnalysisTable table;
    const std::vector<double> t = times();
    table.columns = {{"time", units().time, t}, {"origins", "1", origins_of_lags()}};
    for (const auto& [type, suffix] : groups()) {
      const std::vector<double> vacf = averages(type);
      std::vector<double> diffusion(vacf.size(), 0.0);
      for (std::size_t i = 1; i < vacf.size(); ++i) {
        diffusion[i] = diffusion[i - 1] + (t[i] - t[i - 1]) * (vacf[i - 1] + vacf[i]) / 6.0;
      }
      if (diffusion.size() > 1) {
        table.notes.push_back(
            fmt::format("diffusion coefficient{} {:.6g} {}: integral / 3 of the velocity "
                        "autocorrelation to {:.6g} {}",
                        of_group(suffix), diffusion.back(), diffusion_unit(), t.back(), units().time));
      }
      table.columns.push_back({"vacf" + suffix, "(" + units().velocity + ")^2", vacf});
      table.columns.push_back({"diffusion" + suffix, diffusion_unit(), std::move(diffusion)});
    }
    return table;
  }
};

}  // namespace

std::unique_ptr<Analysis> make_msd(const OutputSource& source, const OutputPlace& place) {
  return std::make_unique<MeanSquaredDisplacement>(source, place);
}

std::unique_ptr<Analysis> make_vacf(const OutputSource& source, const OutputPlace& place) {
  return std::make_unique<VelocityAutocorrelation>(source, place);
}

}  // namespace halyard::md
