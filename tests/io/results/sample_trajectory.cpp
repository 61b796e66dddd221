// Writes trajectories for read_particles.py: sample_trajectory FOLDER [endless], the latter until it is killed.
#include <mpi.h>

#include <cstdio>

#include "kernels/device/error.hpp"
#include "tests/io/results/particle_sample.hpp"

namespace halyard {
namespace {

void write_trajectories(const std::filesystem::path& folder) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const char* units : {"real", "metal", "lj"}) {
    for (const ParticleSample& sample : particle_samples()) {
      ParticleWriterSettings settings;
      settings.name = "run";
      settings.formats = {ParticleFormat::h5md, ParticleFormat::vtk, ParticleFormat::xyz};
      settings.frames_per_file = 3;
      settings.forces = std::string(units) != "lj";
      settings.precision = std::string(units) == "metal" ? FieldPrecision::float32 : FieldPrecision::float64;
      ParticleWriter writer(MPI_COMM_WORLD, folder / (sample.name + "-" + units), settings, sample_description(units));
      const auto [begin, end] = even_part(sample.count, ranks, rank);
      for (std::int64_t step = 0; step < 50; step += 10) {  // no finish: the last segment is as a kill leaves it
        const SampleFrame atoms(sample, step, begin, end);
        writer.write(atoms.frame);
      }
      if (std::string(units) == "real") writer.finish();
    }
  }
}

void write_endlessly(const std::filesystem::path& folder) {
  ParticleWriterSettings settings;
  settings.name = "run";
  settings.formats = {ParticleFormat::h5md, ParticleFormat::vtk, ParticleFormat::xyz};
  settings.frames_per_file = 3;
  const ParticleSample sample{"orthogonal", 20000, false};
  ParticleWriter writer(MPI_COMM_WORLD, folder, settings, sample_description("real"));
  for (std::int64_t step = 0;; step += 10) {
    const SampleFrame atoms(sample, step, 0, sample.count);
    writer.write(atoms.frame);
    std::printf("%lld\n", static_cast<long long>(step));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace halyard

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc == 2) {
      halyard::write_trajectories(argv[1]);
    } else if (argc == 3 && std::string(argv[2]) == "endless") {
      halyard::write_endlessly(argv[1]);
    } else {
      throw halyard::Error("sample_trajectory needs FOLDER [endless].");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
