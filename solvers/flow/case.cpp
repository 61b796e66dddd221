#include "solvers/flow/case.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solvers/flow/face_file.hpp"

namespace halyard::flow {

const std::vector<CaseChoice<BoundaryKind>> kBoundaryKinds = {
    {"periodic", BoundaryKind::periodic, "joined to the opposite side"},
    {"no_slip", BoundaryKind::no_slip, "wall that the fluid sticks to"},
    {"free_slip", BoundaryKind::free_slip, "impermeable plane without friction"}};

namespace {

constexpr const char* kAxisNames[3] = {"x", "y", "z"};

std::string side_key(int axis, bool upper) {
  return fmt::format("boundary.{}_{}", kAxisNames[axis], upper ? "upper" : "lower");
}

void declare_boundaries(CaseSchema& schema, FlowCase& c) {
  schema.table(
      "boundary",
      "One table for each side of the box, as in `y_upper = { type = \"no_slip\", velocity = [1.0, 0.0, 0.0] }`. "
      "Both sides of an axis are periodic, or neither is.");
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      Boundary& side = upper ? c.boundary[axis].upper : c.boundary[axis].lower;
      const auto table = schema.table(side_key(axis, upper));
      table.key("type", side.kind)
          .default_value(BoundaryKind::periodic)
          .choices(kBoundaryKinds)
          .help("what holds at this side");
      table.key("velocity", side.velocity)
          .default_value({0.0, 0.0, 0.0})
          .at_least(-kLargestInput)
          .at_most(kLargestInput)
          .unit("m/s")
          .active_when([&side] { return side.kind == BoundaryKind::no_slip; }, "this side is no no_slip wall")
          .help("velocity of the wall; its normal component must be zero");
    }
    const std::string lower = side_key(axis, false), upper = side_key(axis, true);
    schema.check({lower + ".type", upper + ".type"}, [&c, axis, lower, upper](CaseCheck& check) {
      const BoundaryPair& pair = c.boundary[axis];
      const bool low = pair.lower.kind == BoundaryKind::periodic, high = pair.upper.kind == BoundaryKind::periodic;
      if (low != high) {
        check.error((low ? upper : lower) + ".type",
                    fmt::format("makes one side of {} periodic and the other not; make both periodic, or give "
                                "{}.type as \"no_slip\" or \"free_slip\".",
                                kAxisNames[axis], low ? lower : upper));
      }
    });
    for (const bool is_upper : {false, true}) {
      const std::string key = (is_upper ? upper : lower) + ".velocity";
      schema.check({key}, [&c, axis, is_upper, key](CaseCheck& check) {
        const Boundary& side = is_upper ? c.boundary[axis].upper : c.boundary[axis].lower;
        if (side.velocity[axis] != 0.0) {
          check.error(key, fmt::format("has the {} component {}, normal to the wall; it must be 0.", kAxisNames[axis],
                                       side.velocity[axis]));
        }
      });
    }
    schema.check({"domain.cells", lower + ".type", upper + ".type"}, [&c, axis](CaseCheck& check) {
      const BoundaryPair& pair = c.boundary[axis];
      const bool wall = pair.lower.kind == BoundaryKind::no_slip || pair.upper.kind == BoundaryKind::no_slip;
      if (c.cells[axis] == 1 && wall) {
        check.error("domain.cells", fmt::format("has 1 cell along {}, which makes the flow two-dimensional: a no_slip "
                                                "wall there needs at least 2 cells, or use periodic or free_slip.",
                                                kAxisNames[axis]));
      }
    });
  }
}

