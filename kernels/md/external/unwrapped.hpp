#pragma once
#include <cstdint>

#include "kernels/device/backend.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// A position that goes on over periodic sides: x + image[0] a + image[1] b + image[2] c.
struct Unwrapped {
  double lx, ly, lz, xy, xz, yz;
  SlotVector<const double> x;
  SlotVector<const std::int32_t> image;

  Unwrapped(const SimulationBox& box, const SlotVector<const double>& x_, const SlotVector<const std::int32_t>& image_)
      : lx(box.length[0]),
        ly(box.length[1]),
        lz(box.length[2]),
        xy(box.xy),
        xz(box.xz),
        yz(box.yz),
        x(x_),
        image(image_) {}

  struct Point {
    double x, y, z;
  };
  KERNEL Point operator()(int slot) const {
    const double nx = image.x(slot), ny = image.y(slot), nz = image.z(slot);
    return {x.x(slot) + (nx * lx + (ny * xy + nz * xz)), x.y(slot) + (ny * ly + nz * yz), x.z(slot) + nz * lz};
  }
};

}  // namespace halyard::md
