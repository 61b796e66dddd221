#include "kernels/md/eam_forces.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/device/profile.hpp"
#include "kernels/md/host/image_shifts.hpp"
#include "kernels/md/host/near_pairs.hpp"
#include "kernels/md/host/rounding.hpp"

namespace halyard::md {

EamModel::EamModel(const EamGrids& grids, std::vector<int> element_of_type)
    : splines(grids), element(std::move(element_of_type)) {
  double largest = 0.0;
  for (const std::vector<double>& table : grids.density) {
    for (const double value : table) {
      largest = std::max(largest, std::abs(value));
    }
  }
  // A term may be 32 times the largest in the tables; the resolution is 2^-46 of it.
  density_unit = std::ldexp(1.0, std::ilogb(std::max(largest, 1e-300)) + 1 - 46);
  for (const int a : element) {
    for (const int b : element) {
      safe_r2.push_back(splines.safe_r2(a, b, density_unit * fixed_limit));
      to_i_start.push_back(splines.pair_start(b, a));
      to_j_start.push_back(splines.pair_start(a, b));
    }
  }
}

namespace host {

namespace {

using halyard::host::all;
using halyard::host::all_int;
using halyard::host::bits_of;
using halyard::host::from_bits;
using halyard::host::gather;
using halyard::host::IndexLanes;
using halyard::host::IntLanes;
using halyard::host::lane_count;
using halyard::host::Lanes;
using halyard::host::load;
using halyard::host::load_index;
using halyard::host::Mask;
using halyard::host::zero_unless;

/// The lanes of the eight pairs from k on that are there.
Mask present(const NearPairs& pairs, int k) {
  const int left = pairs.count - k;
  return from_bits(left >= lane_count ? 0xffU : (1U << left) - 1U);
}

/// Where the rows of a pair of types begin in the tables, and how near the two may come.
struct PairRows {
  Lanes to_i, to_j, safe2;  // of what j gives to i, and i to j
};

/// Looks them up for the types of a case; one type alone needs no look-up.
class TypeTable {
 public:
  TypeTable(const EamModel& model, const Atoms& atoms)
      : model_(model), types_(static_cast<int>(model.element.size())), type_(atoms.type.data()) {}
  bool one() const { return types_ == 1; }
  PairRows common() const { return {all(model_.to_i_start[0]), all(model_.to_j_start[0]), all(model_.safe_r2[0])}; }
  PairRows rows(int i, const std::int32_t* j, int count) const {
    std::int32_t type_j[lane_count] = {};
    for (int l = 0; l < count; ++l) {
      type_j[l] = type_[j[l]];
    }
    const IndexLanes index = load_index(type_j);
    const std::ptrdiff_t first = std::ptrdiff_t{type_[i]} * types_;
    return {gather(model_.to_i_start.data() + first, index), gather(model_.to_j_start.data() + first, index),
            gather(model_.safe_r2.data() + first, index)};
  }

 private:
  const EamModel& model_;
  int types_;
  const std::int32_t* type_;
};

/// First pass: what each atom receives from its neighbours.
template <bool one_type>
struct AddDensities {
  static constexpr bool needs_images = false;
  EamView view;
  const TypeTable& types;
  double unit;
  std::int64_t* density;
  bool overlap = false;

  void operator()(int i, bool own, const NearPairs& pairs) {
    const Lanes magic = all(rounding_constant(unit));
    PairRows rows = types.common();
    IntLanes sum = all_int(0);
    for (int k = 0; k < pairs.count; k += lane_count) {
      const int left = std::min(pairs.count - k, lane_count);
      const Mask here = present(pairs, k);
      const Lanes dx = load(pairs.d[0] + k), dy = load(pairs.d[1] + k), dz = load(pairs.d[2] + k);
      const Lanes r2 = fma(dx, dx, fma(dy, dy, dz * dz));
      if constexpr (!one_type) {
        rows = types.rows(i, pairs.j + k, left);
      }
      overlap = overlap || any(both(here, less(r2, rows.safe2)));
      // Nearer pairs, of which a minimiser takes note, are as at the safe distance.
      const Lanes r = square_root(larger(zero_unless(here, r2), rows.safe2));
      const Lanes from_j = zero_unless(here, eam_density(view, r, rows.to_i));
      sum = sum + bits_of(from_j + magic);
      if (own) {
        const Lanes from_i = one_type ? from_j : zero_unless(here, eam_density(view, r, rows.to_j));
        std::int64_t term[lane_count];
        store(term, bits_of(from_i + magic));
        for (int l = 0; l < left; ++l) {
          density[pairs.j[k + l]] += term[l] - rounding_bits(unit);
        }
      }
    }
    const std::int64_t vectors = (pairs.count + lane_count - 1) / lane_count;
    density[i] += sum_of_lanes(sum) - times(lane_count * vectors, rounding_bits(unit));
  }
};

/// Second pass: forces, once the slopes of the embedding are known.
template <bool one_type, bool with_totals>
struct AddForces {
  static constexpr bool needs_images = with_totals;
  EamView view;
  const TypeTable& types;
  const double* slope;
  std::int64_t* force[3];
  ForceTotals totals;

