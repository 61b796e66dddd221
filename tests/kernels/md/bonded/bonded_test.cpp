#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/md/bonded/styles.hpp"

namespace halyard::md {
namespace {

using Vector = Vector3<double>;
constexpr double degree = M_PI / 180.0;

struct Atoms {
  std::array<Vector, 4> x;
};

/// A style on 2, 3 or 4 atoms, seen alike: energy and forces on all atoms from positions.
struct Result {
  double energy;
  std::vector<Vector> f;
  bool broken;
};

template <class Real>
struct Displacements {
  Vector3<Real> d12, d32, d43;
};
Displacements<double> displacements(const Atoms& atoms) {
  const auto& x = atoms.x;
  return {x[0] - x[1], x[2] - x[1], x[3] - x[2]};
}

template <class Style>
constexpr int atom_count() {
  const Displacements<double> d{};
  if constexpr (requires { Style::evaluate(1.0, &d.d12.x); }) {
    return 2;
  } else if constexpr (requires { Style::evaluate(d.d12, d.d32, &d.d12.x); }) {
    return 3;
  } else {
    return 4;
  }
}

template <class Style>
Result evaluate(const Atoms& atoms, const double* c) {
  const auto d = displacements(atoms);
  if constexpr (atom_count<Style>() == 2) {
    const auto term = Style::evaluate(dot(d.d12, d.d12), c);
    return {term.energy, {term.force_over_r * d.d12, -term.force_over_r * d.d12}, term.broken};
  } else if constexpr (atom_count<Style>() == 3) {
    const auto term = Style::evaluate(d.d12, d.d32, c);
    return {term.energy, {term.f1, -1.0 * (term.f1 + term.f3), term.f3}, term.broken};
  } else {
    const auto term = Style::evaluate(d.d12, d.d32, d.d43, c);
    return {term.energy, {term.f1, -1.0 * (term.f1 + term.f3 + term.f4), term.f3, term.f4}, term.broken};
  }
}

/// A style, its inputs, and its energy as LAMMPS' manual has it, of r, theta or phi.
template <class StyleType, int variant = 0>
struct Case {
  using Style = StyleType;
  static std::vector<double> inputs();
  static double energy(const Atoms& atoms);
};

double length(const Vector& a) { return std::sqrt(dot(a, a)); }
double bond_length(const Atoms& a) { return length(a.x[0] - a.x[1]); }
double angle(const Atoms& a) {
  const Vector d1 = a.x[0] - a.x[1], d3 = a.x[2] - a.x[1];
  return std::acos(dot(d1, d3) / (length(d1) * length(d3)));
}
/// The signed dihedral angle in its plainest form: the projections of the outer bonds across the middle one.
double dihedral(const Atoms& a) {
  const Vector axis = a.x[2] - a.x[1], unit = (1.0 / length(axis)) * axis;
  Vector u = a.x[0] - a.x[1], v = a.x[3] - a.x[2];
  u = u - dot(u, unit) * unit;
  v = v - dot(v, unit) * unit;
  return std::atan2(dot(cross(unit, u), v), dot(u, v));
}

#define HALYARD_CASE(STYLE, VARIANT, INPUTS, ENERGY)                     \
  template <>                                                            \
  std::vector<double> Case<STYLE, VARIANT>::inputs() {                   \
    return INPUTS;                                                       \
  }                                                                      \
  template <>                                                            \
  double Case<STYLE, VARIANT>::energy([[maybe_unused]] const Atoms& a) { \
    return ENERGY;                                                       \
  }
#define LIST(...) \
  { __VA_ARGS__ }
HALYARD_CASE(BondHarmonic, 0, LIST(310.0, 1.09), 310.0 * std::pow(bond_length(a) - 1.09, 2))
HALYARD_CASE(BondMorse, 0, LIST(80.0, 1.9, 1.2), 80.0 * std::pow(1.0 - std::exp(-1.9 * (bond_length(a) - 1.2)), 2))
HALYARD_CASE(BondFene, 0, LIST(30.0, 2.6, 1.3, 1.1),
             -0.5 * 30.0 * 2.6 * 2.6 * std::log(1.0 - std::pow(bond_length(a) / 2.6, 2)) +
                 (bond_length(a) < 1.1 * std::pow(2.0, 1.0 / 6.0)
                      ? 4.0 * 1.3 * (std::pow(1.1 / bond_length(a), 12) - std::pow(1.1 / bond_length(a), 6)) + 1.3
                      : 0.0))
HALYARD_CASE(AngleHarmonic, 0, LIST(45.0, 112.0), 45.0 * std::pow(angle(a) - 112.0 * degree, 2))
HALYARD_CASE(AngleHarmonic, 1, LIST(45.0, 180.0), 45.0 * std::pow(angle(a) - M_PI, 2))
HALYARD_CASE(AngleCosine, 0, LIST(7.0), 7.0 * (1.0 + std::cos(angle(a))))
HALYARD_CASE(AngleCharmm, 0, LIST(45.0, 112.0, 11.0, 2.17),
             45.0 * std::pow(angle(a) - 112.0 * degree, 2) + 11.0 * std::pow(length(a.x[0] - a.x[2]) - 2.17, 2))
HALYARD_CASE(DihedralHarmonic, 0, LIST(1.4, 1.0, 3.0), 1.4 * (1.0 + std::cos(3.0 * dihedral(a))))
HALYARD_CASE(DihedralHarmonic, 1, LIST(1.4, -1.0, 2.0), 1.4 * (1.0 - std::cos(2.0 * dihedral(a))))
HALYARD_CASE(DihedralHarmonic, 2, LIST(1.4, 1.0, 0.0), 2.8)
HALYARD_CASE(DihedralOpls, 0, LIST(1.74, -0.157, 0.279, 0.4),
             0.5 * (1.74 * (1 + std::cos(dihedral(a))) - 0.157 * (1 - std::cos(2 * dihedral(a))) +
                    0.279 * (1 + std::cos(3 * dihedral(a))) + 0.4 * (1 - std::cos(4 * dihedral(a)))))
HALYARD_CASE(DihedralCharmm, 0, LIST(2.5, 2.0, 180.0, 0.5), 2.5 * (1.0 + std::cos(2.0 * dihedral(a) - M_PI)))
HALYARD_CASE(DihedralCharmm, 1, LIST(0.2, 6.0, 37.0, 0.0), 0.2 * (1.0 + std::cos(6.0 * dihedral(a) - 37.0 * degree)))
HALYARD_CASE(DihedralCharmm, 2, LIST(0.2, 0.0, 60.0, 0.0), 0.3)
HALYARD_CASE(DihedralMultiHarmonic, 0, LIST(2.1, 3.9, 0.7, -4.2, 1.3),
             2.1 + 3.9 * std::cos(dihedral(a)) + 0.7 * std::pow(std::cos(dihedral(a)), 2) -
                 4.2 * std::pow(std::cos(dihedral(a)), 3) + 1.3 * std::pow(std::cos(dihedral(a)), 4))
HALYARD_CASE(ImproperHarmonic, 0, LIST(55.0, 0.0), 55.0 * std::pow(dihedral(a), 2))
HALYARD_CASE(ImproperHarmonic, 1, LIST(20.0, 35.26), 20.0 * std::pow(std::fabs(dihedral(a)) - 35.26 * degree, 2))
HALYARD_CASE(ImproperCvff, 0, LIST(3.0, -1.0, 2.0), 3.0 * (1.0 - std::cos(2.0 * dihedral(a))))
HALYARD_CASE(ImproperCvff, 1, LIST(3.0, 1.0, 5.0), 3.0 * (1.0 + std::cos(5.0 * dihedral(a))))
#undef LIST
#undef HALYARD_CASE

using AllCases =
    ::testing::Types<Case<BondHarmonic>, Case<BondMorse>, Case<BondFene>, Case<AngleHarmonic>, Case<AngleHarmonic, 1>,
                     Case<AngleCosine>, Case<AngleCharmm>, Case<DihedralHarmonic>, Case<DihedralHarmonic, 1>,
                     Case<DihedralHarmonic, 2>, Case<DihedralOpls>, Case<DihedralCharmm>, Case<DihedralCharmm, 1>,
                     Case<DihedralCharmm, 2>, Case<DihedralMultiHarmonic>, Case<ImproperHarmonic>,
                     Case<ImproperHarmonic, 1>, Case<ImproperCvff>, Case<ImproperCvff, 1>>;

class Geometries {
 public:
  /// Four atoms, consecutive ones 0.7 to 1.7 apart, angles from 20 to 160 degrees, all dihedral angles.
  Atoms next() {
    while (true) {
      Atoms atoms;
      atoms.x[0] = {5.0 * uniform_(random_), 5.0 * uniform_(random_), 5.0 * uniform_(random_)};
      for (std::size_t i = 1; i < 4; ++i) {
        Vector d{uniform_(random_), uniform_(random_), uniform_(random_)};
        const double l = length(d);
        d = ((1.2 + 0.5 * uniform_(random_)) / l) * d;
        atoms.x[i] = atoms.x[i - 1] + d;
      }
      const Atoms second{{atoms.x[1], atoms.x[2], atoms.x[3], atoms.x[3]}};
      const auto open = [](double theta) { return theta > 20.0 * degree && theta < 160.0 * degree; };
      if (open(angle(atoms)) && open(angle(second))) {
        return atoms;
      }
    }
  }
  double uniform() { return uniform_(random_); }

