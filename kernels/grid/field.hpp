#pragma once
#include <string>

#include "kernels/device/buffer.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

/// A 3-D array of doubles over a rank's block of cells with one ghost layer on every side, zero at first. Element (0,0,0)
/// is the block's first cell; rows are padded so that every row starts at a multiple of 64 bytes: the ghost i = -1 is the
/// last element of the row before, i = nx the one behind the row.
class Field {
 public:
  static constexpr int ghost = 1;

  Field() = default;
  Field(Queue& queue, const Index3& extents, const std::string& name)
      : extents_(extents),
        pitch_((extents[0] + 2 * ghost + row_unit - 1) / row_unit * row_unit),
        buffer_(queue, static_cast<std::size_t>(elements(extents)), name) {}

  /// Elements of memory that a field of these extents takes.
  static std::int64_t elements(const Index3& extents) {
    const std::int64_t pitch = (extents[0] + 2 * ghost + row_unit - 1) / row_unit * row_unit;
    return row_unit + pitch * (extents[1] + 2 * ghost) * (extents[2] + 2 * ghost);
  }

  const Index3& extents() const { return extents_; }
  View3<double> view() { return {origin(), pitch_, plane()}; }
  View3<const double> view() const { return {const_cast<Field*>(this)->origin(), pitch_, plane()}; }
  Range3 cells() const {
    return {0, static_cast<int>(extents_[0]), 0, static_cast<int>(extents_[1]), 0, static_cast<int>(extents_[2])};
  }
  Buffer<double>& buffer() { return buffer_; }
  void swap(Field& other) noexcept {
    std::swap(extents_, other.extents_);
    std::swap(pitch_, other.pitch_);
    buffer_.swap(other.buffer_);
  }

 private:
  static constexpr std::int64_t row_unit = 8;  // doubles in 64 bytes

  std::int64_t plane() const { return pitch_ * (extents_[1] + 2 * ghost); }
  double* origin() { return buffer_.data() + row_unit + ghost * pitch_ + ghost * plane(); }

  Index3 extents_{0, 0, 0};
  std::int64_t pitch_ = 0;
  Buffer<double> buffer_;
};

}  // namespace halyard
