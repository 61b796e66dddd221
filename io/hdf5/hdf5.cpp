#include "io/hdf5/hdf5.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <system_error>

#include "io/hdf5/split_box.hpp"
#include "io/hdf5/together.hpp"
#include "kernels/device/error.hpp"

namespace halyard::hdf5 {

namespace {

/// The texts on HDF5's error stack, innermost first, and the stack cleared.
std::string take_error_stack() {
  std::vector<std::string> texts;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        auto& list = *static_cast<std::vector<std::string>*>(out);
        const std::string text = error->desc != nullptr ? error->desc : "";
        if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
        return 0;
      },
      &texts);
  H5Eclear2(H5E_DEFAULT);
  if (texts.empty()) return "no text from HDF5";
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : "; ") + text;
  return joined;
}

[[noreturn]] void fail(const std::string& action, const std::string& where) {
  throw Error(fmt::format("HDF5 cannot {} {}: {}.", action, where, take_error_stack()));
}

template <class Status>
Status check(Status status, const std::string& action, const std::string& where) {
  if (status < 0) fail(action, where);
  return status;
}

/// HDF5 prints nothing and leaves open files alone at exit: a rank that ends on an error must not wait for the others
/// in a collective close.
void quiet() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t file_type(Type type) {
  switch (type) {
    case Type::float64:
      return H5T_IEEE_F64LE;
    case Type::float32:
      return H5T_IEEE_F32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    case Type::int32:
      return H5T_STD_I32LE;
  }
  throw Error("unknown HDF5 element type.");
}

Handle simple_space(std::span<const hsize_t> dimensions) {
  return {dimensions.empty() ? H5Screate(H5S_SCALAR)
                             : H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr),
          H5Sclose};
}

/// throw_together, remembering in the file that all ranks know of the failure.
void agree(const Context& context, const std::string& failure) {
  try {
    throw_together(context.comm, failure);
  } catch (...) {
    context.failed_together = true;
    throw;
  }
}

/// agree, after HDF5 tried to write.
void agree_on_write(const Context& context, const std::string& failure) {
  try {
    agree(context, failure);
  } catch (...) {
    context.broken = true;
    throw;
  }
}

std::string joined_path(const std::string& base, const std::string& name) {
  if (!name.empty() && name.front() == '/') return name;
  return fmt::format("{}/{}", base == "/" ? "" : base, name);
}

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = other.id_;
    release_ = other.release_;
    other.id_ = H5I_INVALID_HID;
  }
  return *this;
}

void Handle::reset() noexcept {
  if (release() < 0) H5Eclear2(H5E_DEFAULT);
}

herr_t Handle::release() {
  const hid_t id = id_;
  id_ = H5I_INVALID_HID;
  return id >= 0 ? release_(id) : 0;
}

// --- attributes
// --------------------------------------------------------------------------------------------------------

std::string Node::where() const { return context_->path.string() + ":" + name_; }

void Node::write_attribute(const std::string& name, hid_t type, hid_t space, const void* data) {
  const std::string what = fmt::format("attribute {} of {}", name, where());
  if (check(H5Aexists(id(), name.c_str()), "look for", what) > 0) {
    check(H5Adelete(id(), name.c_str()), "replace", what);
  }
  Handle attribute(H5Acreate2(id(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(attribute.get(), "create", what);
  check(H5Awrite(attribute.get(), type, data), "write", what);
  check(attribute.release(), "close", what);
}

void Node::set_attribute(const std::string& name, std::string_view value) {
  // A string type has at least one byte: the empty string is one padding zero.
  std::string bytes(value);
  if (bytes.empty()) bytes.push_back('\0');
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Tset_size(type.get(), bytes.size()), "size a string for", where());
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "pad a string for", where());
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "encode a string for", where());
  write_attribute(name, type.get(), space.get(), bytes.data());
}