 private:
  std::mt19937_64 random_{11};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

double& component(Vector& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

template <class C>
class Bonded : public ::testing::Test {
 protected:
  Bonded() {
    using Style = typename C::Style;
    const auto inputs = C::inputs();
    EXPECT_EQ(inputs.size(), Style::inputs.size());
    Style::prepare(inputs.data(), c_);
  }
  Result operator()(const Atoms& atoms) const { return evaluate<typename C::Style>(atoms, c_); }
  double c_[C::Style::coefficients];
  Geometries geometries;
};
TYPED_TEST_SUITE(Bonded, AllCases);

TYPED_TEST(Bonded, EnergyIsLammpsFormula) {
  for (int i = 0; i < 1000; ++i) {
    const Atoms atoms = this->geometries.next();
    const double expected = TypeParam::energy(atoms);
    // The reference's own arc cosine loses 1 / sin(20 degrees) and its angle a few units in the last place.
    EXPECT_NEAR((*this)(atoms).energy, expected, 4e-13 * (1.0 + std::fabs(expected)));
    EXPECT_FALSE((*this)(atoms).broken);
  }
}

TYPED_TEST(Bonded, ForceIsMinusTheSlopeForEveryAtom) {
  for (int i = 0; i < 200; ++i) {
    const Atoms atoms = this->geometries.next();
    if (std::is_same_v<TypeParam, Case<ImproperHarmonic, 1>> && std::fabs(std::sin(dihedral(atoms))) < 0.01) {
      continue;  // the energy has a kink in the plane
    }
    if (std::is_same_v<TypeParam, Case<BondFene>> && std::fabs(bond_length(atoms) - 1.2347) < 2e-3) {
      continue;  // the repulsion ends with a kink of the force
    }
    const auto result = (*this)(atoms);
    double scale = 1.0;
    for (const Vector& f : result.f) {
      scale = std::max(scale, length(f));
    }
    for (std::size_t atom = 0; atom < result.f.size(); ++atom) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto energy = [&](double step) {
          Atoms moved = atoms;
          component(moved.x[atom], axis) += step;
          return (*this)(moved).energy;
        };
        // Fourth order: h^4 U^(5) / 30, some 1e-8 of the largest force at short bonds; round-off 1e-13 / h.
        const double h = 3e-4;
        const double slope = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h);
        Vector f = result.f[atom];
        EXPECT_NEAR(component(f, axis), -slope, 2e-8 * scale) << "atom " << atom << " axis " << axis;
      }
    }
  }
}

TYPED_TEST(Bonded, ForcesAndTorquesSumToZero) {
  for (int i = 0; i < 200; ++i) {
    const Atoms atoms = this->geometries.next();
    const auto result = (*this)(atoms);
    Vector force{0, 0, 0}, torque{0, 0, 0};
    double scale = 1.0;
    for (std::size_t atom = 0; atom < result.f.size(); ++atom) {
      force = force + result.f[atom];
      torque = torque + cross(atoms.x[atom] - atoms.x[1], result.f[atom]);
      scale = std::max(scale, length(result.f[atom]));
    }
    EXPECT_LT(length(force), 1e-15 * scale);
    EXPECT_LT(length(torque), 1e-14 * scale);  // arms of order one
  }
}

TYPED_TEST(Bonded, IsInvariantUnderRotationAndTranslation) {
  for (int i = 0; i < 200; ++i) {
    const Atoms atoms = this->geometries.next();
    // Rotation by the unit quaternion (w, q): v' = v + 2 q x (q x v + w v).
    Vector q{this->geometries.uniform(), this->geometries.uniform(), this->geometries.uniform()};
    double w = this->geometries.uniform();
    const double norm = std::sqrt(dot(q, q) + w * w);
    q = (1.0 / norm) * q;
    w /= norm;
    const auto rotate = [&](const Vector& v) { return v + 2.0 * cross(q, cross(q, v) + w * v); };
    Atoms moved;
    for (std::size_t atom = 0; atom < 4; ++atom) {
      moved.x[atom] = rotate(atoms.x[atom]) + Vector{0.25, -4.0, 8.0};
    }
    const auto before = (*this)(atoms), after = (*this)(moved);
    double scale = 1.0 + std::fabs(before.energy);
    for (const Vector& f : before.f) {
      scale = std::max(scale, length(f));
    }
    // Positions up to 16 round at 2e-15: times forces, and times their slopes of order 10 to 100 per length.
    EXPECT_NEAR(after.energy, before.energy, 4e-14 * scale);
    for (std::size_t atom = 0; atom < before.f.size(); ++atom) {
      EXPECT_LT(length(after.f[atom] - rotate(before.f[atom])), 1e-12 * scale);
    }
  }
}

TYPED_TEST(Bonded, VirialIsMinusTheSlopeUnderStrain) {
  for (int i = 0; i < 50; ++i) {
    const Atoms atoms = this->geometries.next();
    if (std::is_same_v<TypeParam, Case<ImproperHarmonic, 1>> && std::fabs(std::sin(dihedral(atoms))) < 0.01) {
      continue;
    }
    const auto result = (*this)(atoms);
    double scale = 1.0;
    for (const Vector& f : result.f) {
      scale = std::max(scale, length(f));
    }
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        const auto energy = [&](double strain) {
          Atoms strained = atoms;
          for (Vector& x : strained.x) {
            component(x, row) += strain * component(x, column);
          }
          return (*this)(strained).energy;
        };
        double virial = 0.0;
        for (std::size_t atom = 0; atom < result.f.size(); ++atom) {
          Vector d = atoms.x[atom] - atoms.x[1], f = result.f[atom];
          virial += component(f, row) * component(d, column);
        }
        const double h = 1e-4;  // positions up to 10: as in the test of the force
        const double slope = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h);
        EXPECT_NEAR(virial, -slope, 1e-7 * scale);
      }
    }
  }
}

