#include "kernels/md/host/bonded_list.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/host/lanes.hpp"
#include "kernels/md/host/slots_of_ids.hpp"

namespace halyard::md::host {

namespace {

using Vector = std::array<double, 3>;

double length_of(const Vector& d) { return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }
Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// x_i - x_j - L(image), the nearest of all images where it is shorter than half the box.
struct BondVector {
  std::array<int, 3> image{};
  Vector d{};
};

class Lister {
 public:
  Lister(const Atoms& atoms, const SimulationBox& box, const BondedModel& model, int atom_types, double reach,
         const SlotsOfIds& slots, BondedThread& mine)
      : atoms_(atoms), box_(box), model_(model), types_(atom_types), reach_(reach), slots_(slots), mine_(mine) {
    half_ = std::numeric_limits<double>::infinity();
    for (int d = 0; d < 3; ++d) {
      half_ = box.periodic[static_cast<std::size_t>(d)] ? std::min(half_, 0.5 * box.width(d)) : half_;
    }
    for (TermList& list : mine_.terms) {
      list.count = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        list.slot[k].clear();
        list.image[k].clear();
      }
      list.type.clear();
      list.weight.clear();
    }
  }

  bool mine(int slot) const { return slot >= mine_.first_slot && slot < mine_.last_slot; }

  /// Takes the term when this is its copy of the first atom in this thread's slots.
  void add(const BondedTerm& term) {
    const auto n = static_cast<std::size_t>(term.size());
    std::array<int, 4> slot{};
    for (std::size_t a = 0; a < n; ++a) {
      slot[a] = slots_.slot(term.atoms[a]);
      if (static_cast<std::int8_t>(a) < term.place && slot[a] >= 0 && mine(slot[a])) {
        return;
      }
    }
    if (term.kind == BondedKind::special) {
      add_special(term, slot);
      return;
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (slot[a] < 0) {
        problems.push_back({term, {term.atom(), term.atoms[a]}, 0.0});
        return;
      }
    }
    std::array<BondVector, 3> vectors;
    constexpr std::array<std::array<std::size_t, 2>, 3> ends{{{0, 1}, {2, 1}, {3, 2}}};
    for (std::size_t k = 0; k + 1 < n; ++k) {
      vectors[k] = nearest(slot[ends[k][0]], slot[ends[k][1]]);
      check(term, ends[k][0], ends[k][1], vectors[k].d, std::min(half_, reach_));
    }
    const Vector &d12 = vectors[0].d, &d32 = vectors[1].d, d42 = sum(vectors[2].d, d32);
    if (n >= 3) {
      check(term, 0, 2, difference(d12, d32), reach_);
    }
    if (n == 4) {
      check(term, 0, 3, difference(d12, d42), reach_);
      check(term, 1, 3, d42, reach_);
    }
    TermList& list = mine_.terms[static_cast<std::size_t>(term.kind)];
    for (std::size_t a = 0; a < n; ++a) {
      list.slot[a].push_back(slot[a]);
    }
    for (std::size_t k = 0; k + 1 < n; ++k) {
      list.image[k].push_back(image_index(vectors[k].image));
    }
    if (n == 4) {
      list.image[3].push_back(
          image_index({vectors[1].image[0] + vectors[2].image[0], vectors[1].image[1] + vectors[2].image[1],
                       vectors[1].image[2] + vectors[2].image[2]}));
    }
    list.type.push_back(term.type);
    ++list.count;
    if (term.kind == BondedKind::dihedral && !model_.ends_weight.empty()) {
      const double weight = model_.ends_weight[static_cast<std::size_t>(term.type)];
      if (weight != 0.0 && (mine(slot[0]) || mine(slot[3]))) {
        add_pair(mine_.terms[ends_list], slot[0], slot[3], nearest(slot[0], slot[3]).image, weight);
      }
    }
  }

  void pad() {
    for (TermList& list : mine_.terms) {
      const auto padded = static_cast<std::size_t>((list.count + halyard::host::lane_count - 1) /
                                                   halyard::host::lane_count * halyard::host::lane_count);
      const auto fill = [padded](auto& values) {
        if (!values.empty()) {
          values.resize(padded, values.back());
        }
      };
      for (std::size_t k = 0; k < 4; ++k) {
        fill(list.slot[k]);
        fill(list.image[k]);
      }
      fill(list.type);
      fill(list.weight);
    }
  }

  std::vector<BondedProblem> problems;

 private:
  Vector place(int slot) const {
    return {atoms_.reference[0].data()[slot], atoms_.reference[1].data()[slot], atoms_.reference[2].data()[slot]};
  }

  BondVector nearest(int i, int j) const {
    const Vector xi = place(i), xj = place(j);
    BondVector v{{}, difference(xi, xj)};
    if (length_of(v.d) < 0.999 * half_) {
      return v;
    }
    const Vector fi = box_.fraction(xi), fj = box_.fraction(xj);
    for (std::size_t d = 0; d < 3; ++d) {
      v.image[d] = box_.periodic[d] ? static_cast<int>(std::lrint(fi[d] - fj[d])) : 0;
    }
    v.d = difference(difference(xi, xj), box_.lattice_vector(v.image));
    return v;
  }

  void check(const BondedTerm& term, std::size_t a, std::size_t b, const Vector& d, double limit) {
    const double distance = length_of(d);
    if (!(distance < limit)) {
      problems.push_back({term, {term.atoms[a], term.atoms[b]}, distance});
    }
  }