void Node::set_attribute(const std::string& name, double value) {
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(name, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void Node::set_attribute(const std::string& name, std::int64_t value) {
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(name, H5T_NATIVE_INT64, space.get(), &value);
}

void Node::set_attribute(const std::string& name, std::span<const double> values) {
  const hsize_t n = values.size();
  Handle space = simple_space({&n, 1});
  write_attribute(name, H5T_NATIVE_DOUBLE, space.get(), values.data());
}

void Node::set_attribute(const std::string& name, std::span<const std::int64_t> values) {
  const hsize_t n = values.size();
  Handle space = simple_space({&n, 1});
  write_attribute(name, H5T_NATIVE_INT64, space.get(), values.data());
}

namespace {

Handle variable_string_type(const std::string& where) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE), "size a string for", where);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "encode a string for", where);
  return type;
}

}  // namespace

void Node::set_variable_attribute(const std::string& name, const std::string& value) {
  const char* text = value.c_str();
  Handle type = variable_string_type(where()), space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(name, type.get(), space.get(), &text);
}

void Node::set_variable_attribute(const std::string& name, std::span<const std::string> values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  const hsize_t n = texts.size();
  Handle type = variable_string_type(where()), space = simple_space({&n, 1});
  write_attribute(name, type.get(), space.get(), texts.data());
}

bool Node::has_attribute(const std::string& name) const {
  return check(H5Aexists(id(), name.c_str()), "look for attribute " + name + " of", where()) > 0;
}

Handle Node::open_attribute(const std::string& name) const {
  if (!has_attribute(name)) throw Error(fmt::format("{} has no attribute {}.", where(), name));
  Handle attribute(H5Aopen(id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  check(attribute.get(), "open attribute " + name + " of", where());
  return attribute;
}

namespace {

/// The number of values of an attribute of class `wanted` (H5T_FLOAT also takes integers).
std::size_t attribute_count(hid_t attribute, H5T_class_t wanted, const std::string& what) {
  Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const H5T_class_t found = H5Tget_class(check(type.get(), "read the type of", what));
  if (found != wanted && !(wanted == H5T_FLOAT && found == H5T_INTEGER)) {
    throw Error(fmt::format("{} is not {}.", what,
                            wanted == H5T_FLOAT     ? "a number"
                            : wanted == H5T_INTEGER ? "an integer"
                                                    : "a string"));
  }
  return static_cast<std::size_t>(
      check(H5Sget_simple_extent_npoints(check(space.get(), "read the shape of", what)), "read the shape of", what));
}

}  // namespace

std::string Node::string_attribute(const std::string& name) const {
  const std::string what = fmt::format("attribute {} of {}", name, where());
  Handle attribute = open_attribute(name);
  if (attribute_count(attribute.get(), H5T_STRING, what) != 1) throw Error(what + " is not one string.");
  Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (check(H5Tis_variable_str(type.get()), "read the type of", what) > 0) {
    char* text = nullptr;
    Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(memory.get(), H5T_VARIABLE), "read", what);
    check(H5Tset_cset(memory.get(), H5Tget_cset(type.get())), "read", what);
    check(H5Aread(attribute.get(), memory.get(), &text), "read", what);
    std::string value = text != nullptr ? text : "";
    H5free_memory(text);
    return value;
  }
  std::string value(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), value.data()), "read", what);
  value.resize(std::min(value.size(), value.find('\0')));
  return value;
}

double Node::double_attribute(const std::string& name) const {
  const std::vector<double> values = doubles_attribute(name);
  if (values.size() != 1) throw Error(fmt::format("attribute {} of {} is not one number.", name, where()));
  return values[0];
}

std::int64_t Node::int64_attribute(const std::string& name) const {
  const std::vector<std::int64_t> values = int64s_attribute(name);
  if (values.size() != 1) throw Error(fmt::format("attribute {} of {} is not one integer.", name, where()));
  return values[0];
}

std::vector<double> Node::doubles_attribute(const std::string& name) const {
  const std::string what = fmt::format("attribute {} of {}", name, where());
  Handle attribute = open_attribute(name);
  std::vector<double> values(attribute_count(attribute.get(), H5T_FLOAT, what));
  if (!values.empty()) check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()), "read", what);
  return values;
}