TYPED_TEST(Bonded, LanesAreTheScalarFormula) {
  using Style = typename TypeParam::Style;
  using host::Lanes;
  Lanes c[Style::coefficients];
  for (int i = 0; i < Style::coefficients; ++i) {
    c[i] = host::all(this->c_[i]);
  }
  for (int i = 0; i < 50; ++i) {
    std::array<Atoms, 8> atoms;
    double numbers[9][8];
    for (int l = 0; l < 8; ++l) {
      atoms[static_cast<std::size_t>(l)] = this->geometries.next();
      const auto d = displacements(atoms[static_cast<std::size_t>(l)]);
      const double row[9] = {d.d12.x, d.d12.y, d.d12.z, d.d32.x, d.d32.y, d.d32.z, d.d43.x, d.d43.y, d.d43.z};
      for (int k = 0; k < 9; ++k) {
        numbers[k][l] = row[k];
      }
    }
    const auto vector = [&](int k) {
      return Vector3<Lanes>{host::load(numbers[k]), host::load(numbers[k + 1]), host::load(numbers[k + 2])};
    };
    const auto expect = [&](Lanes lanes, auto scalar) {
      double out[8];
      host::store(out, lanes);
      for (int l = 0; l < 8; ++l) {
        EXPECT_EQ(out[l], scalar(evaluate<Style>(atoms[static_cast<std::size_t>(l)], this->c_)));
      }
    };
    if constexpr (atom_count<Style>() == 2) {
      const auto d = vector(0);
      const auto term = Style::evaluate(dot(d, d), c);
      expect(term.energy, [](const Result& r) { return r.energy; });
      expect(term.force_over_r * d.y, [](const Result& r) { return r.f[0].y; });
      EXPECT_EQ(host::to_bits(term.broken), 0U);
    } else if constexpr (atom_count<Style>() == 3) {
      const auto term = Style::evaluate(vector(0), vector(3), c);
      expect(term.energy, [](const Result& r) { return r.energy; });
      expect(term.f1.x, [](const Result& r) { return r.f[0].x; });
      expect(term.f3.z, [](const Result& r) { return r.f[2].z; });
      EXPECT_EQ(host::to_bits(term.broken), 0U);
    } else {
      const auto term = Style::evaluate(vector(0), vector(3), vector(6), c);
      expect(term.energy, [](const Result& r) { return r.energy; });
      expect(term.f1.x, [](const Result& r) { return r.f[0].x; });
      expect(term.f3.z, [](const Result& r) { return r.f[2].z; });
      expect(term.f4.y, [](const Result& r) { return r.f[3].y; });
      EXPECT_EQ(host::to_bits(term.broken), 0U);
    }
  }
}