void declare_stretching(CaseSchema& schema, FlowCase& c) {
  auto& s = c.stretching;
  const auto table = schema.table("domain.stretching", "At most one axis may have cells of unequal width.");
  table.key("kind", s.kind)
      .default_value(Stretching::none)
      .choices({{"none", Stretching::none, "all axes uniform"},
                {"tanh", Stretching::tanh_both, "fine at both ends"},
                {"tanh_lower", Stretching::tanh_lower, "fine at the lower end"},
                {"tanh_upper", Stretching::tanh_upper, "fine at the upper end"},
                {"file", Stretching::file, "face coordinates from a file"}})
      .help("how the faces of the stretched axis are placed");
  const auto stretched = [&s] { return s.kind != Stretching::none; };
  table.key("axis", s.axis)
      .default_value(AxisName::y)
      .choices({{"x", AxisName::x, {}}, {"y", AxisName::y, {}}, {"z", AxisName::z, {}}})
      .active_when(stretched, "domain.stretching.kind is \"none\"")
      .help("the stretched axis");
  table.key("factor", s.factor)
      .default_value(1.5)
      .above(0.0)
      .at_most(10.0)
      .active_when([&s] { return s.kind != Stretching::none && s.kind != Stretching::file; },
                   "domain.stretching.kind is not a tanh")
      .help("strength of the hyperbolic tangent; the larger, the finer at the end");
  table.key("file", s.file)
      .required_when([&s] { return s.kind == Stretching::file; }, "domain.stretching.kind is \"file\"")
      .active_when([&s] { return s.kind == Stretching::file; }, "domain.stretching.kind is not \"file\"")
      .help("text file with the n + 1 ascending face coordinates [m], one a line");
  schema.check({"domain.stretching.axis", "domain.stretching.kind", "domain.cells"}, [&c, stretched](CaseCheck& check) {
    if (stretched() && c.cells[static_cast<int>(c.stretching.axis)] == 1) {
      check.error("domain.stretching.axis", "names an axis of 1 cell, which cannot be stretched.");
    }
  });
}

}  // namespace

void declare(CaseSchema& schema, FlowCase& c) {
  const auto domain = schema.table("domain", "The box and its grid.");
  domain.key("cells", c.cells)
      .required()
      .at_least(1)
      .at_most(1 << 20)
      .help("cells along x, y, z; 1 makes the flow two-dimensional");
  domain.key("origin", c.origin)
      .default_value({0.0, 0.0, 0.0})
      .at_least(-kLargestInput)
      .at_most(kLargestInput)
      .unit("m")
      .help("lower corner of the box");
  domain.key("length", c.length).required().above(0.0).at_most(kLargestInput).unit("m").help("edges of the box");
  declare_stretching(schema, c);
  declare_boundaries(schema, c);

  schema.table("fluid")
      .key("viscosity", c.viscosity)
      .required()
      .at_least(0.0)
      .at_most(kLargestInput)
      .unit("m2/s")
      .help("kinematic viscosity");

  const auto drive = schema.table("drive", "What keeps the flow going.");
  drive.key("body_force", c.body_force)
      .default_value({0.0, 0.0, 0.0})
      .at_least(-kLargestInput)
      .at_most(kLargestInput)
      .unit("m/s2")
      .help("uniform acceleration");
  for (int axis = 0; axis < 3; ++axis) {
    const std::string key = fmt::format("bulk_velocity_{}", kAxisNames[axis]);
    drive.key(key, c.bulk_velocity[axis])
        .at_least(-kLargestInput)
        .at_most(kLargestInput)
        .unit("m/s")
        .help(fmt::format("volume mean of the {} velocity, held exactly by a uniform force", kAxisNames[axis]));
    schema.check({"drive." + key, side_key(axis, false) + ".type"}, [&c, axis, key](CaseCheck& check) {
      if (c.bulk_velocity[axis] && c.boundary[axis].lower.kind != BoundaryKind::periodic) {
        check.error("drive." + key, fmt::format("needs periodic sides along {}.", kAxisNames[axis]));
      }
    });
  }

  const auto initial = schema.table("initial", "The velocity at the start, made divergence-free by a projection.");
  for (int axis = 0; axis < 3; ++axis) {
    const char* const name[3] = {"u", "v", "w"};
    initial.key(name[axis], c.initial[axis])
        .default_value("0")
        .unit("m/s")
        .help(fmt::format("{} velocity as a formula of x, y, z [m]; knows pi", kAxisNames[axis]));
  }
  initial.key("noise_amplitude", c.noise_amplitude)
      .default_value(0.0)
      .at_least(0.0)
      .at_most(kLargestInput)
      .unit("m/s")
      .help("largest random addition to each component");
  initial.key("noise_seed", c.noise_seed)
      .default_value(1)
      .at_least(0)
      .at_most(0xffffffffLL)
      .active_when([&c] { return c.noise_amplitude > 0.0; }, "initial.noise_amplitude is 0")
      .help("another seed, another random field; the same seed, the same on any number of ranks");

  const auto time = schema.table("time");
  time.key("cfl", c.cfl)
      .default_value(1.0)
      .above(0.0)
      .at_most(1.7)
      .help(
          "largest dt (|u|/dx + |v|/dy + |w|/dz); the scheme is stable up to 1.73. Under a fixed time.dt: only for the "
          "warning at the start");
  time.key("viscous_limit", c.viscous_limit)
      .default_value(0.8)
      .above(0.0)
      .at_most(1.0)
      .help("largest dt as a fraction of the viscous stability limit 2.51 / (4 nu (1/dx2 + 1/dy2 + 1/dz2))");
}