std::vector<std::int64_t> Node::int64s_attribute(const std::string& name) const {
  const std::string what = fmt::format("attribute {} of {}", name, where());
  Handle attribute = open_attribute(name);
  std::vector<std::int64_t> values(attribute_count(attribute.get(), H5T_INTEGER, what));
  if (!values.empty()) check(H5Aread(attribute.get(), H5T_NATIVE_INT64, values.data()), "read", what);
  return values;
}

// --- datasets
// ----------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> Dataset::dimensions() const {
  Handle space(H5Dget_space(id()), H5Sclose);
  const int rank =
      check(H5Sget_simple_extent_ndims(check(space.get(), "read the shape of", where())), "read the shape of", where());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), "read the shape of", where());
  return {sizes.begin(), sizes.end()};
}

Type Dataset::type() const {
  Handle type(H5Dget_type(id()), H5Tclose);
  check(type.get(), "read the type of", where());
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::size_t size = H5Tget_size(type.get());
  if (kind == H5T_FLOAT && size == 8) return Type::float64;
  if (kind == H5T_FLOAT && size == 4) return Type::float32;
  if (kind == H5T_INTEGER && size == 8) return Type::int64;
  if (kind == H5T_INTEGER && size == 4) return Type::int32;
  throw Error(where() + " holds neither float64, float32, int64 nor int32.");
}

bool Dataset::is_virtual() const {
  Handle creation(H5Dget_create_plist(id()), H5Pclose);
  check(creation.get(), "read the layout of", where());
  return check(H5Pget_layout(creation.get()), "read the layout of", where()) == H5D_VIRTUAL;
}

