#pragma once
#include <optional>

#include "io/results/particle_writer.hpp"
#include "io/results/pvd.hpp"

namespace halyard {

/// The vtk format of ParticleWriter. `folder` is the folder of the trajectory, `settings.name` already a file name.
class VtkTrajectory : public TrajectoryFormat {
 public:
  VtkTrajectory(MPI_Comm comm, std::filesystem::path folder, ParticleWriterSettings settings,
                ParticleDescription description);
  void continue_from(std::int64_t step) override;
  std::int64_t write(const ParticleFrame& frame) override;

 private:
  std::int64_t write_file_of(const std::filesystem::path& path, const ParticleFrame& frame) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path folder_;
  ParticleWriterSettings settings_;
  ParticleDescription description_;
  std::filesystem::path list_;  // the .pvd
  std::optional<std::int64_t> continue_step_;
  std::vector<PvdEntry> entries_;  // rank 0
  std::optional<std::int64_t> last_step_;
};

}  // namespace halyard
