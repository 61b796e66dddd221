#include "solvers/md/groups_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "solvers/md/groups.hpp"
#include "solvers/md/repeated.hpp"

namespace halyard::md {

namespace {

bool is_plain(const std::string& name) {
  const auto counts = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return std::any_of(name.begin(), name.end(), counts) && std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
         });
}

}  // namespace

bool GroupSettings::holds(const std::array<double, 3>& x) const {
  bool inside = true;
  for (std::size_t d = 0; d < 3; ++d) {
    inside = inside && (!range[d] || ((*range[d])[0] <= x[d] && x[d] <= (*range[d])[1]));
  }
  if (sphere_radius) {
    double r2 = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      r2 += (x[d] - (*sphere_centre)[d]) * (x[d] - (*sphere_centre)[d]);
    }
    inside = inside && r2 <= *sphere_radius * *sphere_radius;
  }
  if (cylinder_radius) {
    const auto axis = static_cast<std::size_t>(cylinder_axis);
    const std::size_t first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    const double a = x[first] - (*cylinder_centre)[0], b = x[second] - (*cylinder_centre)[1];
    inside = inside && a * a + b * b <= *cylinder_radius * *cylinder_radius;
  }
  return inside;
}

void declare(CaseSchema& schema, std::vector<GroupSettings>& groups) {
  schema
      .list("group", groups,
            [](CaseSchema& element, GroupSettings& g) {
              element.key("name", g.name)
                  .required()
                  .help("letters, digits, _ and -, one of the first two at least; for other tables, and columns");
              element.key("types", g.types).default_value({}).at_least(1).help("of its atoms, from 1; none: all");
              element.key("ids", g.ids)
                  .default_value({})
                  .at_least(0)
                  .help("of its atoms, [[1, 100], [205, 205]]: first and last of each stretch; none: all");
              for (std::size_t d = 0; d < 3; ++d) {
                element.key(std::string(1, "xyz"[d]), g.range[d])
                    .unit("length")
                    .help(fmt::format("[from, to]: where along {} its atoms are at the start; absent: anywhere",
                                      "xyz"[d]));
              }
              element.key("sphere_radius", g.sphere_radius)
                  .unit("length")
                  .above(0.0)
                  .help("its atoms are in a sphere at the start; absent: no sphere");
              element.key("sphere_centre", g.sphere_centre)
                  .unit("length")
                  .required_when([&g] { return g.sphere_radius.has_value(); }, "sphere_radius is given")
                  .active_when([&g] { return g.sphere_radius.has_value(); }, "sphere_radius is not given")
                  .help("of the sphere");
              element.key("cylinder_radius", g.cylinder_radius)
                  .unit("length")
                  .above(0.0)
                  .help("its atoms are in an endless cylinder at the start; absent: no cylinder");
              element.key("cylinder_axis", g.cylinder_axis)
                  .default_value(CylinderAxis::z)
                  .choices({{"x", CylinderAxis::x, {}}, {"y", CylinderAxis::y, {}}, {"z", CylinderAxis::z, {}}})
                  .active_when([&g] { return g.cylinder_radius.has_value(); }, "cylinder_radius is not given")
                  .help("along which the cylinder lies");
              element.key("cylinder_centre", g.cylinder_centre)
                  .unit("length")
                  .required_when([&g] { return g.cylinder_radius.has_value(); }, "cylinder_radius is given")
                  .active_when([&g] { return g.cylinder_radius.has_value(); }, "cylinder_radius is not given")
                  .help("where its axis is along the two others, in the order x, y, z");
              element.key("without", g.without)
                  .default_value({})
                  .help("names of groups before this one, whose atoms are not of it");
              element.key("columns", g.columns)
                  .default_value({})
                  .choices({{"temperature", GroupColumn::temperature, {}},
                            {"kinetic_energy", GroupColumn::kinetic_energy, {}},
                            {"centre_of_mass", GroupColumn::centre_of_mass, "over periodic sides, not wrapped"},
                            {"momentum", GroupColumn::momentum, {}},
                            {"force", GroupColumn::force, "in all, on frozen atoms too"}})
                  .help("what history.csv has of the group");
            })
      .help(
          "Groups of atoms, at most 24: those that meet everything given. Regions are asked of the positions at the "
          "start of the "
          "run, wrapped into the box.");
  schema.check({"group"}, [&groups](CaseCheck& check) {
    if (groups.size() > static_cast<std::size_t>(Groups::most)) {
      check.error("group",
                  fmt::format("is given {} times; at most {} groups are possible.", groups.size(), Groups::most));
    }
    for (std::size_t n = 0; n < groups.size(); ++n) {
      const GroupSettings& g = groups[n];
      const auto wrong = [&](const std::string& what) {
        check.error("group", fmt::format("number {} (\"{}\") {}", n + 1, g.name, what));
      };
      if (!is_plain(g.name)) {
        wrong("has a name of other characters than letters, digits, _ and -, or without letters and digits.");
      }
      const auto before = groups.begin() + static_cast<std::ptrdiff_t>(n);
      const auto named = [&](const std::string& name) {
        return std::any_of(groups.begin(), before, [&](const GroupSettings& other) { return other.name == name; });
      };
      if (named(g.name)) {
        wrong("has the name of another one.");
      }
      if (const auto twice = repeated(g.types)) {
        wrong(fmt::format("names the type {} twice.", *twice));
      }
      if (repeated(g.columns)) {
        wrong("names a column twice.");
      }
      if (const auto twice = repeated(g.without)) {
        wrong(fmt::format("is without \"{}\" twice.", *twice));
      }
      for (const std::string& name : g.without) {
        if (!named(name)) {
          wrong(fmt::format("is to be without \"{}\", which is no group before it.", name));
        }
      }
      for (const std::array<std::int64_t, 2>& stretch : g.ids) {
        if (stretch[0] > stretch[1]) {
          wrong(fmt::format("has ids from {} to {}: the first must not be the larger one.", stretch[0], stretch[1]));
        }
      }
      for (std::size_t d = 0; d < 3; ++d) {
        if (g.range[d] && (*g.range[d])[0] > (*g.range[d])[1]) {
          wrong(fmt::format("has {} from {} to {}: the first must not be the larger one.", "xyz"[d], (*g.range[d])[0],
                            (*g.range[d])[1]));
        }
      }
    }
  });
}

}  // namespace halyard::md