void Dataset::transfer(Direction direction, const Box& box, hid_t memory_type, std::size_t value_size, void* values,
                       std::size_t count, int components) const {
  const std::string action = direction == Direction::write ? "write" : "read";
  std::string failure;
  std::vector<Box> pieces;
  std::size_t missing = 0;  // slowest dimensions that the dataset lacks: one plane, one row
  try {
    if (count != static_cast<std::size_t>(components * box.count())) {
      throw Error(
          fmt::format("{}: {} values given for {} cells of {} components.", where(), count, box.count(), components));
    }
    std::vector<std::int64_t> sizes = dimensions();
    const std::size_t axes = sizes.size() - (components > 1 ? 1 : 0);
    if (sizes.empty() || axes < 1 || axes > 3 || (components > 1 && sizes.back() != components)) {
      throw Error(fmt::format("{} is not a dataset over cells with {} component(s).", where(), components));
    }
    missing = 3 - axes;
    sizes.insert(sizes.begin(), missing, 1);
    for (int axis = 0; axis < 3 && !box.empty(); ++axis) {
      if (box.begin[axis] < 0 || box.end[axis] > sizes[2 - axis]) {
        throw Error(fmt::format("{}: cells {} to {} of axis {} lie outside its {} cells.", where(), box.begin[axis],
                                box.end[axis], "xyz"[axis], sizes[2 - axis]));
      }
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  agree(*context_, failure);

  const auto cell_bytes = static_cast<std::int64_t>(value_size) * components;
  const auto limit = static_cast<std::int64_t>(context_->bytes_per_call);
  const std::int64_t planes = planes_per_call(context_->comm, box, cell_bytes, limit);
  pieces = split_box(box, cell_bytes, limit, planes);
  auto calls = static_cast<std::int64_t>(pieces.size());
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT64_T, MPI_MAX, context_->comm);

  Handle transfer_list(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  if (context_->parallel) H5Pset_dxpl_mpio(transfer_list.get(), H5FD_MPIO_COLLECTIVE);
  Handle file_space(H5Dget_space(id()), H5Sclose);
  auto* bytes = static_cast<std::byte*>(values);
  std::byte nothing{};
  for (std::int64_t call = 0; call < calls; ++call) {
    const Box piece = call < static_cast<std::int64_t>(pieces.size()) ? pieces[static_cast<std::size_t>(call)] : Box{};
    const hsize_t n = static_cast<hsize_t>(std::max<std::int64_t>(1, piece.count() * components));
    Handle memory_space = simple_space({&n, 1});
    herr_t status = 0;
    if (piece.empty()) {
      H5Sselect_none(memory_space.get());
      status = H5Sselect_none(file_space.get());
    } else {
      const std::array<hsize_t, 4> start{static_cast<hsize_t>(piece.begin[2]), static_cast<hsize_t>(piece.begin[1]),
                                         static_cast<hsize_t>(piece.begin[0]), 0};
      const std::array<hsize_t, 4> size{static_cast<hsize_t>(piece.extent(2)), static_cast<hsize_t>(piece.extent(1)),
                                        static_cast<hsize_t>(piece.extent(0)), static_cast<hsize_t>(components)};
      status = H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data() + missing, nullptr,
                                   size.data() + missing, nullptr);
    }
    void* data = bytes != nullptr && !piece.empty() ? bytes : &nothing;
    if (status >= 0) {
      status = direction == Direction::write
                   ? H5Dwrite(id(), memory_type, memory_space.get(), file_space.get(), transfer_list.get(), data)
                   : H5Dread(id(), memory_type, memory_space.get(), file_space.get(), transfer_list.get(), data);
    }
    // A failed rank goes on: the others wait for it in the calls that follow.
    if (status < 0 && failure.empty()) {
      failure = fmt::format("HDF5 cannot {} {}: {}.", action, where(), take_error_stack());
    }
    if (bytes != nullptr) bytes += piece.count() * cell_bytes;
  }
  if (direction == Direction::write) {
    agree_on_write(*context_, failure);
  } else {
    agree(*context_, failure);
  }
}

void Dataset::transfer_whole(Direction direction, hid_t memory_type, std::size_t value_size, void* values,
                             std::size_t count) const {
  std::string failure;
  std::vector<hsize_t> sizes;
  std::size_t total = 1;
  try {
    for (const std::int64_t n : dimensions()) {
      sizes.push_back(static_cast<hsize_t>(n));
      total *= static_cast<std::size_t>(n);
    }
    if (count != total) throw Error(fmt::format("{}: {} values given for a dataset of {}.", where(), count, total));
  } catch (const std::exception& error) {
    failure = error.what();
  }
  agree(*context_, failure);
  if (total == 0) return;

  int rank = 0;
  MPI_Comm_rank(context_->comm, &rank);
  const bool takes_part = direction == Direction::read || rank == 0;
  Handle transfer_list(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  if (context_->parallel) H5Pset_dxpl_mpio(transfer_list.get(), H5FD_MPIO_COLLECTIVE);
  Handle file_space(H5Dget_space(id()), H5Sclose);
  const std::size_t rows = sizes.empty() ? 1 : sizes[0], row_values = total / rows;
  const std::size_t rows_per_call =
      std::max<std::size_t>(1, context_->bytes_per_call / std::max<std::size_t>(1, row_values * value_size));
  auto* bytes = static_cast<std::byte*>(values);
  for (std::size_t row = 0; row < rows; row += rows_per_call) {
    const std::size_t n = std::min(rows_per_call, rows - row);
    const hsize_t memory_size = n * row_values;
    Handle memory_space = simple_space({&memory_size, 1});
    herr_t status = 0;
    if (!takes_part) {
      H5Sselect_none(memory_space.get());
      status = H5Sselect_none(file_space.get());
    } else if (sizes.empty()) {
      status = H5Sselect_all(file_space.get());
    } else {
      std::vector<hsize_t> start(sizes.size(), 0), size = sizes;
      start[0] = row;
      size[0] = n;
      status = H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    }
    std::byte* data = bytes + row * row_values * value_size;
    if (status >= 0) {
      status = direction == Direction::write
                   ? H5Dwrite(id(), memory_type, memory_space.get(), file_space.get(), transfer_list.get(), data)
                   : H5Dread(id(), memory_type, memory_space.get(), file_space.get(), transfer_list.get(), data);
    }
    if (status < 0 && failure.empty()) {
      failure = fmt::format("HDF5 cannot {} {}: {}.", direction == Direction::write ? "write" : "read", where(),
                            take_error_stack());
    }
  }
  if (direction == Direction::write) {
    agree_on_write(*context_, failure);
  } else {
    agree(*context_, failure);
  }
}

// HDF5's write takes const data; transfer, which serves both directions, does not, hence the casts.
void Dataset::write(const Box& box, std::span<const double> values, int components) {
  transfer(Direction::write, box, H5T_NATIVE_DOUBLE, sizeof(double), const_cast<double*>(values.data()), values.size(),
           components);
}
void Dataset::write(const Box& box, std::span<const float> values, int components) {
  transfer(Direction::write, box, H5T_NATIVE_FLOAT, sizeof(float), const_cast<float*>(values.data()), values.size(),
           components);
}
void Dataset::write(const Box& box, std::span<const std::int64_t> values, int components) {
  transfer(Direction::write, box, H5T_NATIVE_INT64, sizeof(std::int64_t), const_cast<std::int64_t*>(values.data()),
           values.size(), components);
}
void Dataset::write(const Box& box, std::span<const std::int32_t> values, int components) {
  transfer(Direction::write, box, H5T_NATIVE_INT32, sizeof(std::int32_t), const_cast<std::int32_t*>(values.data()),
           values.size(), components);
}
void Dataset::read(const Box& box, std::span<double> values, int components) const {
  transfer(Direction::read, box, H5T_NATIVE_DOUBLE, sizeof(double), values.data(), values.size(), components);
}
void Dataset::read(const Box& box, std::span<float> values, int components) const {
  transfer(Direction::read, box, H5T_NATIVE_FLOAT, sizeof(float), values.data(), values.size(), components);
}
void Dataset::read(const Box& box, std::span<std::int64_t> values, int components) const {
  transfer(Direction::read, box, H5T_NATIVE_INT64, sizeof(std::int64_t), values.data(), values.size(), components);
}
void Dataset::read(const Box& box, std::span<std::int32_t> values, int components) const {
  transfer(Direction::read, box, H5T_NATIVE_INT32, sizeof(std::int32_t), values.data(), values.size(), components);
}
void Dataset::write_whole(std::span<const double> values) {
  transfer_whole(Direction::write, H5T_NATIVE_DOUBLE, sizeof(double), const_cast<double*>(values.data()),
                 values.size());
}
void Dataset::write_whole(std::span<const float> values) {
  transfer_whole(Direction::write, H5T_NATIVE_FLOAT, sizeof(float), const_cast<float*>(values.data()), values.size());
}
void Dataset::write_whole(std::span<const std::int64_t> values) {
  transfer_whole(Direction::write, H5T_NATIVE_INT64, sizeof(std::int64_t), const_cast<std::int64_t*>(values.data()),
                 values.size());
}
void Dataset::read_whole(std::span<double> values) const {
  transfer_whole(Direction::read, H5T_NATIVE_DOUBLE, sizeof(double), values.data(), values.size());
}
void Dataset::read_whole(std::span<float> values) const {
  transfer_whole(Direction::read, H5T_NATIVE_FLOAT, sizeof(float), values.data(), values.size());
}
void Dataset::read_whole(std::span<std::int64_t> values) const {
  transfer_whole(Direction::read, H5T_NATIVE_INT64, sizeof(std::int64_t), values.data(), values.size());
}

// --- groups
// ------------------------------------------------------------------------------------------------------------

Group Group::create_group(const std::string& name) {
  const std::string path = joined_path(name_, name), what = context_->path.string() + ":" + path;
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links.get(), 1), "create group", what);
  check(H5Pset_obj_track_times(creation.get(), false), "create group", what);  // same case, same bytes
  Handle group(H5Gcreate2(id(), name.c_str(), links.get(), creation.get(), H5P_DEFAULT), H5Gclose);
  check(group.get(), "create group", what);
  return Group(context_, path, std::move(group));
}

