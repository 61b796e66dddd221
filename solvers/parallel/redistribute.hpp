#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/device/queue.hpp"
#include "kernels/grid/box.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/exchange_path.hpp"

namespace halyard {

/// How a box lies in memory: x fastest without gaps, rows and planes at these distances, in elements. The pointer that
/// goes with it points to the box's first element.
struct Layout {
  std::int64_t stride_j = 0, stride_k = 0;

  bool operator==(const Layout&) const = default;
  /// Without padding.
  static Layout dense(const Box& box) { return {box.extent(0), box.extent(0) * box.extent(1)}; }
};

/// Moves an array from one spread over the ranks to another: from[r] is the box that rank r holds before, to[r] after.
/// Both sets tile the same cells; boxes may be empty. An element is `doubles_per_element` doubles (2: complex). Only
/// ranks with common cells exchange messages; what stays on a rank is copied once. A subset of planes can be moved by
/// an object built from the boxes' intersections with them.
class Redistribute {
 public:
  /// Collective. @throws Error when the boxes do not tile the same cells.
  Redistribute(const Communicator& comm, std::vector<Box> from, std::vector<Box> to, int doubles_per_element,
               ExchangePath path = ExchangePath::direct);
  ~Redistribute();
  Redistribute(Redistribute&&) noexcept;
  Redistribute& operator=(Redistribute&&) noexcept;

  const Box& from() const;  // this rank's
  const Box& to() const;
  /// Every rank keeps exactly its cells: the caller may leave the data where it is.
  bool is_identity() const;
  /// Doubles of scratch memory (of the queue's kind of memory) for what is sent and received.
  std::int64_t scratch_doubles() const;

  /// Collective. Source and target must not overlap, and scratch neither of them. An empty scratch means: use memory of
  /// the object's own, taken at the first such call. @throws Error when a scratch is too small.
  void execute(Queue& queue, const double* source, const Layout& from_layout, double* target, const Layout& to_layout,
               std::span<double> scratch = {});

  /// The same in two halves: after start() the source may be overwritten, not so the scratch; the part that stays on
  /// this rank is copied by start(), so the target must be free by then.
  void start(Queue& queue, const double* source, const Layout& from_layout, double* target, const Layout& to_layout,
             std::span<double> scratch = {});
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halyard
