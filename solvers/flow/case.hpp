#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/case/expression.hpp"
#include "io/case/schema.hpp"
#include "kernels/flow/boundary.hpp"
#include "kernels/grid/metrics.hpp"

namespace halyard::flow {

enum class AxisName { x, y, z };

/// What a side of the box can be: the names that the case file and the key of a checkpoint know it by.
extern const std::vector<CaseChoice<BoundaryKind>> kBoundaryKinds;

enum class Stretching { none, tanh_both, tanh_lower, tanh_upper, file };

/// No length [m], velocity [m/s], viscosity [m2/s] or force [m/s2] is larger, and no cell thinner than its inverse:
/// what the solver makes of them (2 nu S_ij S_ij times a volume goes furthest) then stays in the range of a double.
constexpr double kLargestInput = 1e30;

/// What a case file says about an incompressible flow. Lengths in m, time in s, kinematic quantities (per unit
/// density).
struct FlowCase {
  std::array<std::int64_t, 3> cells{};
  std::array<double, 3> origin{}, length{};
  struct {
    AxisName axis = AxisName::y;
    Stretching kind = Stretching::none;
    double factor = 0.0;
    std::filesystem::path file;
  } stretching;
  std::array<BoundaryPair, 3> boundary;
  double viscosity = 0.0;
  std::array<double, 3> body_force{};
  std::array<std::optional<double>, 3> bulk_velocity;
  std::array<Expression, 3> initial;
  double noise_amplitude = 0.0;
  std::int64_t noise_seed = 0;
  double cfl = 0.0, viscous_limit = 0.0;
};

/// Declares the keys of a flow case and the conditions between them.
void declare(CaseSchema& schema, FlowCase& settings);

/// The grid of a case: uniform axes, or hyperbolic-tangent or given faces on the stretched one.
/// @throws Error at the key's position when a file of faces cannot be read or does not fit.
std::array<Axis, 3> make_axes(const FlowCase& settings, const CaseSchema& schema);

}  // namespace halyard::flow
