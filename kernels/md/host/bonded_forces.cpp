#include "kernels/md/bonded_forces.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/device/host/lane_masks.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/md/bonded/styles.hpp"
#include "kernels/md/host/image_shifts.hpp"
#include "kernels/md/host/rounding.hpp"
#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {

namespace host {

namespace {

using halyard::host::all;
using halyard::host::both;
using halyard::host::either;
using halyard::host::IndexLanes;
using halyard::host::lane_count;
using halyard::host::Lanes;
using halyard::host::load;
using halyard::host::load_index;
using halyard::host::Mask;

/// Energy and forces of eight terms; f[0], f[1], f[2] are on atoms 1, 3, 4.
template <int N>
struct Forces {
  Lanes energy;
  Vector3<Lanes> f[N - 1];
  Mask broken;
};

/// A bonded style as the loop calls it. Coefficients of one type alone stay in registers.
template <class Style, int N, bool one_type>
class StyleTerms {
 public:
  StyleTerms(const BondedStyle& table, const TermList& list) : table_(table), list_(list) {
    if constexpr (one_type) {
      for (int k = 0; k < Style::coefficients; ++k) {
        common_[k] = all(table.c[static_cast<std::size_t>(k)]);
      }
    }
  }
  Forces<N> operator()(int at, const Vector3<Lanes>* d) const {
    const Lanes* c = common_;
    Lanes mine[Style::coefficients];
    if constexpr (!one_type) {
      const IndexLanes type = load_index(list_.type.data() + at);
      for (int k = 0; k < Style::coefficients; ++k) {
        mine[k] = gather(table_.c.data() + std::ptrdiff_t{k} * table_.types, type);
      }
      c = mine;
    }
    if constexpr (N == 2) {
      const auto term = Style::template evaluate<Lanes>(dot(d[0], d[0]), c);
      return {term.energy, {term.force_over_r * d[0]}, term.broken};
    } else if constexpr (N == 3) {
      const auto term = Style::template evaluate<Lanes>(d[0], d[1], c);
      return {term.energy, {term.f1, term.f3}, term.broken};
    } else {
      const auto term = Style::template evaluate<Lanes>(d[0], d[1], d[2], c);
      return {term.energy, {term.f1, term.f3, term.f4}, term.broken};
    }
  }

 private:
  const BondedStyle& table_;
  const TermList& list_;
  Lanes common_[Style::coefficients];
};

/// A pair potential between special pairs, times their weights.
template <class Potential, bool with_cutoff>
class PairTerms {
 public:
  PairTerms(const PairParameters& table, const TermList& list) : table_(table), list_(list) {}
  Forces<2> operator()(int at, const Vector3<Lanes>* d) const {
    const auto pairs = std::ptrdiff_t{table_.types} * table_.types;
    const IndexLanes type = load_index(list_.type.data() + at);
    Lanes c[Potential::coefficients];
    for (int k = 0; k < Potential::coefficients; ++k) {
      c[k] = gather(table_.c.data() + k * pairs, type);
    }
    const Lanes r2 = dot(d[0], d[0]), weight = load(list_.weight.data() + at);
    const auto term = Potential::template evaluate<Lanes>(r2, c, table_.tables);
    const Mask broken = less(r2, gather(table_.safe2.data(), type));
    Lanes energy = weight * term.energy, force = weight * term.force_over_r;
    if constexpr (with_cutoff) {
      const Mask near = less(r2, gather(table_.cutoff2.data(), type));
      energy = zero_unless(near, energy);
      force = zero_unless(near, force);
      return {energy, {force * d[0]}, both(broken, near)};
    }
    return {energy, {force * d[0]}, broken};
  }

 private:
  const PairParameters& table_;
  const TermList& list_;
};

/// What all threads share.
struct Scene {
  const double* x[3];
  std::int64_t* force[3];
  const std::int64_t* id;
  std::array<std::array<double, image_count>, 3> shift;  // S by image, an axis each
};

KERNEL Mask within(Lanes x, Lanes limit) { return less(larger(x, all(0.0) - x), limit); }

template <bool with_totals>
class TermLoop {
 public:
  TermLoop(const Scene& scene, const BondedThread& mine) : scene_(scene), mine_(mine) {}

