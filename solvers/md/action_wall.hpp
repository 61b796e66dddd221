#pragma once
#include "solvers/md/action_case.hpp"

namespace halyard::md {

enum class WallKind { reflecting, lj93 };
enum class WallSide { x_low, x_high, y_low, y_high, z_low, z_high };

/// One [[wall]]: what keeps atoms in at a side of the box that is not periodic.
struct WallSettings : ActionTarget {
  static constexpr const char* list = "wall";
  static constexpr const char* help = "Walls at sides of the box that are not periodic.";
  static constexpr const char* not_in_npt = "the box would push its walls through the atoms";
  WallSide side = WallSide::z_low;
  WallKind kind = WallKind::reflecting;
  std::optional<double> epsilon, sigma, cutoff;

  std::size_t axis() const { return static_cast<std::size_t>(side) / 2; }
  bool upper() const { return static_cast<int>(side) % 2 == 1; }
  std::string name() const;  // "z-low"

  void declare(CaseSchema& element);
  std::string wrong(const MdCase& c) const;
  std::string wrong(const SimulationBox& box) const;
  std::unique_ptr<Action> make(std::uint32_t mask, int number) const;
};

}  // namespace halyard::md
