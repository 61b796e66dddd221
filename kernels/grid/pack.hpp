#pragma once
#include <span>

#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"

namespace halyard {

/// Copies the cells of `range` to the host, x fastest: values[(cell * components.size()) + component].
void pack_cells(Queue& queue, std::span<const View3<const double>> components, const Range3& range,
                std::span<double> values);

/// The way back for one array: sets the cells of `range` from the host.
void unpack_cells(Queue& queue, std::span<const double> values, const View3<double>& field, const Range3& range);

}  // namespace halyard
