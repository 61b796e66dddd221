// What cannot be computed is refused in words that name the cause.
#include <gtest/gtest.h>

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
  for (const char* grid : {"domain.length=[1e-320,1,1]", "domain.length=[1e300,1,1]", "domain.origin=[1e30,0,0]"}) {
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
