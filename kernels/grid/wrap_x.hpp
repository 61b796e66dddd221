#pragma once
#include <span>

#include "kernels/device/queue.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

/// Fills the x ghosts of a periodic axis for the owned rows: i = -g from nx - g and i = nx - 1 + g from g - 1, for
/// g = 1 ... width (modulo nx where the axis has fewer cells than ghosts).
void wrap_x(Queue& queue, const Index3& extents, std::span<const View3<double>> fields, int width = 1);

}  // namespace halyard
