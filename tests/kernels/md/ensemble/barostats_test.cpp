// Barostats on an ideal gas and on a gas with an energy of its volume: the volume's distribution is known.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/device/error.hpp"
#include "kernels/md/ensemble/cell_rescaling.hpp"
#include "kernels/md/ensemble/mttk.hpp"
#include "tests/kernels/md/ensemble/statistics.hpp"

namespace halyard::md {
namespace {

using test::BlockMean;

constexpr BoxCoupling couplings[] = {BoxCoupling::isotropic, BoxCoupling::semi_isotropic, BoxCoupling::anisotropic};

TEST(BoxCoupling, WorkIsPressureTimesChangeOfVolume) {
  for (const double size : {0.0, 1e-9, 1e-3, 0.4, 2.0}) {
    const std::array<double, 3> strain{size, -0.3 * size, 0.7 * size};
    const double change = 5.0 * std::expm1(1.4 * size);
    EXPECT_NEAR(pressure_work({2.0, 2.0, 2.0}, strain, 5.0), 2.0 * change, 1e-14 * std::fabs(change));
  }
  // Different pressures: the sum over many small steps of p_a V d(strain_a).
  const std::array<double, 3> pressure{1.0, 2.0, 4.0}, strain{0.2, -0.1, 0.3};
  double sum = 0.0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double t = (i + 0.5) / n;
    sum += 5.0 * std::exp(0.4 * t) * (0.2 * 1.0 - 0.1 * 2.0 + 0.3 * 4.0) / n;
  }
  EXPECT_NEAR(pressure_work(pressure, strain, 5.0), sum, 1e-8);  // the midpoint rule's error
}

/// N free particles whose momenta are drawn anew at each step, and an energy a / V^2 + ... of the volume alone.
struct Gas {
  int atoms = 10;
  double stiffness = 0.0;  // U = stiffness / V
  double thermal_energy = 1.2;
  std::array<double, 3> length{2.0, 2.5, 3.0};