  void operator()(int i, bool own, const NearPairs& pairs) {
    const Lanes magic = all(rounding_constant(force_unit)), energy_magic = all(rounding_constant(energy_unit));
    const Lanes slope_i = all(slope[i]);
    PairRows rows = types.common();
    IntLanes sum[3] = {all_int(0), all_int(0), all_int(0)}, energy = all_int(0);
    for (int k = 0; k < pairs.count; k += lane_count) {
      const int left = std::min(pairs.count - k, lane_count);
      const Mask here = present(pairs, k);
      const Lanes d[3] = {load(pairs.d[0] + k), load(pairs.d[1] + k), load(pairs.d[2] + k)};
      const Lanes slope_j = gather(slope, load_index(pairs.j + k));  // lanes beyond the last pair: of some atom
      if constexpr (!one_type) {
        rows = types.rows(i, pairs.j + k, left);
      }
      const Lanes r2 = fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2]));
      const Lanes r = square_root(larger(zero_unless(here, r2), rows.safe2));
      const EamPair<Lanes> pair = eam_pair(view, r, rows.to_i);
      // dE/dr = F'(rho_i) rho_ji' + F'(rho_j) rho_ij' + phi'
      Lanes rise;
      if constexpr (one_type) {
        rise = fma(slope_i + slope_j, pair.density_slope, pair.phi_slope);
      } else {
        // The same bits whichever of the two atoms is i: products first, then their sum.
        const Lanes to_j = eam_pair(view, r, rows.to_j).density_slope;
        rise = (slope_i * pair.density_slope + slope_j * to_j) + pair.phi_slope;
      }
      // eam_pair() divides by r as well: one division for both.
      const Lanes f = zero_unless(here, (all(0.0) - rise) * (all(1.0) / r));
      std::int64_t term[3][lane_count];
      for (int a = 0; a < 3; ++a) {
        const IntLanes bits = bits_of(fma(f, d[a], magic));
        sum[a] = sum[a] + bits;
        store(term[a], bits);
      }
      for (int l = 0; l < left; ++l) {
        const int j = pairs.j[k + l];
        for (int a = 0; a < 3; ++a) {
          const std::int64_t on_i = term[a][l] - rounding_bits(force_unit);
          if (own) {
            force[a][j] -= on_i;
          }
          if constexpr (with_totals) {
            totals.shift_force2[static_cast<std::size_t>(pairs.image[k + l])][static_cast<std::size_t>(a)] +=
                own ? 2 * on_i : on_i;
          }
        }
      }
      if constexpr (with_totals) {
        energy = energy + bits_of(zero_unless(here, pair.phi) + energy_magic);
      }
    }
    const std::int64_t vectors = (pairs.count + lane_count - 1) / lane_count;
    for (int a = 0; a < 3; ++a) {
      force[a][i] += sum_of_lanes(sum[a]) - times(lane_count * vectors, rounding_bits(force_unit));
    }
    if constexpr (with_totals) {
      const std::int64_t e = sum_of_lanes(energy) - times(lane_count * vectors, rounding_bits(energy_unit));
      totals.energy2_of(EnergyTerm::pair) += own ? 2 * static_cast<Wide>(e) : static_cast<Wide>(e);
    }
  }
};

/// Runs a copy of `use` over the near pairs of each thread's list and hands the copies to `gather_up`.
template <class Use, class GatherUp>
void over_near_pairs(const Atoms& atoms, const SimulationBox& box, const PairList& list, double cutoff, const Use& use,
                     GatherUp gather_up) {
  const auto shifts = image_shifts(box);
#pragma omp parallel num_threads(static_cast <int>(list.threads.size()))
  {
    Use mine = use;
    const ThreadList& of_thread = list.threads[static_cast<std::size_t>(omp_get_thread_num())];
    NearPairSearch<Use>(atoms, shifts, cutoff * cutoff, of_thread, mine).run();
#pragma omp critical(halyard_md_eam)
    gather_up(mine);
  }
}

}  // namespace

}  // namespace host

