#include "solvers/md/outputs_data.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "io/results/file.hpp"
#include "solvers/md/outputs_frame.hpp"
#include "solvers/parallel/record_exchange.hpp"

namespace halyard::md {

namespace {

/// The records of all ranks, on rank 0.
template <class Record>
std::vector<Record> to_rank_0(const Communicator& comm, std::vector<Record> records) {
  std::vector<std::vector<Record>> to_rank(static_cast<std::size_t>(comm.size()));
  to_rank[0] = std::move(records);
  return exchange_records(comm, to_rank).records;
}

template <int N>
void take_terms(const std::vector<BondedTerm>& terms, BondedKind kind, const System& system,
                std::vector<LammpsTerm<N>>& to) {
  for (const BondedTerm& term : terms) {
    if (term.kind == kind) {
      LammpsTerm<N>& written = to.emplace_back();
      written.id = static_cast<std::int64_t>(to.size());
      written.type = term.type;
      for (std::size_t a = 0; a < N; ++a) {
        written.atoms[a] = system.user_id(term.atoms[a]);
      }
    }
  }
}

}  // namespace

LammpsData gather_data(Dynamics& dynamics, const IdBlocks& blocks, const std::string& title) {
  const Communicator& comm = dynamics.domain().communicator();
  const System& system = dynamics.system();
  const AtomBlock block = gather_atoms(dynamics, blocks, false);
  struct Line {
    LammpsAtom atom;
    std::array<double, 3> velocity;
  };
  std::vector<Line> mine(block.id.size());
  for (std::size_t a = 0; a < mine.size(); ++a) {
    mine[a].atom.id = block.id[a];
    mine[a].atom.type = block.type[a];
    for (std::size_t d = 0; d < 3; ++d) {
      mine[a].atom.x[d] = block.position[3 * a + d];
      mine[a].atom.image[d] = block.image[3 * a + d];
      mine[a].velocity[d] = block.velocity[3 * a + d];
    }
  }
  // Each term has a copy with each of its atoms; one of them goes.
  std::vector<BondedTerm> my_terms;
  for (const BondedTerm& term : dynamics.force_field().bonded_terms()) {
    if (term.place == 0 && term.kind != BondedKind::special) {
      my_terms.push_back(term);
    }
  }
  const std::vector<Line> lines = to_rank_0(comm, std::move(mine));  // in the order of ids, as the ranks' blocks are
  std::vector<BondedTerm> terms = to_rank_0(comm, std::move(my_terms));
  LammpsData data;
  if (comm.rank() != 0) {
    return data;
  }
  data.title = title;
  data.box = block.box;
  data.atom_types = static_cast<std::int32_t>(system.masses.size());
  data.masses = system.masses;
  for (const Line& line : lines) {
    data.atoms.push_back(line.atom);
    data.velocities.push_back(line.velocity);
  }
  std::sort(terms.begin(), terms.end(), [](const BondedTerm& a, const BondedTerm& b) {
    return std::tie(a.kind, a.atoms, a.type) < std::tie(b.kind, b.atoms, b.type);
  });
  take_terms<2>(terms, BondedKind::bond, system, data.bonds);
  take_terms<3>(terms, BondedKind::angle, system, data.angles);
  take_terms<4>(terms, BondedKind::dihedral, system, data.dihedrals);
  take_terms<4>(terms, BondedKind::improper, system, data.impropers);
  const Topology& topology = system.topology;
  data.style = topology.types == decltype(topology.types){} ? AtomStyle::atomic : AtomStyle::molecular;
  data.bond_types = topology.types[0];
  data.angle_types = topology.types[1];
  data.dihedral_types = topology.types[2];
  data.improper_types = topology.types[3];
  data.pair_coeffs = topology.pair;
  data.pair_ij_coeffs = topology.pair_ij;
  data.bond_coeffs = topology.coefficients[0];
  data.angle_coeffs = topology.coefficients[1];
  data.dihedral_coeffs = topology.coefficients[2];
  data.improper_coeffs = topology.coefficients[3];
  return data;
}

void write_data_file(Dynamics& dynamics, const IdBlocks& blocks, const std::string& title,
                     const std::filesystem::path& path) {
  const LammpsData data = gather_data(dynamics, blocks, title);
  const Communicator& comm = dynamics.domain().communicator();
  all_ranks(comm.comm(), [&] {
    if (comm.rank() == 0) {
      write_file(path, write_lammps_data(data));
    }
  });
}

}  // namespace halyard::md