  template <int N, class Terms>
  void run(BondedKind kind, EnergyTerm energy, const TermList& list, const Terms& terms) {
    constexpr std::array<std::array<std::size_t, 2>, 3> ends{{{0, 1}, {2, 1}, {3, 2}}};
    constexpr std::array<int, 3> atom_of{0, 2, 3};  // of f[k]
    const Lanes magic = all(rounding_constant(force_unit)), limit = all(force_limit);
    for (int at = 0; at < list.count; at += lane_count) {
      const int live = std::min(lane_count, list.count - at);
      IndexLanes slot[N];
      Lanes x[N][3];
      for (int a = 0; a < N; ++a) {
        slot[a] = load_index(list.slot[static_cast<std::size_t>(a)].data() + at);
        for (int d = 0; d < 3; ++d) {
          x[a][d] = gather(scene_.x[d], slot[a]);
        }
      }
      Vector3<Lanes> bond[N - 1];
      for (std::size_t k = 0; k + 1 < N; ++k) {
        const IndexLanes image = load_index(list.image[k].data() + at);
        const auto [i, j] = ends[k];
        bond[k] = {x[i][0] - x[j][0] + gather(scene_.shift[0].data(), image),
                   x[i][1] - x[j][1] + gather(scene_.shift[1].data(), image),
                   x[i][2] - x[j][2] + gather(scene_.shift[2].data(), image)};
      }
      const Forces<N> result = terms(at, bond);
      Mask fine = within(result.energy, all(energy_limit));
      std::int64_t f[N][3][lane_count];
      for (int k = 0; k + 1 < N; ++k) {
        const Lanes component[3] = {result.f[k].x, result.f[k].y, result.f[k].z};
        for (int d = 0; d < 3; ++d) {
          fine = both(fine, within(component[d], limit));
          store(f[atom_of[static_cast<std::size_t>(k)]][d],
                bits_of(component[d] + magic) - halyard::host::all_int(rounding_bits(force_unit)));
        }
      }
      const unsigned bad = (~to_bits(fine) | to_bits(result.broken)) & ((1U << live) - 1U);
      if (bad != 0) {
        tell_broken(kind, list, N, at + std::countr_zero(bad));
      }
      for (int d = 0; d < 3; ++d) {
        for (int l = 0; l < lane_count; ++l) {
          std::uint64_t rest = 0;
          for (int k = 0; k + 1 < N; ++k) {
            rest -= static_cast<std::uint64_t>(f[atom_of[static_cast<std::size_t>(k)]][d][l]);
          }
          f[1][d][l] = static_cast<std::int64_t>(rest);
        }
      }
      for (int a = 0; a < N; ++a) {
        const std::int32_t* to = list.slot[static_cast<std::size_t>(a)].data() + at;
        for (int l = 0; l < live; ++l) {
          if (owned(to[l])) {
            for (int d = 0; d < 3; ++d) {
              scene_.force[d][to[l]] += f[a][d][l];
            }
          }
        }
      }
      if constexpr (with_totals) {
        add_totals<N>(energy, list, at, live, result.energy, f);
      }
    }
  }

  BondedTotals sums;

 private:
  bool owned(std::int32_t slot) const { return slot >= mine_.first_slot && slot < mine_.last_slot; }

  template <int N>
  void add_totals(EnergyTerm energy, const TermList& list, int at, int live, Lanes value,
                  const std::int64_t (&f)[N][3][lane_count]) {
    // The image of x_a - x_2, for atoms 1, 3, 4.
    constexpr std::array<std::array<std::size_t, 2>, 3> displacement{{{0, 0}, {2, 1}, {3, 3}}};
    std::int64_t e[lane_count];
    store(e, bits_of(value + all(rounding_constant(energy_unit))));
    for (int l = 0; l < live; ++l) {
      if (owned(list.slot[0][static_cast<std::size_t>(at + l)])) {
        sums.totals.energy2_of(energy) += 2 * static_cast<Wide>(e[l] - rounding_bits(energy_unit));
      }
    }
    for (std::size_t k = 0; k + 1 < N; ++k) {
      const auto [a, image] = displacement[k];
      for (int l = 0; l < live; ++l) {
        if (owned(list.slot[a][static_cast<std::size_t>(at + l)])) {
          auto& sum =
              sums.totals.shift_force2[static_cast<std::size_t>(list.image[image][static_cast<std::size_t>(at + l)])];
          for (std::size_t d = 0; d < 3; ++d) {
            sum[d] += 2 * f[a][d][l];
          }
        }
      }
    }
  }

