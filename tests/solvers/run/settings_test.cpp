#include "solvers/run/settings.hpp"

#include <gtest/gtest.h>

namespace halyard {
namespace {

const Program kToy{.name = "halyard-toy",
                   .summary = "a toy",
                   .item_name = "cell",
                   .quantities = {{"temperature", 1}, {"heat_flux", 3}}};

const Program kParticles{.name = "halyard-toy",
                         .summary = "a toy without a grid, with stages",
                         .item_name = "atom",
                         .rank_axes = 3,
                         .schedule = Schedule::by_solver,
                         .history_every_steps = 100};

/// What the schema says about the text; empty: nothing.
std::string errors(const std::string& text, Plan& plan, const Program& program = kToy) {
  CaseSchema schema;
  declare_plan(schema, plan, program);
  try {
    schema.read_text("program = \"halyard-toy\"\n" + text, "case.toml", "/", {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string errors(const std::string& text) {
  Plan plan;
  return errors(text, plan);
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Settings, AllTablesAreRead) {
  Plan plan;
  EXPECT_EQ(errors(R"(
title = "t"
[time]
end = 2
steps = 1e3
steady = 1e-6
[output.fields]
quantities = ["heat_flux", "temperature"]
every_time = 0.5
format = "hdf5"
precision = "float32"
[[output.slice]]
quantity = "heat_flux"
component = "y"
axis = "x"
position = 0.25
every_steps = 10
range = [-1, 1]
[[output.slice]]
quantity = "temperature"
position = 0
[output.history]
every_steps = 0
every_time = 0.1
[checkpoint]
every_steps = 7
every_wall = 60
keep = 3
[health]
every_steps = 5
[parallel]
ranks = [2, 3]
exchange = "staged"
[log]
every_seconds = 1
)",
                   plan),
            "");
  EXPECT_EQ(plan.time.end, 2.0);
  EXPECT_EQ(plan.time.steps, 1000);
  EXPECT_FALSE(plan.time.dt);
  EXPECT_EQ(plan.time.steady, 1e-6);
  EXPECT_EQ(plan.fields.quantities, (std::vector<std::string>{"heat_flux", "temperature"}));
  EXPECT_EQ(plan.fields.format, FieldFormat::hdf5);
  EXPECT_EQ(plan.fields.precision, FieldPrecision::float32);
  ASSERT_EQ(plan.slices.size(), 2U);
  const SliceSettings slice = slice_settings(plan.slices[0]);
  EXPECT_EQ(slice.component, SliceComponent::y);
  EXPECT_EQ(slice.axis, 0);
  EXPECT_EQ(slice.position, 0.25);
  EXPECT_EQ(slice.range, (std::array<double, 2>{-1.0, 1.0}));
  EXPECT_EQ(plan.slices[0].cadence.every_steps, 10);
  EXPECT_EQ(plan.history.every_steps, 0);
  EXPECT_EQ(plan.history.every_time, 0.1);
  EXPECT_EQ(plan.checkpoint.cadence.every_steps, 7);
  EXPECT_EQ(plan.checkpoint.keep, 3);
  EXPECT_EQ(plan.health_every_steps, 5);
  EXPECT_EQ(plan.ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(plan.exchange, "staged");
  EXPECT_EQ(plan.log_every_seconds, 1.0);
}

TEST(Settings, AnEndIsNeeded) {
  EXPECT_SAYS(errors(""), "time.end");
  EXPECT_SAYS(errors(""), "at least one");
  EXPECT_EQ(errors("[time]\nsteps = 0"), "");
  EXPECT_EQ(errors("[time]\nsteady = 0.1"), "");
}

TEST(Settings, AProgramWithItsOwnScheduleGoesBySteps) {
  Plan plan;
  EXPECT_EQ(errors("[time]\nsteps = 70\n[output.history]\n[checkpoint]\nevery_steps = 5\n[parallel]\nranks = [1, 2, 3]",
                   plan, kParticles),
            "");
  EXPECT_EQ(plan.schedule, Schedule::by_solver);
  EXPECT_EQ(plan.time.steps, 70);
  EXPECT_EQ(plan.history.every_steps, 100);
  EXPECT_EQ(plan.ranks, (std::vector<int>{1, 2, 3}));
  Plan other;
  EXPECT_EQ(errors("", other, kParticles), "");  // no end is asked for
  for (const std::string key :
       {"time.end", "time.dt", "time.steady", "output.history.every_time", "checkpoint.every_time"}) {
    EXPECT_SAYS(errors(key + " = 1", other, kParticles), key);
  }
  EXPECT_SAYS(errors("[output.fields]\nevery_steps = 1", other, kParticles), "[output.fields] is not a known table");
  EXPECT_SAYS(errors("[parallel]\nranks = [1, 2]", other, kParticles), "3 numbers");
}

TEST(Settings, UnknownQuantitiesAreToldWithPlaceNeighbourAndNames) {
  const std::string text = errors("[time]\nend = 1\n[output.fields]\nquantities = [\"temprature\"]");
  EXPECT_SAYS(text, "case.toml:5:");  // the line of `program` comes first
  EXPECT_SAYS(text, "temprature");
  EXPECT_SAYS(text, "temperature");
  EXPECT_SAYS(text, "heat_flux");
  EXPECT_SAYS(errors("[time]\nend = 1\n[[output.slice]]\nquantity = \"flux\"\nposition = 0"), "heat_flux");
}

TEST(Settings, OutputTimesMustBeMultiplesOfAFixedStep) {
  const std::string text = errors("[time]\nend = 1\ndt = 0.04\n[output.fields]\nevery_time = 0.15");
  EXPECT_SAYS(text, "output.fields.every_time");
  EXPECT_SAYS(text, "0.12");
  EXPECT_SAYS(text, "0.16");
  EXPECT_SAYS(errors("[time]\nend = 1\ndt = 0.3"), "time.end");
  EXPECT_SAYS(errors("[time]\nend = 1\ndt = 0.1\n[[output.slice]]\nquantity = \"temperature\"\nposition = 0\n"
                     "every_time = 0.25"),
              "output.slice");
  EXPECT_SAYS(errors("[time]\nend = 1\ndt = 2"), "time.end");  // longer than the run
  // Decimal fractions are not exact: 1/1e-5 and 0.7/0.1 are off by a last bit.
  EXPECT_EQ(errors("[time]\nend = 0.7\ndt = 0.1\n[checkpoint]\nevery_time = 0.3"), "");
  EXPECT_EQ(errors("[time]\nend = 1\ndt = 1e-5"), "");
}

TEST(Settings, SlicesAreCheckedInThemselves) {
  const std::string head = "[time]\nend = 1\n[[output.slice]]\nposition = 0\n";
  EXPECT_SAYS(errors(head + "quantity = \"temperature\"\ncomponent = \"x\""), "scalar");
  EXPECT_SAYS(errors(head + "quantity = \"heat_flux\"\nrange = [1, 1]"), "lowest");
  EXPECT_SAYS(errors(head + "quantity = \"heat_flux\"\naxis = \"w\""), "axis");
  EXPECT_SAYS(errors("[time]\nend = 1\n[parallel]\nranks = [2]"), "parallel.ranks");
}

TEST(Settings, TheCaseOfAnotherProgramIsToldAlone) {
  EXPECT_NO_THROW(check_program("program = \"halyard-toy\"", "case.toml", "halyard-toy"));
  EXPECT_NO_THROW(check_program("this is no TOML", "case.toml", "halyard-toy"));
  EXPECT_NO_THROW(check_program("program = \"halyard-flo\"", "case.toml", "halyard-flow"));  // the schema's to tell
  try {
    check_program("# a case\n  program = \"halyard-md\"", "a/case.toml", "halyard-flow");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_SAYS(text, "a/case.toml:2:13");
    EXPECT_SAYS(text, "run halyard-md a/case.toml");
  }
}

TEST(Settings, TheResolvedCaseReadsBack) {
  Plan plan, again;
  CaseSchema schema;
  declare_plan(schema, plan, kToy);
  schema.read_text(
      "program = \"halyard-toy\"\n[time]\nend = 0.1\n[[output.slice]]\nquantity=\"temperature\"\nposition=0",
      "case.toml", "/", {"time.steps=3"});
  CaseSchema second;
  declare_plan(second, again, kToy);
  second.read_text(schema.resolved(), "case.toml", "/", {});
  EXPECT_EQ(schema.resolved(), second.resolved());
  EXPECT_EQ(again.time.steps, 3);
}

}  // namespace
}  // namespace halyard
