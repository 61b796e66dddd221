#pragma once
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/results/quantity.hpp"
#include "kernels/grid/box.hpp"

namespace halyard {

enum class FieldFormat { vtk, hdf5 };
enum class FieldPrecision { float64, float32 };

struct FieldWriterSettings {
  std::string
      name;  // of the case: the snapshots' file names start with it; other than letters, digits, '-', '.' becomes '_'
  FieldFormat format = FieldFormat::vtk;
  FieldPrecision precision = FieldPrecision::float64;
  std::size_t bytes_per_call = std::size_t{512} << 20;  // largest transfer of one rank in one call; below 1 GiB
};

/// What a write cost, for the log.
struct WrittenFile {
  std::filesystem::path path;
  std::int64_t bytes = 0;
  double seconds = 0.0;  // wall clock from first compute to rename, slowest rank
  double gigabytes_per_second() const { return seconds > 0.0 ? 1e-9 * static_cast<double>(bytes) / seconds : 0.0; }
};

/// Snapshots of quantities on the grid's cells, one closed file per snapshot, shared by all ranks and the same bytes on
/// any number of them.
///
/// vtk: `fields/<name>_<step>.vti` (all axes uniform) or `.vtr` (face coordinates exact), cell data, raw appended data,
/// written by MPI-IO; FieldData holds TimeValue, step and units ("quantity unit" strings in `units`).
/// `fields/fields.pvd` lists the snapshots with their exact times.
///
/// hdf5: `fields/<name>_<step>.h5`: one dataset [nz][ny][nx](components) a quantity with attributes `unit`, `centring`
/// ("cell") and `description`; face coordinates `x`, `y`, `z`, cell centres `x_centre`, ...; time [s] and step as
/// attributes of the root. `fields/fields.xdmf` describes them for ParaView's XDMFReader.
///
/// A snapshot is written under a temporary name, synced and renamed: a file that exists is whole. Memory: one
/// quantity's block. All calls are collective; an error on one rank is thrown on all, with path, system message and
/// free space.
class FieldWriter {
 public:
  /// `folder` is the run's folder; `fields/` is made in it at the first write. Throws where `block` is outside the
  /// grid.
  FieldWriter(MPI_Comm comm, std::filesystem::path folder, GridGeometry grid, const Box& block,
              FieldWriterSettings settings);

  /// Tells that the run continues at `step`: listed snapshots up to that step stay in the list, later ones leave it,
  /// and files of this step and later may be replaced. Without this call an existing snapshot file is an error.
  void continue_from(std::int64_t step);

  /// Writes one snapshot; time in s. Values are computed one quantity after the other.
  WrittenFile write(std::int64_t step, double time, std::span<const Quantity> quantities);

  /// Bytes of one snapshot's values, for estimates.
  static std::int64_t snapshot_bytes(const Index3& cells, std::int64_t components, FieldPrecision precision);

 private:
  struct Entry {
    std::int64_t step = 0;
    std::string time;  // shortest decimal that reads back to the same double
    std::string file;  // relative to fields/
    std::string grid;  // hdf5: its <Grid> element of the XDMF file
  };

  void write_vtk(const std::filesystem::path& path, std::int64_t step, double time,
                 std::span<const Quantity> quantities);
  void write_hdf5(const std::filesystem::path& path, std::int64_t step, double time,
                  std::span<const Quantity> quantities);
  std::string pvd() const;
  std::string xdmf() const;
  std::string xdmf_grid(std::int64_t step, double time, const std::string& file,
                        std::span<const Quantity> quantities) const;
  void read_index(std::int64_t last_step);

  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path fields_;  // the folder `fields`
  GridGeometry grid_;
  Box block_;
  FieldWriterSettings settings_;
  bool uniform_ = true;
  std::optional<std::int64_t> continue_step_;
  std::vector<Entry> entries_;  // rank 0: the snapshots listed
  std::vector<double> values_;  // one quantity's block, during a write
};

}  // namespace halyard