void eam_densities(Queue&, const EamModel& model, const SimulationBox& box, const host::PairList& list,
                   const Atoms& atoms, Buffer<std::int64_t>& density, ForceTotals& totals) {
  static KernelRecord& record = kernel_record("EamDensities", {.bytes = 32, .flops = 0});
  const KernelTimer timer(record, atoms.owned);
  std::fill_n(density.data(), atoms.owned_slots, 0);
  const host::TypeTable types(model, atoms);
  const EamView view = model.splines.view();
  const auto run = [&]<bool one_type>(std::bool_constant<one_type>) {
    const host::AddDensities<one_type> use{view, types, model.density_unit, density.data()};
    host::over_near_pairs(atoms, box, list, model.splines.cutoff(), use,
                          [&](const auto& mine) { totals.overlap = totals.overlap || mine.overlap; });
  };
  types.one() ? run(std::true_type{}) : run(std::false_type{});
}

std::int64_t eam_embed(Queue&, const EamModel& model, const Atoms& atoms, const Buffer<std::int64_t>& density,
                       bool with_totals, Buffer<double>& slope, ForceTotals& totals) {
  static KernelRecord& record = kernel_record("EamEmbedding", {.bytes = 16, .flops = 12});
  const KernelTimer timer(record, atoms.owned);
  const EamView view = model.splines.view();
  std::int64_t outside = 0;
  double largest = 0.0;
  Wide energy = 0;
#pragma omp parallel reduction(+ : outside) reduction(max : largest)
  {
    Wide mine = 0;
#pragma omp for schedule(static)
    for (int cluster = 0; cluster < atoms.owned_slots / cluster_size; ++cluster) {
      const int first = cluster * cluster_size;
      double rho[cluster_size], start[cluster_size], energies[cluster_size];
      unsigned present = 0;
      for (int l = 0; l < cluster_size; ++l) {
        const int s = first + l;
        rho[l] = static_cast<double>(density.data()[s]) * model.density_unit;
        start[l] = model.splines.embedding_start(model.element[static_cast<std::size_t>(atoms.type.data()[s])]);
        present |= static_cast<unsigned>(atoms.id.data()[s] != empty_slot) << l;
      }
      const auto f = eam_embedding(view, halyard::host::load(rho), halyard::host::load(start));
      store(slope.data() + first, f.slope);
      const halyard::host::Mask atom = halyard::host::from_bits(present);
      if (const unsigned bits = to_bits(both(atom, f.outside)); bits != 0) {
        outside += std::popcount(bits);
        for (int l = 0; l < cluster_size; ++l) {
          largest = ((bits >> l) & 1U) != 0 ? std::max(largest, rho[l]) : largest;
        }
      }
      if (with_totals) {
        store(energies, zero_unless(atom, f.energy));
        for (const double e : energies) {
          mine += 2 * static_cast<Wide>(std::llrint(e / energy_unit));
        }
      }
    }
#pragma omp critical(halyard_md_eam)
    energy += mine;
  }
  totals.energy2_of(EnergyTerm::embedding) += energy;
  totals.densities_outside += outside;
  totals.largest_density = std::max(totals.largest_density, largest);
  return outside;
}

void eam_forces(Queue&, const EamModel& model, const SimulationBox& box, const host::PairList& list,
                const Buffer<double>& slope, bool with_totals, Atoms& atoms, ForceTotals& totals) {
  static KernelRecord& record = kernel_record("EamForces", {.bytes = 56, .flops = 0});
  const KernelTimer timer(record, atoms.owned);
  const host::TypeTable types(model, atoms);
  const EamView view = model.splines.view();
  const auto run = [&]<bool one_type, bool sums>(std::bool_constant<one_type>, std::bool_constant<sums>) {
    const host::AddForces<one_type, sums> use{
        view, types, slope.data(), {atoms.force[0].data(), atoms.force[1].data(), atoms.force[2].data()}, {}};
    host::over_near_pairs(atoms, box, list, model.splines.cutoff(), use,
                          [&](const auto& mine) { totals.add(mine.totals); });
  };
  if (types.one()) {
    with_totals ? run(std::true_type{}, std::true_type{}) : run(std::true_type{}, std::false_type{});
  } else {
    with_totals ? run(std::false_type{}, std::true_type{}) : run(std::false_type{}, std::false_type{});
  }
}

}  // namespace halyard::md
