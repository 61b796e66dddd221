#include "kernels/transform/cuda/poisson_modes.hpp"

#include <cufft.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/device/buffer.hpp"
#include "kernels/device/cuda/check.cuh"
#include "kernels/device/cuda/parallel_for.cuh"
#include "kernels/device/error.hpp"

namespace halyard::cuda {

namespace {

void check_cufft(cufftResult status, const char* call, const char* file, int line) {
  if (status != CUFFT_SUCCESS) {
    throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed with cuFFT status " +
                std::to_string(static_cast<int>(status)));
  }
}
#define HALYARD_CUFFT_CHECK(call) check_cufft((call), #call, __FILE__, __LINE__)

struct Complex {
  double re, im;
};
KERNEL Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
KERNEL Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
KERNEL Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
KERNEL Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }
KERNEL Complex conjugate(Complex a) { return {a.re, -a.im}; }
KERNEL Complex times_i(Complex a) { return {-a.im, a.re}; }

/// Where numbers lie: rows of a ModeArray, and a work array of complex lines, element e of line l at e * element_stride
/// + l * line_stride.
struct Geometry {
  double* data;
  std::int64_t stride_j, stride_k;
  Complex* work;
  std::int64_t element_stride, line_stride;
  std::int64_t first_line;  // of the block's lines, in this batch
  int n;                    // elements of a line
  int axis;                 // of the lines
  int columns;              // complex numbers in a row of the block
  int modes;                // in a whole row
  int first_column;         // of the block, in a whole row
  int ny;                   // rows in a plane of the block
  bool row_complex, row_even;
  const Complex* quarter;  // exp(-pi i' m / 2n)

  KERNEL Complex& element(int e, int line) const { return work[e * element_stride + line * line_stride]; }
  /// Of the columns along y or z: the address of the real part of element e, and how far behind the imaginary one is.
  KERNEL double* address(int e, int line, int& behind, bool& pairs) const {
    const std::int64_t l = first_line + line;
    const int column = static_cast<int>(l % columns);
    const std::int64_t other = l / columns;
    const int block = column / RowModes::block_modes;
    const int left = modes - first_column - block * RowModes::block_modes;
    behind = left < RowModes::block_modes ? left : RowModes::block_modes;
    pairs = !row_complex || (row_even && first_column + column < RowModes::block_modes);
    return data + 2 * RowModes::block_modes * block + column % RowModes::block_modes +
           (axis == 1 ? e * stride_j + other * stride_k : other * stride_j + e * stride_k);
  }
  KERNEL double* row(int line) const {
    const std::int64_t l = first_line + line;
    return data + l % ny * stride_j + l / ny * stride_k;
  }
  /// Makhoul's order for the cosine transform: even cells ascending, then odd ones descending.
  KERNEL int place(int i, bool cosine) const { return !cosine ? i : i % 2 == 0 ? i / 2 : n - 1 - i / 2; }
  /// Of the real part of complex mode m in a row.
  KERNEL int row_place(int m, int& behind) const {
    const int block = m / RowModes::block_modes, left = modes - block * RowModes::block_modes;
    behind = left < RowModes::block_modes ? left : RowModes::block_modes;
    return 2 * RowModes::block_modes * block + m % RowModes::block_modes;
  }
};

// --- x: i is the place in the row, j the row
// --------------------------------------------------------------------------

struct PoissonRowsToWork {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 24, .flops = 0};
  KERNEL void operator()(int i, int j, int) const { g.element(g.place(i, cosine), j) = {g.row(j)[i], 0.0}; }
};

struct PoissonWorkToRowModes {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 24, .flops = 4};
  KERNEL void operator()(int m, int j, int) const {
    double* const row = g.row(j);
    const Complex v = g.element(m, j);
    if (cosine) {
      row[m] = (g.quarter[m] * v).re;
      if (m == 0 && g.n % 2 != 0) {
        row[g.n] = 0.0;
      }
    } else if (m < g.modes) {
      int behind = 0;
      const int place = g.row_place(m, behind);
      row[place] = v.re;
      row[place + behind] = m == 0 ? (g.n % 2 == 0 ? g.element(g.n / 2, j).re : 0.0) : v.im;
    }
  }
};

