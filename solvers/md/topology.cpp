#include "solvers/md/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/md/id_blocks.hpp"
#include "solvers/parallel/record_exchange.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"

namespace halyard::md {

namespace {

std::int64_t index_of(const LammpsData& data, std::int64_t id) {
  if (id >= 1 && id <= static_cast<std::int64_t>(data.atoms.size()) &&
      data.atoms[static_cast<std::size_t>(id - 1)].id == id) {
    return id - 1;
  }
  const auto at = std::lower_bound(data.atoms.begin(), data.atoms.end(), id,
                                   [](const LammpsAtom& atom, std::int64_t wanted) { return atom.id < wanted; });
  return at - data.atoms.begin();  // the file's reader has seen to it that the atom is there
}

template <int N>
void append(const LammpsData& data, const std::vector<LammpsTerm<N>>& from, BondedKind kind,
            std::vector<BondedTerm>& to) {
  for (const LammpsTerm<N>& term : from) {
    BondedTerm& copy = to.emplace_back();
    copy.kind = kind;
    copy.type = term.type;
    for (std::size_t a = 0; a < N; ++a) {
      copy.atoms[a] = index_of(data, term.atoms[a]);
    }
  }
}

/// The way along the bond vectors of a term, each the nearest image.
double path_of(const LammpsData& data, const SimulationBox& box, const BondedTerm& term) {
  double sum = 0.0, half = HUGE_VAL;
  for (int d = 0; d < 3; ++d) {
    half = box.periodic[static_cast<std::size_t>(d)] ? std::min(half, 0.5 * box.width(d)) : half;
  }
  for (std::size_t a = 0; a + 1 < static_cast<std::size_t>(term.size()); ++a) {
    const LammpsAtom& i = data.atoms[static_cast<std::size_t>(term.atoms[a])];
    const LammpsAtom& j = data.atoms[static_cast<std::size_t>(term.atoms[a + 1])];
    if (i.id == j.id) {
      throw Error(fmt::format("The {} of atom {} has this atom twice.",
                              bonded_kind_names[static_cast<std::size_t>(term.kind)], i.id));
    }
    std::array<double, 3> d{i.x[0] - j.x[0], i.x[1] - j.x[1], i.x[2] - j.x[2]};
    const std::array<double, 3> fi = box.fraction(i.x), fj = box.fraction(j.x);
    double turns[3];
    for (std::size_t k = 0; k < 3; ++k) {
      turns[k] = box.periodic[k] ? std::round(fi[k] - fj[k]) : 0.0;
    }
    d[0] -= turns[0] * box.length[0] + turns[1] * box.xy + turns[2] * box.xz;
    d[1] -= turns[1] * box.length[1] + turns[2] * box.yz;
    d[2] -= turns[2] * box.length[2];
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length < half)) {
      throw Error(fmt::format("Atoms {} and {} of one {} are {:.6g} apart, which is half the box or more ({:.6g}).",
                              i.id, j.id, bonded_kind_names[static_cast<std::size_t>(term.kind)], length, half));
    }
    sum += length;
  }
  return sum;
}

void broadcast(const Communicator& comm, LammpsCoefficients& c) {
  comm.broadcast(c.style_hint);
  std::array<std::int64_t, 2> sizes{c.line, static_cast<std::int64_t>(c.lines.size())};
  comm.broadcast(sizes);
  c.line = sizes[0];
  c.lines.resize(static_cast<std::size_t>(sizes[1]));
  std::vector<std::int64_t> whole;
  std::vector<double> numbers;
  std::string styles;
  for (const LammpsCoefficientLine& line : c.lines) {
    whole.insert(whole.end(), {line.type, line.second_type, line.line, static_cast<std::int64_t>(line.numbers.size())});
    numbers.insert(numbers.end(), line.numbers.begin(), line.numbers.end());
    styles += line.style + "\n";
  }
  whole.resize(4 * c.lines.size());
  comm.broadcast(whole);
  numbers.resize(static_cast<std::size_t>(comm.broadcast(static_cast<std::int64_t>(numbers.size()))));
  comm.broadcast(numbers);
  comm.broadcast(styles);
  std::size_t number = 0, letter = 0;
  for (std::size_t n = 0; n < c.lines.size(); ++n) {
    LammpsCoefficientLine& line = c.lines[n];
    line.type = static_cast<std::int32_t>(whole[4 * n]);
    line.second_type = static_cast<std::int32_t>(whole[4 * n + 1]);
    line.line = whole[4 * n + 2];
    const auto count = static_cast<std::size_t>(whole[4 * n + 3]);
    line.numbers.assign(numbers.begin() + static_cast<std::ptrdiff_t>(number),
                        numbers.begin() + static_cast<std::ptrdiff_t>(number + count));
    number += count;
    const std::size_t end = styles.find('\n', letter);
    line.style = styles.substr(letter, end - letter);
    letter = end + 1;
  }
}

}  // namespace

