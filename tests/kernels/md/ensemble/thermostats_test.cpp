// Thermostats on models whose canonical distribution is known. Statistical bounds are four standard errors; the errors
// themselves are bounded, so that no test passes for want of samples. All seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/device/error.hpp"
#include "kernels/md/ensemble/kinetic.hpp"
#include "kernels/md/ensemble/langevin.hpp"
#include "kernels/md/ensemble/nose_hoover.hpp"
#include "kernels/md/ensemble/velocity_rescaling.hpp"
#include "kernels/md/ensemble/verlet.hpp"
#include "kernels/md/math.hpp"
#include "tests/kernels/md/ensemble/slots.hpp"
#include "tests/kernels/md/ensemble/statistics.hpp"

namespace halyard::md {
namespace {

using test::BlockMean;
using test::Slots;

/// One harmonic oscillator of mass 1 and frequency 1 under a chain: the hardest model for Nose-Hoover dynamics.
struct Oscillator {
  double x = 1.0, v = 0.5;
  NoseHooverChain chain;
  double thermal_energy = 0.7;

  void step(double dt) {
    v *= chain.advance(0.5 * dt, v * v, 1.0, thermal_energy);
    v -= 0.5 * dt * x;
    x += dt * v;
    v -= 0.5 * dt * x;
    v *= chain.advance(0.5 * dt, v * v, 1.0, thermal_energy);
  }
  double conserved() const { return 0.5 * (v * v + x * x) + chain.energy(1.0, thermal_energy); }
};

TEST(NoseHooverChain, OscillatorIsCanonical) {
  Oscillator o{.chain = NoseHooverChain(4, 1.0)};
  constexpr int steps = 640000;
  std::vector<double> v2, v4, x2, x4;
  for (int n = 0; n < steps; ++n) {
    o.step(0.05);
    const double v = o.v * o.v / o.thermal_energy, x = o.x * o.x / o.thermal_energy;
    v2.push_back(v);
    v4.push_back(v * v);
    x2.push_back(x);
    x4.push_back(x * x);
  }
  const struct {
    const char* name;
    const std::vector<double>& series;
    double exact;
  } moments[] = {{"v2", v2, 1.0}, {"v4", v4, 3.0}, {"x2", x2, 1.0}, {"x4", x4, 3.0}};
  for (const auto& m : moments) {
    const BlockMean mean(m.series);
    EXPECT_LT(mean.error, 0.03 * m.exact) << m.name;
    // The time step shifts x2 by dt^2/4 of itself and x4 by twice that, at most.
    EXPECT_NEAR(mean.mean, m.exact, 4.0 * mean.error + 0.0013 * m.exact) << m.name;
  }
}

TEST(NoseHooverChain, RunsBackwards) {
  for (const int weights : {1, 3, 5}) {
    Oscillator o{.chain = NoseHooverChain(3, 0.8, weights, 2)};
    const Oscillator start = o;
    const auto run = [&] {
      for (int n = 0; n < 200; ++n) {
        o.step(0.05);
      }
    };
    run();
    EXPECT_GT(std::fabs(o.x - start.x) + std::fabs(o.v - start.v), 0.1);
    o.v = -o.v;
    for (double& velocity : o.chain.velocity) {
      velocity = -velocity;
    }
    run();
    // Round-off of 400 steps, grown by the trajectory's own divergence over 20 time units.
    EXPECT_NEAR(o.x, start.x, 1e-11);
    EXPECT_NEAR(-o.v, start.v, 1e-11);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(o.chain.position[k], 0.0, 1e-11);
      EXPECT_NEAR(o.chain.velocity[k], 0.0, 1e-11);
    }
  }
}

TEST(NoseHooverChain, ConservedQuantityIsSecondOrder) {
  const auto deviation = [](double dt) {
    Oscillator o{.chain = NoseHooverChain(3, 1.0)};
    const double start = o.conserved();
    double largest = 0.0;
    for (double t = 0.0; t < 20.0; t += dt) {
      o.step(dt);
      largest = std::max(largest, std::fabs(o.conserved() - start));
    }
    return largest;
  };
  const double coarse = deviation(0.04), fine = deviation(0.02), finest = deviation(0.01);
  EXPECT_LT(coarse, 1e-3);
  // Second order: a factor of 4, the next order moves it by a few per cent.
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
  EXPECT_NEAR(fine / finest, 4.0, 0.1);
}

TEST(NoseHooverChain, RefusesWhatItCannotDo) {
  EXPECT_THROW(NoseHooverChain(0, 1.0), Error);
  EXPECT_THROW(NoseHooverChain(11, 1.0), Error);
  EXPECT_THROW(NoseHooverChain(3, 0.0), Error);
  EXPECT_THROW(NoseHooverChain(3, 1.0, 4), Error);
  EXPECT_THROW(NoseHooverChain(3, 1.0, 3, 0), Error);
}

TEST(VelocityRescaling, KineticEnergyIsCanonicalAtAnyStep) {
  const double thermal_energy = 1.3;
  for (const double dof : {1.0, 3.0, 50.0}) {
    for (const double tau : {0.0, 0.5}) {
      VelocityRescaling thermostat{tau};
      double kinetic = 10.0;
      constexpr int steps = 400000;
      std::vector<double> first, second;
      for (int n = 0; n < steps; ++n) {
        RandomSequence random(RandomStream(6, RandomPurpose::velocity_rescale), n);
        const double factor = thermostat.advance(1.0, kinetic, dof, thermal_energy, random);
        kinetic *= factor * factor;
        if (n >= 100) {  // the start is forgotten: exp(-200)
          const double deviation = kinetic / thermal_energy - 0.5 * dof;
          first.push_back(deviation);
          second.push_back(deviation * deviation);
        }
      }
      const BlockMean mean(first), variance(second);
      EXPECT_LT(mean.error, 0.01 * dof);
      EXPECT_NEAR(mean.mean, 0.0, 4.0 * mean.error) << dof << " " << tau;
      EXPECT_LT(variance.error, 0.03 * dof);
      EXPECT_NEAR(variance.mean, 0.5 * dof, 4.0 * variance.error) << dof << " " << tau;  // gamma of shape dof/2
      // 400000 additions and products of numbers of this size.
      EXPECT_NEAR(thermostat.heat, kinetic - 10.0, 1e-9 * dof);
    }
  }
}

TEST(VelocityRescaling, RelaxesWithItsTimeConstant) {
  const double dof = 30.0, thermal_energy = 1.0, canonical = 0.5 * dof * thermal_energy;
  std::vector<double> late;
  for (int sample = 0; sample < 64000; ++sample) {
    VelocityRescaling thermostat{2.0};
    double kinetic = 4.0 * canonical;
    for (int n = 0; n < 3; ++n) {
      RandomSequence random(RandomStream(9, RandomPurpose::velocity_rescale), n, sample);
      const double factor = thermostat.advance(0.5, kinetic, dof, thermal_energy, random);
      kinetic *= factor * factor;
    }
    late.push_back(kinetic / canonical);
  }
  const BlockMean mean(late);
  EXPECT_LT(mean.error, 0.003);
  EXPECT_NEAR(mean.mean, 1.0 + 3.0 * std::exp(-0.75), 4.0 * mean.error);
}

TEST(VelocityRescaling, NothingCanBeScaledFromZero) {
  VelocityRescaling thermostat{1.0};
  RandomSequence random(RandomStream(9, RandomPurpose::velocity_rescale), 0);
  EXPECT_THROW(thermostat.advance(0.5, 0.0, 3.0, 1.0, random), Error);
  EXPECT_THROW(thermostat.advance(0.5, std::nan(""), 3.0, 1.0, random), Error);
}

/// A BAOAB step of oscillators with F = -k x.
void langevin_step(Slots& s, double k, double dt, const LangevinNoise& noise, std::int64_t step, FixedSum& heat) {
  langevin_kick_drift(s.queue, s.all(), dt, noise, RandomStream(21, RandomPurpose::langevin), step, s.masses(),
                      s.types(), s.ids(), s.forces(), s.velocities(), s.positions(), heat);
  s.set_harmonic_forces(k);
  kick(s.queue, s.owned, 0.5 * dt, s.masses().acceleration, s.types(), s.forces(), s.velocities());
}

// BAOAB's own property (Leimkuhler & Matthews): of harmonic forces the distribution of positions is exact at any time
// step. The step is linear, so its matrix and noise vector are read off four atoms, and the stationary covariance
// follows without sampling.
TEST(Langevin, ConfigurationalTemperatureOfAnOscillatorIsExact) {
  const double k = 1.7, thermal_energy = 0.9, gamma = 0.6;
  for (const double dt : {0.02, 0.3, 1.0, 1.4}) {  // the last is close to the limit 2 / sqrt(1.7)
    Slots s(8, true);
    s.set_masses({1.0, 1.0});
    for (std::size_t a = 0; a < 3; ++a) {
      s.x[a].assign(8, 0.0);
      s.v[a].assign(8, 0.0);
    }
    s.x[0][0] = 1024.0;  // so that a force's rounding to 2^-38 counts for 1e-15
    s.v[0][1] = 1024.0;
    s.set_harmonic_forces(k);
    LangevinNoise noise(gamma, dt, thermal_energy);
    const double width = noise.noise;
    noise.noise = 0.0;
    FixedSum heat(kinetic_bits);
    langevin_step(s, k, dt, noise, 0, heat);
    const double a11 = s.x[0][0] / 1024.0, a21 = s.v[0][0] / 1024.0;
    const double a12 = s.x[0][1] / 1024.0, a22 = s.v[0][1] / 1024.0;
    for (std::size_t a = 0; a < 3; ++a) {
      s.x[a].assign(8, 0.0);
      s.v[a].assign(8, 0.0);
    }
    s.set_harmonic_forces(k);
    noise.noise = 1024.0;
    langevin_step(s, k, dt, noise, 0, heat);
    const double z = four_normals(RandomStream(21, RandomPurpose::langevin).words(s.id[3], 0)).z[0];
    const double b1 = s.x[0][3] / (1024.0 * z) * width, b2 = s.v[0][3] / (1024.0 * z) * width;
    // Iterate C = A C A^T + b b^T to its fixed point.
    double c11 = 0.0, c12 = 0.0, c22 = 0.0;
    for (int n = 0; n < 20000; ++n) {
      const double n11 = a11 * a11 * c11 + 2.0 * a11 * a12 * c12 + a12 * a12 * c22 + b1 * b1;
      const double n12 = a11 * a21 * c11 + (a11 * a22 + a12 * a21) * c12 + a12 * a22 * c22 + b1 * b2;
      const double n22 = a21 * a21 * c11 + 2.0 * a21 * a22 * c12 + a22 * a22 * c22 + b2 * b2;
      c11 = n11;
      c12 = n12;
      c22 = n22;
    }
    // Errors of the matrix near 1e-15, amplified by the slowest decay, 1 / (1 - a^2) ~ 1/(gamma dt) ~ 80.
    EXPECT_NEAR(k * c11 / thermal_energy, 1.0, 1e-12) << dt;
    EXPECT_NEAR(c12, 0.0, 1e-12) << dt;
    // Velocities carry the splitting's error, 1 - k dt^2 / 4.
    EXPECT_NEAR(c22 / thermal_energy, 1.0 - 0.25 * k * dt * dt, 1e-12) << dt;
  }
}

TEST(Langevin, OscillatorsAreCanonicalAndTheHeatBalances) {
  const double k = 1.7, dt = 0.2, thermal_energy = 0.9;
  Slots s(2048, true);
  s.set_masses({1.0, 4.0});
  s.set_harmonic_forces(k);
  const LangevinNoise noise(0.5, dt, thermal_energy);
  FixedSum heat(kinetic_bits);
  const auto conserved = [&] {
    const FixedSum twice = twice_kinetic_energy(s.queue, s.all(), s.masses().mass, s.types(), s.velocities());
    return s.harmonic_energy(k) + 0.5 * twice.value() - 0.5 * heat.value();
  };
  std::int64_t step = 0;
  for (; step < 200; ++step) {  // 40 time units: the start is forgotten to exp(-20)
    langevin_step(s, k, dt, noise, step, heat);
  }
  const double start = conserved();
  std::vector<double> potential;
  for (; step < 200 + 64 * 40; ++step) {
    langevin_step(s, k, dt, noise, step, heat);
    potential.push_back(s.harmonic_energy(k) / (1.5 * 2048 * thermal_energy));
  }
  const BlockMean mean(potential);
  EXPECT_LT(mean.error, 0.003);
  EXPECT_NEAR(mean.mean, 1.0, 4.0 * mean.error);
  // What is left is the error of velocity Verlet, which oscillates: of each of 6144 oscillators
  // kT (omega dt)^2 / 8 ~ 0.005 and they are not in phase.
  EXPECT_NEAR(conserved(), start, 0.005 * 6144 * 0.1);
  EXPECT_GT(std::fabs(heat.value()), 0.0);
}

}  // namespace
}  // namespace halyard::md
