#include "solvers/md/system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "io/log/format.hpp"
#include "io/results/file.hpp"
#include "kernels/grid/box.hpp"
#include "kernels/md/normal_random.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/parallel/node_memory.hpp"
#include "solvers/parallel/record_exchange.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"

namespace halyard::md {

namespace {

/// A unit cell with edges in units of the lattice constant, and its sites in units of the edges.
struct UnitCell {
  std::array<double, 3> edges{1.0, 1.0, 1.0};
  std::vector<std::array<double, 3>> sites;
};

UnitCell unit_cell(Lattice lattice, double c_over_a) {
  switch (lattice) {
    case Lattice::sc:
      return {.sites = {{0, 0, 0}}};
    case Lattice::bcc:
      return {.sites = {{0, 0, 0}, {0.5, 0.5, 0.5}}};
    case Lattice::hcp:
      return {.edges = {1.0, std::sqrt(3.0), c_over_a},
              .sites = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 5.0 / 6.0, 0.5}, {0, 1.0 / 3.0, 0.5}}};
    case Lattice::diamond:
      return {.sites = {{0, 0, 0},
                        {0.5, 0.5, 0},
                        {0.5, 0, 0.5},
                        {0, 0.5, 0.5},
                        {0.25, 0.25, 0.25},
                        {0.75, 0.75, 0.25},
                        {0.75, 0.25, 0.75},
                        {0.25, 0.75, 0.75}}};
    default:
      return {.sites = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};
  }
}

/// Names and masses as the case gives them, else of one type.
void set_types(System& system, const MdCase& settings) {
  for (const TypeSettings& type : settings.types) {
    system.names.push_back(type.name);
    system.masses.push_back(type.mass.value_or(1.0));
  }
  if (system.names.empty()) {
    system.names.emplace_back("A");
    system.masses.push_back(1.0);
  }
}

/// The type of a site of a random alloy: where a uniform number that belongs to the site falls among the shares.
std::int32_t draw_type(const std::vector<double>& shares, const RandomStream& stream, std::int64_t id) {
  const double u = uniform_of(stream.words(id, 0).w[0]);
  double sum = 0.0;
  for (std::size_t t = 0; t + 1 < shares.size(); ++t) {
    sum += shares[t];
    if (u < sum) {
      return static_cast<std::int32_t>(t);
    }
  }
  return static_cast<std::int32_t>(shares.size()) - 1;
}

constexpr double longest_box = 1e12;  // positions are then exact to a ten thousandth

/// What a run takes of an atom at least, with its place in lists and what an exchange copies; 500 were seen for
/// liquids.
constexpr double least_bytes_of_atom = 350.0;

std::string no_room_for(std::int64_t atoms, int ranks, const NodeMemory& memory) {
  const double wanted =
      least_bytes_of_atom * static_cast<double>(atoms) * static_cast<double>(memory.ranks) / static_cast<double>(ranks);
  return wanted <= static_cast<double>(memory.available)
             ? std::string()
             : fmt::format("{} atoms take at least {} on a node with {} of {} rank(s); {} are free there.", atoms,
                           bytes_text(wanted), memory.ranks, ranks, bytes_text(static_cast<double>(memory.available)));
}

System make_lattice(const Communicator& comm, const MdCase& settings, const NodeMemory& memory,
                    const CaseSchema& schema) {
  const auto& s = settings.system;
  System system;
  set_types(system, settings);
  const UnitCell cell = unit_cell(s.lattice, s.c_over_a);
  const auto sites = static_cast<std::int64_t>(cell.sites.size());
  const double shape = cell.edges[0] * cell.edges[1] * cell.edges[2];
  const double a =
      s.lattice_constant ? *s.lattice_constant : std::cbrt(static_cast<double>(sites) / (*s.density * shape));
  system.count = s.cells[0] * s.cells[1] * s.cells[2] * sites;  // below 1e15 * 8
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (system.count > most) {
    throw schema.error("system.cells", fmt::format("makes {} atoms; at most {} are possible.", system.count, most));
  }
  system.box.periodic = s.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    system.box.length[d] = a * cell.edges[d] * static_cast<double>(s.cells[d]) + 2.0 * s.vacuum[d];
    system.box.origin[d] = 0.0 - s.vacuum[d];
  }
  for (const double length : system.box.length) {
    if (!(length <= longest_box)) {
      throw schema.error(s.density ? "system.density" : "system.lattice_constant",
                         fmt::format("makes a box {:.4g} long; at most {:.4g} are possible.", length, longest_box));
    }
  }
  if (const std::string shortage = no_room_for(system.count, comm.size(), memory); !shortage.empty()) {
    throw schema.error("system.cells", "asks for more than there is room for: " + shortage);
  }
  const RandomStream alloy(static_cast<std::uint32_t>(s.composition_seed), RandomPurpose::alloy);
  const auto [begin, end] = even_part(system.count, comm.size(), comm.rank());
  system.records.reserve(static_cast<std::size_t>(end - begin));
  for (std::int64_t id = begin; id < end; ++id) {
    const std::array<double, 3>& site = cell.sites[static_cast<std::size_t>(id % sites)];
    const std::int64_t n = id / sites;
    const std::array<std::int64_t, 3> at{n % s.cells[0], n / s.cells[0] % s.cells[1], n / (s.cells[0] * s.cells[1])};
    AtomRecord& record = system.records.emplace_back();
    record.id = id;
    record.type = s.composition.empty() ? 0 : draw_type(s.composition, alloy, id);
    for (std::size_t d = 0; d < 3; ++d) {
      record.x[d] = a * cell.edges[d] * (static_cast<double>(at[d]) + site[d]);
    }
  }
  return system;
}

