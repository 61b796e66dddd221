#include "solvers/run/settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <memory>

namespace halyard {

namespace {

constexpr double multiple_tolerance = 1e-9;

template <class Table>
void declare_cadence(const Table& table, Cadence& cadence, const std::string& what,
                     Schedule schedule = Schedule::by_case) {
  if (schedule == Schedule::by_case) {
    table.key("every_time", cadence.every_time)
        .unit("s")
        .above(0.0)
        .help(what + " at the multiples of this time, which the clock hits exactly");
  }
  table.key("every_steps", cadence.every_steps).at_least(1).help(what + " at the multiples of this step count");
}

/// A schema's own keys and a table's have the same form.
struct Element {
  CaseSchema& schema;
  template <class T>
  CaseKey<T> key(const std::string& name, T& target) const {
    return schema.key(name, target);
  }
};

std::string not_a_multiple(double value, double dt) {
  const double below = std::floor(value / dt);
  return fmt::format("is {} s, which is not a multiple of the fixed time.dt = {} s; the nearest are {} s and {} s.",
                     value, dt, std::max(1.0, below) * dt, (std::max(1.0, below) + 1.0) * dt);
}

void declare_slice(CaseSchema& schema, SlicePlan& slice, const std::vector<std::string>& names,
                   const std::vector<QuantityName>& quantities, Schedule schedule) {
  schema.key("quantity", slice.quantity).required().choices(names).help("what is drawn");
  schema.key("component", slice.component)
      .choices({{"x", SliceComponent::x, {}},
                {"y", SliceComponent::y, {}},
                {"z", SliceComponent::z, {}},
                {"magnitude", SliceComponent::magnitude, {}}})
      .help("of a vector; absent: the magnitude");
  schema.key("axis", slice.axis)
      .default_value(SlicePlan::Axis::z)
      .choices({{"x", SlicePlan::Axis::x, {}}, {"y", SlicePlan::Axis::y, {}}, {"z", SlicePlan::Axis::z, {}}})
      .help("normal to the plane");
  schema.key("position", slice.position).unit("m").required().help("of the plane along the axis");
  schema.key("range", slice.range).help("lowest and highest value of the colours; absent: from the values");
  schema.key("colors", slice.colors).default_value("auto").choices(color_map_names()).help("colour map");
  schema.key("pixels", slice.pixels)
      .default_value(1000)
      .at_least(800)
      .at_most(8000)
      .help("length of the picture's longer side");
  declare_cadence(Element{schema}, slice.cadence, "a picture", schedule);
  schema.check({"range"}, [&slice](CaseCheck& check) {
    if (slice.range && !((*slice.range)[0] < (*slice.range)[1])) {
      check.error("range", "must be [lowest, highest] with lowest < highest.");
    }
  });
  schema.check({"quantity", "component"}, [&slice, quantities](CaseCheck& check) {
    for (const QuantityName& quantity : quantities) {
      if (quantity.name == slice.quantity && quantity.components == 1 && slice.component) {
        check.error("component", "has no meaning: " + quantity.name + " is a scalar. Leave it out.");
      }
    }
  });
}

/// [time] where the case decides on dt and the end.
void declare_time(CaseSchema& schema, Plan& plan) {
  auto time = schema.table("time", "The clock: when the run ends, and how the time step is chosen.");
  time.key("end", plan.time.end).unit("s").above(0.0).help("the run ends at this time, exactly");
  time.key("steps", plan.time.steps)
      .at_least(0)
      .at_most(most_steps)
      .help("the run ends after this step, counted from the start of the first run (a restart goes on counting)");
  time.key("dt", plan.time.dt)
      .unit("s")
      .above(0.0)
      .help("fixed time step; output times and the end must be multiples of it. Absent: as large as the limits allow");
  time.key("steady", plan.time.steady)
      .unit("1/s")
      .above(0.0)
      .help("the run ends when the state's relative change per unit time falls below this");
  time.key("steady_every_steps", plan.time.steady_every_steps)
      .default_value(100)
      .at_least(1)
      .active_when([&plan] { return plan.time.steady.has_value(); }, "time.steady is not given")
      .help("how often the change is looked at");
  schema.check({"time.end", "time.steps", "time.steady"}, [&plan](CaseCheck& check) {
    if (!plan.time.end && !plan.time.steps && !plan.time.steady) {
      check.error("time.end", "is missing, and so are time.steps and time.steady: give at least one end of the run.");
    }
  });
}

void declare_grid_outputs(CaseSchema& schema, Plan& plan, const Program& program) {
  std::vector<std::string> names;
  for (const QuantityName& quantity : program.quantities) {
    names.push_back(quantity.name);
  }
  auto fields = schema.table("output.fields",
                             "Snapshots of whole fields, for ParaView or scripts. One is always written "
                             "at the end of the run.");
  fields.key("quantities", plan.fields.quantities).default_value({}).choices(names).help("what is written");
  declare_cadence(fields, plan.fields.cadence, "a snapshot", program.schedule);
  fields.key("format", plan.fields.format)
      .default_value(FieldFormat::vtk)
      .choices({{"vtk", FieldFormat::vtk, "VTK XML and a .pvd, for ParaView"},
                {"hdf5", FieldFormat::hdf5,
                 "plain HDF5 and an .xdmf, for scripts; scripts/render cannot draw it (docs/results.md)"}})
      .help("form of the files");
  fields.key("precision", plan.fields.precision)
      .default_value(FieldPrecision::float64)
      .choices({{"float64", FieldPrecision::float64, {}}, {"float32", FieldPrecision::float32, "half the size"}})
      .help("of the values in the files");

  schema
      .list("output.slice", plan.slices,
            [names, quantities = program.quantities, schedule = program.schedule](
                CaseSchema& element, SlicePlan& slice) { declare_slice(element, slice, names, quantities, schedule); })
      .help("Pictures of planes, drawn during the run. One is always drawn at the end.");
}

/// With a fixed dt the end and every output interval are multiples of it.
void check_multiples(CaseSchema& schema, Plan& plan, bool grid) {
  const auto multiple = [&](const std::string& key, std::optional<double>& value) {
    schema.check({"time.dt", key}, [&plan, &value, key](CaseCheck& check) {
      if (plan.time.dt && value && !is_multiple(*value, *plan.time.dt)) {
        check.error(key, not_a_multiple(*value, *plan.time.dt));
      }
    });
  };
  multiple("time.end", plan.time.end);
  multiple("output.history.every_time", plan.history.every_time);
  multiple("checkpoint.every_time", plan.checkpoint.cadence.every_time);
  if (!grid) {
    return;
  }
  multiple("output.fields.every_time", plan.fields.cadence.every_time);
  schema.check({"time.dt", "output.slice"}, [&plan](CaseCheck& check) {
    for (std::size_t i = 0; i < plan.slices.size(); ++i) {
      const auto& every = plan.slices[i].cadence.every_time;
      if (plan.time.dt && every && !is_multiple(*every, *plan.time.dt)) {
        check.error("output.slice",
                    fmt::format("number {}: every_time {}", i + 1, not_a_multiple(*every, *plan.time.dt)));
      }
    }
  });
}

}  // namespace

bool is_multiple(double value, double dt) {
  const double ratio = value / dt;
  return std::round(ratio) >= 1.0 && std::abs(ratio - std::round(ratio)) <= multiple_tolerance * std::round(ratio);
}

SliceSettings slice_settings(const SlicePlan& slice) {
  SliceSettings settings;
  settings.quantity = slice.quantity;
  settings.component = slice.component.value_or(SliceComponent::magnitude);
  settings.axis = static_cast<int>(slice.axis);
  settings.position = slice.position;
  settings.range = slice.range;
  settings.colors = slice.colors;
  settings.pixels = slice.pixels;
  return settings;
}

void declare_plan(CaseSchema& schema, Plan& plan, const Program& program) {
  const bool by_case = program.schedule == Schedule::by_case, grid = !program.quantities.empty();
  plan.schedule = program.schedule;

  schema.key("program", plan.program).required().choices({program.name}).help("the program that runs this case");
  schema.key("title", plan.title).default_value("").help("one line for people, shown in the log");

  if (by_case) {
    declare_time(schema, plan);
  } else {
    schema.table("time", "Where the run is cut.")
        .key("steps", plan.time.steps)
        .at_least(0)
        .at_most(most_steps)
        .help("the run ends after this step, whatever its stages say; absent: at the end of the last stage");
  }
  if (grid) {
    declare_grid_outputs(schema, plan, program);
  }

  auto history = schema.table("output.history", "The time series in history.csv.");
  if (by_case) {
    history.key("every_time", plan.history.every_time)
        .unit("s")
        .above(0.0)
        .help("a row at the multiples of this time, which the clock hits exactly");
  }
  history.key("every_steps", plan.history.every_steps)
      .default_value(program.history_every_steps)
      .at_least(0)
      .help(by_case ? "a row at the multiples of this step count; 0: by time only"
                    : "a row at the multiples of this step count; 0: at the end only");

  auto checkpoint = schema.table("checkpoint", "Whole states on disk, from which a run carries on bit for bit.");
  declare_cadence(checkpoint, plan.checkpoint.cadence, "a checkpoint", program.schedule);
  checkpoint.key("every_wall", plan.checkpoint.every_wall)
      .unit("s")
      .default_value(1800.0)
      .at_least(0.0)
      .help("a checkpoint each time that this much wall-clock time has passed; 0: never");
  checkpoint.key("keep", plan.checkpoint.keep).default_value(2).at_least(1).help("generations that stay on disk");
  checkpoint.key("at_end", plan.checkpoint.at_end)
      .default_value(true)
      .help("also when the run ends, so that it can be carried on");

  auto health = schema.table("health", "Watching the state.");
  health.key("every_steps", plan.health_every_steps)
      .default_value(100)
      .at_least(1)
      .help("the state is searched for values that are not finite (and before each checkpoint)");

  auto parallel = schema.table("parallel", "How the work is spread. No result depends on it.");
  parallel.key("ranks", plan.ranks)
      .default_value({})
      .at_least(1)
      .count_at_most(program.rank_axes)
      .help(program.rank_axes == 2 ? "ranks along y and z: [py, pz]; empty: chosen for least halo surface"
                                   : "ranks along x, y and z: [px, py, pz]; empty: chosen for least halo surface");
  parallel.key("exchange", plan.exchange)
      .default_value("auto")
      .choices({"auto", "mpi", "staged"})
      .help("how halos leave a GPU: straight to MPI, or staged through host memory");

  auto log = schema.table("log", "What the run says.");
  log.key("every_seconds", plan.log_every_seconds)
      .unit("s")
      .default_value(10.0)
      .above(0.0)
      .help("between two progress lines where the output is no terminal");

  schema.check({"parallel.ranks"}, [&plan, axes = program.rank_axes](CaseCheck& check) {
    if (!plan.ranks.empty() && static_cast<int>(plan.ranks.size()) != axes) {
      check.error("parallel.ranks",
                  fmt::format("has {} number(s); allowed are {} numbers or none.", plan.ranks.size(), axes));
    }
  });
  if (by_case) {
    check_multiples(schema, plan, grid);
  }
}

void check_program(const std::string& text, const std::string& file, const std::string& program) {
  try {
    const toml::table table = toml::parse(text);
    const auto* given = table.get_as<std::string>("program");
    if (given == nullptr || given->get() == program) {
      return;
    }
    for (const std::string known : {"halyard-flow", "halyard-gas", "halyard-md"}) {
      if (given->get() == known) {
        const auto& at = given->source().begin;
        throw Error(fmt::format("{}:{}:{}: program is \"{}\", but this is {}: run {} {}", file,
                                static_cast<int>(at.line), static_cast<int>(at.column), known, program, known, file));
      }
    }
  } catch (const toml::parse_error&) {
  }
}

}  // namespace halyard
