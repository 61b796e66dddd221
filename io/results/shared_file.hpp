#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/grid/box.hpp"

namespace halyard {

/// A file that all ranks write together at computed offsets, by MPI-IO. The first failure of this rank is remembered
/// and told by finish(), so that every rank makes every collective call.
class SharedFile {
 public:
  enum class Open {
    create,    // a new file; an existing one is an error
    continue_  // an existing file, whose bytes stay, or a new one
  };
  /// Collective; throws on all ranks what failed on any.
  SharedFile(MPI_Comm comm, const std::filesystem::path& path, Open open = Open::create);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// Leaves the file open where an exception unwinds that not all ranks have: closing is collective.
  ~SharedFile() = default;

  /// This rank alone writes bytes at an offset.
  void write_at(std::int64_t offset, const void* data, std::size_t bytes);

  /// Collective: the ranks' blocks of an array [nz][ny][nx][components] that begins at `offset`.
  void write_blocks(std::int64_t offset, const Index3& cells, const Box& block, int components, MPI_Datatype type,
                    std::size_t size, const void* data, std::size_t bytes_per_call);

  /// Collective: each rank writes its bytes at its own offset, in calls of at most `bytes_per_call`.
  void write_parts(std::int64_t offset, const void* data, std::int64_t bytes, std::size_t bytes_per_call);

  /// Collective: syncs, closes, checks the length; throws on all ranks what failed on any.
  void finish(std::int64_t bytes);

 private:
  void note(int code, std::string_view action);

  MPI_Comm comm_;
  std::filesystem::path path_;
  MPI_File file_ = MPI_FILE_NULL;
  std::string failure_;
};

}  // namespace halyard