namespace {

std::vector<double> uniform_faces(std::int64_t n, double origin, double length) {
  std::vector<double> faces(n + 1);
  for (std::int64_t i = 0; i <= n; ++i) {
    faces[i] = origin + length * (static_cast<double>(i) / static_cast<double>(n));
  }
  return faces;
}

/// Vinokur's one-parameter map (1983, J. Comput. Phys. 50, 215) of s in [0, 1] to [0, 1].
double tanh_map(Stretching kind, double factor, double s) {
  switch (kind) {
    case Stretching::tanh_both:
      return 0.5 * (1.0 + std::tanh(factor * (2.0 * s - 1.0)) / std::tanh(factor));
    case Stretching::tanh_lower:
      return 1.0 + std::tanh(factor * (s - 1.0)) / std::tanh(factor);
    case Stretching::tanh_upper:
      return std::tanh(factor * s) / std::tanh(factor);
    default:
      return s;
  }
}

std::vector<double> faces_from_file(const FlowCase& settings, const CaseSchema& schema) {
  const auto& path = settings.stretching.file;
  const auto fail = [&](const std::string& what) {
    return schema.error("domain.stretching.file", fmt::format("{}: {}", path.string(), what));
  };
  std::vector<double> faces;
  try {
    faces = read_face_file(path);
  } catch (const Error& error) {
    throw schema.error("domain.stretching.file", error.what());
  }
  const int axis = static_cast<int>(settings.stretching.axis);
  const auto wanted = static_cast<std::size_t>(settings.cells[axis] + 1);
  if (faces.size() != wanted) {
    throw fail(
        fmt::format("has {} coordinates; domain.cells wants {} (one more than the cells).", faces.size(), wanted));
  }
  const double lower = settings.origin[axis], upper = settings.origin[axis] + settings.length[axis];
  const double tolerance = 1e-9 * settings.length[axis];  // decimal coordinates of about ten digits
  if (std::abs(faces.front() - lower) > tolerance || std::abs(faces.back() - upper) > tolerance) {
    throw fail(fmt::format("runs from {} to {}; domain.origin and domain.length say {} to {}.", faces.front(),
                           faces.back(), lower, upper));
  }
  return faces;
}

}  // namespace

std::array<Axis, 3> make_axes(const FlowCase& settings, const CaseSchema& schema) {
  std::array<Axis, 3> axes;
  for (int a = 0; a < 3; ++a) {
    Axis& axis = axes[a];
    axis.periodic = settings.boundary[a].lower.kind == BoundaryKind::periodic;
    axis.faces = uniform_faces(settings.cells[a], settings.origin[a], settings.length[a]);
    const auto& stretching = settings.stretching;
    if (stretching.kind == Stretching::none || static_cast<int>(stretching.axis) != a) {
      continue;
    }
    axis.uniform = false;
    if (stretching.kind == Stretching::file) {
      axis.faces = faces_from_file(settings, schema);
      continue;
    }
    const auto n = static_cast<double>(settings.cells[a]);
    for (std::int64_t i = 1; i < settings.cells[a]; ++i) {
      const double s = static_cast<double>(i) / n;
      axis.faces[i] = settings.origin[a] + settings.length[a] * tanh_map(stretching.kind, stretching.factor, s);
    }
  }
  for (int a = 0; a < 3; ++a) {
    for (std::int64_t i = 0; i < settings.cells[a]; ++i) {
      const double dx = axes[a].faces[i + 1] - axes[a].faces[i];
      if (!(dx >= 1.0 / kLargestInput)) {
        throw schema.error(
            "domain.length",
            fmt::format("makes cell {} along {} {} m wide (faces at {} and {}); widths must be at least "
                        "{} m. Mind domain.origin and domain.stretching too.",
                        i, kAxisNames[a], dx, axes[a].faces[i], axes[a].faces[i + 1], 1.0 / kLargestInput));
      }
    }
  }
  return axes;
}

}  // namespace halyard::flow