struct PoissonRowModesToWork {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 24, .flops = 4};
  KERNEL void operator()(int m, int j, int) const {
    const double* const row = g.row(j);
    if (cosine) {
      g.element(m, j) = conjugate(g.quarter[m]) * Complex{row[m], m == 0 ? 0.0 : -row[g.n - m]};
      return;
    }
    int behind = 0;
    const int low = m <= g.n - m ? m : g.n - m;
    if (g.n % 2 == 0 && low == g.n / 2) {
      const int first = g.row_place(0, behind);
      g.element(m, j) = {row[first + behind], 0.0};
      return;
    }
    const int place = g.row_place(low, behind);
    const Complex x{row[place], low == 0 ? 0.0 : row[place + behind]};
    g.element(m, j) = low == m ? x : conjugate(x);
  }
};

struct PoissonWorkToRows {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 24, .flops = 0};
  KERNEL void operator()(int i, int j, int) const { g.row(j)[i] = g.element(g.place(i, cosine), j).re; }
};

/// An untransformed row of odd length gets its padding.
struct PoissonClearPadding {
  Geometry g;
  static constexpr Cost cost{.bytes = 8, .flops = 0};
  KERNEL void operator()(int, int j, int) const { g.row(j)[g.n] = 0.0; }
};

// --- y and z: i is the line, j the element
// ----------------------------------------------------------------------------

struct PoissonCellsToWork {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 32, .flops = 0};
  KERNEL void operator()(int line, int e, int) const {
    int behind = 0;
    bool pairs = false;
    const double* const p = g.address(e, line, behind, pairs);
    g.element(g.place(e, cosine), line) = {p[0], p[behind]};
  }
};

struct PoissonWorkToModes {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 32, .flops = 8};
  KERNEL void operator()(int line, int m, int) const {
    int behind = 0;
    bool pairs = false;
    double* const p = g.address(m, line, behind, pairs);
    const Complex v = g.element(m, line), mirror = g.element(m == 0 ? 0 : g.n - m, line);
    Complex x = v;
    if (cosine) {
      const Complex w = g.quarter[m];
      x = 0.5 * (w * v + conjugate(w) * mirror);
    } else if (pairs && m != 0 && 2 * m != g.n) {
      // Half-complex lines: real parts of both at m < n/2, imaginary parts at n - m.
      x = 2 * m < g.n ? 0.5 * (v + mirror) : 0.5 * times_i(v - mirror);
    }
    p[0] = x.re;
    p[behind] = x.im;
  }
};

struct PoissonModesToWork {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 48, .flops = 8};
  KERNEL void operator()(int line, int m, int) const {
    int behind = 0;
    bool pairs = false;
    const double* const p = g.address(m, line, behind, pairs);
    Complex x{p[0], p[behind]};
    if (m != 0 && (cosine || (pairs && 2 * m != g.n))) {
      const double* const q = g.address(g.n - m, line, behind, pairs);
      const Complex mirror{q[0], q[behind]};
      if (cosine) {
        x = conjugate(g.quarter[m]) * (x - times_i(mirror));
      } else {
        x = 2 * m < g.n ? x + times_i(mirror) : mirror - times_i(x);
      }
    }
    g.element(m, line) = x;
  }
};

struct PoissonWorkToCells {
  Geometry g;
  bool cosine;
  static constexpr Cost cost{.bytes = 32, .flops = 0};
  KERNEL void operator()(int line, int e, int) const {
    int behind = 0;
    bool pairs = false;
    double* const p = g.address(e, line, behind, pairs);
    const Complex x = g.element(g.place(e, cosine), line);
    p[0] = x.re;
    p[behind] = x.im;
  }
};

/// Modes over the sum of the three eigenvalues; the mean of phi is zero.
struct PoissonDivide {
  View3<double> phi;
  const double *lambda_x, *lambda_y, *lambda_z;
  double scale;
  static constexpr Cost cost{.bytes = 16, .flops = 4};
  KERNEL void operator()(int i, int j, int k) const {
    const double lambda = (lambda_x[i] + (lambda_y[j] + lambda_z[k]));
    phi(i, j, k) = lambda == 0.0 ? 0.0 : phi(i, j, k) * (scale / lambda);
  }
};

