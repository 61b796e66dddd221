#pragma once
#include "kernels/md/bonded/dihedral_geometry.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

/// U(phi) = K [1 + cos(n phi - d)], n = 0 to 6 (MacKerell et al. 1998, J. Phys. Chem. B 102, 3586). The fourth input is
/// the weight of the pair 1-4 that LAMMPS' style adds by pair style lj/charmm: not part of evaluate(); the caller must
/// see to it or refuse weights other than zero.
struct DihedralCharmm {
  static constexpr std::string_view name = "charmm";
  static constexpr std::array<BondedInput, 4> inputs{{{"k", BondedQuantity::energy},
                                                      {"n", BondedQuantity::whole},
                                                      {"d", BondedQuantity::degrees},
                                                      {"weight", BondedQuantity::number}}};
  static constexpr int pair_weight_input = 3;
  static constexpr int largest_n = 6;
  static constexpr int coefficients = 2 * largest_n + 1;  // of 1, cos phi, sin phi, cos 2 phi, ...

  static void prepare(const double* input, double* c) {
    const double k = detail::bonded_input("dihedral", name, inputs[0], input[0], -detail::no_limit, detail::no_limit);
    const int n = static_cast<int>(detail::bonded_input("dihedral", name, inputs[1], input[1], 0.0, largest_n));
    const double d = detail::bonded_input("dihedral", name, inputs[2], input[2], -1e6, 1e6);
    detail::bonded_input("dihedral", name, inputs[3], input[3], 0.0, 1.0);
    double sine = 0.0, cosine = 1.0;
    math::sin_cos_2pi(d / 360.0, sine, cosine);
    for (int i = 0; i < coefficients; ++i) {
      c[i] = 0.0;
    }
    c[0] = k;
    if (n == 0) {
      c[0] += k * cosine;
    } else {
      c[2 * n - 1] = k * cosine;
      c[2 * n] = k * sine;
    }
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    return dihedral_series<largest_n, true>(dihedral_geometry(d12, d32, d43), c);
  }
};

}  // namespace halyard::md
