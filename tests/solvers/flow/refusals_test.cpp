// What cannot be computed is refused in words that name the cause.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/solvers/flow/flow_run.hpp"

namespace halyard::flow {
namespace {

const char* const kNoise = R"toml(
[domain]
cells = [8, 8, 8]
length = [1.0, 1.0, 1.0]
[fluid]
viscosity = 0.001
[initial]
noise_amplitude = 1.0
)toml";

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Refusal, OfWidthsThatLeaveTheRangeOfNumbers) {
  for (const char* grid : {"domain.length=[1e-320,1,1]", "domain.length=[1e-30,1,1]", "domain.origin=[1e30,0,0]"}) {
    const std::string text = refusal([&] { FlowRun run(kNoise, {grid}); });
    EXPECT_NE(text.find("domain.length makes cell 0 along x"), std::string::npos) << grid << ": " << text;
  }
}

TEST(Refusal, OfAStepFarBeyondStability) {
  FlowRun run(kNoise);
  const std::string text = refusal([&] { run.steps(100, 5.0); });
  EXPECT_NE(text.find("grows without bound"), std::string::npos) << text;
}

// A maximum passes over NaN; the limit on dt must not grow where the velocity is spoilt.
TEST(Refusal, OfAStepFromASpoiltVelocity) {
  FlowRun run(kNoise);
  for (StateArray& array : run.solver->state().arrays) {
    if (array.name == "velocity_y") {
      std::vector<double> values = run.values("velocity_y");
      if (!values.empty()) {
        values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
      }
      array.set(std::as_bytes(std::span(values)));
    }
  }
  run.solver->restored();
  EXPECT_EQ(run.solver->stable_dt(), 0.0);
}

// The lowest global cell is told, whichever rank holds it, and each component for itself.
TEST(Refusal, OfFormulasThatGiveNoVelocity) {
  const auto text = [](const std::vector<std::string>& changes) {
    return refusal([&] { FlowRun run(kNoise, changes); });
  };
  EXPECT_EQ(text({"initial.u=sqrt(0.9 - y)"}),
            "--set initial.u=sqrt(0.9 - y): initial.u is nan m/s in cell (0, 7, 0) at x = 0.125, y = 0.9375, z = "
            "0.0625 m; it must be finite and at most 1e+30 in magnitude everywhere in the domain.");
  EXPECT_EQ(text({"initial.v=1 / (z < 0.6)", "initial.w=z > 0.7 && y > 0.5 && x > 0.5 ? -1e31 : 0"}),
            "--set initial.v=1 / (z < 0.6): initial.v is inf m/s in cell (0, 0, 5) at x = 0.0625, y = 0.125, z = "
            "0.6875 m; it must be finite and at most 1e+30 in magnitude everywhere in the domain.\n"
            "--set initial.w=z > 0.7 && y > 0.5 && x > 0.5 ? -1e31 : 0: initial.w is -1e+31 m/s in cell (4, 4, 5) at "
            "x = 0.5625, y = 0.5625, z = 0.75 m; it must be finite and at most 1e+30 in magnitude everywhere in the "
            "domain.");
  EXPECT_NE(text({"initial.u=1/0"}).find("initial.u is inf m/s in cell (0, 0, 0)"), std::string::npos);
}

// What the solver makes of the largest input stays in the range of numbers; beyond it the key is named.
TEST(Refusal, OfInputThatLeavesTheRangeOfNumbers) {
  for (const char* length :
       {"domain.length=[1e30,1e30,1e30]", "domain.length=[8e-30,8e-30,8e-30]", "domain.length=[1e30,8e-30,1.0]"}) {
    std::vector<std::string> changes = {"fluid.viscosity=1e30",
                                        "initial.noise_amplitude=1e30",
                                        "initial.u=1e30",
                                        "drive.body_force=[-1e30,1e30,1e30]",
                                        "drive.bulk_velocity_x=-1e30",
                                        "boundary.y_lower.type=no_slip",
                                        "boundary.y_upper.type=no_slip",
                                        "boundary.y_upper.velocity=[1e30,0,-1e30]",
                                        length};
    FlowRun run(kNoise, changes);
    run.steps(3, run.solver->stable_dt());
    for (const HistoryColumn& column : run.solver->history(0.0)) {
      EXPECT_TRUE(std::isfinite(column.value)) << length << ": " << column.name;
    }
  }
  for (const char* change : {"fluid.viscosity=1e308", "initial.noise_amplitude=1e300", "drive.body_force=[0,-1e31,0]",
                             "drive.bulk_velocity_z=1e200", "domain.origin=[0,-1e31,0]", "domain.length=[1,1e31,1]",
                             "boundary.y_upper.velocity=[1e200,0,0]"}) {
    const std::string what = refusal([&] {
      FlowRun run(kNoise, {"boundary.y_lower.type=no_slip", "boundary.y_upper.type=no_slip", change});
    });
    const std::string key(change, std::string(change).find('='));
    EXPECT_NE(what.find(key), std::string::npos) << what;
    EXPECT_NE(what.find("at most 1e+30"), std::string::npos) << what;
  }
}

// A restart with other physics is another case: the lines of the key differ where the case does.
TEST(RestartKey, NamesThePhysics) {
  const auto key = [](const std::string& change) {
    FlowRun run(kNoise, {change});
    return restart_key(run.settings, run.schema);
  };
  const std::string base = key("time.cfl=0.5");
  EXPECT_EQ(base, key("time.cfl=0.7"));
  EXPECT_EQ(base, key("initial.noise_seed=7"));
  for (const char* change : {"fluid.viscosity=0.002", "drive.body_force=[0,0,1]", "drive.bulk_velocity_x=1.0",
                             "domain.cells=[8,8,9]", "domain.length=[1,1,2]"}) {
    EXPECT_NE(base, key(change)) << change;
  }
}

}  // namespace
}  // namespace halyard::flow
