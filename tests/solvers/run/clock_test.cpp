#include "solvers/run/clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Row {
  std::int64_t step;
  double time, dt;
  bool operator==(const Row& other) const {
    return step == other.step && std::memcmp(&time, &other.time, sizeof time) == 0 &&
           std::memcmp(&dt, &other.dt, sizeof dt) == 0;
  }
};

/// A limit that follows from step and time alone, as that of a solver follows from its state.
double wavy_limit(double base, const Clock& clock) {
  return base * (1.0 + 0.02 * std::sin(0.05 * static_cast<double>(clock.step())));
}

std::vector<Row> run_to(Clock& clock, double base, double end) {
  std::vector<Row> rows;
  while (clock.time() < end) {
    clock.take(clock.next(wavy_limit(base, clock)));
    rows.push_back({clock.step(), clock.time(), clock.dt()});
  }
  return rows;
}

TEST(Clock, HitsEveryDueTimeExactlyWithinTheLimits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> decade(-2.0, 0.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double end = 1.0 + static_cast<double>(trial % 7);
    const double base = std::pow(10.0, decade(random)) * 0.1;
    std::vector<Clock::Event> events{{"end", end, true}};
    for (int i = 0; i < trial % 4; ++i) {
      events.push_back({"output " + std::to_string(i), 0.05 + std::pow(10.0, decade(random))});
    }
    Clock clock({}, events);
    std::vector<std::vector<double>> hits(events.size());
    double least_ratio = 1.0;
    while (clock.time() < end) {
      const double limit = wavy_limit(base, clock);
      const Clock::Advance next = clock.next(limit);
      ASSERT_LE(next.dt, limit);
      ASSERT_GT(next.dt, 0.0);
      if (next.dt < 0.5 * limit) {
        ASSERT_FALSE(next.below_half.empty()) << "dt " << next.dt << " limit " << limit;
      } else {
        ASSERT_TRUE(next.below_half.empty());
      }
      if (events.size() == 1) {
        least_ratio = std::min(least_ratio, next.dt / limit);
      }
      clock.take(next);
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (clock.due({events[i].interval, {}})) {
          hits[i].push_back(clock.time());
        }
      }
    }
    EXPECT_EQ(clock.time(), end);  // the very double
    // One due time alone: the limit moves by 2 % within a spreading, so that one step more may be needed where the
    // margin of 1 % does not do: n + 1 for n, at worst 2 for 1.
    if (events.size() == 1 && end > 16.0 * base) {
      EXPECT_GE(least_ratio, 0.5);
    }
    for (std::size_t i = 1; i < events.size(); ++i) {
      const auto expected = static_cast<std::size_t>(end / events[i].interval);
      ASSERT_EQ(hits[i].size(), expected);
      for (std::size_t k = 0; k < expected; ++k) {
        EXPECT_EQ(hits[i][k], static_cast<double>(k + 1) * events[i].interval);  // the very double, not a sum
      }
    }
  }
}

TEST(Clock, SpreadsTheRemainderOverTheLastSteps) {
  for (const double end : {1.0, 1.003, 1.097, 1.1}) {
    Clock clock({}, {{"end", end, true}});
    while (clock.time() < end) {
      const auto next = clock.next(0.01);
      // With r > 15 limits remaining when it begins, n < r / 0.99 + 1, so that dt = r / n > 1 / (1 / 0.99 + 1 / 15)
      // limits.
      EXPECT_GT(next.dt, 0.928 * 0.01);
      clock.take(next);
    }
    EXPECT_LE(clock.step(), static_cast<std::int64_t>(std::ceil(end / 0.01)) + 1);  // one step more at most
  }
}