Group Group::open_group(const std::string& name) const {
  const std::string path = joined_path(name_, name);
  Handle group(H5Gopen2(id(), name.c_str(), H5P_DEFAULT), H5Gclose);
  check(group.get(), "open group", context_->path.string() + ":" + path);
  return Group(context_, path, std::move(group));
}

Dataset Group::create_dataset(const std::string& name, Type type, const Index3& cells, int components) {
  std::vector<std::int64_t> dimensions{cells[2], cells[1], cells[0]};
  if (components > 1) dimensions.push_back(components);
  return create_dataset(name, type, dimensions);
}

Dataset Group::create_dataset(const std::string& name, Type type, std::span<const std::int64_t> dimensions) {
  const std::string path = joined_path(name_, name), what = context_->path.string() + ":" + path;
  const std::vector<hsize_t> sizes(dimensions.begin(), dimensions.end());
  Handle space = simple_space(sizes);
  check(space.get(), "shape dataset", what);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links.get(), 1), "create dataset", what);
  check(H5Pset_obj_track_times(creation.get(), false), "create dataset", what);
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "create dataset", what);
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "create dataset", what);
  Handle dataset(H5Dcreate2(id(), name.c_str(), file_type(type), space.get(), links.get(), creation.get(), H5P_DEFAULT),
                 H5Dclose);
  check(dataset.get(), "create dataset", what);
  return Dataset(context_, path, std::move(dataset));
}

