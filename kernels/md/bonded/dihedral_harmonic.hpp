#pragma once
#include "kernels/md/bonded/dihedral_geometry.hpp"

namespace halyard::md {

/// U(phi) = K [1 + d cos(n phi)], d = +1 or -1, n = 0 to 6.
struct DihedralHarmonic {
  static constexpr std::string_view name = "harmonic";
  static constexpr std::array<BondedInput, 3> inputs{
      {{"k", BondedQuantity::energy}, {"d", BondedQuantity::whole}, {"n", BondedQuantity::whole}}};
  static constexpr int largest_n = 6;
  static constexpr int coefficients = largest_n + 1;  // of cos(n phi)

  static void prepare(const double* input, double* c) { prepare_as("dihedral", name, inputs, input, c); }

  /// For styles of the same form: `kind` and `style` for messages.
  static void prepare_as(const char* kind, std::string_view style, const std::array<BondedInput, 3>& what,
                         const double* input, double* c) {
    const double k = detail::bonded_input(kind, style, what[0], input[0], -detail::no_limit, detail::no_limit);
    const double d = detail::bonded_input(kind, style, what[1], input[1], -1.0, 1.0);
    const double n = detail::bonded_input(kind, style, what[2], input[2], 0.0, largest_n);
    if (d == 0.0) {
      throw Error(std::string(kind) + " style " + std::string(style) + ": d is 0; it must be 1 or -1.");
    }
    for (int i = 0; i < coefficients; ++i) {
      c[i] = 0.0;
    }
    c[0] = k;
    c[static_cast<int>(n)] += k * d;
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    return dihedral_series<largest_n, false>(dihedral_geometry(d12, d32, d43), c);
  }
};

}  // namespace halyard::md
