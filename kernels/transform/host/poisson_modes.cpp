#include "kernels/transform/host/poisson_modes.hpp"

#include <omp.h>

#include <algorithm>
#include <optional>

#include "kernels/device/buffer.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/transform/host/line_transform.hpp"
#include "kernels/transform/host/row_transform.hpp"
#include "kernels/transform/host/tridiagonal_lanes.hpp"

namespace halyard::host {

namespace {

constexpr int block_doubles = complex_stride;  // of a row, in one block of eight modes
constexpr int group = 4;                       // blocks solved at once by the tridiagonal solver

/// Eight neighbouring lines along y or z: element i has `width` real parts at data + i * stride, then the imaginary
/// ones.
struct Block {
  double* data;
  std::int64_t stride;
  int width;

  KERNEL ComplexLanes get(int i) const {
    const double* const p = data + i * stride;
    return width == lane_count ? ComplexLanes{load(p), load(p + lane_count)}
                               : ComplexLanes{load_first(p, width), load_first(p + width, width)};
  }
  KERNEL void put(int i, ComplexLanes x) const {
    double* const p = data + i * stride;
    if (width == lane_count) {
      store(p, x.re);
      store(p + lane_count, x.im);
    } else {
      store_first(p, width, x.re);
      store_first(p + width, width, x.im);
    }
  }
};

/// The same with eight full lanes: no branch in the loops over a line.
struct FullBlock {
  double* data;
  std::int64_t stride;

  KERNEL ComplexLanes get(int i) const { return {load(data + i * stride), load(data + i * stride + lane_count)}; }
  KERNEL void put(int i, ComplexLanes x) const {
    store(data + i * stride, x.re);
    store(data + i * stride + lane_count, x.im);
  }
};

class HostPoissonModes final : public PoissonModes {
 public:
  HostPoissonModes(Queue& queue, const std::array<PoissonAxis, 3>& axes, int solve_axis);

  void forward_rows(Queue&, const ModeArray& array, const RowSource* f, bool with_y, ExactSum& total) override;
  void backward_rows(Queue&, const ModeArray& array, bool with_y) override;
  void forward_lines(Queue&, const ModeArray& array, int axis) override;
  void backward_lines(Queue&, const ModeArray& array, int axis) override;
  void solve(Queue&, const ModeArray& array) override;

 private:
  /// The lines of a block along an axis, numbered by the block along x and the index on the other axis.
  struct Lines {
    const ModeArray& array;
    int axis;

    int others() const { return axis == 1 ? array.nz() : array.ny(); }
    std::int64_t first_block() const { return array.box.begin[0] / block_doubles; }
    int blocks() const { return static_cast<int>((array.box.extent(0) + block_doubles - 1) / block_doubles); }
    std::int64_t stride() const { return axis == 1 ? array.stride_j : array.stride_k; }
    double* data(int block, int other) const {
      return array.data + std::int64_t{block_doubles} * block + other * (axis == 1 ? array.stride_k : array.stride_j);
    }
  };

  template <class Operation>
  void with_block(const Lines& lines, int block, int other, Operation operation) const;
  void forward_block(const Lines& lines, int block, int other, double* work) const;
  void backward_block(const Lines& lines, int block, int other, double* work) const;
  template <bool pairs, class B>
  void divide_block(const B& block, const Lines& lines, int b, int other, double* work, double* work2) const;
  void solve_group(const Lines& lines, int b, int count, int other, double* work) const;
  template <int blocks, bool pairs>
  void solve_blocks(const Lines& lines, int b, int other, double* work) const;
  void solve_rows(const ModeArray& array, int j, int k, double* work) const;
  void forward_eight(const ModeArray& array, const RowSource* f, int j, int k, double* work, double* sums) const;
  void backward_eight(const ModeArray& array, int j, int k, double* work) const;
  double eigenvalue_of_other(const Lines& lines, int other) const {
    const int a = lines.axis == 1 ? 2 : 1;
    return eigenvalue_[a][lines.array.box.begin[a] + other];
  }
  double* work(int thread) { return work_.data() + thread * thread_doubles_; }
  bool fused(const ModeArray& array) const { return array.nz() >= 2 * threads_; }

