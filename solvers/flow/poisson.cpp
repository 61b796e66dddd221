#include "solvers/flow/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "kernels/device/error.hpp"
#include "kernels/device/profile.hpp"
#include "solvers/parallel/redistribute.hpp"

namespace halyard::flow {

namespace {

PoissonAxis poisson_axis(const Axis& axis) {
  PoissonAxis result;
  result.cells = axis.cells();
  result.basis = axis.periodic ? Basis::fourier : Basis::cosine;
  result.dx = axis.width(0);
  result.tridiagonal = !axis.uniform && axis.cells() > 1;
  if (result.tridiagonal) {
    result.matrix.periodic = axis.periodic;
    for (std::int64_t i = 0; i < axis.cells(); ++i) {
      result.matrix.width.push_back(axis.width(i));
    }
    for (std::int64_t face = 0; face <= axis.cells(); ++face) {
      const bool wall = !axis.periodic && (face == 0 || face == axis.cells());
      // Face n of a periodic axis is face 0.
      result.matrix.coupling.push_back(wall ? 0.0 : 1.0 / axis.gap(face == axis.cells() ? -1 : face - 1));
    }
  }
  return result;
}

/// Distances between rows and planes that spread over all sets of a cache: an odd number of cache lines.
Layout padded_layout(const Box& box) {
  constexpr std::int64_t line = 8;
  const auto odd_lines = [](std::int64_t doubles) {
    const std::int64_t lines = (doubles + line - 1) / line;
    return (lines % 2 == 0 ? lines + 1 : lines) * line;
  };
  const std::int64_t row = odd_lines(box.extent(0));
  return {row, odd_lines(row * box.extent(1))};
}

std::int64_t padded_size(const Box& box) { return box.empty() ? 0 : padded_layout(box).stride_k * box.extent(2); }

}  // namespace

struct PoissonSolver::Impl {
  /// One axis of the pipeline: which boxes it works on, how they come there from those of the step before, and where
  /// the data then lies (0: in phi, 1 and 2: in the scratch).
  struct Step {
    int axis = 0;
    Box box;
    int place = 0;
    std::optional<Redistribute> from_previous, to_previous;
  };

  Queue& queue;
  const Communicator& comm;
  std::array<Axis, 3> axes;
  std::array<PoissonAxis, 3> parts;
  int solve_axis = 2;
  std::unique_ptr<PoissonModes> modes;
  Box block;  // of phi, x in doubles of the row of modes
  std::vector<Step> steps;
  bool with_y = false;  // the second step is y on the planes of the first
  std::int64_t place_doubles[3] = {0, 0, 0}, exchange_doubles = 0;
  double volume = 1.0, mean = 0.0;
  KernelRecord& exchange_record = kernel_record("PoissonRedistribute", {.bytes = 16, .flops = 0});

