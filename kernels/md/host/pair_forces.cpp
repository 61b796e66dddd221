#include "kernels/md/pair_forces.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/device/profile.hpp"
#include "kernels/md/host/image_shifts.hpp"
#include "kernels/md/host/pair_loop.hpp"
#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {

namespace host {

template <class Potential, bool one_type, bool with_totals, bool clamped>
ForceTotals run_pair_loop(const PairParameters& table, const SimulationBox& box, const PairList& list, Atoms& atoms) {
  static KernelRecord& record = kernel_record("PairLoop " + std::string(Potential::name), {.bytes = 48, .flops = 0});
  const KernelTimer timer(record, atoms.owned);
  const auto shifts = image_shifts(box);
  ForceTotals totals;
#pragma omp parallel num_threads(static_cast <int>(list.threads.size()))
  {
    const ThreadList& mine = list.threads[static_cast<std::size_t>(omp_get_thread_num())];
    const ForceTotals sums = PairLoop<Potential, one_type, with_totals, clamped>(atoms, table, shifts, mine).run();
#pragma omp critical(halyard_md_force_totals)
    totals.add(sums);
  }
  return totals;
}

}  // namespace host

ForceTotals pair_forces(Queue&, std::string_view name, const PairParameters& table, const SimulationBox& box,
                        const host::PairList& list, bool totals, Atoms& atoms, bool clamped) {
  ForceTotals sums;
  with_pair_potential(name, [&](auto potential) {
    const auto run = [&]<bool one_type, bool with_totals, bool clamp>() {
      sums = host::run_pair_loop<decltype(potential), one_type, with_totals, clamp>(table, box, list, atoms);
    };
    const bool one_type = table.types == 1;
    if (clamped) {  // of minimisers alone: not worth a form without totals
      one_type ? run.template operator()<true, true, true>() : run.template operator()<false, true, true>();
    } else if (totals) {
      one_type ? run.template operator()<true, true, false>() : run.template operator()<false, true, false>();
    } else {
      one_type ? run.template operator()<true, false, false>() : run.template operator()<false, false, false>();
    }
  });
  return sums;
}

void clear_forces(Queue&, Atoms& atoms) {
#pragma omp parallel for schedule(static)
  for (int cluster = 0; cluster < atoms.owned_slots / cluster_size; ++cluster) {
    for (int d = 0; d < 3; ++d) {
      std::fill_n(atoms.force[d].data() + std::ptrdiff_t{cluster} * cluster_size, cluster_size, 0);
    }
  }
}

}  // namespace halyard::md