std::vector<BondedTerm> find_special_pairs(std::int64_t atoms, const std::vector<BondedTerm>& bonds,
                                           const std::array<double, 3>& weight) {
  std::vector<BondedTerm> pairs;
  const auto last = std::find_if(weight.rbegin(), weight.rend(), [](double w) { return w != 1.0; });
  const auto distances = static_cast<int>(weight.rend() - last);
  if (bonds.empty() || distances == 0) {
    return pairs;
  }
  std::vector<std::int64_t> start(static_cast<std::size_t>(atoms) + 1, 0);
  for (const BondedTerm& bond : bonds) {
    for (std::size_t a = 0; a < 2; ++a) {
      ++start[static_cast<std::size_t>(bond.atoms[a]) + 1];
    }
  }
  for (std::size_t a = 0; a + 1 < start.size(); ++a) {
    start[a + 1] += start[a];
  }
  std::vector<std::int64_t> next(start.begin(), start.end() - 1), partner(2 * bonds.size());
  for (const BondedTerm& bond : bonds) {
    for (std::size_t a = 0; a < 2; ++a) {
      partner[static_cast<std::size_t>(next[static_cast<std::size_t>(bond.atoms[a])]++)] = bond.atoms[1 - a];
    }
  }
  std::vector<std::int64_t> found;  // in the order of the number of bonds, the atom itself first
  for (std::int64_t a = 0; a < atoms; ++a) {
    found.assign(1, a);
    std::size_t front = 0;
    for (int distance = 0; distance < distances; ++distance) {
      const std::size_t end = found.size();
      for (; front < end; ++front) {
        const auto at = static_cast<std::size_t>(found[front]);
        for (std::int64_t p = start[at]; p < start[at + 1]; ++p) {
          const std::int64_t other = partner[static_cast<std::size_t>(p)];
          if (std::find(found.begin(), found.end(), other) == found.end()) {
            found.push_back(other);
            if (other > a && weight[static_cast<std::size_t>(distance)] != 1.0) {
              pairs.push_back({{a, other, -1, -1}, distance, BondedKind::special, 0});
            }
          }
        }
      }
    }
  }
  return pairs;
}

Topology deal_out_topology(const Communicator& comm, const LammpsData& data, const std::array<bool, 3>& periodic,
                           const std::array<double, 3>& special_weight) {
  Topology topology;
  std::vector<std::vector<BondedTerm>> to_rank(static_cast<std::size_t>(comm.size()));
  std::array<std::int64_t, 2 * bonded_kinds> sizes{};
  on_every_rank(comm, exit_code::bad_case, [&] {
    if (comm.rank() != 0) {
      return;
    }
    sizes = {static_cast<std::int64_t>(data.bonds.size()),
             static_cast<std::int64_t>(data.angles.size()),
             static_cast<std::int64_t>(data.dihedrals.size()),
             static_cast<std::int64_t>(data.impropers.size()),
             data.bond_types,
             data.angle_types,
             data.dihedral_types,
             data.improper_types};
    const auto atoms = static_cast<std::int64_t>(data.atoms.size());
    std::vector<BondedTerm> terms;
    append(data, data.bonds, BondedKind::bond, terms);
    std::vector<BondedTerm> special = find_special_pairs(atoms, terms, special_weight);
    append(data, data.angles, BondedKind::angle, terms);
    append(data, data.dihedrals, BondedKind::dihedral, terms);
    append(data, data.impropers, BondedKind::improper, terms);
    SimulationBox box = data.box;
    box.periodic = periodic;
    for (const BondedTerm& term : terms) {
      topology.longest = std::max(topology.longest, path_of(data, box, term));
    }
    const IdBlocks blocks(comm, atoms);
    for (const std::vector<BondedTerm>* list : {&terms, &special}) {
      for (BondedTerm term : *list) {
        for (int a = 0; a < term.size(); ++a) {
          term.place = static_cast<std::int8_t>(a);
          to_rank[static_cast<std::size_t>(blocks.rank_of(term.atom()))].push_back(term);
        }
      }
    }
    topology.pair = data.pair_coeffs;
    topology.pair_ij = data.pair_ij_coeffs;
    topology.coefficients = {data.bond_coeffs, data.angle_coeffs, data.dihedral_coeffs, data.improper_coeffs};
  });
  comm.broadcast(sizes);
  for (std::size_t k = 0; k < bonded_kinds; ++k) {
    topology.counts[k] = sizes[k];
    topology.types[k] = static_cast<std::int32_t>(sizes[bonded_kinds + k]);
    broadcast(comm, topology.coefficients[k]);
  }
  topology.longest = comm.broadcast(topology.longest);
  broadcast(comm, topology.pair);
  broadcast(comm, topology.pair_ij);
  topology.terms = exchange_records(comm, to_rank).records;
  return topology;
}

}  // namespace halyard::md