  Impl(Queue& q, const Communicator& c, const Decomposition& decomposition, const std::array<Axis, 3>& grid,
       ExchangePath path);
  void solve(const RowSource* f, View3<double> phi, std::span<double> scratch, double f_scale);
  ModeArray array_at(const Step& step, View3<double> phi, double* scratch) const;
  void redistribute(Redistribute& redistribute, const ModeArray& from, const ModeArray& to, double* scratch);
};

PoissonSolver::Impl::Impl(Queue& q, const Communicator& c, const Decomposition& decomposition,
                          const std::array<Axis, 3>& grid, ExchangePath path)
    : queue(q), comm(c), axes(grid) {
  constexpr char names[] = "xyz";
  int stretched = -1;
  long double product = 1.0L;
  for (int a = 0; a < 3; ++a) {
    if (axes[a].cells() != decomposition.cells()[a]) {
      throw Error(std::string("the Poisson solver got ") + std::to_string(axes[a].cells()) + " cells along " +
                  names[a] + ", but the rank grid is made for " + std::to_string(decomposition.cells()[a]));
    }
    parts[a] = poisson_axis(axes[a]);
    if (parts[a].tridiagonal) {
      if (stretched >= 0) {
        throw Error(std::string("the fast Poisson solver takes one stretched axis, but both ") + names[stretched] +
                    " and " + names[a] + " are stretched; make one of them uniform");
      }
      stretched = a;
    }
    long double length = 0.0L;
    for (std::int64_t i = 0; i < axes[a].cells(); ++i) {
      length += axes[a].width(i);
    }
    product *= length;
  }
  volume = static_cast<double>(product);
  // Without a stretched axis the last transform is z, or y in two dimensions: only the cell counts decide.
  solve_axis = stretched >= 0 ? stretched : axes[2].cells() > 1 ? 2 : 1;
  modes = PoissonModes::create(queue, parts, solve_axis);

  const std::array<int, 3> order = solve_axis == 2   ? std::array{0, 1, 2}
                                   : solve_axis == 1 ? std::array{0, 2, 1}
                                                     : std::array{1, 2, 0};
  const RankGrid& ranks = decomposition.grid();
  const std::int64_t doubles = modes->row_modes().doubles(), blocks = modes->row_modes().blocks();
  constexpr std::int64_t unit = 2 * RowModes::block_modes;
  // Which of the rank's coordinates (0: none, 1: cy, 2: cz) splits an axis.
  const auto box_of = [&](const std::array<int, 3>& split, int rank) {
    Box box;
    for (int a = 0; a < 3; ++a) {
      const int count = split[a] == 0 ? 1 : split[a] == 1 ? ranks.py : ranks.pz;
      const int index = split[a] == 0 ? 0 : split[a] == 1 ? rank % ranks.py : rank / ranks.py;
      const auto part = even_part(a == 0 ? blocks : axes[a].cells(), count, index);
      box.begin[a] = a == 0 ? std::min(part[0] * unit, doubles) : part[0];
      box.end[a] = a == 0 ? std::min(part[1] * unit, doubles) : part[1];
    }
    return box;
  };
  const auto boxes_of = [&](const std::array<int, 3>& split) {
    std::vector<Box> boxes;
    for (int rank = 0; rank < ranks.ranks(); ++rank) {
      boxes.push_back(box_of(split, rank));
    }
    return boxes;
  };
  std::array<int, 3> split{0, 1, 2};
  std::vector<Box> boxes = boxes_of(split);
  block = boxes[comm.rank()];
  int whole = 0, place = 0;
  for (const int a : order) {
    Step step;
    step.axis = a;
    if (split[a] != 0) {
      std::swap(split[whole], split[a]);
    }
    whole = a;
    std::vector<Box> next = boxes_of(split);
    if (next != boxes) {
      step.from_previous.emplace(comm, boxes, next, 1, path);
      step.to_previous.emplace(comm, next, boxes, 1, path);
      exchange_doubles =
          std::max({exchange_doubles, step.from_previous->scratch_doubles(), step.to_previous->scratch_doubles()});
      place = place == 1 ? 2 : 1;
      boxes = std::move(next);
    }
    step.box = boxes[comm.rank()];
    step.place = place;
    if (place > 0) {
      place_doubles[place] = std::max(place_doubles[place], (padded_size(step.box) + 7) / 8 * 8);
    }
    steps.push_back(std::move(step));
  }
  exchange_doubles = (exchange_doubles + 7) / 8 * 8;
  const int second = order[0] == 0 ? 1 : 0;  // the first step along y or z
  with_y = order[second] == 1 && steps[second].place == 0 && solve_axis != 1;
}

ModeArray PoissonSolver::Impl::array_at(const Step& step, View3<double> phi, double* scratch) const {
  if (step.place == 0) {
    return {phi.data, phi.stride_j, phi.stride_k, step.box};
  }
  const Layout layout = padded_layout(step.box);
  return {scratch + (step.place == 2 ? place_doubles[1] : 0), layout.stride_j, layout.stride_k, step.box};
}

void PoissonSolver::Impl::redistribute(Redistribute& redistribute, const ModeArray& from, const ModeArray& to,
                                       double* scratch) {
  const KernelTimer timer(exchange_record, from.box.count());
  redistribute.execute(queue, from.data, {from.stride_j, from.stride_k}, to.data, {to.stride_j, to.stride_k},
                       {scratch + place_doubles[1] + place_doubles[2], static_cast<std::size_t>(exchange_doubles)});
}

void PoissonSolver::Impl::solve(const RowSource* f, View3<double> phi, std::span<double> lent, double f_scale) {
  const std::int64_t wanted = place_doubles[1] + place_doubles[2] + exchange_doubles;
  if (static_cast<std::int64_t>(lent.size()) < wanted) {
    throw Error("the Poisson solver needs " + std::to_string(wanted) + " doubles of scratch memory and was lent " +
                std::to_string(lent.size()));
  }
  if (phi.stride_j < block.extent(0)) {
    throw Error("the Poisson solver needs rows at least " + std::to_string(block.extent(0)) + " doubles apart, not " +
                std::to_string(phi.stride_j));
  }
  if (f != nullptr && queue.device() != Device::host) {
    throw Error("the Poisson solver takes its right-hand side from a row source on the host only");
  }
  double* const scratch = lent.data();
  ModeArray array{phi.data, phi.stride_j, phi.stride_k, block};
  ExactSum total;
  modes->forward_rows(queue, array, f, with_y, total);
  comm.sum(total);
  mean = total.value() / volume;
  if (f_scale > 0.0 && std::abs(mean) > mean_bound * f_scale) {
    throw Error("the right-hand side of the pressure equation has the mean " + std::to_string(mean) +
                ", which no pressure balances; round-off would leave at most " + std::to_string(mean_bound * f_scale) +
                " (does the flow through the boundaries add up to zero?)");
  }
  const auto is_done = [&](const Step& step) { return step.axis == 0 || (step.axis == 1 && with_y); };
  for (Step& step : steps) {
    const ModeArray before = array;
    array = array_at(step, phi, scratch);
    if (step.from_previous) {
      redistribute(*step.from_previous, before, array, scratch);
    }
    if (step.axis == solve_axis) {
      modes->solve(queue, array);
    } else if (!is_done(step)) {
      modes->forward_lines(queue, array, step.axis);
    }
  }
  for (std::size_t s = steps.size(); s-- > 0;) {
    Step& step = steps[s];
    if (step.axis != solve_axis && !is_done(step)) {
      modes->backward_lines(queue, array, step.axis);
    }
    const ModeArray before = array;
    array = s > 0 ? array_at(steps[s - 1], phi, scratch) : ModeArray{phi.data, phi.stride_j, phi.stride_k, block};
    if (step.to_previous) {
      redistribute(*step.to_previous, before, array, scratch);
    }
  }
  modes->backward_rows(queue, array, with_y);
}

PoissonSolver::PoissonSolver(Queue& queue, const Communicator& comm, const Decomposition& decomposition,
                             const std::array<Axis, 3>& axes, ExchangePath path)
    : impl_(std::make_unique<Impl>(queue, comm, decomposition, axes, path)) {}

PoissonSolver::~PoissonSolver() = default;

std::int64_t PoissonSolver::scratch_doubles() const {
  return impl_->place_doubles[1] + impl_->place_doubles[2] + impl_->exchange_doubles;
}

void PoissonSolver::solve(View3<double> phi, std::span<double> scratch, double f_scale) {
  impl_->solve(nullptr, phi, scratch, f_scale);
}

void PoissonSolver::solve(const RowSource& f, View3<double> phi, std::span<double> scratch, double f_scale) {
  impl_->solve(&f, phi, scratch, f_scale);
}

double PoissonSolver::mean_rhs() const { return impl_->mean; }

std::string PoissonSolver::description() const {
  return "x " + impl_->modes->axis_description(0) + ", y " + impl_->modes->axis_description(1) + ", z " +
         impl_->modes->axis_description(2);
}

std::string PoissonSolver::size_advice() const {
  std::string advice;
  for (int a = 0; a < 3; ++a) {
    const std::int64_t n = impl_->axes[a].cells(), next = impl_->modes->fast_cells(a);
    if (next != n) {
      advice += std::string(advice.empty() ? "" : " ") + "The transform along " + "xyz"[a] + " is slow for " +
                std::to_string(n) + " cells; the next fast size is " + std::to_string(next) + ".";
    }
  }
  return advice;
}

}  // namespace halyard::flow
