#pragma once
// What a bonded term is, for the loop that runs it. One struct a file, named and parametrised as LAMMPS' style:
//
//   struct Style {
//     static constexpr std::string_view name;                  // LAMMPS' name, in data files and case files
//     static constexpr std::array<BondedInput, n> inputs;      // LAMMPS' coefficients, in its order and its units
//     static constexpr int coefficients;                       // numbers per type that evaluate() reads
//     static void prepare(const double* input, double* c);     // inputs -> coefficients; throws Error
//     template <class Real> static BondTerm<Real> evaluate(Real r2, const Real* c);                        // bonds
//     template <class Real> static AngleTerm<Real> evaluate(d12, d32, const Real* c);                      // angles
//     template <class Real> static DihedralTerm<Real> evaluate(d12, d32, d43, const Real* c);  // dihedrals, impropers
//   };
//
// d12 = x_1 - x_2, d32 = x_3 - x_2, d43 = x_4 - x_3: Vector3<Real>, each the nearest image. Real is double or
// host::Lanes, with the same bits in both; only + - * /, fma, square roots and our own math.hpp, inverse_trig.hpp.
// Forces are given on all atoms but the second, whose force is minus the sum of the others: the loop takes that sum
// from the terms it has rounded to integers, so that momentum is kept exactly. The virial is that of the displacements
// from atom 2: sum over a of (x_a - x_2) f_a. styles.hpp lists all of them.
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/device/backend.hpp"
#include "kernels/device/error.hpp"
#include "kernels/device/scalar_lane.hpp"

namespace halyard::md {

template <class Real>
struct Vector3 {
  Real x, y, z;
};
template <class Real>
KERNEL Vector3<Real> operator+(const Vector3<Real>& a, const Vector3<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
KERNEL Vector3<Real> operator-(const Vector3<Real>& a, const Vector3<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
KERNEL Vector3<Real> operator*(Real s, const Vector3<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
KERNEL Real dot(const Vector3<Real>& a, const Vector3<Real>& b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}
template <class Real>
KERNEL Vector3<Real> cross(const Vector3<Real>& a, const Vector3<Real>& b) {
  return {fms(a.y, b.z, a.z * b.y), fms(a.z, b.x, a.x * b.z), fms(a.x, b.y, a.y * b.x)};
}
/// a + s b
template <class Real>
KERNEL Vector3<Real> add_scaled(const Vector3<Real>& a, Real s, const Vector3<Real>& b) {
  return {fma(s, b.x, a.x), fma(s, b.y, a.y), fma(s, b.z, a.z)};
}

/// A truth value for each number of a Real.
template <class Real>
using MaskOf = decltype(less(std::declval<Real>(), std::declval<Real>()));

// `broken`: there is no such geometry (a FENE bond beyond its length, two atoms at one point); the other members are
// then anything, NaN included, and the run must end with the ids.

template <class Real>
struct BondTerm {
  Real energy;        // U(r)
  Real force_over_r;  // -U'(r)/r: times x_1 - x_2 it is the force on atom 1, minus that on atom 2
  MaskOf<Real> broken;
};

template <class Real>
struct AngleTerm {
  Real energy;
  Vector3<Real> f1, f3;  // forces on atoms 1 and 3; atom 2, the apex, gets minus their sum
  MaskOf<Real> broken;
};

template <class Real>
struct DihedralTerm {
  Real energy;
  Vector3<Real> f1, f3, f4;  // forces on atoms 1, 3, 4; atom 2 gets minus their sum
  MaskOf<Real> broken;
};

/// The kind of an input, from which its unit follows (e: energy, l: length).
enum class BondedQuantity {
  energy,
  energy_per_length2,
  energy_per_radian2,
  length,
  inverse_length,
  degrees,
  whole,
  number
};

struct BondedInput {
  std::string_view name;
  BondedQuantity quantity;
};

namespace detail {
inline double bonded_input(const char* kind, std::string_view style, const BondedInput& input, double value, double low,
                           double high) {
  const bool whole = input.quantity != BondedQuantity::whole || value == std::floor(value);
  if (!(value >= low && value <= high && std::isfinite(value)) || !whole) {
    const auto text = [](double x) {
      std::string digits = std::to_string(x);
      digits.erase(digits.find_last_not_of('0') + 1);
      return digits.back() == '.' ? digits.substr(0, digits.size() - 1) : digits;
    };
    throw Error(
        std::string(kind) + " style " + std::string(style) + ": " + std::string(input.name) + " is " + text(value) +
        "; it must be " + (input.quantity == BondedQuantity::whole ? "a whole number" : "a finite number") +
        (low > -1e300 ? ", at least " + text(low) : "") + (high < 1e300 ? ", at most " + text(high) : "") + ".");
  }
  return value;
}
constexpr double no_limit = 1.7e308;
/// True where a squared length is zero.
template <class Real>
KERNEL MaskOf<Real> no_length(Real r2) {
  return less(r2, constant<Real>(1e-300));
}
template <class Real>
KERNEL MaskOf<Real> never() {
  return less(constant<Real>(0.0), constant<Real>(0.0));
}
}  // namespace detail

}  // namespace halyard::md