  int threads_;
  std::optional<RowTransform> row_;
  std::array<std::optional<LineTransform>, 3> line_;
  std::size_t row_doubles_ = 0, buffer_doubles_ = 0, thread_doubles_ = 0;
  std::vector<double> zero_row_;
  Buffer<double> work_;
  KernelRecord& forward_record_;
  KernelRecord& backward_record_;
  KernelRecord& line_record_;
  KernelRecord& solve_record_;
};

std::size_t whole_lines(std::size_t doubles) {
  return (doubles + 63) / 64 * 64;
}  // and no two threads on one page line

HostPoissonModes::HostPoissonModes(Queue& queue, const std::array<PoissonAxis, 3>& axes, int solve_axis)
    : PoissonModes(axes, solve_axis),
      threads_(omp_get_max_threads()),
      forward_record_(kernel_record("PoissonForwardXY", {.bytes = 16, .flops = 0})),
      backward_record_(kernel_record("PoissonBackwardXY", {.bytes = 16, .flops = 0})),
      line_record_(kernel_record("PoissonLines", {.bytes = 16, .flops = 0})),
      solve_record_(kernel_record(solve_axis == 0   ? "PoissonSolveX"
                                  : solve_axis == 1 ? "PoissonSolveY"
                                                    : "PoissonSolveZ",
                                  {.bytes = 16, .flops = 0})) {
  const int n[3] = {static_cast<int>(axes[0].cells), static_cast<int>(axes[1].cells), static_cast<int>(axes[2].cells)};
  if (!axes[0].tridiagonal) {
    row_.emplace(axes[0].basis, n[0]);
    buffer_doubles_ = row_->work_doubles();
  }
  for (int a = 1; a < 3; ++a) {
    if (!axes[a].tridiagonal) {
      line_[a].emplace(axes[a].basis, n[a]);
      buffer_doubles_ = std::max(buffer_doubles_, LineTransform::work_doubles(n[a]));
    }
  }
  for (int a = 0; a < 3; ++a) {
    if (axes[a].tridiagonal) {
      // As pairs, each block is two columns; half as many blocks are then taken at once.
      const std::size_t most = std::max(tridiagonal_work(n[a], group, 2), tridiagonal_work(n[a], group, 1));
      buffer_doubles_ =
          std::max({buffer_doubles_, (most + 1) / 2 + whole_lines(1),
                    (tridiagonal_work(n[a], 1, 1) + std::size_t{lane_count} * n[a]) / 2 + whole_lines(1)});
    }
  }
  buffer_doubles_ = whole_lines(buffer_doubles_) + 64;
  row_doubles_ = whole_lines(static_cast<std::size_t>(n[0]) + 8);
  thread_doubles_ = 2 * buffer_doubles_ + lane_count * row_doubles_ + whole_lines(n[solve_axis]);
  zero_row_.assign(std::max<std::size_t>(row_doubles_, static_cast<std::size_t>(row_modes_.doubles())), 0.0);
  work_ = Buffer<double>(queue, thread_doubles_ * threads_, "Poisson work lines");
}

// --- x ---------------------------------------------------------------------------------------------------------------

void HostPoissonModes::forward_eight(const ModeArray& array, const RowSource* f, int j, int k, double* work,
                                     double* sums) const {
  double* const rows_buffer = work + 2 * buffer_doubles_;
  const int count = std::min(lane_count, array.ny() - j);
  double* target[lane_count];
  const double* source[lane_count];
  for (int r = 0; r < lane_count; ++r) {
    double* const row = array.data + (j + r) * array.stride_j + k * array.stride_k;
    target[r] = r < count ? row : rows_buffer + r * row_doubles_;
    source[r] = r < count ? row : zero_row_.data();
  }
  if (!row_) {  // x is solved directly: its cells stay
    for (int r = 0; r < count; ++r) {
      if (f != nullptr) {
        f->fill(f->context, j + r, k, target[r]);
      }
      const auto n = static_cast<int>(axes_[0].cells);
      const double* const width = weight_[0].data();
      double partial[lane_count] = {};
      int i = 0;
      for (; i + lane_count <= n; i += lane_count) {
        for (int l = 0; l < lane_count; ++l) {
          partial[l] += target[r][i + l] * width[i + l];
        }
      }
      for (int l = 0; i < n; ++i, ++l) {
        partial[l] += target[r][i] * width[i];
      }
      sums[r] = ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
                ((partial[4] + partial[5]) + (partial[6] + partial[7]));
      if (n % 2 != 0) {
        target[r][n] = 0.0;
      }
    }
    return;
  }
  if (f != nullptr) {
    for (int r = 0; r < count; ++r) {
      f->fill(f->context, j + r, k, rows_buffer + r * row_doubles_);
      source[r] = rows_buffer + r * row_doubles_;
    }
  }
  store(sums, row_->forward(source, target, work, work + buffer_doubles_) * all(axes_[0].dx));
}

void HostPoissonModes::backward_eight(const ModeArray& array, int j, int k, double* work) const {
  double* const rows_buffer = work + 2 * buffer_doubles_;
  const int count = std::min(lane_count, array.ny() - j);
  double* target[lane_count];
  const double* source[lane_count];
  for (int r = 0; r < lane_count; ++r) {
    double* const row = array.data + (j + r) * array.stride_j + k * array.stride_k;
    target[r] = r < count ? row : rows_buffer + r * row_doubles_;
    source[r] = r < count ? row : zero_row_.data();
  }
  row_->backward(source, target, work, work + buffer_doubles_);
}

void HostPoissonModes::forward_rows(Queue&, const ModeArray& array, const RowSource* f, bool with_y, ExactSum& total) {
  const KernelTimer timer(forward_record_, axes_[0].cells * array.ny() * array.nz());
  const Lines lines{array, 1};
  const int ny = array.ny(), nz = array.nz(), eights = (ny + lane_count - 1) / lane_count, blocks = lines.blocks();
#pragma omp parallel num_threads(threads_)
  {
    double* const mine = work(omp_get_thread_num());
    ExactSum sum;
    const auto rows = [&](int e, int k) {
      double sums[lane_count] = {};
      forward_eight(array, f, e * lane_count, k, mine, sums);
      for (int r = 0; r < std::min(lane_count, ny - e * lane_count); ++r) {
        sum.add(sums[r] * (weight_[1][array.box.begin[1] + e * lane_count + r] * weight_[2][array.box.begin[2] + k]));
      }
    };
    if (fused(array)) {
#pragma omp for schedule(static)
      for (int k = 0; k < nz; ++k) {
        for (int e = 0; e < eights; ++e) {
          rows(e, k);
        }
        for (int b = 0; with_y && b < blocks; ++b) {
          forward_block(lines, b, k, mine);
        }
      }
    } else {
#pragma omp for collapse(2) schedule(static)
      for (int k = 0; k < nz; ++k) {
        for (int e = 0; e < eights; ++e) {
          rows(e, k);
        }
      }
      if (with_y) {
#pragma omp for collapse(2) schedule(static)
        for (int k = 0; k < nz; ++k) {
          for (int b = 0; b < blocks; ++b) {
            forward_block(lines, b, k, mine);
          }
        }
      }
    }
#pragma omp critical(halyard_poisson_sum)
    total.add(sum);
  }
}

void HostPoissonModes::backward_rows(Queue&, const ModeArray& array, bool with_y) {
  const KernelTimer timer(backward_record_, axes_[0].cells * array.ny() * array.nz());
  const Lines lines{array, 1};
  const int nz = array.nz(), eights = (array.ny() + lane_count - 1) / lane_count, blocks = lines.blocks();
#pragma omp parallel num_threads(threads_)
  {
    double* const mine = work(omp_get_thread_num());
    if (fused(array)) {
#pragma omp for schedule(static)
      for (int k = 0; k < nz; ++k) {
        for (int b = 0; with_y && b < blocks; ++b) {
          backward_block(lines, b, k, mine);
        }
        for (int e = 0; row_ && e < eights; ++e) {
          backward_eight(array, e * lane_count, k, mine);
        }
      }
    } else {
      if (with_y) {
#pragma omp for collapse(2) schedule(static)
        for (int k = 0; k < nz; ++k) {
          for (int b = 0; b < blocks; ++b) {
            backward_block(lines, b, k, mine);
          }
        }
      }
      if (row_) {
#pragma omp for collapse(2) schedule(static)
        for (int k = 0; k < nz; ++k) {
          for (int e = 0; e < eights; ++e) {
            backward_eight(array, e * lane_count, k, mine);
          }
        }
      }
    }
  }
}

// --- y and z ---------------------------------------------------------------------------------------------------------

template <class Operation>
void HostPoissonModes::with_block(const Lines& lines, int block, int other, Operation operation) const {
  const std::int64_t b = lines.first_block() + block;
  double* const data = lines.data(block, other);
  const int width = row_modes_.width(b);
  const auto pairs = std::true_type{};
  const auto complex = std::false_type{};
  if (width == lane_count) {
    const FullBlock full{data, lines.stride()};
    row_modes_.pairs(b) ? operation(full, pairs) : operation(full, complex);
  } else {
    const Block part{data, lines.stride(), width};
    row_modes_.pairs(b) ? operation(part, pairs) : operation(part, complex);
  }
}

void HostPoissonModes::forward_block(const Lines& lines, int block, int other, double* work) const {
  with_block(lines, block, other, [&](const auto& b, auto pairs) {
    const LineTransform& line = *line_[lines.axis];
    line.load_cells(work, [&](int i) { return b.get(i); });
    line.unload_modes<pairs()>(work, [&](int m, ComplexLanes x) { b.put(m, x); });
  });
}

void HostPoissonModes::backward_block(const Lines& lines, int block, int other, double* work) const {
  with_block(lines, block, other, [&](const auto& b, auto pairs) {
    const LineTransform& line = *line_[lines.axis];
    line.load_modes<pairs()>(work, [&](int m) { return b.get(m); });
    line.unload_cells(work, [&](int i, ComplexLanes x) { b.put(i, x); });
  });
}

void HostPoissonModes::forward_lines(Queue&, const ModeArray& array, int axis) {
  const KernelTimer timer(line_record_, array.box.count());
  const Lines lines{array, axis};
  const int others = lines.others(), blocks = lines.blocks();
#pragma omp parallel num_threads(threads_)
  {
    double* const mine = work(omp_get_thread_num());
#pragma omp for collapse(2) schedule(static)
    for (int o = 0; o < others; ++o) {
      for (int b = 0; b < blocks; ++b) {
        forward_block(lines, b, o, mine);
      }
    }
  }
}

void HostPoissonModes::backward_lines(Queue&, const ModeArray& array, int axis) {
  const KernelTimer timer(line_record_, array.box.count());
  const Lines lines{array, axis};
  const int others = lines.others(), blocks = lines.blocks();
#pragma omp parallel num_threads(threads_)
  {
    double* const mine = work(omp_get_thread_num());
#pragma omp for collapse(2) schedule(static)
    for (int o = 0; o < others; ++o) {
      for (int b = 0; b < blocks; ++b) {
        backward_block(lines, b, o, mine);
      }
    }
  }
}

// --- the last axis ---------------------------------------------------------------------------------------------------

template <bool pairs, class B>
void HostPoissonModes::divide_block(const B& block, const Lines& lines, int b, int other, double* work,
                                    double* work2) const {
  const LineTransform& line = *line_[lines.axis];
  const double* const along = eigenvalue_[lines.axis].data();
  const std::int64_t place = (lines.first_block() + b) * block_doubles;
  const int width = row_modes_.width(lines.first_block() + b);
  const Lanes others = all(eigenvalue_of_other(lines, other)), scale = all(scale_);
  const double* const row = eigenvalue_[0].data() + place;
  const Lanes lambda_re = load_first(row, width) + others, lambda_im = load_first(row + width, width) + others;
  // The constant mode, whose eigenvalue is zero: the mean of phi.
  const int a = lines.axis == 1 ? 2 : 1;
  const bool has_mean = place == 0 && lines.array.box.begin[a] + other == 0;
  line.load_cells(work, [&](int i) { return block.get(i); });
  line.unload_modes<pairs>(work, [&](int m, ComplexLanes x) {
    const Lanes z = all(along[m]);
    const Lanes factor = scale / (lambda_re + z);
    ComplexLanes y{x.re * factor, {}};
    if constexpr (pairs) {
      y.im = x.im * (scale / (lambda_im + z));
    } else {
      y.im = x.im * factor;
    }
    store_complex(work2, m, y);
    if (has_mean && m == 0) {
      work2[0] = 0.0;
      if (!pairs || width < 1) {
        work2[lane_count] = 0.0;
      }
    }
  });
  line.load_modes<pairs>(work, [&](int m) { return load_complex(work2, m); });
  line.unload_cells(work, [&](int i, ComplexLanes x) { block.put(i, x); });
}

template <int blocks, bool pairs>
void HostPoissonModes::solve_blocks(const Lines& lines, int b, int other, double* work) const {
  constexpr int columns = pairs ? 2 * blocks : blocks, sides = pairs ? 1 : 2;
  const Tridiagonal& matrix = axes_[lines.axis].matrix;
  Block block[blocks];
  Lanes lambda[columns];
  const double others = eigenvalue_of_other(lines, other);
  const int a = lines.axis == 1 ? 2 : 1;
  const std::int64_t first = lines.first_block() + b;
  const bool has_mean = first == 0 && lines.array.box.begin[a] + other == 0;
  for (int c = 0; c < blocks; ++c) {
    const int width = row_modes_.width(first + c);
    block[c] = {lines.data(b + c, other), lines.stride(), width};
    const double* const row = eigenvalue_[0].data() + (first + c) * block_doubles;
    // Lanes without a line: any matrix that can be inverted.
    alignas(64) double re[lane_count], im[lane_count];
    for (int l = 0; l < lane_count; ++l) {
      re[l] = l < width ? row[l] + others : -1.0;
      im[l] = l < width ? row[width + l] + others : -1.0;
      const double safe = -1.0 / (matrix.width[0] * matrix.width[0]);
      re[l] = re[l] == 0.0 ? safe : re[l];
      im[l] = im[l] == 0.0 ? safe : im[l];
    }
    if constexpr (pairs) {
      lambda[2 * c] = load(re);
      lambda[2 * c + 1] = load(im);
    } else {
      lambda[c] = load(re);
    }
  }
  const int n = matrix.size();
  double* const mean_line = work + 2 * buffer_doubles_ + lane_count * row_doubles_;
  double* const mean_data = lines.data(b, other);
  if (has_mean) {
    for (int i = 0; i < n; ++i) {
      mean_line[i] = scale_ * mean_data[i * lines.stride()];
    }
    solve_singular(matrix, {mean_line, static_cast<std::size_t>(n)});
  }
  const auto part = [&](int c, int s) { return pairs ? c % 2 : s; };
  const auto get = [&](int i, int c, int s) {
    const Block& from = block[pairs ? c / 2 : c];
    const double* const p = from.data + i * from.stride + part(c, s) * from.width;
    return from.width == lane_count ? load(p) : load_first(p, from.width);
  };
  const auto put = [&](int i, int c, int s, Lanes x) {
    const Block& to = block[pairs ? c / 2 : c];
    double* const p = to.data + i * to.stride + part(c, s) * to.width;
    to.width == lane_count ? store(p, x) : store_first(p, to.width, x);
  };
  tridiagonal_solve<columns, sides>(matrix, lambda, scale_, work, get, put);
  if (has_mean) {
    for (int i = 0; i < n; ++i) {
      mean_data[i * lines.stride()] = mean_line[i];
    }
    if (!row_modes_.pairs(0)) {  // the imaginary part of a real mode (odd lengths)
      for (int i = 0; i < n; ++i) {
        mean_data[i * lines.stride() + block[0].width] = 0.0;
      }
    }
  }
}

void HostPoissonModes::solve_group(const Lines& lines, int b, int count, int other, double* work) const {
  constexpr int half = group / 2;
  for (int c = 0; c < count;) {
    const std::int64_t global = lines.first_block() + b + c;
    const bool pairs = row_modes_.pairs(global);
    // Which blocks go together changes nothing in any lane.
    int together = 1;
    while (c + together < count && row_modes_.pairs(global + together) == pairs) {
      ++together;
    }
    if (pairs) {
      together >= half ? solve_blocks<half, true>(lines, b + c, other, work)
                       : solve_blocks<1, true>(lines, b + c, other, work);
      c += together >= half ? half : 1;
    } else {
      together >= group ? solve_blocks<group, false>(lines, b + c, other, work)
                        : solve_blocks<1, false>(lines, b + c, other, work);
      c += together >= group ? group : 1;
    }
  }
}

void HostPoissonModes::solve_rows(const ModeArray& array, int j, int k, double* work) const {
  const Tridiagonal& matrix = axes_[0].matrix;
  const int n = matrix.size(), count = std::min(lane_count, array.ny() - j);
  double* const columns = work + lane_count * ((tridiagonal_work(n, 1, 1) + 7) / 8);
  double* rows[lane_count];
  alignas(64) double lambda_of[lane_count];
  const double safe = -1.0 / (matrix.width[0] * matrix.width[0]);
  bool has_mean = false;
  for (int r = 0; r < lane_count; ++r) {
    rows[r] = r < count ? array.data + (j + r) * array.stride_j + k * array.stride_k
                        : work + 2 * buffer_doubles_ + r * row_doubles_;
    const double lambda =
        r < count ? eigenvalue_[1][array.box.begin[1] + j + r] + eigenvalue_[2][array.box.begin[2] + k] : safe;
    has_mean = has_mean || lambda == 0.0;
    lambda_of[r] = lambda == 0.0 ? safe : lambda;
  }
  double* const mean_line = work + 2 * buffer_doubles_ + lane_count * row_doubles_;
  if (has_mean) {  // row 0 of the global modes
    for (int i = 0; i < n; ++i) {
      mean_line[i] = scale_ * rows[0][i];
    }
    solve_singular(matrix, {mean_line, static_cast<std::size_t>(n)});
  }
  int i = 0;
  Lanes column[lane_count];
  for (; i + lane_count <= n; i += lane_count) {
    const double* at[lane_count];
    for (int r = 0; r < lane_count; ++r) {
      at[r] = rows[r] + i;
    }
    load_columns(at, column);
    for (int c = 0; c < lane_count; ++c) {
      store(columns + lane_count * (i + c), column[c]);
    }
  }
  for (; i < n; ++i) {
    for (int r = 0; r < lane_count; ++r) {
      columns[lane_count * i + r] = rows[r][i];
    }
  }
  const Lanes lambda[1] = {load(lambda_of)};
  tridiagonal_solve<1, 1>(
      matrix, lambda, scale_, work, [&](int c, int, int) { return load(columns + lane_count * c); },
      [&](int c, int, int, Lanes x) { store(columns + lane_count * c, x); });
  for (i = 0; i + lane_count <= n; i += lane_count) {
    double* at[lane_count];
    for (int r = 0; r < lane_count; ++r) {
      column[r] = load(columns + lane_count * (i + r));
      at[r] = rows[r] + i;
    }
    store_columns(at, column);
  }
  for (; i < n; ++i) {
    for (int r = 0; r < lane_count; ++r) {
      rows[r][i] = columns[lane_count * i + r];
    }
  }
  if (has_mean) {
    std::copy(mean_line, mean_line + n, rows[0]);
  }
}

void HostPoissonModes::solve(Queue&, const ModeArray& array) {
  const KernelTimer timer(solve_record_, array.box.count());
  if (solve_axis_ == 0) {
    const int nz = array.nz(), eights = (array.ny() + lane_count - 1) / lane_count;
#pragma omp parallel num_threads(threads_)
    {
      double* const mine = work(omp_get_thread_num());
#pragma omp for collapse(2) schedule(static)
      for (int k = 0; k < nz; ++k) {
        for (int e = 0; e < eights; ++e) {
          solve_rows(array, e * lane_count, k, mine);
        }
      }
    }
    return;
  }
  const Lines lines{array, solve_axis_};
  const int others = lines.others(), blocks = lines.blocks();
  const bool direct = axes_[solve_axis_].tridiagonal;
  const int step = direct ? group : 1, groups = (blocks + step - 1) / step;
#pragma omp parallel num_threads(threads_)
  {
    double* const mine = work(omp_get_thread_num());
#pragma omp for collapse(2) schedule(static)
    for (int o = 0; o < others; ++o) {
      for (int g = 0; g < groups; ++g) {
        if (direct) {
          solve_group(lines, g * step, std::min(step, blocks - g * step), o, mine);
        } else {
          with_block(lines, g, o, [&](const auto& block, auto pairs) {
            divide_block<pairs()>(block, lines, g, o, mine, mine + buffer_doubles_);
          });
        }
      }
    }
  }
}

}  // namespace

std::unique_ptr<PoissonModes> create_poisson_modes(Queue& queue, const std::array<PoissonAxis, 3>& axes,
                                                   int solve_axis) {
  return std::make_unique<HostPoissonModes>(queue, axes, solve_axis);
}

}  // namespace halyard::host
