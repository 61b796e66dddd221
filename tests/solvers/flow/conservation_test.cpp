// What the discretisation promises to keep: momentum and energy without viscosity, zero divergence, the bulk velocity.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "kernels/device/buffer.hpp"
#include "tests/solvers/flow/flow_run.hpp"

namespace halyard::flow {
namespace {

std::string inviscid(const std::string& more) {
  return R"toml(
[domain]
cells = [13, 16, 11]
length = [1.0, 1.1, 0.9]
)toml" + more +
         R"toml(
[fluid]
viscosity = 0.0
[initial]
u = "0.5"
v = "sin(2*pi*x)"
noise_amplitude = 0.5
)toml";
}

const std::string kWalls = R"toml(
stretching = { axis = "y", kind = "tanh", factor = 1.5 }
[boundary]
y_lower = { type = "free_slip" }
y_upper = { type = "no_slip" }
)toml";

// The convective operator is skew-symmetric: what energy is lost is lost by the time integrator, whose error for
// imaginary eigenvalues is of order dt^3 over a fixed time.
TEST(Conservation, InviscidEnergyDriftsOnlyByTheTimeIntegrator) {
  for (const std::string& grid : {std::string(), kWalls}) {
    const auto drift = [&](int steps) {
      FlowRun run(inviscid(grid));
      const double start = run.column("kinetic_energy");
      run.steps(steps, 0.1 / steps);
      return run.column("kinetic_energy") / start - 1.0;
    };
    const double coarse = drift(10), middle = drift(20), fine = drift(40);
    EXPECT_LT(std::abs(coarse), 1e-2);
    EXPECT_GE(std::log2(std::abs(coarse / middle)), 2.5) << coarse << " " << middle;
    EXPECT_GE(std::log2(std::abs(middle / fine)), 2.7) << middle << " " << fine;
    EXPECT_LE(std::log2(std::abs(middle / fine)), 3.4) << middle << " " << fine;
  }
}

TEST(Conservation, MomentumOfAPeriodicBoxToRoundOff) {
  FlowRun run(inviscid("stretching = { axis = \"z\", kind = \"tanh\", factor = 1.0 }\n"));
  double before[3], after[3];
  const char* const name[3] = {"bulk_velocity_x", "bulk_velocity_y", "bulk_velocity_z"};
  for (int c = 0; c < 3; ++c) {
    before[c] = run.column(name[c]);
  }
  run.steps(20, 0.005);
  for (int c = 0; c < 3; ++c) {
    after[c] = run.column(name[c]);
    // 60 stages, each rounding values of size 1 independently in about 2000 cells.
    EXPECT_NEAR(after[c], before[c], 60 * 2.2e-16) << c;
  }
}

// After a projection: max |div u| <= C eps (max|u| / dx + dt max|p| / dx^2), C = 10.
TEST(Divergence, IsRoundOffForEveryPairOfBoundaries) {
  const char* const kinds[3] = {"periodic", "no_slip", "free_slip"};
  for (int kx = 0; kx < 3; ++kx) {
    for (int ky = 0; ky < 3; ++ky) {
      for (int kz = 0; kz < 3; ++kz) {
        for (const char* stretched : {"", "x", "y", "z"}) {
          std::string text = "[domain]\ncells = [12, 9, 14]\nlength = [1.0, 0.9, 1.3]\n";
          if (*stretched != 0) {
            text += fmt::format("stretching = {{ axis = \"{}\", kind = \"tanh\", factor = 2.0 }}\n", stretched);
          }
          text += "[boundary]\n";
          const int kind[3] = {kx, ky, kz};
          for (int a = 0; a < 3; ++a) {
            // The upper side: the other kind of wall, so that mixed pairs occur.
            const int upper = kind[a] == 0 ? 0 : 3 - kind[a];
            text += fmt::format("{0}_lower = {{ type = \"{1}\" }}\n{0}_upper = {{ type = \"{2}\" }}\n", "xyz"[a],
                                kinds[kind[a]], kinds[upper]);
          }
          text += "[fluid]\nviscosity = 0.01\n[initial]\nu = \"1\"\nnoise_amplitude = 1.0\n";
          FlowRun run(text);
          const double dt = run.solver->stable_dt();
          run.steps(2, dt);
          double u = 0.0, p = 0.0, dx = 1.0;
          for (const char* name : {"velocity_x", "velocity_y", "velocity_z"}) {
            for (const double value : run.values(name)) {
              u = std::max(u, std::abs(value));
            }
          }
          for (const double value : run.values("pressure")) {
            p = std::max(p, std::abs(value));
          }
          for (const auto& faces : run.solver->grid()->faces) {
            for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
              dx = std::min(dx, faces[i + 1] - faces[i]);
            }
          }
          u = run.comm.max(u);
          p = run.comm.max(p);
          const double bound = 10 * 2.2e-16 * (u / dx + dt * p / (dx * dx));
          EXPECT_LE(run.column("max_divergence"), bound) << text;
        }
      }
    }
  }
}