  void tell_broken(BondedKind kind, const TermList& list, int n, int term) {
    sums.totals.overlap = true;
    sums.broken.fill(-1);
    sums.broken[0] = static_cast<std::int64_t>(kind);
    for (std::size_t a = 0; a < static_cast<std::size_t>(n); ++a) {
      sums.broken[a + 1] = scene_.id[list.slot[a][static_cast<std::size_t>(term)]];
    }
  }

  const Scene& scene_;
  const BondedThread& mine_;
};

template <class Styles, int N, bool with_totals>
void run_kind(TermLoop<with_totals>& loop, BondedKind kind, const BondedModel& model, const BondedThread& mine) {
  const TermList& list = mine.terms[static_cast<std::size_t>(kind)];
  if (list.count == 0) {
    return;
  }
  const BondedStyle& table = model.styles[static_cast<std::size_t>(kind)];
  with_style<Styles>(table.name, [&](auto style) {
    using Style = decltype(style);
    if (table.types == 1) {
      loop.template run<N>(kind, energy_term_of(kind), list, StyleTerms<Style, N, true>(table, list));
    } else {
      loop.template run<N>(kind, energy_term_of(kind), list, StyleTerms<Style, N, false>(table, list));
    }
  });
}

template <bool with_totals>
BondedTotals run_thread(const Scene& scene, const BondedModel& model, std::string_view pair,
                        const PairParameters& table, const BondedThread& mine) {
  TermLoop<with_totals> loop(scene, mine);
  run_kind<BondStyles, 2>(loop, BondedKind::bond, model, mine);
  run_kind<AngleStyles, 3>(loop, BondedKind::angle, model, mine);
  run_kind<DihedralStyles, 4>(loop, BondedKind::dihedral, model, mine);
  run_kind<ImproperStyles, 4>(loop, BondedKind::improper, model, mine);
  if (const TermList& list = mine.terms[static_cast<std::size_t>(BondedKind::special)]; list.count > 0) {
    with_pair_potential(pair, [&](auto potential) {
      loop.template run<2>(BondedKind::special, EnergyTerm::pair, list,
                           PairTerms<decltype(potential), true>(table, list));
    });
  }
  if (const TermList& list = mine.terms[ends_list]; list.count > 0) {
    loop.template run<2>(BondedKind::special, EnergyTerm::pair, list, PairTerms<LennardJones, false>(model.ends, list));
  }
  return loop.sums;
}

}  // namespace

}  // namespace host

BondedTotals bonded_forces(Queue&, const BondedModel& model, std::string_view pair, const PairParameters& table,
                           const SimulationBox& box, const host::BondedList& list, bool totals, Atoms& atoms) {
  static KernelRecord& record = kernel_record("BondedForces", {.bytes = 64, .flops = 0});
  std::int64_t items = 0;
  for (const host::BondedThread& thread : list.threads) {
    for (const host::TermList& terms : thread.terms) {
      items += terms.count;
    }
  }
  const KernelTimer timer(record, items);
  host::Scene scene{{atoms.x[0].data(), atoms.x[1].data(), atoms.x[2].data()},
                    {atoms.force[0].data(), atoms.force[1].data(), atoms.force[2].data()},
                    atoms.id.data(),
                    {}};
  const auto shifts = host::image_shifts(box);
  for (std::size_t n = 0; n < shifts.size(); ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      scene.shift[d][n] = -shifts[n][d];
    }
  }
  BondedTotals sums;
#pragma omp parallel num_threads(static_cast <int>(list.threads.size()))
  {
    const host::BondedThread& mine = list.threads[static_cast<std::size_t>(omp_get_thread_num())];
    const BondedTotals part = totals ? host::run_thread<true>(scene, model, pair, table, mine)
                                     : host::run_thread<false>(scene, model, pair, table, mine);
#pragma omp critical(halyard_md_bonded_totals)
    {
      sums.totals.add(part.totals);
      sums.broken = std::max(sums.broken, part.broken);
    }
  }
  return sums;
}

}  // namespace halyard::md
