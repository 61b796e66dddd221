#pragma once
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "io/results/field_writer.hpp"
#include "io/results/particle_frame.hpp"

namespace halyard {

enum class ParticleFormat { h5md, vtk, xyz };

struct ParticleWriterSettings {
  std::string name;  // of the trajectory: file names start with it; other than letters, digits, '-', '.' becomes '_'
  std::set<ParticleFormat> formats{ParticleFormat::h5md};
  std::int64_t frames_per_file = 100;                  // of h5md
  FieldPrecision precision = FieldPrecision::float64;  // of positions, velocities and forces
  bool forces = false;
  std::size_t bytes_per_call = std::size_t{512} << 20;  // largest transfer of one rank in one call; below 1 GiB
};

/// One format of a trajectory. Calls are collective; see ParticleWriter.
class TrajectoryFormat {
 public:
  virtual ~TrajectoryFormat() = default;
  virtual void continue_from(std::int64_t step) = 0;
  /// Returns the bytes written, on every rank.
  virtual std::int64_t write(const ParticleFrame& frame) = 0;
  virtual void finish() {}
};

/// The trajectory of a run in `trajectory/`, in any of three formats, atoms in the order of their ids: the same bytes
/// on any number of ranks.
///
/// h5md: `<name>_<first step>.h5`, closed segments of `frames_per_file` frames, H5MD 1.1. particles/all/: position,
/// velocity, force, image, box/edges and box/origin with step, time, value; id, species (type from 0, attribute
/// `names`), mass. Edges are [3] in an orthogonal box and rows of [3][3] in a triclinic one. A segment also ends where
/// the number, order or types of the atoms, or the kind of box change. The segment that is being filled lies in
/// `<name>_<first step>.h5.part`, which has room for all its frames and whose structure never changes; the `.h5` beside
/// it is then a small file of virtual datasets that shows exactly the whole frames and is replaced, by a rename, after
/// each. So the `.h5` is valid at every instant, also after a kill. The last frame of a segment turns the part into the
/// `.h5`; finish() does it for a segment that is not full. MDAnalysis: `Universe.empty(n, trajectory=False).load_new(
/// path, format="H5MD")`, with `convert_units=False` where there are no units (lj) or forces in eV/Angstrom (metal), a
/// unit that it refuses: `unit_text` holds it instead of `unit`.
///
/// vtk: `<name>_<step>.vtp`, one closed file a frame under a temporary name until whole, raw appended data: points, a
/// vertex each, point data id, type, mass, velocity, force, image; field data TimeValue, step, units, species,
/// box_origin, box_edges. `<name>.pvd` lists them with their exact times.
///
/// xyz: `<name>.xyz`, extended XYZ: species, pos, velo, forces, id; Lattice, Origin, pbc, Time, Step; shortest decimals
/// that read back to the same number. A frame that a kill cut short is the last one and is dropped by continue_from.
///
/// All calls are collective; an error on one rank is thrown on all, with path, system message and free space.
class ParticleWriter {
 public:
  /// `folder` is the run's folder; `trajectory/` is made in it at the first write. Throws where no format is asked for
  /// or a setting is out of range.
  ParticleWriter(MPI_Comm comm, std::filesystem::path folder, ParticleWriterSettings settings,
                 ParticleDescription description);
  ~ParticleWriter();
  ParticleWriter(ParticleWriter&&) noexcept;
  ParticleWriter& operator=(ParticleWriter&&) noexcept;

  /// Tells that the run continues at `step`: frames beyond it are cut, segments that hold nothing else removed, an
  /// unfilled segment is filled further. Without this call an existing trajectory of the name is an error.
  void continue_from(std::int64_t step);

  /// Writes one frame; steps ascend. A frame of the last step written is not written again.
  WrittenFile write(const ParticleFrame& frame);

  /// Closes the h5md segment that is not full; call it where the run ends or stops. Writing may go on after it.
  void finish();

  /// Bytes of one frame in all formats asked for, for estimates (xyz: roughly).
  static std::int64_t frame_bytes(std::int64_t count, const ParticleWriterSettings& settings);

 private:
  MPI_Comm comm_;
  std::filesystem::path trajectory_;  // the folder
  ParticleWriterSettings settings_;
  ParticleDescription description_;
  std::vector<std::unique_ptr<TrajectoryFormat>> formats_;
};

}  // namespace halyard