TYPED_TEST(Bonded, BadInputsAreNamed) {
  using Style = typename TypeParam::Style;
  double c[Style::coefficients];
  for (std::size_t i = 0; i < Style::inputs.size(); ++i) {
    auto inputs = TypeParam::inputs();
    inputs[i] = std::nan("");
    try {
      Style::prepare(inputs.data(), c);
      FAIL() << Style::inputs[i].name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(std::string(Style::inputs[i].name) + " is nan"), std::string::npos)
          << error.what();
    }
  }
}

template <class Style>
Result with_inputs(std::vector<double> inputs, const Atoms& atoms) {
  double c[Style::coefficients];
  Style::prepare(inputs.data(), c);
  return evaluate<Style>(atoms, c);
}

Atoms bent(double theta, double phi) {
  // Bonds of length 1: atom 2 at the origin, 3 on x, 1 at the angle theta in the upper half of the plane x-y, 4 above 3
  // turned by phi about x.
  return {{Vector{std::cos(theta), std::sin(theta), 0.0}, Vector{0.0, 0.0, 0.0}, Vector{1.0, 0.0, 0.0},
           Vector{1.0, std::cos(phi), std::sin(phi)}}};
}

TEST(BondedValues, DihedralSignsAndZero) {
  // cis is 0, trans is 180 degrees; seen along 2 -> 3 the far bond turned clockwise is positive (IUPAC).
  // (K = 1.5 and a weight: g++ 12.2 with AVX-512 was seen to make four ones of the list 1, 1, 0, 0.)
  const std::vector<double> cosine{1.5, 1.0, 0.0, 0.25}, sine{1.5, 1.0, 90.0, 0.25};
  EXPECT_NEAR(with_inputs<DihedralCharmm>(cosine, bent(90 * degree, 0.0)).energy, 3.0, 1e-15);
  EXPECT_NEAR(with_inputs<DihedralCharmm>(cosine, bent(90 * degree, 180 * degree)).energy, 0.0, 1e-15);
  EXPECT_NEAR(with_inputs<DihedralCharmm>(sine, bent(90 * degree, 90 * degree)).energy, 3.0, 1e-15);
  EXPECT_NEAR(with_inputs<DihedralCharmm>(sine, bent(90 * degree, -90 * degree)).energy, 0.0, 1e-15);
}

