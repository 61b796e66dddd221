#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/results/particle_writer.hpp"

namespace halyard {

/// Atoms whose every value follows from its index, step and component, by sums and quotients that Python repeats.
struct ParticleSample {
  std::string name;
  std::int64_t count = 0;
  bool triclinic = false;
};

inline const std::vector<ParticleSample>& particle_samples() {
  static const std::vector<ParticleSample> samples{
      {"orthogonal", 13, false}, {"triclinic", 5, true}, {"one", 1, false}, {"none", 0, true}};
  return samples;
}

inline ParticleDescription sample_description(const std::string& units) {
  ParticleDescription description;
  description.species = {"Cu", "O 2", "H"};
  description.mass = {63.546, 15.9994, 1.008};
  description.units = particle_units(units);
  description.title = "a \"title\" & more";
  description.author = "somebody";
  description.creator_version = "0.1";
  return description;
}

/// The block [begin, end) of a sample's frame and the arrays that the frame refers to.
struct SampleFrame {
  ParticleFrame frame;
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> type, image;
  std::vector<double> position, velocity, force;

  SampleFrame(const ParticleSample& sample, std::int64_t step, std::int64_t begin, std::int64_t end) {
    frame.step = step;
    frame.time = static_cast<double>(step) / 30.0;
    const double grown = static_cast<double>(step) / 700.0;
    frame.box.origin = {-1.0 - grown, 0.25, 1.0 / 3.0};
    frame.box.length = {10.0 + grown, 11.0, 12.5 + grown};
    if (sample.triclinic) {
      frame.box.xy = 1.5 + grown;
      frame.box.xz = -2.0;
      frame.box.yz = 0.7;
      frame.box.periodic = {true, false, true};
    }
    frame.count = sample.count;
    frame.begin = begin;
    frame.end = end;
    for (std::int64_t atom = begin; atom < end; ++atom) {
      const auto a = static_cast<double>(atom), t = static_cast<double>(step);
      id.push_back(3 * atom + 5);
      type.push_back(static_cast<std::int32_t>(atom % 3));
      for (int c = 0; c < 3; ++c) {
        const auto k = static_cast<double>(c);
        image.push_back(static_cast<std::int32_t>((atom + c + step) % 5 - 2));
        position.push_back((a + 1.0) * (k + 1.0) / 7.0 + t / 3.0);
        velocity.push_back((k - 1.0) * (a + 1.0) / 3.0 + t);
        force.push_back(1e3 / (a + 2.0 + k) - t);
      }
    }
    frame.id = id;
    frame.type = type;
    frame.position = position;
    frame.image = image;
    frame.velocity = velocity;
    frame.force = force;
  }
  SampleFrame(const SampleFrame&) = delete;
  SampleFrame& operator=(const SampleFrame&) = delete;
};

}  // namespace halyard