  double volume() const { return length[0] * length[1] * length[2]; }
  double energy() const { return stiffness / volume(); }
  BoxLoad load(const std::array<double, 3>& kinetic) const {
    const double virial = stiffness / volume();  // -dU / d(log length)
    return {kinetic, {virial, virial, virial}, volume()};
  }
};

TEST(CellRescaling, VolumeOfAnIdealGasHasItsDistribution) {
  // p(V) ~ V^N exp(-P0 V / kB T): mean (N + 1) kB T / P0, variance (N + 1) (kB T / P0)^2.
  const double pressure = 0.4;
  for (const BoxCoupling coupling : couplings) {
    Gas gas;
    // For this gas a compressibility of 1/P0 makes tau the volume's relaxation time.
    CellRescaling barostat(coupling, {pressure, pressure, pressure}, 1.0 / pressure, 1.0);
    std::vector<double> first, second;
    const double unit = gas.thermal_energy / pressure, exact = gas.atoms + 1.0;
    constexpr int steps = 640000;
    for (int n = 0; n < steps; ++n) {
      RandomSequence momenta(RandomStream(4, RandomPurpose::velocity_rescale), n);
      RandomSequence random(RandomStream(4, RandomPurpose::cell_rescale), n);
      std::array<double, 3> kinetic{};
      for (double& k : kinetic) {
        k = gas.thermal_energy * momenta.sum_of_squares(gas.atoms);
      }
      const auto factor = barostat.begin(gas.load(kinetic), 0.005, gas.thermal_energy, random);
      for (std::size_t a = 0; a < 3; ++a) {
        gas.length[a] *= factor[a];
      }
      const double deviation = gas.volume() / unit - exact;
      first.push_back(deviation);
      second.push_back(deviation * deviation);
    }
    const BlockMean mean(first), variance(second);
    // Blocks of 50 relaxation times. The Euler step leaves a relative error of dt / tau = 0.005 in the variance.
    EXPECT_LT(mean.error, 0.01 * exact);
    EXPECT_NEAR(mean.mean, 0.0, 4.0 * mean.error + 0.005) << static_cast<int>(coupling);
    EXPECT_LT(variance.error, 0.04 * exact);
    EXPECT_NEAR(variance.mean, exact, 4.0 * variance.error + 0.01 * exact) << static_cast<int>(coupling);
  }
}

TEST(CellRescaling, EffectiveEnergyIsConservedAsTheStepShrinks) {
  // Atoms at rest in scaled coordinates with momenta that scale by 1 / factor; U = stiffness / V. The root mean square
  // deviation over 100 runs of one time unit.
  const auto deviation = [](BoxCoupling coupling, double dt) {
    double square = 0.0;
    constexpr int runs = 100;
    for (int run = 0; run < runs; ++run) {
      Gas gas{.stiffness = 30.0};
      std::array<double, 3> kinetic{7.0, 12.0, 10.0};
      const double pz = coupling == BoxCoupling::isotropic ? 0.4 : 0.5;  // also with pressures that differ
      CellRescaling barostat(coupling, {0.4, 0.4, pz}, 2.0, 1.0);
      const auto conserved = [&] {
        return 0.5 * (kinetic[0] + kinetic[1] + kinetic[2]) + gas.energy() + barostat.work;
      };
      const double start = conserved();
      const int steps = static_cast<int>(std::lround(1.0 / dt));
      for (int n = 0; n < steps; ++n) {
        RandomSequence random(RandomStream(14, RandomPurpose::cell_rescale), n, run);
        const auto factor = barostat.begin(gas.load(kinetic), dt, gas.thermal_energy, random);
        for (std::size_t a = 0; a < 3; ++a) {
          gas.length[a] *= factor[a];
          kinetic[a] /= factor[a] * factor[a];
        }
        barostat.end(gas.load(kinetic));
      }
      square += (conserved() - start) * (conserved() - start) / runs;
    }
    return std::sqrt(square);
  };
  for (const BoxCoupling coupling : couplings) {
    const double coarse = deviation(coupling, 4e-3), fine = deviation(coupling, 4e-4);
    // One step errs by dt^(3/2) with either sign, so that a given time errs by dt: a factor of 10, each of the two
    // known to 7 % (rms of 100 runs).
    EXPECT_GT(coarse / fine, 6.5) << static_cast<int>(coupling);
    EXPECT_LT(coarse / fine, 15.0) << static_cast<int>(coupling);
    EXPECT_LT(fine, 0.02) << static_cast<int>(coupling);  // kB T is 1.2
  }
}

TEST(CellRescaling, RefusesWhatItCannotDo) {
  EXPECT_THROW(CellRescaling(BoxCoupling::isotropic, {1.0, 1.0, 1.0}, 0.0, 1.0), Error);
  EXPECT_THROW(CellRescaling(BoxCoupling::isotropic, {1.0, 1.0, 1.0}, 1.0, 0.0), Error);
  EXPECT_THROW(CellRescaling(BoxCoupling::isotropic, {1.0, 1.0, 2.0}, 1.0, 1.0), Error);
  EXPECT_THROW(CellRescaling(BoxCoupling::semi_isotropic, {1.0, 2.0, 2.0}, 1.0, 1.0), Error);
  EXPECT_NO_THROW(CellRescaling(BoxCoupling::semi_isotropic, {1.0, 1.0, 2.0}, 1.0, 1.0));
  EXPECT_NO_THROW(CellRescaling(BoxCoupling::anisotropic, {1.0, 3.0, 2.0}, 1.0, 1.0));
  CellRescaling wild(BoxCoupling::isotropic, {100.0, 100.0, 100.0}, 10.0, 0.01);
  RandomSequence random(RandomStream(14, RandomPurpose::cell_rescale), 0);
  EXPECT_THROW(wild.begin({{1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}, 1.0}, 1.0, 1.0, random), Error);
}

/// Independent particles on springs to fixed scaled places, U = sum k/2 (x - L s)^2 + stiffness / V, in one box.
struct SpringBox {
  static constexpr int n = 6;
  std::array<double, 3> length{2.0, 2.5, 3.0};
  double place[n][3], x[n][3], v[n][3];
  double stiffness = 60.0, thermal_energy = 1.2;
  static double spring(int i, int a) { return 2.0 + 0.7 * i + 0.2 * a; }
  MttkBarostat barostat;
  NoseHooverChain thermostat{3, 0.7};

  SpringBox(BoxCoupling coupling, const std::array<double, 3>& pressure) : barostat(coupling, pressure, 1.1) {
    RandomSequence random(RandomStream(31, RandomPurpose::velocities), 0);
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a) {
        place[i][a] = random.uniform();
        x[i][a] = length[static_cast<std::size_t>(a)] * place[i][a] + 0.4 * random.normal();
        v[i][a] = random.normal();
      }
    }
  }
  double dof() const { return 3.0 * n; }
  double volume() const { return length[0] * length[1] * length[2]; }
  double force(int i, int a) const {
    return -spring(i, a) * (x[i][a] - length[static_cast<std::size_t>(a)] * place[i][a]);
  }
  BoxLoad load() const {
    BoxLoad result{{}, {}, volume()};
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      result.virial[axis] = stiffness / volume();  // -dU / d(log length) at fixed scaled positions
      for (int i = 0; i < n; ++i) {
        result.kinetic[axis] += v[i][a] * v[i][a];
        result.virial[axis] += force(i, a) * (x[i][a] - length[axis] * place[i][a]);
      }
    }
    return result;
  }
  void kick(const MttkBarostat::Map& map) {
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        v[i][a] = map.factor[axis] * v[i][a] + map.weight[axis] * force(i, a);
      }
    }
  }
  void scale(double factor) {
    for (auto& atom : v) {
      for (double& component : atom) {
        component *= factor;
      }
    }
  }
  void step(double dt) {
    scale(barostat.half_step_begin(load(), dt, dof(), thermal_energy, thermostat));
    const auto map = barostat.kick(dt, dof());
    kick(map);
    const auto drift = barostat.drift(dt);
    barostat.add_work(dt, volume());
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        x[i][a] = drift.factor[axis] * x[i][a] + drift.weight[axis] * v[i][a];
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      length[a] *= drift.factor[a];
    }
    kick(map);
    scale(barostat.half_step_end(load(), dt, dof(), thermal_energy, thermostat));
  }
  double conserved() const {
    double energy = stiffness / volume();
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a) {
        const double d = x[i][a] - length[static_cast<std::size_t>(a)] * place[i][a];
        energy += 0.5 * v[i][a] * v[i][a] + 0.5 * spring(i, a) * d * d;
      }
    }
    return energy + barostat.energy(dof(), thermal_energy) + thermostat.energy(dof(), thermal_energy);
  }
};

