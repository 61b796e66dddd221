#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/md/analysis/pair_histogram.hpp"
#include "solvers/md/analysis.hpp"
#include "solvers/parallel/record_exchange.hpp"

namespace halyard::md {

namespace {

/// An atom, or an image of it, for a rank that counts distances to it.
struct PointRecord {
  std::array<double, 3> x;
  std::int32_t type;
  std::array<std::int8_t, 3> image;
  bool own;  // the rank's own atom: distances are counted from it
};

/// The half of the least width of the box that a distance may have: infinite where no side is periodic.
double half_width(const SimulationBox& box) {
  double half = std::numeric_limits<double>::infinity();
  for (int d = 0; d < 3; ++d) {
    if (box.periodic[static_cast<std::size_t>(d)]) {
      half = std::min(half, 0.5 * box.width(d));
    }
  }
  return half;
}

/// Each rank's points: the atoms that now lie in its brick, and all atoms and images within `range` of the brick. (The
/// pair list's ghosts end at the cutoff, and belong to where atoms were when it was made.)
PairPoints gather_points(const Dynamics& dynamics, double range) {
  const Domain& domain = dynamics.domain();
  const BrickGrid& grid = domain.grid();
  const SimulationBox& box = dynamics.box();
  std::array<double, 3> reach{};
  for (std::size_t d = 0; d < 3; ++d) {
    reach[d] = range * (1.0 + 1e-9) / box.width(static_cast<int>(d)) + 1e-12;  // rounding must not lose a pair
  }
  std::vector<std::vector<PointRecord>> to_rank(static_cast<std::size_t>(grid.ranks()));
  struct Part {
    int part;
    std::int8_t image;
  };
  std::array<std::vector<Part>, 3> parts;
  for (AtomRecord& record : domain.records(dynamics.atoms())) {
    wrap(box, record);
    const std::array<double, 3> f = box.fraction(record.x);
    std::array<int, 3> home{};
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = grid.parts[d];
      home[d] = grid.part_of(static_cast<int>(d), f[d]);
      parts[d].clear();
      for (int image = box.periodic[d] ? -1 : 0; image <= (box.periodic[d] ? 1 : 0); ++image) {
        // Which bricks [p / n, (p + 1) / n], reached out, hold f + image; what lies outside belongs to the outermost.
        for (int p = 0; p < n; ++p) {
          const double at = f[d] + image;
          const double low = p == 0 && !box.periodic[d] ? -HUGE_VAL : static_cast<double>(p) / n - reach[d];
          const double high = p == n - 1 && !box.periodic[d] ? HUGE_VAL : static_cast<double>(p + 1) / n + reach[d];
          if (at >= low && at <= high) {
            parts[d].push_back({p, static_cast<std::int8_t>(image)});
          }
        }
      }
    }
    for (const Part& pz : parts[2]) {
      for (const Part& py : parts[1]) {
        for (const Part& px : parts[0]) {
          const std::array<std::int8_t, 3> image{px.image, py.image, pz.image};
          const bool own =
              image == std::array<std::int8_t, 3>{0, 0, 0} && home == std::array<int, 3>{px.part, py.part, pz.part};
          to_rank[static_cast<std::size_t>(grid.rank_at({px.part, py.part, pz.part}))].push_back(
              {record.x, record.type, image, own});
        }
      }
    }
  }
  const std::vector<PointRecord> received = exchange_records(domain.communicator(), to_rank).records;
  PairPoints points;
  for (const bool own : {true, false}) {
    for (const PointRecord& record : received) {
      if (record.own == own) {
        for (std::size_t d = 0; d < 3; ++d) {
          points.x[d].push_back(record.x[d]);
        }
        points.image.push_back(record.image);
        points.type.push_back(record.type);
      }
    }
    points.own = own ? points.size() : points.own;
  }
  return points;
}

/// g(r) of pairs of types, and how many atoms of the second type lie within r of one of the first.
class Rdf final : public Analysis {
 public:
  Rdf(const OutputSource& source, const OutputPlace& place)
      : Analysis(source, place, "rdf", source.settings.analysis.rdf), settings_(source.settings.analysis.rdf) {
    const Dynamics& dynamics = source.dynamics;
    types_ = static_cast<int>(dynamics.system().names.size());
    const double half = half_width(dynamics.box());
    range_ = settings_.range.value_or(std::min(2.5 * dynamics.force_field().cutoff(), 0.9 * half));
    for (const std::array<int, 2>& pair : settings_.pairs) {
      pairs_.push_back({pair[0] - 1, pair[1] - 1});
    }
    if (pairs_.empty()) {
      for (int a = 0; a < types_; ++a) {
        for (int b = a; b < types_; ++b) {
          pairs_.push_back({a, b});
        }
      }
    }
    check_range();
    counts_.assign(static_cast<std::size_t>(type_pairs(types_) * settings_.bins), 0);
    atoms_of_type_.assign(static_cast<std::size_t>(types_), 0);
    for (const AtomRecord& record : dynamics.domain().records(dynamics.atoms())) {
      ++atoms_of_type_[static_cast<std::size_t>(record.type)];
    }
    communicator().sum(atoms_of_type_);
  }

