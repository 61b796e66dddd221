#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/md/box.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/topology.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// The atoms that a case starts from. Each rank holds the records of its share of the ids: even_part(count, ranks,
/// rank).
struct System {
  SimulationBox box;
  std::int64_t count = 0;
  std::vector<std::string> names;  // of the types
  std::vector<double> masses;
  std::vector<std::int64_t> atoms_of_type;
  std::vector<AtomRecord> records;
  std::vector<std::int64_t> user_ids;  // of atom 0, 1, ...: empty where they are 1, 2, ...
  bool has_velocities = false;
  Topology topology;
  std::uint64_t fingerprint = 0;  // of what came from files

  std::int64_t user_id(std::int64_t id) const {
    return user_ids.empty() ? id + 1 : user_ids[static_cast<std::size_t>(id)];
  }
};

/// Builds the lattice or reads the data file. Collective.
/// @throws CollectiveError at the position of the key, or of the line of the data file.
System make_system(const Communicator& comm, const MdCase& settings, const CaseSchema& schema);

/// Tells one input file from another: FNV-1a, 64 bits, of its text.
std::uint64_t fingerprint_of(const std::string& text);

}  // namespace halyard::md