TEST(Mttk, ConservedQuantityIsSecondOrder) {
  for (const BoxCoupling coupling : couplings) {
    const double pz = coupling == BoxCoupling::isotropic ? 1.5 : 1.8;  // also with pressures that differ
    const auto deviation = [&](double dt) {
      SpringBox box(coupling, {1.5, 1.5, pz});
      const double start = box.conserved();
      double largest = 0.0;
      for (double t = 0.0; t < 10.0; t += dt) {
        box.step(dt);
        largest = std::max(largest, std::fabs(box.conserved() - start));
      }
      EXPECT_GT(std::fabs(box.volume() - 15.0), 0.1);
      return largest;
    };
    const double coarse = deviation(0.02), fine = deviation(0.01), finest = deviation(0.005);
    EXPECT_LT(coarse, 0.05) << static_cast<int>(coupling);
    EXPECT_NEAR(coarse / fine, 4.0, 0.4) << static_cast<int>(coupling);
    EXPECT_NEAR(fine / finest, 4.0, 0.2) << static_cast<int>(coupling);
  }
}

TEST(Mttk, RunsBackwards) {
  for (const BoxCoupling coupling : couplings) {
    SpringBox box(coupling, {1.5, 1.5, 1.5});
    const SpringBox start = box;
    const auto run = [&] {
      for (int i = 0; i < 100; ++i) {
        box.step(0.02);
      }
    };
    run();
    box.scale(-1.0);
    for (std::size_t k = 0; k < NoseHooverChain::longest; ++k) {
      box.thermostat.velocity[k] *= -1.0;
      for (NoseHooverChain& chain : box.barostat.chains) {
        chain.velocity[k] *= -1.0;
      }
      box.barostat.rate[k % 3] *= k < 3 ? -1.0 : 1.0;
    }
    run();
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(box.length[a], start.length[a], 1e-11);  // round-off of 200 steps
      EXPECT_NEAR(box.barostat.rate[a], 0.0, 1e-11);
    }
    EXPECT_NEAR(box.barostat.work, 0.0, 1e-11);
    for (int i = 0; i < SpringBox::n; ++i) {
      for (int a = 0; a < 3; ++a) {
        EXPECT_NEAR(box.x[i][a], start.x[i][a], 1e-10);
        EXPECT_NEAR(-box.v[i][a], start.v[i][a], 1e-10);
      }
    }
  }
}

TEST(Mttk, VolumeHasItsDistribution) {
  // The springs' energy is that of the displacements, whatever the box: p(V) ~ exp(-(stiffness / V + P0 V) / kB T).
  const double pressure = 1.5, thermal_energy = 1.2, stiffness = 60.0;
  double norm = 0.0, exact_mean = 0.0, exact_square = 0.0;
  for (double volume = 0.0005; volume < 60.0; volume += 0.001) {
    const double p = std::exp(-(stiffness / volume + pressure * volume) / thermal_energy);
    norm += p;
    exact_mean += p * volume;
    exact_square += p * volume * volume;
  }
  exact_mean /= norm;
  const double exact_variance = exact_square / norm - exact_mean * exact_mean;
  for (const BoxCoupling coupling : couplings) {
    SpringBox box(coupling, {pressure, pressure, pressure});
    for (auto& atom : box.place) {  // the box's shape wanders off freely: places must not grow with it
      for (double& component : atom) {
        component = 0.0;
      }
    }
    std::vector<double> first, second;
    for (int step = 0; step < 96000; ++step) {
      if (step % 50 == 0) {  // fresh momenta keep the distribution and make sure of ergodicity
        RandomSequence random(RandomStream(32, RandomPurpose::velocities), step);
        for (auto& atom : box.v) {
          for (double& component : atom) {
            component = std::sqrt(thermal_energy) * random.normal();
          }
        }
      }
      box.step(0.05);
      const double deviation = box.volume() - exact_mean;
      first.push_back(deviation);
      second.push_back(deviation * deviation);
    }
    const BlockMean mean(first), variance(second);
    EXPECT_LT(mean.error, 0.03 * std::sqrt(exact_variance));
    // Steps of 0.05 beside a shortest period of 2.6: errors of (omega dt)^2 / 8 = 0.2 %.
    EXPECT_NEAR(mean.mean, 0.0, 4.0 * mean.error + 2e-3 * exact_mean) << static_cast<int>(coupling);
    EXPECT_LT(variance.error, 0.06 * exact_variance);
    EXPECT_NEAR(variance.mean, exact_variance, 4.0 * variance.error) << static_cast<int>(coupling);
  }
}

}  // namespace
}  // namespace halyard::md
