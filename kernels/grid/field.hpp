#pragma once
#include <span>
#include <string>

#include "kernels/device/buffer.hpp"
#include "kernels/device/view.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

/// One or more 3-D arrays of doubles over a rank's block of cells, in one piece of memory, with one ghost layer on
/// every side, zero at first. Element (0,0,0) of a component is the block's first cell; rows are padded so that every
/// row starts at a multiple of 64 bytes: the ghost i = -1 is the last element of the row before, i = nx the one behind
/// the row.
class Field {
 public:
  static constexpr int ghost = 1;

  Field() = default;
  Field(Queue& queue, const Index3& extents, int components, const std::string& name)
      : extents_(extents),
        pitch_(pitch(extents)),
        elements_(elements(extents)),
        components_(components),
        buffer_(queue, static_cast<std::size_t>(components * elements_), name) {}

  /// Doubles of memory that one component of these extents takes.
  static std::int64_t elements(const Index3& extents) {
    const std::int64_t rows = (extents[1] + 2 * ghost) * (extents[2] + 2 * ghost);
    return row_unit + pitch(extents) * rows;
  }

  const Index3& extents() const { return extents_; }
  View3<double> view(int component = 0) { return {origin(component), pitch_, plane()}; }
  View3<const double> view(int component = 0) const {
    return {const_cast<Field*>(this)->origin(component), pitch_, plane()};
  }
  /// The three components of a vector field.
  VectorView<double> vector() { return {view(0), view(1), view(2)}; }
  VectorView<const double> vector() const { return {view(0), view(1), view(2)}; }
  Range3 cells() const {
    return {0, static_cast<int>(extents_[0]), 0, static_cast<int>(extents_[1]), 0, static_cast<int>(extents_[2])};
  }
  int components() const { return components_; }
  /// All of its memory, to be lent as scratch while the field is dead.
  std::span<double> memory() { return {buffer_.data(), buffer_.size()}; }

 private:
  static constexpr std::int64_t row_unit = 8;  // doubles in 64 bytes

  static std::int64_t pitch(const Index3& extents) {
    return (extents[0] + 2 * ghost + row_unit - 1) / row_unit * row_unit;
  }
  std::int64_t plane() const { return pitch_ * (extents_[1] + 2 * ghost); }
  double* origin(int component) {
    return buffer_.data() + component * elements_ + row_unit + ghost * pitch_ + ghost * plane();
  }

  Index3 extents_{0, 0, 0};
  std::int64_t pitch_ = 0, elements_ = 0;
  int components_ = 0;
  Buffer<double> buffer_;
};

}  // namespace halyard
