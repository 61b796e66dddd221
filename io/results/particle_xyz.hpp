#pragma once
#include <optional>

#include "io/results/particle_writer.hpp"

namespace halyard {

/// The xyz format of ParticleWriter. `folder` is the folder of the trajectory, `settings.name` already a file name.
class XyzTrajectory : public TrajectoryFormat {
 public:
  XyzTrajectory(MPI_Comm comm, const std::filesystem::path& folder, ParticleWriterSettings settings,
                ParticleDescription description);
  void continue_from(std::int64_t step) override;
  std::int64_t write(const ParticleFrame& frame) override;

 private:
  std::string header_of(const ParticleFrame& frame) const;
  std::string atoms_of(const ParticleFrame& frame) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path path_;
  ParticleWriterSettings settings_;
  ParticleDescription description_;  // species without blanks
  bool begun_ = false;               // the file is ours
  std::int64_t bytes_ = 0;           // of the whole frames in the file
  std::optional<std::int64_t> last_step_;
};

}  // namespace halyard