TEST(Clock, BelowHalfOnlyWhereDueTimesAreCloseOrTheLimitGrew) {
  // 0.3 and 0.31 lie a tenth of the limit apart.
  Clock close({}, {{"a", 0.3}, {"b", 0.31}, {"end", 0.5, true}});
  std::string why;
  while (close.time() < 0.5) {
    const auto next = close.next(0.1);
    if (!next.below_half.empty()) {
      EXPECT_EQ(close.time(), 0.3);
      EXPECT_NEAR(next.dt, 0.01, 1e-15);  // 0.31 - 0.3 in doubles
      why = next.below_half;
    }
    close.take(next);
  }
  EXPECT_NE(why.find("closer together"), std::string::npos) << why;

  Clock jump({}, {{"end", 20.0, true}});
  while (jump.time() < 19.9) {
    jump.take(jump.next(0.06));
  }
  EXPECT_NE(jump.next(10.0).below_half.find("limit on dt grew"), std::string::npos);
}

TEST(Clock, DueTimesThatDifferInTheLastBitAreOne) {
  // 3 * 0.1 = 0.30000000000000004, 1 * 0.3 = 0.3: one step to both, none of 5e-17 s between.
  Clock clock({}, {{"a", 0.1}, {"b", 0.3}, {"end", 30.0, true}});
  while (clock.time() < 30.0) {
    const auto next = clock.next(0.04);
    EXPECT_GT(next.dt, 0.02);
    clock.take(next);
    EXPECT_EQ(clock.due({0.3, {}}), clock.due({0.3, {}}) && clock.due({0.1, {}})) << clock.time();
  }
  EXPECT_EQ(clock.step(), 900);  // 0.1 = 3 steps of 1/30, 300 times
}

TEST(Clock, ARestartAnywhereGivesTheSameBits) {
  const std::vector<Clock::Event> events{{"a", 0.37}, {"b", 0.1}, {"end", 5.0, true}};
  Clock whole({}, events);
  const std::vector<Row> expected = run_to(whole, 0.013, 5.0);
  for (std::size_t stop = 0; stop < expected.size(); stop += 29) {
    Clock first({}, events);
    for (std::size_t i = 0; i < stop; ++i) {
      first.take(first.next(wavy_limit(0.013, first)));
    }
    Clock second({}, events);
    auto from = first.scalars(), to = second.scalars();
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_EQ(from[i].name, to[i].name);
      std::visit([&](auto* value) { *std::get<decltype(value)>(to[i].value) = *value; }, from[i].value);
    }
    second.restored();
    const std::vector<Row> rest = run_to(second, 0.013, 5.0);
    ASSERT_EQ(rest.size(), expected.size() - stop);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), expected.begin() + static_cast<std::ptrdiff_t>(stop))) << stop;
  }
}

TEST(Clock, AFixedStepIsMultipliedNotSummed) {
  Clock clock(0.1, {{"output", 0.5}, {"end", 100.0, true}});
  while (clock.time() < 100.0) {
    clock.take(clock.next(kInfinity));
    EXPECT_EQ(clock.dt(), 0.1);
    const auto step = static_cast<double>(clock.step());
    if (clock.step() % 5 == 0) {
      EXPECT_EQ(clock.time(), static_cast<double>(clock.step() / 5) * 0.5);
      EXPECT_TRUE(clock.due({0.5, {}}));
    } else {
      EXPECT_EQ(clock.time(), step * 0.1);
      EXPECT_FALSE(clock.due({0.5, {}}));
    }
  }
  EXPECT_EQ(clock.step(), 1000);
  EXPECT_EQ(clock.time(), 100.0);
}

/// The clock of a restart under another dt.
Clock resumed(Clock& from, std::optional<double> dt, const std::vector<Clock::Event>& events) {
  Clock to(dt, events);
  auto a = from.scalars(), b = to.scalars();
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::visit([&](auto* value) { *std::get<decltype(value)>(b[i].value) = *value; }, a[i].value);
  }
  return to;
}

TEST(Clock, ARestartMayChangeAFixedStep) {
  const std::vector<Clock::Event> events{{"output", 0.5}, {"end", 2.0, true}};
  Clock first(0.1, events);
  for (int i = 0; i < 7; ++i) {
    first.take(first.next(kInfinity));
  }
  Clock second = resumed(first, 0.05, events);
  second.restored();
  while (second.time() < 2.0) {
    second.take(second.next(kInfinity));
  }
  EXPECT_EQ(second.time(), 2.0);
  EXPECT_EQ(second.step(), 7 + 26);  // 1.3 s at 0.05 s

  Clock third = resumed(first, 0.25, events);  // 0.7 to 1.0 is no multiple of 0.25
  try {
    third.restored();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("time.dt = 0.25"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("output"), std::string::npos) << error.what();
  }
}

