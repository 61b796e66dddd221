#pragma once
#include "kernels/md/bonded/bonded_term.hpp"
#include "kernels/md/math.hpp"

namespace halyard::md {

/// The bead-spring bond of Kremer & Grest 1990, J. Chem. Phys. 92, 5057:
/// U(r) = -1/2 K R0^2 ln[1 - (r/R0)^2] + 4 epsilon [(sigma/r)^12 - (sigma/r)^6] + epsilon, the second part up to
/// 2^(1/6) sigma. Broken from R0 on. (LAMMPS warns from 0.95 R0 on and goes on with the force there; here the formula
/// holds up to R0.)
struct BondFene {
  static constexpr std::string_view name = "fene";
  static constexpr std::array<BondedInput, 4> inputs{{{"k", BondedQuantity::energy_per_length2},
                                                      {"r0", BondedQuantity::length},
                                                      {"epsilon", BondedQuantity::energy},
                                                      {"sigma", BondedQuantity::length}}};
  // -K, -1/R0^2, 2^(1/3) sigma^2, 12 c12, 6 c6, -K R0^2 / 2, c12, c6, epsilon
  static constexpr int coefficients = 9;

  static void prepare(const double* input, double* c) {
    const double k = detail::bonded_input("bond", name, inputs[0], input[0], 0.0, detail::no_limit);
    const double r0 = detail::bonded_input("bond", name, inputs[1], input[1], 1e-100, 1e100);
    const double epsilon = detail::bonded_input("bond", name, inputs[2], input[2], 0.0, detail::no_limit);
    const double sigma = detail::bonded_input("bond", name, inputs[3], input[3], 0.0, 1e20);
    const double s2 = sigma * sigma, s6 = s2 * s2 * s2;
    c[0] = -k;
    c[1] = -1.0 / (r0 * r0);
    c[2] = std::cbrt(2.0) * s2;
    c[6] = 4.0 * epsilon * s6 * s6;
    c[7] = 4.0 * epsilon * s6;
    c[3] = 12.0 * c[6];
    c[4] = 6.0 * c[7];
    c[5] = -0.5 * k * r0 * r0;
    c[8] = epsilon;
  }

  template <class Real>
  KERNEL static BondTerm<Real> evaluate(Real r2, const Real* c) {
    const Real one = constant<Real>(1.0), zero = constant<Real>(0.0);
    const Real rest = fma(c[1], r2, one);  // 1 - (r/R0)^2
    const auto broken = less(rest, constant<Real>(1e-15));
    const Real inv_r2 = one / r2, inv_r6 = inv_r2 * inv_r2 * inv_r2;
    const auto near = less(r2, c[2]);
    const Real core = select(near, inv_r2 * inv_r6 * fms(c[3], inv_r6, c[4]), zero);
    const Real core_energy = select(near, fma(inv_r6, fms(c[6], inv_r6, c[7]), c[8]), zero);
    return {fma(c[5], math::log(select(broken, one, rest)), core_energy), c[0] / rest + core,
            either(broken, detail::no_length(r2))};
  }
};

}  // namespace halyard::md
