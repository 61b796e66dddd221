#include "kernels/md/pair_forces.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/device/profile.hpp"
#include "kernels/md/host/image_shifts.hpp"
#include "kernels/md/host/pair_loop.hpp"
#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {

namespace host {

template <class Potential, bool one_type, bool with_totals>
ForceTotals run_pair_loop(const PairParameters& table, const SimulationBox& box, const PairList& list, Atoms& atoms) {
  static KernelRecord& record = kernel_record("PairLoop " + std::string(Potential::name), {.bytes = 48, .flops = 0});
  const KernelTimer timer(record, atoms.owned);
  const auto shifts = image_shifts(box);
  ForceTotals totals;
#pragma omp parallel num_threads(static_cast <int>(list.threads.size()))
  {
    const ThreadList& mine = list.threads[static_cast<std::size_t>(omp_get_thread_num())];
    const ForceTotals sums = PairLoop<Potential, one_type, with_totals>(atoms, table, shifts, mine).run();
#pragma omp critical(halyard_md_force_totals)
    totals.add(sums);
  }
  return totals;
}

}  // namespace host

ForceTotals pair_forces(Queue&, std::string_view name, const PairParameters& table, const SimulationBox& box,
                        const host::PairList& list, bool totals, Atoms& atoms) {
  ForceTotals sums;
  with_pair_potential(name, [&](auto potential) {
    using Potential = decltype(potential);
    if (table.types == 1) {
      sums = totals ? host::run_pair_loop<Potential, true, true>(table, box, list, atoms)
                    : host::run_pair_loop<Potential, true, false>(table, box, list, atoms);
    } else {
      sums = totals ? host::run_pair_loop<Potential, false, true>(table, box, list, atoms)
                    : host::run_pair_loop<Potential, false, false>(table, box, list, atoms);
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
