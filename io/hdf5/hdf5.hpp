#pragma once
#include <hdf5.h>
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/grid/box.hpp"

/// HDF5 files written and read by all ranks together (MPI-IO) or by one process. Every call is checked: what HDF5 has
/// on its error stack becomes the text of a halyard::Error, and HDF5 prints nothing itself. Datasets are contiguous and
/// uncompressed, space allocated at once. Objects close themselves when they go out of scope; File::close() does so
/// with its result checked and must be called after writing.
namespace halyard::hdf5 {

/// Owns one HDF5 identifier; released by the function that it was made with.
class Handle {
 public:
  using Release = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Release close) : id_(id), release_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : id_(other.id_), release_(other.release_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Releases now, without a check (destructors); use release_checked where the result matters.
  void reset() noexcept;
  /// Releases now; returns what HDF5 returned.
  herr_t release();
  /// Gives the identifier up without releasing it.
  void forget() noexcept { id_ = H5I_INVALID_HID; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Release release_ = nullptr;
};

/// What the values of a dataset are in the file. In memory a dataset is accessed as double, float, int64 or int32.
enum class Type { float64, float32, int64, int32 };

/// What all objects of one file share.
struct Context {
  std::filesystem::path path;
  MPI_Comm comm = MPI_COMM_SELF;
  bool parallel = false;  // through MPI-IO
  std::size_t bytes_per_call = 0;
  mutable bool failed_together = false;  // an error was thrown on all ranks
  mutable bool broken = false;           // HDF5 could not write: it must not try to close this file
};

/// Something that carries attributes: a file's root, a group or a dataset. In a parallel file attribute calls are
/// collective: every rank makes the same call with the same value.
class Node {
 public:
  /// Writes the attribute, replacing one of the same name. Strings are UTF-8 of fixed length, numbers scalars or 1-D.
  void set_attribute(const std::string& name, std::string_view value);
  void set_attribute(const std::string& name, const char* value) { set_attribute(name, std::string_view(value)); }
  void set_attribute(const std::string& name, double value);
  void set_attribute(const std::string& name, std::int64_t value);
  void set_attribute(const std::string& name, int value) { set_attribute(name, std::int64_t{value}); }
  void set_attribute(const std::string& name, std::span<const double> values);
  void set_attribute(const std::string& name, std::span<const std::int64_t> values);
  /// Strings of variable length, which Python's h5py reads as str (those of fixed length as bytes): for formats whose
  /// readers compare them. One, and a 1-D array.
  void set_variable_attribute(const std::string& name, const std::string& value);
  void set_variable_attribute(const std::string& name, std::span<const std::string> values);

  bool has_attribute(const std::string& name) const;
  /// Each throws where the attribute is missing or of another kind; strings of fixed and of variable length are read.
  std::string string_attribute(const std::string& name) const;
  double double_attribute(const std::string& name) const;
  std::int64_t int64_attribute(const std::string& name) const;
  std::vector<double> doubles_attribute(const std::string& name) const;
  std::vector<std::int64_t> int64s_attribute(const std::string& name) const;

  /// "file.h5:/path", for messages.
  std::string where() const;
  hid_t id() const { return handle_.get(); }

 protected:
  Node() = default;
  Node(const Context* context, std::string name, Handle handle)
      : context_(context), name_(std::move(name)), handle_(std::move(handle)) {}

  const Context* context_ = nullptr;  // lives in the File, which outlives its nodes
  std::string name_;
  Handle handle_;

 private:
  void write_attribute(const std::string& name, hid_t type, hid_t space, const void* data);
  Handle open_attribute(const std::string& name) const;
};

/// A dataset over cells: file dimensions [nz][ny][nx] or, with components > 1, [nz][ny][nx][components]; or a plain
/// array of any rank. One of fewer dimensions counts as one plane ([ny][nx]) or one row ([nx]) of cells. Reads and
/// writes are collective in a parallel file; a rank without cells passes an empty box. An error on one rank is thrown
/// on all of them.
class Dataset : public Node {
 public:
  /// Dimensions in the file's order (slowest first).
  std::vector<std::int64_t> dimensions() const;
  Type type() const;
  /// Whether the values lie in another file (Group::create_virtual_dataset).
  bool is_virtual() const;

  /// Writes or reads this rank's box; values x fastest, components innermost, components * box.count() of them. Calls
  /// are split below the file's limit of bytes per call, with as many collective calls on every rank.
  void write(const Box& box, std::span<const double> values, int components = 1);
  void write(const Box& box, std::span<const float> values, int components = 1);
  void write(const Box& box, std::span<const std::int64_t> values, int components = 1);
  void write(const Box& box, std::span<const std::int32_t> values, int components = 1);
  void read(const Box& box, std::span<double> values, int components = 1) const;
  void read(const Box& box, std::span<float> values, int components = 1) const;
  void read(const Box& box, std::span<std::int64_t> values, int components = 1) const;
  void read(const Box& box, std::span<std::int32_t> values, int components = 1) const;

  /// Writes or reads the whole dataset, of any shape. Every rank gives (gets) the same values; rank 0's are written.
  void write_whole(std::span<const double> values);
  void write_whole(std::span<const std::int64_t> values);
  void write_whole(std::span<const float> values);
  void read_whole(std::span<double> values) const;
  void read_whole(std::span<std::int64_t> values) const;
  void read_whole(std::span<float> values) const;

 private:
  friend class Group;
  using Node::Node;
  /// `write` and `read` differ in H5Dwrite and H5Dread alone.
  enum class Direction { write, read };
  void transfer(Direction direction, const Box& box, hid_t memory_type, std::size_t value_size, void* values,
                std::size_t count, int components) const;
  void transfer_whole(Direction direction, hid_t memory_type, std::size_t value_size, void* values,
                      std::size_t count) const;
};

class Group : public Node {
 public:
  /// Makes (opens) a group; `name` may be a path, missing groups between are made.
  Group create_group(const std::string& name);
  Group open_group(const std::string& name) const;
  /// A dataset over `cells` cells and `components` values a cell (see Dataset).
  Dataset create_dataset(const std::string& name, Type type, const Index3& cells, int components = 1);
  /// A dataset of the dimensions given, slowest first; none for a scalar.
  Dataset create_dataset(const std::string& name, Type type, std::span<const std::int64_t> dimensions);
  /// A dataset of the dimensions given whose values are the first ones along the slowest dimension of a dataset in
  /// another file, of `source_dimensions`. A relative `source_file` is looked for beside this file. Not in a parallel
  /// file. A source that is missing reads as NaN or -1.
  Dataset create_virtual_dataset(const std::string& name, Type type, std::span<const std::int64_t> dimensions,
                                 const std::string& source_file, const std::string& source_dataset,
                                 std::span<const std::int64_t> source_dimensions);
  /// Gives the object `target` (a path from this group) a second name; groups on the way are made.
  void link(const std::string& target, const std::string& name);
  Dataset open_dataset(const std::string& name) const;
  /// True where a link of this name (or path) exists.
  bool has(const std::string& name) const;
  /// Names of the group's links, sorted.
  std::vector<std::string> names() const;

 protected:
  friend class File;
  using Node::Node;
};

enum class Mode {
  create,      // a new file; refused where one exists
  replace,     // a new file, truncating an existing one
  read,        // an existing file, read only
  read_write,  // an existing file
};

struct FileOptions {
  std::size_t bytes_per_call = std::size_t{512} << 20;     // largest transfer of one rank in one call; below 1 GiB
  std::vector<std::pair<std::string, std::string>> hints;  // MPI-IO hints
};

/// An open file; also its root group. File locking is best effort: a file system without locks is no error.
class File : public Group {
 public:
  /// Opens for all ranks of `comm` through MPI-IO; collective. Throws on every rank what failed on any.
  File(const std::filesystem::path& path, Mode mode, MPI_Comm comm, const FileOptions& options = {});
  /// Opens for this process alone, without MPI-IO.
  File(const std::filesystem::path& path, Mode mode, const FileOptions& options = {});
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  /// Closes where close() was not called, without a check. A file that HDF5 could not write to is left open, since HDF5
  /// 1.10 crashes after a close that fails; so is a parallel file while an exception unwinds that only this rank has,
  /// since closing would wait for the others.
  ~File();

  /// Hands everything to the file system, with the result checked; collective. In a parallel file also syncs to disk.
  void flush();
  /// Closes, with the result checked; collective. Throws on every rank what failed on any. Groups and datasets of the
  /// file must have gone out of scope.
  void close();

 private:
  void open(Mode mode, const FileOptions& options);
  Context owned_context_;
  Handle file_;
  int exceptions_ = 0;  // under way when the file was opened
};

}  // namespace halyard::hdf5