/// @throws Error naming the first atom that is not in the box along an edge that does not repeat, or too far away to
///   count boxes.
void require_inside(const LammpsData& data, const MdCase& settings, const CaseSchema& schema) {
  SimulationBox box = data.box;
  box.periodic = settings.system.periodic;
  for (const LammpsAtom& atom : data.atoms) {
    const std::array<double, 3> f = box.fraction(atom.x);
    AtomRecord record;
    record.x = atom.x;
    record.image = atom.image;
    std::string what = wrap(box, record) ? "" : "has gone further than can be counted in boxes";
    for (std::size_t d = 0; d < 3; ++d) {
      if (!box.periodic[d] && !(f[d] >= 0.0 && f[d] <= 1.0)) {
        what = fmt::format("is outside of the box, which does not repeat along {}", "xyz"[d]);
      }
    }
    if (!what.empty()) {
      throw schema.error("system.data", fmt::format("names a file whose atom {} {}: it is at ({}, {}, {}).", atom.id,
                                                    what, atom.x[0], atom.x[1], atom.x[2]));
    }
  }
}

System read_data(const Communicator& comm, const MdCase& settings, const CaseSchema& schema) {
  System system;
  LammpsData data;
  std::array<std::int64_t, 3> header{};  // atoms, types, whether ids are 1, 2, ...
  std::int64_t fingerprint = 0;
  on_every_rank(comm, exit_code::bad_case, [&] {
    if (comm.rank() != 0) {
      return;
    }
    std::string text;
    try {
      text = read_file(settings.system.data);
    } catch (const Error& error) {
      throw schema.error("system.data", fmt::format("cannot be read: {}", error.what()));
    }
    data = parse_lammps_data(text, settings.system.data.string(), settings.system.data_style);
    fingerprint = static_cast<std::int64_t>(fingerprint_of(text));
    if (!settings.types.empty() && static_cast<std::int32_t>(settings.types.size()) != data.atom_types) {
      throw schema.error("type", fmt::format("is given {} time(s); {} has {} atom types.", settings.types.size(),
                                             settings.system.data.string(), data.atom_types));
    }
    for (const LammpsAtom& atom : data.atoms) {
      if (atom.charge != 0.0) {
        throw schema.error("system.data", fmt::format("names a file whose atom {} has the charge {}; this version has "
                                                      "no Coulomb forces, so all charges must be 0.",
                                                      atom.id, atom.charge));
      }
    }
    require_inside(data, settings, schema);
    header = {static_cast<std::int64_t>(data.atoms.size()), data.atom_types,
              data.atoms.empty() || data.atoms.back().id == static_cast<std::int64_t>(data.atoms.size()) ? 1 : 0};
  });
  comm.broadcast(header);
  system.count = header[0];
  system.fingerprint = static_cast<std::uint64_t>(comm.broadcast(fingerprint));
  system.has_velocities = comm.broadcast(std::int64_t{data.velocities.empty() ? 0 : 1}) != 0;
  std::array<double, 9> box{data.box.origin[0], data.box.origin[1], data.box.origin[2],
                            data.box.length[0], data.box.length[1], data.box.length[2],
                            data.box.xy,        data.box.xz,        data.box.yz};
  comm.broadcast(box);
  system.box = {.origin = {box[0], box[1], box[2]},
                .length = {box[3], box[4], box[5]},
                .xy = box[6],
                .xz = box[7],
                .yz = box[8],
                .periodic = settings.system.periodic};
  system.masses = data.masses;
  system.masses.resize(static_cast<std::size_t>(header[1]));
  comm.broadcast(system.masses);
  for (std::size_t t = 0; t < system.masses.size(); ++t) {
    const bool named = t < settings.types.size();
    system.names.push_back(named ? settings.types[t].name : fmt::format("T{}", t + 1));
    system.masses[t] = named ? settings.types[t].mass.value_or(system.masses[t]) : system.masses[t];
  }
  if (header[2] == 0) {
    system.user_ids.resize(static_cast<std::size_t>(system.count));
    for (std::size_t a = 0; a < data.atoms.size(); ++a) {
      system.user_ids[a] = data.atoms[a].id;
    }
    comm.broadcast(system.user_ids);
  }
  std::vector<std::vector<AtomRecord>> to_rank(static_cast<std::size_t>(comm.size()));
  if (comm.rank() == 0) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto [begin, end] = even_part(system.count, comm.size(), rank);
      for (std::int64_t a = begin; a < end; ++a) {
        const LammpsAtom& atom = data.atoms[static_cast<std::size_t>(a)];
        AtomRecord& record = to_rank[static_cast<std::size_t>(rank)].emplace_back();
        record.id = a;
        record.type = atom.type;
        record.image = atom.image;
        record.x = atom.x;
        if (system.has_velocities) {
          record.v = data.velocities[static_cast<std::size_t>(a)];
        }
      }
    }
  }
  system.records = exchange_records(comm, to_rank).records;
  system.topology = deal_out_topology(comm, data, settings.system.periodic, settings.bonded.special_lj);
  return system;
}

}  // namespace

std::uint64_t fingerprint_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

System make_system(const Communicator& comm, const MdCase& settings, const CaseSchema& schema) {
  System system;
  if (settings.system.source == Source::data) {
    system = read_data(comm, settings, schema);
  } else {
    const NodeMemory memory = node_memory(comm);
    on_every_rank(comm, exit_code::bad_case, [&] { system = make_lattice(comm, settings, memory, schema); });
  }
  system.atoms_of_type.assign(system.masses.size(), 0);
  for (const AtomRecord& record : system.records) {
    ++system.atoms_of_type[static_cast<std::size_t>(record.type)];
  }
  comm.sum(system.atoms_of_type);
  return system;
}

}  // namespace halyard::md
