#include "kernels/transform/poisson_modes.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>

#include "kernels/device/buffer.hpp"
#include "tests/kernels/transform/support.hpp"

namespace halyard {
namespace {

/// The device under test: the host, or what HALYARD_TEST_DEVICE=cuda asks for.
Device device() {
  const char* const word = std::getenv("HALYARD_TEST_DEVICE");
  return word != nullptr && std::string(word) == "cuda" ? Device::cuda : Device::host;
}

/// A whole domain on one rank: axes, the array, and the passes in the order that the last axis asks for.
struct Domain {
  Queue queue{device()};
  std::array<PoissonAxis, 3> axes;
  int solve_axis = 2;
  int n[3];
  std::int64_t stride_j, stride_k;
  std::vector<double> data;

  Domain(const Index3& cells, const std::array<bool, 3>& periodic, int stretched)
      : n{static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2])} {
    solve_axis = stretched >= 0 ? stretched : n[2] > 1 ? 2 : 1;
    for (int a = 0; a < 3; ++a) {
      axes[a].cells = cells[a];
      axes[a].basis = periodic[a] ? Basis::fourier : Basis::cosine;
      axes[a].dx = (1.0 + 0.3 * a) / static_cast<double>(cells[a]);
      axes[a].tridiagonal = a == stretched;
      axes[a].matrix.periodic = periodic[a];
      for (int i = 0; i < n[a]; ++i) {
        const double s = std::sin(std::numbers::pi * (i + 0.5) / n[a]);
        axes[a].matrix.width.push_back(a == stretched ? axes[a].dx * (1.0 + 20.0 * s * s) : axes[a].dx);
      }
      for (int face = 0; face <= n[a]; ++face) {
        const auto& width = axes[a].matrix.width;
        const bool wall = !periodic[a] && (face == 0 || face == n[a]);
        axes[a].matrix.coupling.push_back(wall ? 0.0 : 2.0 / (width[(face + n[a] - 1) % n[a]] + width[face % n[a]]));
      }
    }
    stride_j = (cells[0] + 9) / 8 * 8;
    stride_k = stride_j * (cells[1] + 1);
    data.assign(static_cast<std::size_t>(stride_k * cells[2]), 1e300);
  }

  double& at(std::vector<double>& array, int i, int j, int k) const { return array[i + j * stride_j + k * stride_k]; }