Dataset Group::create_virtual_dataset(const std::string& name, Type type, std::span<const std::int64_t> dimensions,
                                      const std::string& source_file, const std::string& source_dataset,
                                      std::span<const std::int64_t> source_dimensions) {
  const std::string path = joined_path(name_, name), what = context_->path.string() + ":" + path;
  const std::vector<hsize_t> sizes(dimensions.begin(), dimensions.end());
  const std::vector<hsize_t> source_sizes(source_dimensions.begin(), source_dimensions.end());
  const std::vector<hsize_t> start(source_sizes.size(), 0);
  Handle space = simple_space(sizes), source = simple_space(source_sizes);
  check(space.get(), "shape dataset", what);
  check(source.get(), "shape dataset", what);
  check(H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start.data(), nullptr, sizes.data(), nullptr), "map dataset",
        what);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links.get(), 1), "create dataset", what);
  check(H5Pset_obj_track_times(creation.get(), false), "create dataset", what);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t minus_one = -1;
  const bool whole_numbers = type == Type::int64 || type == Type::int32;
  check(whole_numbers ? H5Pset_fill_value(creation.get(), H5T_NATIVE_INT64, &minus_one)
                      : H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &nan),
        "create dataset", what);
  check(H5Pset_virtual(creation.get(), space.get(), source_file.c_str(), source_dataset.c_str(), source.get()),
        "map dataset", what);
  Handle dataset(H5Dcreate2(id(), name.c_str(), file_type(type), space.get(), links.get(), creation.get(), H5P_DEFAULT),
                 H5Dclose);
  check(dataset.get(), "create dataset", what);
  return Dataset(context_, path, std::move(dataset));
}

void Group::link(const std::string& target, const std::string& name) {
  const std::string what = context_->path.string() + ":" + joined_path(name_, name);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links.get(), 1), "link", what);
  check(H5Lcreate_hard(id(), target.c_str(), id(), name.c_str(), links.get(), H5P_DEFAULT), "link", what);
}

