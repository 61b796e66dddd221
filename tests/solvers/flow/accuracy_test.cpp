// Observed orders of accuracy in space and time, on exact solutions and by halving the step. The errors are those of
// the whole solver: operators, boundaries, projection, Runge-Kutta.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/solvers/flow/flow_run.hpp"

namespace halyard::flow {
namespace {

using std::numbers::pi;

/// Largest |computed - exact| of a velocity component over all ranks; exact takes the place of the component.
template <class Exact>
double velocity_error(FlowRun& run, int component, Exact exact) {
  const char* const name[3] = {"velocity_x", "velocity_y", "velocity_z"};
  const std::vector<double> values = run.values(name[component]);
  Box block;
  for (const StateArray& array : run.solver->state().arrays) {
    block = array.block;
  }
  const auto& faces = run.solver->grid()->faces;
  double error = 0.0;
  std::size_t at = 0;
  for (std::int64_t k = block.begin[2]; k < block.end[2]; ++k) {
    for (std::int64_t j = block.begin[1]; j < block.end[1]; ++j) {
      for (std::int64_t i = block.begin[0]; i < block.end[0]; ++i, ++at) {
        const std::int64_t index[3] = {i, j, k};
        double x[3];
        for (int a = 0; a < 3; ++a) {
          x[a] = a == component ? faces[a][index[a] + 1] : 0.5 * (faces[a][index[a]] + faces[a][index[a] + 1]);
        }
        error = std::max(error, std::abs(values[at] - exact(x[0], x[1], x[2])));
      }
    }
  }
  return run.comm.max(error);
}

/// log2 of the ratio of two errors.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

// Taylor-Green vortices in the plane of axes a and b, third axis of one cell: an exact solution with all terms at work.
std::string vortex_text(const std::string& cells, const std::string& boundary, const std::string& u,
                        const std::string& v, const std::string& w, const std::string& extra) {
  return fmt::format(R"toml(
[domain]
cells = {}
length = [1.0, 1.0, 1.0]
{}
[boundary]
{}
[fluid]
viscosity = 0.01
[initial]
u = "{}"
v = "{}"
w = "{}"
)toml",
                     cells, extra, boundary, u, v, w);
}

double decay(double t) { return std::exp(-2.0 * 0.01 * 4.0 * pi * pi * t); }

/// Errors at three resolutions must fall with a ratio between 2^1.9 and 2^2.3: second order, neither lost nor feigned
/// by a cancellation. dt falls as dx^2, so that the time integrator's error (third order) does not show.
template <class Text, class Exact>
void expect_second_order(Text text, int component, Exact exact, double end) {
  double error[3];
  const int n[3] = {32, 64, 128};
  const int steps[3] = {32, 128, 512};
  for (int level = 0; level < 3; ++level) {
    FlowRun run(text(n[level]));
    run.steps(steps[level], end / steps[level]);
    error[level] = velocity_error(run, component, [&](double x, double y, double z) { return exact(x, y, z, end); });
  }
  EXPECT_GE(order(error[0], error[1]), 1.9) << error[0] << " " << error[1];
  EXPECT_GE(order(error[1], error[2]), 1.9) << error[1] << " " << error[2];
  EXPECT_LE(order(error[1], error[2]), 2.3) << error[1] << " " << error[2];
}

TEST(SpatialOrder, PeriodicVorticesInTheXyPlane) {
  const auto text = [](int n) {
    return vortex_text(fmt::format("[{0}, {0}, 1]", n), "", "sin(2*pi*x)*cos(2*pi*y)", "-cos(2*pi*x)*sin(2*pi*y)", "0",
                       "");
  };
  expect_second_order(
      text, 0,
      [](double x, double y, double, double t) { return std::sin(2 * pi * x) * std::cos(2 * pi * y) * decay(t); }, 0.1);
}

TEST(SpatialOrder, PeriodicVorticesInTheYzPlaneStretchedAlongZ) {
  const auto text = [](int n) {
    return vortex_text(fmt::format("[1, {0}, {0}]", n), "", "0", "sin(2*pi*y)*cos(2*pi*z)", "-cos(2*pi*y)*sin(2*pi*z)",
                       "stretching = { axis = \"z\", kind = \"tanh\", factor = 1.0 }");
  };
  expect_second_order(
      text, 1,
      [](double, double y, double z, double t) { return std::sin(2 * pi * y) * std::cos(2 * pi * z) * decay(t); }, 0.1);
}

// The planes x = 0, 1/2, 1 of these vortices are free-slip walls; so is z.
TEST(SpatialOrder, VorticesBetweenFreeSlipWallsInTheXzPlane) {
  const std::string walls =
      "x_lower = { type = \"free_slip\" }\nx_upper = { type = \"free_slip\" }\n"
      "z_lower = { type = \"free_slip\" }\nz_upper = { type = \"free_slip\" }\n";
  const auto text = [&](int n) {
    return vortex_text(fmt::format("[{0}, 1, {0}]", n), walls, "sin(2*pi*x)*cos(2*pi*z)", "0",
                       "-cos(2*pi*x)*sin(2*pi*z)", "");
  };
  const auto exact = [](double x, double, double z, double t) {
    return -std::cos(2 * pi * x) * std::sin(2 * pi * z) * decay(t);
  };
  expect_second_order(text, 2, exact, 0.1);
}

TEST(SpatialOrder, VorticesBetweenFreeSlipWallsStretchedAlongX) {
  const std::string walls =
      "x_lower = { type = \"free_slip\" }\nx_upper = { type = \"free_slip\" }\n"
      "y_lower = { type = \"free_slip\" }\ny_upper = { type = \"free_slip\" }\n";
  const auto text = [&](int n) {
    return vortex_text(fmt::format("[{0}, {0}, 1]", n), walls, "sin(2*pi*x)*cos(2*pi*y)", "-cos(2*pi*x)*sin(2*pi*y)",
                       "0", "stretching = { axis = \"x\", kind = \"tanh\", factor = 1.0 }");
  };
  const auto exact = [](double x, double y, double, double t) {
    return std::sin(2 * pi * x) * std::cos(2 * pi * y) * decay(t);
  };
  expect_second_order(text, 0, exact, 0.1);
}

// Shear flow that decays between no-slip walls: u(y, t) = sin(pi y) exp(-nu pi^2 t).
TEST(SpatialOrder, DecayBetweenNoSlipWallsStretchedAlongEachAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    const int flow = (axis + 1) % 3;
    const std::string a(1, "xyz"[axis]);
    const auto text = [&](int n) {
      std::string cells[3] = {"4", "4", "4"}, velocity[3] = {"0", "0", "0"};
      cells[axis] = std::to_string(n);
      velocity[flow] = fmt::format("sin(pi*{})", a);
      return vortex_text(fmt::format("[{}, {}, {}]", cells[0], cells[1], cells[2]),
                         fmt::format("{0}_lower = {{ type = \"no_slip\" }}\n{0}_upper = {{ type = \"no_slip\" }}\n", a),
                         velocity[0], velocity[1], velocity[2],
                         fmt::format("stretching = {{ axis = \"{}\", kind = \"tanh\", factor = 1.5 }}", a));
    };
    const auto exact = [&](double x, double y, double z, double t) {
      const double s[3] = {x, y, z};
      return std::sin(pi * s[axis]) * std::exp(-0.01 * pi * pi * t);
    };
    SCOPED_TRACE(a);
    expect_second_order(text, flow, exact, 0.1);
  }
}