/// One thread a line: element e at origin + e * stride. Thomas' algorithm, the last unknown of periodic lines split
/// off; lambda = 0 by summing up fluxes (see solve_singular()).
struct PoissonTridiagonal {
  View3<double> phi;    // i, j: the line's place on the other two axes (in that order)
  std::int64_t stride;  // along the line
  std::int64_t stride_i, stride_j;
  const double *lambda_i, *lambda_j, *width, *coupling;
  int n, lines;
  bool periodic;
  double scale, length;
  double* work;                                          // 2 n numbers a line
  int first_i, first_j, count_i;                         // of this batch of lines
  static constexpr Cost cost{.bytes = 16, .flops = 10};  // per line; the record counts lines

  KERNEL void operator()(int i, int j, int) const {
    double* const x = phi.data + i * stride_i + j * stride_j;
    const std::int64_t step = lines;
    double* const upper = work + (i - first_i) + std::int64_t{j - first_j} * count_i;
    double* const influence = upper + n * step;
    const double lambda = lambda_i[i] + lambda_j[j];
    if (lambda == 0.0) {
      solve_constant(x);
      return;
    }
    const int m = periodic ? n - 1 : n;
    double c = 0.0, q = 0.0, p = 0.0;
    for (int e = 0; e < m; ++e) {
      const double low = coupling[e], high = coupling[e + 1];
      const double last = -((e == 0 ? coupling[0] : 0.0) + (e == m - 1 ? coupling[m] : 0.0));
      const double inverse = 1.0 / (lambda * width[e] - (low + high) - low * c);
      c = high * inverse;
      q = (last - low * q) * inverse;
      p = (width[e] * scale * x[e * stride] - low * p) * inverse;
      upper[e * step] = c;
      influence[e * step] = q;
      x[e * stride] = p;
    }
    for (int e = m - 2; e >= 0; --e) {
      c = upper[e * step];
      p = x[e * stride] - c * p;
      q = influence[e * step] - c * q;
      x[e * stride] = p;
      influence[e * step] = q;
    }
    if (!periodic) {
      return;
    }
    const double low = coupling[m], high = coupling[m + 1];
    const double pivot = lambda * width[m] - (low + high) + low * influence[(m - 1) * step] + high * influence[0];
    const double end = (width[m] * scale * x[m * stride] - low * x[(m - 1) * stride] - high * x[0]) / pivot;
    x[m * stride] = end;
    for (int e = 0; e < m; ++e) {
      x[e * stride] += end * influence[e * step];
    }
  }

  KERNEL void solve_constant(double* x) const {
    double mean = 0.0;
    for (int e = 0; e < n; ++e) {
      mean += width[e] * x[e * stride];
    }
    mean /= length;
    double flux = 0.0, rise = 0.0, distance = 0.0;
    for (int e = 0; e < n && periodic; ++e) {
      flux += width[e] * (x[e * stride] - mean);
      rise += flux / coupling[e + 1];
      distance += 1.0 / coupling[e + 1];
    }
    flux = periodic ? -rise / distance : 0.0;
    double value = 0.0, moment = 0.0;
    for (int e = 0; e < n; ++e) {
      flux += width[e] * (x[e * stride] - mean);
      x[e * stride] = value;
      moment += width[e] * value;
      value += e + 1 < n ? flux / coupling[e + 1] : 0.0;
    }
    for (int e = 0; e < n; ++e) {
      x[e * stride] = scale * (x[e * stride] - moment / length);
    }
  }
};

struct PoissonWeightedSum {
  View3<const double> f;
  const double *weight_x, *weight_y, *weight_z;
  static constexpr Cost cost{.bytes = 8, .flops = 4};
  KERNEL Terms<1> operator()(int i, int j, int k) const {
    return {{f(i, j, k) * weight_x[i] * (weight_y[j] * weight_z[k])}};
  }
};