Dataset Group::open_dataset(const std::string& name) const {
  const std::string path = joined_path(name_, name);
  Handle dataset(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  check(dataset.get(), "open dataset", context_->path.string() + ":" + path);
  return Dataset(context_, path, std::move(dataset));
}

bool Group::has(const std::string& name) const {
  // H5Lexists fails, not says no, where a part of the path before the last is missing.
  for (std::size_t end = name.find('/', 1); true; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (check(H5Lexists(id(), part.c_str(), H5P_DEFAULT), "look for " + part + " in", where()) == 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> Group::names() const {
  std::vector<std::string> list;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  check(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &list), "list", where());
  return list;
}

// --- files
// -------------------------------------------------------------------------------------------------------------

File::File(const std::filesystem::path& path, Mode mode, MPI_Comm comm, const FileOptions& options) {
  owned_context_ = {path, comm, true, options.bytes_per_call};
  open(mode, options);
}

File::File(const std::filesystem::path& path, Mode mode, const FileOptions& options) {
  owned_context_ = {path, MPI_COMM_SELF, false, options.bytes_per_call};
  open(mode, options);
}

void File::open(Mode mode, const FileOptions& options) {
  quiet();
  exceptions_ = std::uncaught_exceptions();
  context_ = &owned_context_;
  name_ = "/";
  const std::string path = owned_context_.path.string();
  const bool creates = mode == Mode::create || mode == Mode::replace;
  const std::string action = creates ? "create" : "open";
  if (options.bytes_per_call == 0 || options.bytes_per_call >= (std::size_t{1} << 30)) {
    throw Error(
        fmt::format("bytes per call of {} is {}, but must be from 1 to below 1 GiB.", path, options.bytes_per_call));
  }

  // MPI-IO's own text for these says little, so they are told apart here, by one rank.
  std::string failure;
  int rank = 0;
  MPI_Comm_rank(owned_context_.comm, &rank);
  if (rank == 0) {
    std::error_code code;
    const bool exists = std::filesystem::exists(owned_context_.path, code);
    if (mode == Mode::create && exists) {
      failure = fmt::format("{} exists already and is not overwritten.", path);
    } else if (!creates && !exists) {
      failure = fmt::format("{} cannot be opened: {}.", path,
                            code ? code.message() : std::string("no such file or directory"));
    } else if (creates) {
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (file < 0) failure = fmt::format("{} cannot be created: {}.", path, std::strerror(errno));
      if (file >= 0) ::close(file);
    } else if (::access(path.c_str(), mode == Mode::read ? R_OK : R_OK | W_OK) != 0) {
      failure = fmt::format("{} cannot be opened: {}.", path, std::strerror(errno));
    }
  }
  agree(owned_context_, failure);

  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(access.get(), action, path);
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_SEMI), action, path);
  check(H5Pset_obj_track_times(creation.get(), false), action, path);
  if (owned_context_.parallel) {
    MPI_Info info = MPI_INFO_NULL;
    if (!options.hints.empty()) MPI_Info_create(&info);
    for (const auto& [key, value] : options.hints) MPI_Info_set(info, key.c_str(), value.c_str());
    const herr_t set = H5Pset_fapl_mpio(access.get(), owned_context_.comm, info);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    check(set, action, path);
    check(H5Pset_all_coll_metadata_ops(access.get(), true), action, path);
  }
  const auto attempt = [&](bool lock) {
#if H5_VERSION_GE(1, 10, 7)
    check(H5Pset_file_locking(access.get(), lock, true), action, path);
#endif
    file_ = Handle(creates ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get())
                           : H5Fopen(path.c_str(), mode == Mode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access.get()),
                   H5Fclose);
    return file_ ? std::string() : take_error_stack();
  };
  std::string reason = attempt(true);
  // File systems without locks answer with other errors than that another process holds the lock (EAGAIN).
  if (!owned_context_.parallel && reason.find("unable to lock file") != std::string::npos &&
      reason.find(std::strerror(EAGAIN)) == std::string::npos) {
    reason = attempt(false);
  }
  if (!reason.empty()) {
    failure = fmt::format("HDF5 cannot {} {}: {}.", action, path, reason);
    if (reason.find("unable to lock file") != std::string::npos) {
      failure += " Another process has the file open; close it there.";
    }
  }
  agree(owned_context_, failure);
  handle_ = Handle(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose);
  check(handle_.get(), "open the root of", path);
}

File::~File() {
  handle_.reset();
  const bool unwinding = std::uncaught_exceptions() > exceptions_;
  if (owned_context_.broken || (owned_context_.parallel && unwinding && !owned_context_.failed_together)) {
    file_.forget();
  }
}

void File::flush() {
  std::string failure;
  if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) {
    failure = fmt::format("HDF5 cannot flush {}: {}.", owned_context_.path.string(), take_error_stack());
  }
  agree_on_write(owned_context_, failure);
}

void File::close() {
  flush();  // what fails then is no failing close, see ~File
  std::string failure;
  if (handle_.release() < 0 || file_.release() < 0) {
    failure = fmt::format("HDF5 cannot close {}: {}.", owned_context_.path.string(), take_error_stack());
  }
  agree(owned_context_, failure);
}

}  // namespace halyard::hdf5