TEST(BondedValues, HandComputed) {
  const Atoms atoms = bent(90 * degree, 60 * degree);
  EXPECT_NEAR(with_inputs<BondHarmonic>({3.0, 0.5}, atoms).energy, 0.75, 1e-15);
  EXPECT_NEAR(with_inputs<BondHarmonic>({3.0, 0.5}, atoms).f[0].y, -3.0, 1e-15);
  EXPECT_NEAR(with_inputs<AngleHarmonic>({2.0, 60.0}, atoms).energy, 2.0 * std::pow(M_PI / 6, 2), 1e-15);
  EXPECT_NEAR(with_inputs<AngleHarmonic>({2.0, 60.0}, atoms).f[0].x, 4.0 * M_PI / 6, 1e-15);  // closes the angle
  EXPECT_NEAR(with_inputs<AngleCosine>({2.0}, atoms).energy, 2.0, 1e-15);
  EXPECT_NEAR(with_inputs<AngleCosine>({2.0}, atoms).f[0].x, -2.0, 1e-15);  // opens it
  EXPECT_NEAR(with_inputs<AngleCharmm>({0.0, 90.0, 1.0, 0.0}, atoms).energy, 2.0, 1e-15);
  EXPECT_NEAR(with_inputs<DihedralHarmonic>({1.0, 1.0, 3.0}, atoms).energy, 0.0, 1e-15);
  EXPECT_NEAR(with_inputs<DihedralOpls>({1.0, 1.0, 1.0, 1.0}, atoms).energy, 0.5 * (1.5 + 1.5 + 0.0 + 1.5), 2e-15);
  EXPECT_NEAR(with_inputs<DihedralMultiHarmonic>({1.0, 2.0, 4.0, 8.0, 16.0}, atoms).energy, 5.0, 4e-15);
  EXPECT_NEAR(with_inputs<ImproperHarmonic>({9.0, 0.0}, atoms).energy, M_PI * M_PI, 1e-14);
  EXPECT_NEAR(with_inputs<ImproperCvff>({1.0, -1.0, 2.0}, atoms).energy, 1.5, 1e-15);
  // Kremer-Grest at r = 1: -15 * 2.25 ln(1 - 1/2.25) + 1; force 30 / (1 - 1/2.25) inwards, 24 outwards
  const auto fene = with_inputs<BondFene>({30.0, 1.5, 1.0, 1.0}, atoms);
  EXPECT_NEAR(fene.energy, -15.0 * 2.25 * std::log(1.0 - 1.0 / 2.25) + 1.0, 1e-14);
  EXPECT_NEAR(fene.f[0].y, 24.0 - 54.0, 1e-13);
}