/// A batch of complex transforms of one length, planned once.
class Batch {
 public:
  Batch(Queue& queue, int n, int lines, bool rows) {
    HALYARD_CUFFT_CHECK(cufftCreate(&plan_));
    int size[1] = {n};
    std::size_t bytes = 0;
    // Rows lie one behind the other; columns side by side.
    const int element = rows ? 1 : lines, line = rows ? n : 1;
    HALYARD_CUFFT_CHECK(
        cufftMakePlanMany(plan_, 1, size, size, element, line, size, element, line, CUFFT_Z2Z, lines, &bytes));
    HALYARD_CUFFT_CHECK(cufftSetStream(plan_, static_cast<cudaStream_t>(queue.stream())));
  }
  ~Batch() {
    if (plan_ != 0) {
      cufftDestroy(plan_);
    }
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void execute(Complex* data, bool inverse) const {
    auto* const z = reinterpret_cast<cufftDoubleComplex*>(data);
    HALYARD_CUFFT_CHECK(cufftExecZ2Z(plan_, z, z, inverse ? CUFFT_INVERSE : CUFFT_FORWARD));
  }

 private:
  cufftHandle plan_ = 0;
};

class CudaPoissonModes final : public PoissonModes {
 public:
  CudaPoissonModes(Queue& queue, const std::array<PoissonAxis, 3>& axes, int solve_axis);

  void forward_rows(Queue& queue, const ModeArray& array, const RowSource* source, bool with_y,
                    ExactSum& total) override;
  void backward_rows(Queue& queue, const ModeArray& array, bool with_y) override;
  void forward_lines(Queue& queue, const ModeArray& array, int axis) override;
  void backward_lines(Queue& queue, const ModeArray& array, int axis) override;
  void solve(Queue& queue, const ModeArray& array) override;

 private:
  static constexpr std::int64_t work_elements = std::int64_t{1} << 21;  // complex numbers in a batch: 32 MiB

  /// Lines in a batch: no more than the whole grid has, and the same on any number of ranks.
  int batch_lines(int axis) const {
    const std::int64_t n = axes_[axis].cells;
    const std::int64_t columns = axis == 0 ? axes_[1].cells : row_modes_.doubles() / 2;
    const std::int64_t lines = columns * axes_[axis == 2 ? 1 : 2].cells;
    return static_cast<int>(std::clamp<std::int64_t>(std::min(lines, work_elements / n), 1, 65536));
  }
  bool cosine(int axis) const { return axes_[axis].basis == Basis::cosine; }
  Geometry geometry(const ModeArray& array, int axis) const;
  /// Calls pass(geometry, lines) for each batch of the block's lines.
  template <class Pass>
  void for_batches(const ModeArray& array, int axis, std::int64_t lines, Pass pass);
  double* table(int which, int axis) { return tables_.data() + offset_[which][axis]; }
  std::int64_t columns(const ModeArray& array) const { return array.box.extent(0) / 2; }

