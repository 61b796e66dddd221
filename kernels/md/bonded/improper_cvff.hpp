#pragma once
#include "kernels/md/bonded/dihedral_harmonic.hpp"

namespace halyard::md {

/// U(phi) = K [1 + d cos(n phi)], d = +1 or -1, n = 0 to 6: the form of DihedralHarmonic on the four atoms of an
/// improper (Dauber-Osguthorpe et al. 1988, Proteins 4, 31).
struct ImproperCvff {
  static constexpr std::string_view name = "cvff";
  static constexpr std::array<BondedInput, 3> inputs = DihedralHarmonic::inputs;
  static constexpr int coefficients = DihedralHarmonic::coefficients;

  static void prepare(const double* input, double* c) {
    DihedralHarmonic::prepare_as("improper", name, inputs, input, c);
  }

  template <class Real>
  KERNEL static DihedralTerm<Real> evaluate(const Vector3<Real>& d12, const Vector3<Real>& d32,
                                            const Vector3<Real>& d43, const Real* c) {
    return DihedralHarmonic::evaluate(d12, d32, d43, c);
  }
};

}  // namespace halyard::md