  void fill(std::uint64_t seed) {
    test::Random random(seed);
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          at(data, i, j, k) = random.next();
        }
      }
    }
  }

  double volume(int i, int j, int k) const {
    return axes[0].matrix.width[i] * axes[1].matrix.width[j] * axes[2].matrix.width[k];
  }

  double mean(std::vector<double>& array) const {
    double total = 0.0, size = 0.0;
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          total += volume(i, j, k) * at(array, i, j, k);
          size += volume(i, j, k);
        }
      }
    }
    return total / size;
  }

  /// `pieces`: rows and lines are worked off in pieces of so many rows, as on several ranks.
  double solve(int pieces = 1, const RowSource* source = nullptr) {
    const auto modes = PoissonModes::create(queue, axes, solve_axis);
    const std::int64_t doubles = modes->row_modes().doubles();
    Buffer<double> there;
    double* begin = data.data();
    if (queue.device() != Device::host) {
      there = Buffer<double>(queue, data.size(), "modes");
      copy_bytes(queue, there.data(), data.data(), there.bytes());
      begin = there.data();
    }
    const auto part = [&](int axis, int piece) {
      ModeArray array{begin, stride_j, stride_k, {{0, 0, 0}, {doubles, n[1], n[2]}}};
      const auto range = even_part(axis == 0 ? modes->row_modes().blocks() : n[axis], pieces, piece);
      const std::int64_t unit = axis == 0 ? 16 : 1, stride = axis == 0 ? 16 : axis == 1 ? stride_j : stride_k;
      array.data += range[0] * stride;
      array.box.begin[axis] = range[0] * unit;
      array.box.end[axis] = axis == 0 ? std::min(range[1] * unit, doubles) : range[1];
      array.box.begin[axis] = std::min(array.box.begin[axis], array.box.end[axis]);
      return array;
    };
    ExactSum total;
    const bool with_y = pieces == 1 && solve_axis != 1;
    for (int p = 0; p < pieces; ++p) {
      modes->forward_rows(queue, part(1, p), source, with_y, total);
    }
    const int middle[2] = {solve_axis == 1 ? 2 : 1, solve_axis == 0 ? 2 : -1};
    for (int m = 0; m < 2; ++m) {
      for (int p = 0; p < pieces && middle[m] > 0 && !(with_y && middle[m] == 1); ++p) {
        modes->forward_lines(queue, part(middle[m] == 1 ? 2 : 0, p), middle[m]);
      }
    }
    for (int p = 0; p < pieces; ++p) {
      modes->solve(queue, part(solve_axis == 0 ? 1 : 0, p));
    }
    for (int m = 1; m >= 0; --m) {
      for (int p = 0; p < pieces && middle[m] > 0 && !(with_y && middle[m] == 1); ++p) {
        modes->backward_lines(queue, part(middle[m] == 1 ? 2 : 0, p), middle[m]);
      }
    }
    for (int p = 0; p < pieces; ++p) {
      modes->backward_rows(queue, part(1, p), with_y);
    }
    if (there.data() != nullptr) {
      copy_bytes(queue, data.data(), there.data(), there.bytes());
      queue.wait();
    }
    double size = 1.0;
    for (const PoissonAxis& axis : axes) {
      double length = 0.0;
      for (const double width : axis.matrix.width) {
        length += width;
      }
      size *= length;
    }
    return total.value() / size;
  }

  /// The largest |lap(phi) - f + mean| over eps max|phi| sum over axes of 4 / dx^2, and |mean(phi)| over eps max|phi|.
  std::array<double, 2> defects(std::vector<double>& f, double mean_f) {
    double largest_phi = 0.0, worst = 0.0, coefficient = 0.0;
    for (int a = 0; a < 3; ++a) {
      double largest = 0.0;
      for (int i = 0; i < n[a] && n[a] > 1; ++i) {
        const Tridiagonal& m = axes[a].matrix;
        largest = std::max(largest, 2.0 * (m.coupling[i] + m.coupling[i + 1]) / m.width[i]);
      }
      coefficient += largest;
    }
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          const int index[3] = {i, j, k};
          const double centre = at(data, i, j, k);
          largest_phi = std::max(largest_phi, std::abs(centre));
          double laplacian = 0.0;
          for (int a = 0; a < 3; ++a) {
            const Tridiagonal& m = axes[a].matrix;
            int up[3] = {i, j, k}, down[3] = {i, j, k};
            up[a] = (index[a] + 1) % n[a];
            down[a] = (index[a] + n[a] - 1) % n[a];
            const double flux_up = m.coupling[index[a] + 1] * (at(data, up[0], up[1], up[2]) - centre);
            const double flux_down = m.coupling[index[a]] * (centre - at(data, down[0], down[1], down[2]));
            laplacian += (flux_up - flux_down) / m.width[index[a]];
          }
          worst = std::max(worst, std::abs(laplacian - (at(f, i, j, k) - mean_f)));
        }
      }
    }
    constexpr double eps = 2.3e-16;
    return {worst / (eps * (largest_phi * coefficient + 1.0)), std::abs(mean(data)) / (eps * largest_phi + 1e-300)};
  }
};

// The transforms' round-off is of the order of eps log2(n) of the norm of phi, whose largest element is within a small
// factor: 10 as the flow solver promises for the divergence (worst seen: see the printed value).
constexpr double residual_bound = 10.0;