  std::array<std::unique_ptr<Batch>, 3> batch_;
  Buffer<double> tables_;  // eigenvalues, weights, twiddles, matrix
  enum Table { eigenvalues, weights, quarters, widths, couplings, table_count };
  std::array<std::array<std::int64_t, 3>, table_count> offset_{};
  Buffer<double> work_;
};

CudaPoissonModes::CudaPoissonModes(Queue& queue, const std::array<PoissonAxis, 3>& axes, int solve_axis)
    : PoissonModes(axes, solve_axis) {
  std::vector<double> host;
  for (int a = 0; a < 3; ++a) {
    const auto add = [&](Table which, const std::vector<double>& values) {
      host.resize((host.size() + 1) / 2 * 2);  // complex numbers at multiples of 16 bytes
      offset_[which][a] = static_cast<std::int64_t>(host.size());
      host.insert(host.end(), values.begin(), values.end());
    };
    const std::int64_t n = axes_[a].cells;
    std::vector<double> quarter;
    for (std::int64_t m = 0; m < n; ++m) {
      const long double angle =
          -std::numbers::pi_v<long double> * static_cast<long double>(m) / (2.0L * static_cast<long double>(n));
      quarter.push_back(static_cast<double>(std::cos(angle)));
      quarter.push_back(static_cast<double>(std::sin(angle)));
    }
    add(eigenvalues, eigenvalue_[a]);
    add(weights, weight_[a]);
    add(quarters, quarter);
    add(widths, axes_[a].matrix.width);
    add(couplings, axes_[a].matrix.coupling);
    if (!axes_[a].tridiagonal) {
      batch_[a] = std::make_unique<Batch>(queue, static_cast<int>(n), batch_lines(a), a == 0);
    }
  }
  tables_ = Buffer<double>(queue, host.size(), "Poisson tables");
  copy_bytes(queue, tables_.data(), host.data(), tables_.bytes());
  std::int64_t most = 0;
  for (int a = 0; a < 3; ++a) {
    most = std::max(most, 2 * axes_[a].cells * batch_lines(a));
  }
  work_ = Buffer<double>(queue, static_cast<std::size_t>(most), "Poisson work lines");
  queue.wait();
}

Geometry CudaPoissonModes::geometry(const ModeArray& array, int axis) const {
  Geometry g{};
  g.data = array.data;
  g.stride_j = array.stride_j;
  g.stride_k = array.stride_k;
  g.work = reinterpret_cast<Complex*>(const_cast<double*>(work_.data()));
  g.n = static_cast<int>(axes_[axis].cells);
  g.axis = axis;
  g.element_stride = axis == 0 ? 1 : batch_lines(axis);
  g.line_stride = axis == 0 ? g.n : 1;
  g.columns = static_cast<int>(columns(array));
  g.modes = static_cast<int>(row_modes_.modes());
  g.first_column = static_cast<int>(array.box.begin[0] / 2);
  g.ny = array.ny();
  g.row_complex = row_modes_.complex();
  g.row_even = row_modes_.nx() % 2 == 0;
  g.quarter = reinterpret_cast<const Complex*>(tables_.data() + offset_[quarters][axis]);
  return g;
}

template <class Pass>
void CudaPoissonModes::for_batches(const ModeArray& array, int axis, std::int64_t lines, Pass pass) {
  Geometry g = geometry(array, axis);
  const int most = batch_lines(axis);
  for (std::int64_t first = 0; first < lines; first += most) {
    g.first_line = first;
    pass(g, static_cast<int>(std::min<std::int64_t>(most, lines - first)));
  }
}

void CudaPoissonModes::forward_rows(Queue& queue, const ModeArray& array, const RowSource* source, bool with_y,
                                    ExactSum& total) {
  if (source != nullptr) {
    throw Error("the Poisson solver on CUDA takes its right-hand side from the array");
  }
  const int nx = static_cast<int>(axes_[0].cells);
  ExactSum sum[1];
  const View3<const double> f{array.data, array.stride_j, array.stride_k};
  reduce_sum(queue, {0, nx, 0, array.ny(), 0, array.nz()},
             PoissonWeightedSum{f, table(weights, 0), table(weights, 1) + array.box.begin[1],
                                table(weights, 2) + array.box.begin[2]},
             sum);
  total.add(sum[0]);
  for_batches(array, 0, std::int64_t{array.ny()} * array.nz(), [&](const Geometry& g, int lines) {
    const Range3 range{0, nx, 0, lines, 0, 1};
    if (batch_[0]) {
      parallel_for(queue, range, PoissonRowsToWork{g, cosine(0)});
      batch_[0]->execute(g.work, false);
      parallel_for(queue, range, PoissonWorkToRowModes{g, cosine(0)});
    } else if (nx % 2 != 0) {
      parallel_for(queue, {0, 1, 0, lines, 0, 1}, PoissonClearPadding{g});
    }
  });
  if (with_y) {
    forward_lines(queue, array, 1);
  }
}

void CudaPoissonModes::backward_rows(Queue& queue, const ModeArray& array, bool with_y) {
  if (with_y) {
    backward_lines(queue, array, 1);
  }
  if (!batch_[0]) {
    return;
  }
  for_batches(array, 0, std::int64_t{array.ny()} * array.nz(), [&](const Geometry& g, int lines) {
    const Range3 range{0, g.n, 0, lines, 0, 1};
    parallel_for(queue, range, PoissonRowModesToWork{g, cosine(0)});
    batch_[0]->execute(g.work, true);
    parallel_for(queue, range, PoissonWorkToRows{g, cosine(0)});
  });
}

void CudaPoissonModes::forward_lines(Queue& queue, const ModeArray& array, int axis) {
  const std::int64_t lines_in_block = columns(array) * (axis == 1 ? array.nz() : array.ny());
  for_batches(array, axis, lines_in_block, [&](const Geometry& g, int lines) {
    const Range3 range{0, lines, 0, g.n, 0, 1};
    parallel_for(queue, range, PoissonCellsToWork{g, cosine(axis)});
    batch_[axis]->execute(g.work, false);
    parallel_for(queue, range, PoissonWorkToModes{g, cosine(axis)});
  });
}

void CudaPoissonModes::backward_lines(Queue& queue, const ModeArray& array, int axis) {
  const std::int64_t lines_in_block = columns(array) * (axis == 1 ? array.nz() : array.ny());
  for_batches(array, axis, lines_in_block, [&](const Geometry& g, int lines) {
    const Range3 range{0, lines, 0, g.n, 0, 1};
    parallel_for(queue, range, PoissonModesToWork{g, cosine(axis)});
    batch_[axis]->execute(g.work, true);
    parallel_for(queue, range, PoissonWorkToCells{g, cosine(axis)});
  });
}

void CudaPoissonModes::solve(Queue& queue, const ModeArray& array) {
  const int a = solve_axis_;
  const int nx = static_cast<int>(array.box.extent(0));
  if (!axes_[a].tridiagonal) {
    forward_lines(queue, array, a);
    parallel_for(queue, {0, nx, 0, array.ny(), 0, array.nz()},
                 PoissonDivide{{array.data, array.stride_j, array.stride_k},
                               table(eigenvalues, 0) + array.box.begin[0],
                               table(eigenvalues, 1) + array.box.begin[1],
                               table(eigenvalues, 2) + array.box.begin[2],
                               scale_});
    backward_lines(queue, array, a);
    return;
  }
  const int first = a == 0 ? 1 : 0, second = a == 2 ? 1 : 2;  // the other two axes
  const std::int64_t strides[3] = {1, array.stride_j, array.stride_k};
  PoissonTridiagonal kernel{};
  kernel.phi = {array.data, array.stride_j, array.stride_k};
  kernel.stride = strides[a];
  kernel.stride_i = strides[first];
  kernel.stride_j = strides[second];
  kernel.lambda_i = table(eigenvalues, first) + array.box.begin[first];
  kernel.lambda_j = table(eigenvalues, second) + array.box.begin[second];
  kernel.width = table(widths, a);
  kernel.coupling = table(couplings, a);
  kernel.n = static_cast<int>(axes_[a].cells);
  kernel.periodic = axes_[a].matrix.periodic;
  kernel.scale = scale_;
  for (const double width : axes_[a].matrix.width) {
    kernel.length += width;
  }
  kernel.work = work_.data();
  const auto count_i = static_cast<int>(array.box.extent(first)), count_j = static_cast<int>(array.box.extent(second));
  // As many lines at once as the work array holds.
  const int most = batch_lines(a), step_i = std::min(count_i, most), step_j = std::max(1, most / std::max(step_i, 1));
  for (int j = 0; j < count_j; j += step_j) {
    for (int i = 0; i < count_i; i += step_i) {
      const Range3 range{i, std::min(i + step_i, count_i), j, std::min(j + step_j, count_j), 0, 1};
      kernel.first_i = range.i0;
      kernel.first_j = range.j0;
      kernel.count_i = range.i1 - range.i0;
      kernel.lines = kernel.count_i * (range.j1 - range.j0);
      parallel_for(queue, range, kernel);
    }
  }
}

}  // namespace

std::unique_ptr<PoissonModes> create_poisson_modes(Queue& queue, const std::array<PoissonAxis, 3>& axes,
                                                   int solve_axis) {
  return std::make_unique<CudaPoissonModes>(queue, axes, solve_axis);
}

}  // namespace halyard::cuda