  /// Under every image within reach, as the pair list has it. A partner that is not here is out of reach.
  void add_special(const BondedTerm& term, const std::array<int, 4>& slot) {
    const double weight = model_.special_weight[static_cast<std::size_t>(term.type)];
    if (weight == 0.0 || slot[0] < 0 || slot[1] < 0) {
      return;
    }
    const Vector apart = difference(place(slot[0]), place(slot[1]));
    for (int n = 0; n < image_count; ++n) {
      const std::array<int, 3> image = image_of(n);
      bool wanted = true;
      for (std::size_t d = 0; d < 3; ++d) {
        wanted = wanted && (image[d] == 0 || box_.periodic[d]);
      }
      if (wanted && length_of(difference(apart, box_.lattice_vector(image))) <= reach_) {
        add_pair(mine_.terms[static_cast<std::size_t>(BondedKind::special)], slot[0], slot[1], image, weight);
      }
    }
  }

  void add_pair(TermList& list, int i, int j, const std::array<int, 3>& image, double weight) const {
    list.slot[0].push_back(i);
    list.slot[1].push_back(j);
    list.image[0].push_back(image_index(image));
    list.type.push_back(atoms_.type.data()[i] * types_ + atoms_.type.data()[j]);
    list.weight.push_back(weight);
    ++list.count;
  }

  const Atoms& atoms_;
  const SimulationBox& box_;
  const BondedModel& model_;
  int types_;
  double reach_, half_ = 0.0;
  const SlotsOfIds& slots_;
  BondedThread& mine_;
};

/// The terms' places in the order of the clusters of their atoms, so that forces are added near one another.
struct Sorted {
  std::vector<std::uint32_t> order;  // of `terms`
  std::vector<std::uint32_t> start;  // of each owned cluster
  std::vector<BondedProblem> strays;
};

Sorted sort_by_cluster(const Atoms& atoms, std::span<const BondedTerm> terms, const SlotsOfIds& slots) {
  Sorted sorted;
  const auto clusters = static_cast<std::size_t>(atoms.owned_slots / cluster_size);
  std::vector<std::uint32_t> cluster(terms.size());
  sorted.start.assign(clusters + 1, 0);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const int slot = slots.slot(terms[t].atom());
    if (slot < 0 || slot >= atoms.owned_slots) {
      sorted.strays.push_back({terms[t], {terms[t].atom(), terms[t].atom()}, 0.0});
      return sorted;
    }
    cluster[t] = static_cast<std::uint32_t>(slot / cluster_size);
    ++sorted.start[cluster[t] + 1];
  }
  for (std::size_t c = 0; c < clusters; ++c) {
    sorted.start[c + 1] += sorted.start[c];
  }
  std::vector<std::uint32_t> next(sorted.start.begin(), sorted.start.end() - 1);
  sorted.order.resize(terms.size());
  for (std::size_t t = 0; t < terms.size(); ++t) {
    sorted.order[next[cluster[t]]++] = static_cast<std::uint32_t>(t);
  }
  return sorted;
}

void list_exclusions(const Atoms& atoms, std::span<const BondedTerm> terms, const SlotsOfIds& slots, Exclusions& to) {
  to.start.clear();
  to.ids.clear();
  if (std::none_of(terms.begin(), terms.end(), [](const BondedTerm& t) { return t.kind == BondedKind::special; })) {
    return;
  }
  to.start.assign(static_cast<std::size_t>(atoms.owned_slots) + 1, 0);
  std::size_t count = 0;
  for (const BondedTerm& term : terms) {
    if (term.kind == BondedKind::special) {
      ++to.start[static_cast<std::size_t>(slots.slot(term.atom())) + 1];
      ++count;
    }
  }
  for (std::size_t s = 0; s + 1 < to.start.size(); ++s) {
    to.start[s + 1] += to.start[s];
  }
  std::vector<std::int32_t> next(to.start.begin(), to.start.end() - 1);
  to.ids.resize(count);
  for (const BondedTerm& term : terms) {
    if (term.kind == BondedKind::special) {
      const auto slot = static_cast<std::size_t>(slots.slot(term.atom()));
      to.ids[static_cast<std::size_t>(next[slot]++)] = term.atoms[term.place == 0 ? 1 : 0];
    }
  }
}

}  // namespace

std::vector<BondedProblem> build_bonded_list(const Atoms& atoms, const SimulationBox& box,
                                             std::span<const BondedTerm> terms, const BondedModel& model,
                                             int atom_types, double reach, BondedList& list) {
  const SlotsOfIds slots(atoms);
  const Sorted sorted = sort_by_cluster(atoms, terms, slots);
  if (!sorted.strays.empty()) {
    return sorted.strays;
  }
  list_exclusions(atoms, terms, slots, list.exclusions);
  const int threads = omp_get_max_threads();
  const std::int64_t clusters = atoms.owned_slots / cluster_size;
  list.threads.resize(static_cast<std::size_t>(threads));
  std::vector<BondedProblem> problems;
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    BondedThread& mine = list.threads[static_cast<std::size_t>(thread)];
    const auto first = static_cast<std::size_t>(clusters * thread / threads);
    const auto last = static_cast<std::size_t>(clusters * (thread + 1) / threads);
    mine.first_slot = static_cast<int>(first) * cluster_size;
    mine.last_slot = static_cast<int>(last) * cluster_size;
    Lister lister(atoms, box, model, atom_types, reach, slots, mine);
    for (std::uint32_t at = sorted.start[first]; at < sorted.start[last]; ++at) {
      lister.add(terms[sorted.order[at]]);
    }
    lister.pad();
#pragma omp critical(halyard_md_bonded_list)
    problems.insert(problems.end(), lister.problems.begin(), lister.problems.end());
  }
  return problems;
}

}  // namespace halyard::md::host
