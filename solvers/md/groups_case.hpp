#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard::md {

enum class CylinderAxis { x, y, z };

/// What history.csv has of a group.
enum class GroupColumn { temperature, kinetic_energy, centre_of_mass, momentum, force };

/// One [[group]]: the atoms that meet all of what is given.
struct GroupSettings {
  std::string name;
  std::vector<std::int64_t> types;                            // from 1
  std::vector<std::array<std::int64_t, 2>> ids;               // the user's, first and last
  std::array<std::optional<std::array<double, 2>>, 3> range;  // along x, y, z
  std::optional<std::array<double, 3>> sphere_centre;
  std::optional<double> sphere_radius;
  CylinderAxis cylinder_axis = CylinderAxis::z;
  std::optional<std::array<double, 2>> cylinder_centre;
  std::optional<double> cylinder_radius;
  std::vector<std::string> without;  // groups before this one
  std::vector<GroupColumn> columns;

  /// Whether a place in the box lies in the region.
  bool holds(const std::array<double, 3>& x) const;
};

void declare(CaseSchema& schema, std::vector<GroupSettings>& groups);

}  // namespace halyard::md
