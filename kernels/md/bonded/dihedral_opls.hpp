#pragma once
#include "kernels/md/bonded/dihedral_geometry.hpp"

namespace halyard::md {

/// U(phi) = 1/2 [K1 (1 + cos phi) + K2 (1 - cos 2 phi) + K3 (1 + cos 3 phi) + K4 (1 - cos 4 phi)]
/// (Jorgensen et al. 1996, J. Am. Chem. Soc. 118, 11225).
struct DihedralOpls {
  static constexpr std::string_view name = "opls";
  static constexpr std::array<BondedInput, 4> inputs{{{"k1", BondedQuantity::energy},
                                                      {"k2", BondedQuantity::energy},
                                                      {"k3", BondedQuantity::energy},
                                                      {"k4", BondedQuantity::energy}}};
  static constexpr int coefficients = 5;  // of cos(n phi)

  static void prepare(const double* input, double* c) {
    c[0] = 0.0;
    for (int n = 1; n <= 4; ++n) {
      const auto i = static_cast<std::size_t>(n - 1);
      const double half =
          0.5 * detail::bonded_input("dihedral", name, inputs[i], input[i], -detail::no_limit, detail::no_limit);
      c[0] += half;
      c[n] = n % 2 == 1 ? half : -half;
    }
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    return dihedral_series<4, false>(dihedral_geometry(d12, d32, d43), c);
  }
};

}  // namespace halyard::md
