#pragma once
#include <filesystem>
#include <string>

#include "io/input/lammps_data.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/md/id_blocks.hpp"

namespace halyard::md {

/// Atoms, velocities, bonded terms and coefficients as a LAMMPS data file has them, on rank 0; nothing elsewhere.
/// Molecules are not known: they are 0. Ids of terms count from 1 in the order of their atoms. Collective.
LammpsData gather_data(Dynamics& dynamics, const IdBlocks& blocks, const std::string& title);

/// Writes it; the file appears whole or not at all. Collective. @throws Error on every rank, with path and reason.
void write_data_file(Dynamics& dynamics, const IdBlocks& blocks, const std::string& title,
                     const std::filesystem::path& path);

}  // namespace halyard::md