// No exact solution has all: walls with moving lids, convection, stretching, three dimensions, noise. The reference is
// the same grid with an eighth of the step.
const char* const box_with_lid = R"toml(
[domain]
cells = [12, 11, 10]
length = [1.0, 1.2, 1.0]
stretching = { axis = "y", kind = "tanh", factor = 1.2 }
[boundary]
x_lower = { type = "no_slip" }
x_upper = { type = "free_slip" }
y_lower = { type = "no_slip" }
y_upper = { type = "no_slip", velocity = [1.0, 0.0, 0.5] }
[fluid]
viscosity = 0.01
[drive]
bulk_velocity_z = 0.7
body_force = [0.1, 0.0, 0.0]
[initial]
u = "sin(pi*x)*y"
v = "cos(2*pi*z)"
w = "0.3"
noise_amplitude = 0.2
)toml";

TEST(TemporalOrder, ThirdOrderInTheVelocity) {
  constexpr double end = 0.2;
  const auto velocities = [&](int steps) {
    FlowRun run(box_with_lid);
    run.steps(steps, end / steps);
    std::vector<double> all;
    for (const char* name : {"velocity_x", "velocity_y", "velocity_z"}) {
      const auto values = run.values(name);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const auto reference = velocities(160);
  double error[3];
  for (int level = 0; level < 3; ++level) {
    const auto values = velocities(5 << level);
    error[level] = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      error[level] = std::max(error[level], std::abs(values[i] - reference[i]));
    }
  }
  // Owed: 2. The scheme gives 3 where the projection is exact and the walls do not move in time.
  EXPECT_GE(order(error[0], error[1]), 2.5) << error[0] << " " << error[1];
  EXPECT_GE(order(error[1], error[2]), 2.7) << error[1] << " " << error[2];
  EXPECT_LE(order(error[1], error[2]), 3.4) << error[1] << " " << error[2];
}

}  // namespace
}  // namespace halyard::flow
