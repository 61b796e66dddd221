#include "io/results/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <variant>

#include "io/results/checkpoint_manifest.hpp"
#include "io/results/file.hpp"
#include "io/results/state_hash.hpp"
#include "kernels/device/error.hpp"

namespace halyard::checkpoint {
namespace {

constexpr std::size_t verify_bytes = 8u << 20;  // read back at a time

}  // namespace

hdf5::Type file_type(ElementType type) {
  return type == ElementType::float64 ? hdf5::Type::float64 : hdf5::Type::int64;
}

void read_values(const hdf5::Dataset& dataset, ElementType type, const Box& box, std::span<std::byte> values,
                 int components) {
  if (type == ElementType::float64)
    dataset.read(box, std::span(reinterpret_cast<double*>(values.data()), values.size() / 8), components);
  else
    dataset.read(box, std::span(reinterpret_cast<std::int64_t*>(values.data()), values.size() / 8), components);
}

void write_values(hdf5::Dataset& dataset, const StateArray& array, std::span<const std::byte> values) {
  if (array.type == ElementType::float64)
    dataset.write(array.block, std::span(reinterpret_cast<const double*>(values.data()), values.size() / 8),
                  array.components);
  else
    dataset.write(array.block, std::span(reinterpret_cast<const std::int64_t*>(values.data()), values.size() / 8),
                  array.components);
}

std::uint64_t sum_over_ranks(std::uint64_t share, MPI_Comm comm) {
  std::uint64_t sum = 0;
  MPI_Allreduce(&share, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

std::uint64_t stored_checksum(const hdf5::Dataset& dataset, const StateArray& array, MPI_Comm comm,
                              std::vector<std::byte>& slab) {
  const std::int64_t ranks = size_of(comm), part = (rank_of(comm) + 1) % ranks;
  const auto longest = std::max_element(array.shape.begin(), array.shape.end()) - array.shape.begin();
  const int axis = array.shape[2] >= ranks ? 2 : static_cast<int>(longest);
  const Box all{{0, 0, 0}, array.shape};
  if (all.count() == 0) return 0;
  const std::int64_t n = array.shape[axis], layer = all.count() / n * array.components * 8;
  const std::int64_t thickness = std::max<std::int64_t>(1, static_cast<std::int64_t>(verify_bytes) / layer);
  const auto [begin, end] = even_part(n, ranks, part);
  const std::int64_t calls = ((n + ranks - 1) / ranks + thickness - 1) / thickness;
  std::uint64_t share = 0;
  for (std::int64_t call = 0; call < calls; ++call) {
    Box box = all;
    box.begin[axis] = std::min(end, begin + call * thickness);
    box.end[axis] = std::min(end, begin + (call + 1) * thickness);
    if (box.empty()) box = Box{};
    slab.resize(static_cast<std::size_t>(box.count() * array.components * 8));
    read_values(dataset, array.type, box, slab, array.components);
    share += hash_share(array.name, array.shape, array.components, box, slab);
  }
  return sum_over_ranks(share, comm);
}

void write_case_text(hdf5::File& file, const std::string& text, MPI_Comm comm) {
  hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, text.size()));
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  hdf5::Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);  // same state, same bytes
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  hdf5::Handle dataset(H5Dcreate2(file.id(), "case", type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                       H5Dclose);
  herr_t result = dataset ? 0 : -1;
  if (dataset && rank_of(comm) == 0)
    result = H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.empty() ? "" : text.data());
  all_ranks(comm, [&] {
    if (result < 0) throw Error(fmt::format("writing the case to {} failed", file.where()));
  });
}

std::string read_case_text(const hdf5::File& file) {
  hdf5::Handle dataset(H5Dopen2(file.id(), "case", H5P_DEFAULT), H5Dclose);
  if (!dataset) throw Error(fmt::format("{} has no case", file.where()));
  hdf5::Handle type(H5Dget_type(dataset.get()), H5Tclose);
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    throw Error(fmt::format("reading the case from {} failed", file.where()));
  text.resize(std::strlen(text.c_str()));
  return text;
}

std::vector<std::uint64_t> scalar_bits(const State& state, MPI_Comm comm) {
  std::vector<std::uint64_t> bits;
  for (const StateScalar& scalar : state.scalars)
    std::visit([&](const auto* value) { std::memcpy(&bits.emplace_back(), value, 8); }, scalar.value);
  MPI_Bcast(bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, 0, comm);
  return bits;
}

void write_scalar(hdf5::Group& group, const StateScalar& scalar, std::uint64_t bits) {
  if (std::holds_alternative<double*>(scalar.value)) {
    double value;
    std::memcpy(&value, &bits, 8);
    group.set_attribute(scalar.name, value);
  } else {
    group.set_attribute(scalar.name, static_cast<std::int64_t>(bits));
  }
  group.set_attribute(scalar.name + ".unit", scalar.unit);
}

std::uint64_t read_scalar(const hdf5::Group& group, const StateScalar& scalar) {
  if (std::holds_alternative<std::int64_t*>(scalar.value))
    return static_cast<std::uint64_t>(group.int64_attribute(scalar.name));
  const double value = group.double_attribute(scalar.name);
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

void check_names(const State& state) {
  std::set<std::string> names;
  for (const StateArray& array : state.arrays)
    if (!names.insert(array.name).second) throw Error("two arrays of the state have the name " + array.name + ".");
  names.clear();
  for (const StateScalar& scalar : state.scalars)
    if (!names.insert(scalar.name).second) throw Error("two scalars of the state have the name " + scalar.name + ".");
}

}  // namespace halyard::checkpoint
