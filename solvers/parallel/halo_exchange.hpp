#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/wrap_x.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/exchange_path.hpp"
#include "solvers/parallel/rank_grid.hpp"

namespace halyard {

/// Sides of a block whose ghost layers are wanted. An edge (j and k both outside) is filled where both its sides are.
using Sides = unsigned;
namespace side {
constexpr Sides y_lower = 1, y_upper = 2, z_lower = 4, z_upper = 8;
constexpr Sides y = y_lower | y_upper, z = z_lower | z_upper, all = y | z;
}  // namespace side

/// One array in an exchange and the ghost layers that it needs, the same on every rank.
struct HaloField {
  View3<double> view;  // (0, 0, 0) is the block's first cell
  Sides sides = side::all;
};

/// Fills ghost layers in y and z from the neighbours' cells, whole rows with their x ghosts (i from -width to nx +
/// width - 1): fill the x ghosts of the owned rows first (wrap_x() or a boundary condition) and they arrive with the
/// rows. Ghosts outside a non-periodic end are left as they are; a boundary condition that then fills them for all
/// ghost rows of the other axis makes the edges right as well.
///
/// Edges come straight from the diagonal neighbour, so one round of messages does it all: one message per neighbouring
/// rank, with all fields and all regions that this rank gives it (two ranks that are neighbours on several sides share
/// one message). Periodic neighbours that are this rank itself are copies. Nothing is allocated after construction.
class HaloExchange {
 public:
  /// @param fields the most fields in one exchange  @param width ghost layers
  /// Collective. @throws Error when a block is thinner than the width (check_rank_grid() says so earlier).
  HaloExchange(const Communicator& comm, const Decomposition& decomposition, Queue& queue, ExchangePath path,
               int fields, int width = 1);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Collective: every rank with the same number of fields and the same sides.
  void exchange(std::span<const HaloField> fields) {
    start(fields);
    finish();
  }
  void exchange(std::initializer_list<HaloField> fields) { exchange(std::span(fields.begin(), fields.size())); }

  /// The same in two halves. Between them the owned cells of the outermost layers and the ghosts of these fields must
  /// not be written and the ghosts not be read; one exchange at a time.
  void start(std::span<const HaloField> fields);
  void finish();

  /// For one line of the log: path, neighbours, largest message, measured latency and bandwidth. Collective.
  std::string description();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halyard
