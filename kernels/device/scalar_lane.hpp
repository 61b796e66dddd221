#pragma once
// The operations of host::Lanes for one number, so that a formula is written once as a template over the number type:
// double (one pair, one cell, a CUDA thread) or host::Lanes (eight side by side on the CPU). Same bits in both.
#include <cmath>

#include "kernels/device/backend.hpp"

namespace halyard {

KERNEL double fma(double a, double b, double c) { return std::fma(a, b, c); }    // a b + c
KERNEL double fms(double a, double b, double c) { return std::fma(a, b, -c); }   // a b - c
KERNEL double fnma(double a, double b, double c) { return std::fma(-a, b, c); }  // c - a b
KERNEL double square_root(double a) { return std::sqrt(a); }
KERNEL double smaller(double a, double b) { return a < b ? a : b; }
KERNEL double larger(double a, double b) { return a > b ? a : b; }
KERNEL bool less(double a, double b) { return a < b; }
KERNEL bool both(bool a, bool b) { return a && b; }
KERNEL bool either(bool a, bool b) { return a || b; }
/// a where the mask holds, else b.
KERNEL double select(bool mask, double a, double b) { return mask ? a : b; }
/// The largest whole number <= a, as a number and as an index.
KERNEL double round_down(double a) { return std::floor(a); }
KERNEL int to_index(double a) { return static_cast<int>(a); }
/// table[index]
KERNEL double gather(const double* table, int index) { return table[index]; }

/// A constant as a number of type Real.
template <class Real>
KERNEL Real constant(double value);
template <>
KERNEL double constant<double>(double value) {
  return value;
}

}  // namespace halyard