/// The dt of each step of a schedule: a minimisation, a stage, one of the same dt, another one.
double stage_dt(std::int64_t step) { return step <= 4 ? 0.0 : step <= 17 ? 0.1 : 0.003; }

TEST(Clock, APrescribedStepIsMultipliedFromWhereItBegan) {
  Clock clock = Clock::prescribed("ps");
  for (std::int64_t step = 1; step <= 40; ++step) {
    clock.prescribe(stage_dt(step));
    clock.take(clock.next(kInfinity));
    EXPECT_EQ(clock.dt(), stage_dt(step));
    const double expected = step <= 4    ? 0.0
                            : step <= 17 ? static_cast<double>(step - 4) * 0.1
                                         : 13 * 0.1 + static_cast<double>(step - 17) * 0.003;
    EXPECT_EQ(clock.time(), expected) << step;
  }
  for (const StateScalar& scalar : clock.scalars()) {
    EXPECT_EQ(scalar.unit, scalar.name.find("step") == std::string::npos ? "ps" : "1") << scalar.name;
  }
}

TEST(Clock, ARestartGoesOnFromTheOriginOfAPrescribedStep) {
  Clock whole = Clock::prescribed();
  for (std::int64_t stop = 0; stop < 40; ++stop) {
    Clock again = Clock::prescribed();
    auto from = whole.scalars(), to = again.scalars();
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::visit([&](auto* value) { *std::get<decltype(value)>(to[i].value) = *value; }, from[i].value);
    }
    again.restored();
    for (Clock* clock : {&whole, &again}) {
      clock->prescribe(stage_dt(stop + 1));
      clock->take(clock->next(kInfinity));
    }
    EXPECT_EQ(again.time(), whole.time()) << stop;
    EXPECT_EQ(again.step(), whole.step());
  }
}

TEST(Clock, RefusesAPrescribedStepThatIsNone) {
  Clock clock = Clock::prescribed("tau");
  for (const double dt : {-0.1, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      clock.prescribe(dt);
      FAIL() << dt;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(" tau"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(clock.next(kInfinity), Error);  // nothing was prescribed
}

TEST(Clock, RefusesLimitsThatAllowNoStep) {
  const Clock clock({}, {{"end", 1.0, true}});
  EXPECT_THROW(clock.next(0.0), Error);
  EXPECT_THROW(clock.next(-1.0), Error);
  EXPECT_THROW(clock.next(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_EQ(clock.next(kInfinity).reaches, 1.0);  // nothing moves: straight to the end
  EXPECT_THROW(Clock({}, {}).next(kInfinity), Error);
  Clock late({}, {{"end", 1e6, true}});
  late.take(late.next(5e5));
  EXPECT_THROW(late.next(1e-12), Error);  // below the spacing of doubles there
}

// An interval that drowns in the rounding of the time would be counted for ever.
TEST(Clock, RefusesIntervalsTooSmallForTheTime) {
  Clock clock({}, {{"end", 1e6, true}, {"output.history", 1e-12, false}});
  EXPECT_GT(clock.next(1.0).dt, 0.0);  // at t = 0 it is nothing but small
  for (const StateScalar& scalar : clock.scalars()) {
    if (scalar.name == "time") {
      *std::get<double*>(scalar.value) = 5.0;  // as a restart would
    }
  }
  EXPECT_THROW(clock.next(1.0), Error);
}

TEST(Clock, StepsOfACadence) {
  Clock clock({}, {{"end", 1.0, true}});
  EXPECT_TRUE(clock.due({{}, 5}));
  EXPECT_TRUE(clock.due({0.25, {}}));
  EXPECT_FALSE(clock.due({{}, {}}));
  EXPECT_FALSE(clock.due({{}, 0}));
  clock.take(clock.next(0.1));
  EXPECT_TRUE(clock.due({{}, 1}));
  EXPECT_FALSE(clock.due({{}, 5}));
}

}  // namespace
}  // namespace halyard