TEST(PoissonModes, SolvesEveryBoundaryPairOnOddAndEvenSizes) {
  const Index3 sizes[] = {{16, 17, 34}, {17, 34, 16}, {34, 16, 17}, {5, 2, 97}, {97, 5, 2}, {2, 97, 5},
                          {1, 16, 17},  {16, 1, 17},  {16, 17, 1},  {64, 1, 1}, {1, 64, 1}, {1, 1, 64},
                          {1, 1, 1},    {64, 128, 5}, {30, 8, 128}, {8, 30, 64}};
  double worst = 0.0;
  for (const Index3& cells : sizes) {
    for (int b = 0; b < 8; ++b) {
      for (int stretched = -1; stretched < 3; ++stretched) {
        if (stretched >= 0 && cells[stretched] == 1) {
          continue;
        }
        Domain domain(cells, {(b & 1) != 0, (b & 2) != 0, (b & 4) != 0}, stretched);
        domain.fill(7);
        std::vector<double> f = domain.data;
        const double mean = domain.solve();
        EXPECT_NEAR(mean, domain.mean(f), 1e-14);  // sums of numbers below 1 in another order
        const auto [residual, phi_mean] = domain.defects(f, mean);
        worst = std::max(worst, residual);
        EXPECT_LE(residual, residual_bound)
            << cells[0] << ' ' << cells[1] << ' ' << cells[2] << " periodic " << b << " stretched " << stretched;
        // A sum of up to 1e5 rounded numbers.
        EXPECT_LE(phi_mean, 50.0) << cells[0] << ' ' << cells[1] << ' ' << cells[2] << " periodic " << b
                                  << " stretched " << stretched;
      }
    }
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("worst residual %.2f eps (max|phi| 4/dx^2 + max|f|)\n", worst);
}

TEST(PoissonModes, BitsDoNotDependOnThreadsOrPieces) {
  for (const int stretched : {-1, 0, 1, 2}) {
    for (const bool periodic : {false, true}) {
      const Index3 cells{37, 22, 19};
      std::vector<double> reference;
      double reference_mean = 0.0;
      for (const int threads : {1, 2}) {
        for (const int pieces : {1, 2, 3, 7}) {
          omp_set_num_threads(threads);
          Domain domain(cells, {periodic, periodic, !periodic}, stretched);
          domain.fill(11);
          const double mean = domain.solve(pieces);
          if (reference.empty()) {
            reference = domain.data;
            reference_mean = mean;
          }
          EXPECT_EQ(mean, reference_mean);
          bool same = true;
          for (int k = 0; k < domain.n[2]; ++k) {
            for (int j = 0; j < domain.n[1]; ++j) {
              same = same && std::memcmp(&domain.at(domain.data, 0, j, k), &domain.at(reference, 0, j, k),
                                         sizeof(double) * domain.n[0]) == 0;
            }
          }
          EXPECT_TRUE(same) << "threads " << threads << " pieces " << pieces << " stretched " << stretched;
        }
      }
      omp_set_num_threads(2);
    }
  }
}

TEST(PoissonModes, ARowSourceGivesTheSameBitsAsTheArray) {
  if (device() != Device::host) {
    GTEST_SKIP() << "a row source is for the host";
  }
  for (const int stretched : {-1, 0}) {
    Domain domain({20, 13, 9}, {true, false, true}, stretched);
    domain.fill(5);
    Domain copy({20, 13, 9}, {true, false, true}, stretched);
    const RowSource source{[](const void* context, int j, int k, double* row) {
                             const auto* from = static_cast<const Domain*>(context);
                             std::copy_n(from->data.data() + j * from->stride_j + k * from->stride_k, from->n[0], row);
                           },
                           &domain};
    copy.solve(1, &source);
    domain.solve();
    for (int k = 0; k < 9; ++k) {
      for (int j = 0; j < 13; ++j) {
        for (int i = 0; i < 20; ++i) {
          ASSERT_EQ(copy.at(copy.data, i, j, k), domain.at(domain.data, i, j, k));
        }
      }
    }
  }
}

TEST(PoissonModes, NamesTheNextFastSize) {
  Domain domain({62, 31, 64}, {true, false, true}, 2);
  const auto modes = PoissonModes::create(domain.queue, domain.axes, 2);
  EXPECT_EQ(modes->axis_description(0), "Fourier 62");
  EXPECT_EQ(modes->axis_description(1), "cosine 31");
  EXPECT_EQ(modes->axis_description(2), "tridiagonal 64");
  EXPECT_EQ(modes->fast_cells(0), 64);  // 62 = 2 x 31
  EXPECT_EQ(modes->fast_cells(1), 32);
  EXPECT_EQ(modes->fast_cells(2), 64);
}

}  // namespace
}  // namespace halyard