// In plain numbers, from the smallest boxes to 128^3: max |div u| <= 1e-11 max|u| / min dx.
TEST(Divergence, IsSmallUpTo128Cubed) {
  const char* const boundaries[] = {
      "",
      "x_lower = { type = \"no_slip\" }\nx_upper = { type = \"free_slip\" }\n"
      "y_lower = { type = \"no_slip\" }\ny_upper = { type = \"no_slip\", velocity = [1.0, 0.0, -0.5] }\n"
      "z_lower = { type = \"free_slip\" }\nz_upper = { type = \"free_slip\" }\n",
      "y_lower = { type = \"free_slip\" }\ny_upper = { type = \"no_slip\" }\n"};
  for (const std::array<int, 3>& cells : {std::array{128, 128, 128}, {97, 34, 17}, {5, 64, 16}, {2, 13, 3}}) {
    for (const char* sides : boundaries) {
      for (const char* stretched : {"", "y", "z"}) {
        std::string text =
            fmt::format("[domain]\ncells = [{}, {}, {}]\nlength = [1.0, 0.9, 1.3]\n", cells[0], cells[1], cells[2]);
        if (*stretched != 0) {
          text += fmt::format("stretching = {{ axis = \"{}\", kind = \"tanh\", factor = 1.8 }}\n", stretched);
        }
        text += fmt::format("[boundary]\n{}[fluid]\nviscosity = 0.001\n[initial]\nu = \"1\"\nnoise_amplitude = 1.0\n",
                            sides);
        FlowRun run(text);
        run.steps(2, run.solver->stable_dt());
        double u = 0.0, dx = 1.0;
        for (const char* name : {"velocity_x", "velocity_y", "velocity_z"}) {
          for (const double value : run.values(name)) {
            u = std::max(u, std::abs(value));
          }
        }
        for (const auto& faces : run.solver->grid()->faces) {
          for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
            dx = std::min(dx, faces[i + 1] - faces[i]);
          }
        }
        EXPECT_LE(run.column("max_divergence"), 1e-11 * run.comm.max(u) / dx) << text;
      }
    }
  }
}

TEST(Drive, BulkVelocityIsHeldExactly) {
  FlowRun run(R"toml(
[domain]
cells = [8, 15, 6]
length = [2.0, 1.0, 1.0]
stretching = { axis = "y", kind = "tanh", factor = 1.5 }
[boundary]
y_lower = { type = "no_slip" }
y_upper = { type = "no_slip" }
[fluid]
viscosity = 0.05
[drive]
bulk_velocity_x = 1.0
bulk_velocity_z = -0.25
[initial]
u = "1"
noise_amplitude = 0.1
)toml");
  const double dt = 0.5 * run.solver->stable_dt();
  for (int step = 0; step < 5; ++step) {
    run.solver->step(dt);
    EXPECT_NEAR(run.column("bulk_velocity_x"), 1.0, 4e-16);  // one rounding of each cell's sum, averaged
    EXPECT_NEAR(run.column("bulk_velocity_z"), -0.25, 4e-16);
  }
  // The force balances the friction on the walls and the change of momentum, which is none.
  const double friction = (run.column("wall_shear_y_lower_x") + run.column("wall_shear_y_upper_x")) / 1.0;
  EXPECT_GT(run.column("bulk_force_x"), 0.0);
  EXPECT_NEAR(run.column("bulk_force_x") / friction, 1.0, 0.2);  // mean over the step against its end
}

TEST(Step, AllocatesNothing) {
  FlowRun run(inviscid(kWalls));
  run.steps(1, 0.005);
  run.solver->stable_dt();
  const PoolStatistics before = pool_statistics();
  run.steps(3, 0.005);
  run.solver->stable_dt();
  if (run.queue.device() == Device::host) {  // on a device, sums ask the pool for memory for their rows
    EXPECT_EQ(pool_statistics().requests, before.requests);
  }
  const char* const pool = std::getenv("HALYARD_POOL");
  if (pool == nullptr || std::string(pool) != "pass") {
    EXPECT_EQ(pool_statistics().system_allocations, before.system_allocations);
  }
}

}  // namespace
}  // namespace halyard::flow
