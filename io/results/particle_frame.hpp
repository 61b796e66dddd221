#pragma once
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/md/box.hpp"

namespace halyard {

/// Units in the spelling of H5MD's units module ("Angstrom ps-1"); empty strings where numbers have none.
struct ParticleUnits {
  std::string length, time, velocity, force, mass;
};

/// Those of `lj` (none), `metal` and `real`. Throws on other names.
ParticleUnits particle_units(const std::string& system);

/// What stays the same over a trajectory.
struct ParticleDescription {
  std::vector<std::string> species;  // name of each type
  std::vector<double> mass;          // of each type
  ParticleUnits units;
  std::string title;                   // of the run
  std::string author;                  // H5MD wants one; may be empty
  std::string creator = "halyard-md";  // program
  std::string creator_version = "unknown";
};

/// The atoms at one step, in the order of their ids over all ranks: this rank has [begin, end) of 0 to count. The
/// ranks' blocks tile 0 to count; a block may be empty, and so may all. Arrays are those of the block.
struct ParticleFrame {
  std::int64_t step = 0;
  double time = 0.0;
  md::SimulationBox box;
  std::int64_t count = 0;
  std::int64_t begin = 0, end = 0;
  std::span<const std::int64_t> id;
  std::span<const std::int32_t> type;   // from 0
  std::span<const double> position;     // x, y, z of each atom, wrapped into the box
  std::span<const std::int32_t> image;  // 3 an atom: unwrapped = position + image[0] a + image[1] b + image[2] c
  std::span<const double> velocity;     // 3 an atom
  std::span<const double> force;        // 3 an atom, or empty where nobody asked for forces
};

/// Throws on every rank, in words, where the frame is not one: blocks that do not tile, ranks that differ in step,
/// time, box or count, arrays of another length than the block, a type that the description lacks. Forces are looked at
/// only where `forces`. Collective.
void check_frame(MPI_Comm comm, const ParticleFrame& frame, const ParticleDescription& description, bool forces);

/// A number for which atom of which type stands where: equal for equal ids and types in equal order, on any number of
/// ranks. Collective.
std::uint64_t particle_identity(MPI_Comm comm, const ParticleFrame& frame);

}  // namespace halyard