TEST(BondedValues, StraightAnglesKeepTheirSlope) {
  // Near 180 degrees U = K (pi - theta)^2 is a spring across: no loss at angles that an arc cosine cannot tell from pi.
  for (const double off : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Atoms atoms{{Vector{-1.0, off, 0.0}, Vector{0.0, 0.0, 0.0}, Vector{1.0, 0.0, 0.0}, Vector{0.0, 0.0, 0.0}}};
    const auto result = with_inputs<AngleHarmonic>({5.0, 180.0}, atoms);
    EXPECT_NEAR(result.f[0].y, -10.0 * std::atan(off) / (1.0 + off * off), 1e-14 * off + 5e-15)
        << off;  // pi is rounded
    EXPECT_NEAR(result.energy, 5.0 * std::pow(std::atan(off), 2), 1e-14 * off + 1e-26);
  }
}

TEST(BondedValues, DegenerateGeometries) {
  const Vector o{0.0, 0.0, 0.0}, e{1.0, 0.0, 0.0};
  // On one line: no direction, no force, but finite.
  for (const double end : {-1.0, 2.0}) {
    const auto straight = with_inputs<AngleHarmonic>({5.0, 100.0}, Atoms{{Vector{end, 0.0, 0.0}, o, e, o}});
    EXPECT_FALSE(straight.broken);
    EXPECT_NEAR(straight.energy, 5.0 * std::pow((end < 0 ? 80.0 : 100.0) * degree, 2), 1e-14);
    EXPECT_EQ(length(straight.f[0]), 0.0);
  }
  const auto flat =
      with_inputs<DihedralCharmm>({2.0, 3.0, 30.0, 0.0}, Atoms{{Vector{-1.0, 0.0, 0.0}, o, e, Vector{1.0, 1.0, 0.0}}});
  EXPECT_EQ(flat.energy, 2.0);  // the mean over all angles
  for (const Vector& f : flat.f) {
    EXPECT_EQ(length(f), 0.0);
  }
  // An improper in its plane with chi0 elsewhere: symmetric, no force.
  EXPECT_EQ(length(with_inputs<ImproperHarmonic>({2.0, 35.0}, bent(90 * degree, 0.0)).f[0]), 0.0);
  // Atoms at one point.
  EXPECT_TRUE(with_inputs<BondHarmonic>({2.0, 1.0}, Atoms{{o, o, o, o}}).broken);
  EXPECT_TRUE(with_inputs<BondMorse>({2.0, 1.0, 1.0}, Atoms{{o, o, o, o}}).broken);
  EXPECT_TRUE(with_inputs<AngleCosine>({2.0}, Atoms{{o, o, e, o}}).broken);
  EXPECT_TRUE(with_inputs<AngleHarmonic>({2.0, 90.0}, Atoms{{e, o, o, o}}).broken);
  // Urey-Bradley between ends at one point.
  const auto ends = with_inputs<AngleCharmm>({0.0, 0.0, 3.0, 1.0}, Atoms{{e, o, e, o}});
  EXPECT_FALSE(ends.broken);
  EXPECT_EQ(ends.energy, 3.0);
  EXPECT_EQ(length(ends.f[2]), 0.0);
}

