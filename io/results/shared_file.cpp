#include "io/results/shared_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "io/hdf5/split_box.hpp"
#include "io/hdf5/together.hpp"
#include "io/results/file.hpp"

namespace halyard {

namespace {

/// Text of an MPI error code.
std::string mpi_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

SharedFile::SharedFile(MPI_Comm comm, const std::filesystem::path& path, Open open) : comm_(comm), path_(path) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | (open == Open::create ? MPI_MODE_EXCL : 0);
  note(MPI_File_open(comm_, path.c_str(), mode, MPI_INFO_NULL, &file_), "Creating");
  throw_together(comm_, failure_);
}

void SharedFile::note(int code, std::string_view action) {
  if (code != MPI_SUCCESS && failure_.empty()) failure_ = file_failure(action, path_, mpi_text(code));
}

void SharedFile::write_at(std::int64_t offset, const void* data, std::size_t bytes) {
  MPI_Status status;
  const int code = MPI_File_write_at(file_, offset, data, static_cast<int>(bytes), MPI_BYTE, &status);
  note(code, "Writing");
  int written = 0;
  if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &written);
  if (failure_.empty() && written != static_cast<int>(bytes)) {
    failure_ = file_failure("Writing", path_, fmt::format("only {} of {} bytes were written", written, bytes));
  }
}

void SharedFile::write_blocks(std::int64_t offset, const Index3& cells, const Box& block, int components,
                              MPI_Datatype type, std::size_t size, const void* data, std::size_t bytes_per_call) {
  MPI_Datatype view = type;
  if (!block.empty()) {
    const int global[] = {static_cast<int>(cells[2]), static_cast<int>(cells[1]), static_cast<int>(cells[0]),
                          components};
    const int local[] = {static_cast<int>(block.extent(2)), static_cast<int>(block.extent(1)),
                         static_cast<int>(block.extent(0)), components};
    const int begin[] = {static_cast<int>(block.begin[2]), static_cast<int>(block.begin[1]),
                         static_cast<int>(block.begin[0]), 0};
    note(MPI_Type_create_subarray(4, global, local, begin, MPI_ORDER_C, type, &view), "Writing");
    note(MPI_Type_commit(&view), "Writing");
  }
  note(MPI_File_set_view(file_, offset, type, view, "native", MPI_INFO_NULL), "Writing");
  const auto limit = static_cast<std::int64_t>(bytes_per_call);
  const auto cell_bytes = static_cast<std::int64_t>(size) * components;
  const std::vector<Box> pieces = split_box(block, cell_bytes, limit, planes_per_call(comm_, block, cell_bytes, limit));
  auto calls = static_cast<std::int64_t>(pieces.size());
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT64_T, MPI_MAX, comm_);
  std::int64_t done = 0;  // values; the view strings the block's values together in the order of memory
  for (std::int64_t call = 0; call < calls; ++call) {
    const std::int64_t n = call < static_cast<std::int64_t>(pieces.size())
                               ? pieces[static_cast<std::size_t>(call)].count() * components
                               : 0;
    MPI_Status status;
    const int code = MPI_File_write_at_all(file_, done, static_cast<const std::byte*>(data) + done * size,
                                           static_cast<int>(n), type, &status);
    note(code, "Writing");
    done += n;
  }
  if (!block.empty()) MPI_Type_free(&view);
  note(MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "Writing");
}

void SharedFile::write_parts(std::int64_t offset, const void* data, std::int64_t bytes, std::size_t bytes_per_call) {
  const auto limit = static_cast<std::int64_t>(bytes_per_call);
  std::int64_t calls = (bytes + limit - 1) / limit;
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT64_T, MPI_MAX, comm_);
  for (std::int64_t call = 0; call < calls; ++call) {
    const std::int64_t done = std::min(bytes, call * limit), n = std::min(limit, bytes - done);
    MPI_Status status;
    const int code = MPI_File_write_at_all(file_, offset + done, static_cast<const std::byte*>(data) + done,
                                           static_cast<int>(n), MPI_BYTE, &status);
    note(code, "Writing");
  }
}

void SharedFile::finish(std::int64_t bytes) {
  note(MPI_File_sync(file_), "Writing");
  note(MPI_File_close(&file_), "Closing");
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  std::error_code error;
  if (rank == 0 && failure_.empty()) {
    const auto length = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
    if (error || length != bytes) {
      failure_ = file_failure("Writing", path_, fmt::format("it has {} of {} bytes", length, bytes));
    }
  }
  throw_together(comm_, failure_);
}

}  // namespace halyard
