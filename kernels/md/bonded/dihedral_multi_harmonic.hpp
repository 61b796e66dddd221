#pragma once
#include "kernels/md/bonded/dihedral_geometry.hpp"

namespace halyard::md {

/// U(phi) = sum over n = 1..5 of A_n cos(phi)^(n-1)
struct DihedralMultiHarmonic {
  static constexpr std::string_view name = "multi/harmonic";
  static constexpr std::array<BondedInput, 5> inputs{{{"a1", BondedQuantity::energy},
                                                      {"a2", BondedQuantity::energy},
                                                      {"a3", BondedQuantity::energy},
                                                      {"a4", BondedQuantity::energy},
                                                      {"a5", BondedQuantity::energy}}};
  static constexpr int coefficients = 5;  // of cos(n phi)

  static void prepare(const double* input, double* c) {
    double a[5];
    for (std::size_t i = 0; i < 5; ++i) {
      a[i] = detail::bonded_input("dihedral", name, inputs[i], input[i], -detail::no_limit, detail::no_limit);
    }
    // cos^2 = (1 + cos 2)/2, cos^3 = (3 cos + cos 3)/4, cos^4 = (3 + 4 cos 2 + cos 4)/8
    c[0] = a[0] + 0.5 * a[2] + 0.375 * a[4];
    c[1] = a[1] + 0.75 * a[3];
    c[2] = 0.5 * a[2] + 0.5 * a[4];
    c[3] = 0.25 * a[3];
    c[4] = 0.125 * a[4];
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    return dihedral_series<4, false>(dihedral_geometry(d12, d32, d43), c);
  }
};

}  // namespace halyard::md
