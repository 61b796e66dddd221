#pragma once
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/results/state.hpp"

/// The pieces of a checkpoint's HDF5 file, as writer and reader both need them.
namespace halyard::checkpoint {

/// Reads this rank's box of the dataset, bit for bit as it is in the file. Collective.
void read_values(const hdf5::Dataset& dataset, ElementType type, const Box& box, std::span<std::byte> values,
                 int components);
/// Writes this rank's block. Collective.
void write_values(hdf5::Dataset& dataset, const StateArray& array, std::span<const std::byte> values);

/// The checksum of a dataset as it is on disk, in bounded memory: slabs, each rank another one than it wrote.
/// Collective.
std::uint64_t stored_checksum(const hdf5::Dataset& dataset, const StateArray& array, MPI_Comm comm,
                              std::vector<std::byte>& slab);

/// The case's text as /case: a string of any length (attributes end at 64 KiB). Rank 0 writes. Collective.
void write_case_text(hdf5::File& file, const std::string& text, MPI_Comm comm);
std::string read_case_text(const hdf5::File& file);

/// The scalars' values on rank 0, as 8 bytes each. Collective.
std::vector<std::uint64_t> scalar_bits(const State& state, MPI_Comm comm);
void write_scalar(hdf5::Group& group, const StateScalar& scalar, std::uint64_t bits);
std::uint64_t read_scalar(const hdf5::Group& group, const StateScalar& scalar);

hdf5::Type file_type(ElementType type);
std::uint64_t sum_over_ranks(std::uint64_t share, MPI_Comm comm);

/// Throws Error where two arrays or two scalars have one name.
void check_names(const State& state);

}  // namespace halyard::checkpoint