TEST(BondedValues, FeneBreaksAtItsLength) {
  const auto at = [](double r) {
    return with_inputs<BondFene>({30.0, 1.5, 1.0, 1.0}, Atoms{{Vector{r, 0, 0}, Vector{0, 0, 0}, {}, {}}});
  };
  EXPECT_FALSE(at(1.4999).broken);
  EXPECT_NEAR(at(1.4999).energy, -15.0 * 2.25 * std::log(1.0 - std::pow(1.4999 / 1.5, 2)), 1e-11);
  EXPECT_TRUE(at(1.5).broken);
  EXPECT_TRUE(at(1.6).broken);
  EXPECT_TRUE(at(0.0).broken);
  // The repulsion ends without a jump.
  const double end = std::pow(2.0, 1.0 / 6.0), step = 1e-12;  // times the force of 77, and its slope of 700
  EXPECT_NEAR(at(end - step).energy, at(end + step).energy, 200 * step);
  EXPECT_NEAR(at(end - step).f[0].x, at(end + step).f[0].x, 2000 * step);
}

TEST(BondedValues, WrongCoefficientsAreRefused) {
  const auto message = [](auto style, std::vector<double> inputs) -> std::string {
    double c[decltype(style)::coefficients];
    try {
      decltype(style)::prepare(inputs.data(), c);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(DihedralCharmm{}, {1.0, 2.5, 180.0, 0.0}),
            "dihedral style charmm: n is 2.5; it must be a whole number, at least 0, at most 6.");
  EXPECT_EQ(message(ImproperCvff{}, {1.0, 1.0, 7.0}),
            "improper style cvff: n is 7; it must be a whole number, at least 0, at most 6.");
  EXPECT_EQ(message(DihedralHarmonic{}, {1.0, 0.0, 2.0}), "dihedral style harmonic: d is 0; it must be 1 or -1.");
  EXPECT_EQ(message(AngleHarmonic{}, {1.0, 181.0}),
            "angle style harmonic: theta0 is 181; it must be a finite number, at least 0, at most 180.");
}

TEST(BondedStyles, AreFoundByName) {
  int found = 0;
  const auto count = [&](auto styles) {
    using Styles = decltype(styles);
    for_each_style<Styles>([&](auto style) {
      with_style<Styles>(style.name, [&](auto same) { found += std::is_same_v<decltype(same), decltype(style)>; });
    });
  };
  count(BondStyles{});
  count(AngleStyles{});
  count(DihedralStyles{});
  count(ImproperStyles{});
  EXPECT_EQ(found, 3 + 3 + 4 + 2);
  try {
    with_style<DihedralStyles>("nharmonic", [](auto) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "There is no dihedral style \"nharmonic\"; there are harmonic, opls, charmm, multi/harmonic.");
  }
}

}  // namespace
}  // namespace halyard::md
