#pragma once
#include <array>
#include <optional>

#include "io/hdf5/hdf5.hpp"
#include "io/results/particle_writer.hpp"

namespace halyard {

/// The h5md format of ParticleWriter. `folder` is the folder of the trajectory, `settings.name` already a file name.
class H5mdTrajectory : public TrajectoryFormat {
 public:
  H5mdTrajectory(MPI_Comm comm, std::filesystem::path folder, ParticleWriterSettings settings,
                 ParticleDescription description);
  void continue_from(std::int64_t step) override;
  std::int64_t write(const ParticleFrame& frame) override;
  void finish() override;

 private:
  /// What all frames of a segment share.
  struct Layout {
    std::int64_t count = 0;
    std::int64_t identity = 0;  // particle_identity
    bool triclinic = false;
    std::array<bool, 3> periodic{true, true, true};
    bool forces = false;
    bool wide = true;  // float64
    bool operator==(const Layout&) const = default;
  };
  struct Segment {
    std::int64_t first_step = 0;
    std::int64_t frames = 0;  // whole ones
    Layout layout;
    bool filling = false;  // its values lie in the part
  };
  /// One dataset of a segment: its path, type and dimensions behind that of the frames.
  struct Item {
    std::string path;
    hdf5::Type type;
    std::vector<std::int64_t> dimensions;
    bool per_frame = true;
  };

  std::filesystem::path file_of(std::int64_t first_step) const;
  std::filesystem::path part_of(std::int64_t first_step) const;
  std::vector<Item> items(const Layout& layout) const;
  /// Makes the structure of a segment in an open file; `make` makes each dataset.
  template <class Make>
  void build(hdf5::File& file, const Layout& layout, const Make& make) const;
  void create(const std::filesystem::path& path, std::int64_t frames, const Layout& layout) const;
  void write_index(const Segment& segment) const;
  void copy(const std::filesystem::path& from, const std::filesystem::path& to, std::int64_t frames,
            const Layout& layout) const;
  void close(Segment& segment) const;
  std::vector<std::int64_t> first_steps(const std::string& suffix) const;

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  std::filesystem::path folder_;
  ParticleWriterSettings settings_;
  ParticleDescription description_;
  bool continued_ = false;
  std::optional<Segment> segment_;  // the last one
  std::optional<std::int64_t> last_step_;
};

}  // namespace halyard