 protected:
  void sample(double /*time*/) override {
    check_range();
    const Dynamics& dynamics = source().dynamics;
    std::vector<std::int64_t> counts(counts_.size(), 0);
    count_distances(dynamics.box(), gather_points(dynamics, range_), types_, range_, static_cast<int>(settings_.bins),
                    counts);
    communicator().sum(counts);
    for (std::size_t n = 0; n < counts.size(); ++n) {
      counts_[n] += counts[n];
    }
    inverse_volume_ += 1.0 / dynamics.box().volume();
  }

  void add_sums(State& state) override {
    add_array(state, "counts", ElementType::int64, counts_.data(), counts_.size());
    add_number(state, "inverse_volume", inverse_volume_);
  }

  AnalysisTable table() const override {
    AnalysisTable table;
    const auto bins = static_cast<std::size_t>(settings_.bins);
    const double width = range_ / static_cast<double>(settings_.bins);
    std::vector<double> r(bins), volume(bins);
    for (std::size_t n = 0; n < bins; ++n) {
      const double low = width * static_cast<double>(n), high = width * static_cast<double>(n + 1);
      r[n] = 0.5 * (low + high);
      volume[n] = 4.0 / 3.0 * std::numbers::pi * (high * high * high - low * low * low);
    }
    table.columns.push_back({"r", units().length, std::move(r)});
    for (const auto& [a, b] : pairs_) {
      const std::string name = type_name(a) + "-" + type_name(b);
      const auto of_a = static_cast<double>(atoms_of_type_[static_cast<std::size_t>(a)]);
      const auto of_b = static_cast<double>(atoms_of_type_[static_cast<std::size_t>(b)]);
      // Ordered pairs in all samples, at a uniform density: atoms of one type have one partner less.
      const double ideal = a == b ? of_a * (of_a - 1.0) * inverse_volume_ : 2.0 * of_a * of_b * inverse_volume_;
      const std::int64_t* count = counts_.data() + static_cast<std::size_t>(type_pair(a, b, types_)) * bins;
      std::vector<double> g(bins), coordination(bins);
      std::int64_t within = 0;
      const double ends = (a == b ? 1.0 : 2.0) * of_a * static_cast<double>(samples());
      for (std::size_t n = 0; n < bins; ++n) {
        within += count[n];
        g[n] = ideal > 0.0 ? static_cast<double>(count[n]) / (ideal * volume[n]) : 0.0;
        coordination[n] = ends > 0.0 ? static_cast<double>(within) / ends : 0.0;
      }
      table.columns.push_back({"g_" + name, "1", std::move(g)});
      table.columns.push_back({"coordination_" + name, "1", std::move(coordination)});
    }
    return table;
  }

 private:
  void check_range() const {
    const double half = half_width(source().dynamics.box());
    if (!(range_ <= half)) {
      throw Error(
          fmt::format("analysis.rdf.range is {:.6g}, but must be at most half the least width of the periodic box, now "
                      "{:.6g}.",
                      range_, half));
    }
  }

  RdfSettings settings_;
  int types_ = 1;
  double range_ = 0.0;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<std::int64_t> counts_;  // type_pair * bins + bin, over all samples; the same on every rank
  std::vector<std::int64_t> atoms_of_type_;
  double inverse_volume_ = 0.0;  // summed over samples
};

}  // namespace

std::unique_ptr<Analysis> make_rdf(const OutputSource& source, const OutputPlace& place) {
  return std::make_unique<Rdf>(source, place);
}

}  // namespace halyard::md
